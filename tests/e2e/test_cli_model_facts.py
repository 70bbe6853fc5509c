"""What a language model made of the facts of turns, as the command line shows it."""

import json
import re

import pytest

from clew.memory import Memory
from clew.models.prompt import Prompt
from clew.testing import ScriptedLLM
from tests.support.cli_runs import done, records
from tests.support.llm_answers import asks_for, nothing
from tests.support.memories import told

EMPTY = dict.fromkeys(("scope", "instead_of", "when", "where", "reason"), "")


def answer(prompt: Prompt) -> str:
    """Two facts about bees, one of them made up; nothing that can be used about wool."""
    if asks_for(prompt) != "facts":
        return nothing(prompt)
    if "wool" in prompt.messages[0].text:
        return "no JSON"
    fact = {"quote": "I keep bees", "subject": "user", "verb": "keeps", "status": "active", "type": "personal"}
    return json.dumps({"facts": [fact | EMPTY | {"effect": "states", "object": value} for value in ("bees", "wasps")]})


@pytest.mark.usefixtures("tmp_home")
@pytest.mark.requirement("K-MOD-02")
def test_what_a_model_did_with_facts_is_shown() -> None:
    with Memory.open(embedder="none", llm=ScriptedLLM(answer)) as memory:
        memory.add_many([told("I keep bees."), told("I spin wool.")])
        memory.drain(200)
    (job,) = records("jobs")
    assert (job["job"], job["state"], job["attempts"]) == ("model_facts:s:turn:1", "pending", 1)
    assert "no usable answer" in job["reason"]
    assert "model_facts:s:turn:1" in done("jobs")
    shown = done("stats")
    assert re.search(r"model facts +1 believed, 1 invented\b", shown), shown
    assert re.search(r"scripted, model_facts: \d+ calls", shown), shown
