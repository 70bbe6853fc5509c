"""What a scripted language model answers to the questions that Clew puts to it, and their worker."""

import json
from typing import Final

from clew.background.llm import LLMWorker
from clew.models.prompt import Prompt

DENIED: Final = json.dumps(dict.fromkeys(("metaphor", "sarcasm", "analogy", "narrative_thread"), False))
TAGGED: Final = json.dumps({"tags": []})
FACTLESS: Final = json.dumps({"facts": []})


def asks_for(prompt: Prompt) -> str:
    """The first field of the answer that is asked for: `facts`, `tags`, `metaphor`, `summary`; empty if any text is."""
    return "" if prompt.schema is None else str(next(iter(prompt.schema["properties"])))


def nothing(prompt: Prompt) -> str:
    """An answer that says that there is nothing to tell."""
    return {"facts": FACTLESS, "tags": TAGGED, "metaphor": DENIED}[asks_for(prompt)]


def finish(worker: LLMWorker) -> None:
    """Asks until there is nothing left to ask now, and gives the space free for others."""
    while worker.step():
        pass
    worker.stop()
