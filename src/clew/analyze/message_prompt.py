"""One message put to a language model as data: whether it is worth a question, and how it is shown."""

import json
from typing import Final

from clew.models.prompt import Prompt

MIN_WORDS: Final = 4
"""Shorter texts are not asked about: out of their context nobody could tell."""

HEAD: Final = 4_000
TAIL: Final = 2_000
"""Characters of a long text that the model is shown: its beginning and its end."""


def worth_asking(text: str) -> bool:
    """Whether a model could tell anything of a text."""
    return len(text.split(maxsplit=MIN_WORDS)) >= MIN_WORDS


def message_prompt(instructions: str, text: str, role: str) -> Prompt:
    """The question that these instructions put about one message."""
    shown = text if len(text) <= HEAD + TAIL else f"{text[:HEAD]} [...] {text[-TAIL:]}"
    return Prompt.of(instructions, json.dumps({"role": role, "message": shown}, ensure_ascii=False))
