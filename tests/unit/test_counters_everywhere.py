"""One choice of a counter for every call and command with a budget, and lists counted with their images."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from clew.condense.message_tokens import message_tokens
from clew.condense.wires import WIRES
from clew.errors import ConfigError
from clew.memory import Memory
from clew.text.counters import NAMES, counter
from clew.types import Turn
from tests.support.memories import quiet
from tests.support.wire_talks import Event, Said, Used, written
from tests.unit.test_condense_images import WIRES as WIRE_NAMES
from tests.unit.test_condense_images import message, picture
from tests.unit.test_condense_recap import work

BUDGET = 150
CALLS: dict[str, Callable[[Memory, Any], tuple[str, int]]] = {
    "recall": lambda m, name: _shown(m.recall("Which tests fail?", budget=BUDGET, counter=name)),
    "remember_when": lambda m, name: _shown(m.remember_when("tests", budget=BUDGET, counter=name)),
    "recap": lambda m, name: _shown(m.recap("work", budget=BUDGET, counter=name)),
    "insure": lambda m, name: _shown(m.insure("work", [], budget=BUDGET, counter=name)),
}


def _shown(result: Any) -> tuple[str, int]:
    return result.text, result.tokens


@pytest.fixture(scope="module", name="memory")
def _memory() -> Any:
    with quiet() as memory:
        memory.add_many(Turn(role=turn.role, content=turn.content, session="work") for turn in work())
        memory.drain()
        yield memory


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", [*NAMES, "anthropic/classes"])
@pytest.mark.requirement("F-COUNTER-03")
def test_a_budget_holds_by_the_counter_that_was_chosen(memory: Memory, call: str, name: str) -> None:
    if name in ("openai", "tiktoken"):
        pytest.importorskip("bpe_openai", reason="the extra [tokens] is not installed")
    text, tokens = CALLS[call](memory, name)
    assert text
    assert tokens == counter(name)(text) <= BUDGET


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.requirement("F-COUNTER-03")
def test_a_function_counts_as_well_and_an_unknown_name_is_refused(memory: Memory, call: str) -> None:
    text, tokens = CALLS[call](memory, len)
    assert tokens == len(text) <= BUDGET
    with pytest.raises(ConfigError, match="'gemma' is unknown"):
        CALLS[call](memory, "gemma")


@pytest.mark.requirement("F-COUNTER-03")
def test_a_stub_says_the_size_by_the_counter_that_was_chosen(memory: Memory) -> None:
    events: list[Event] = [
        Said("user", "Look."),
        Used((("Read", "a.py", "line\n" * 300),)),
        Said("assistant", "Done."),
    ] * 2
    messages = written(events, "anthropic")
    sizes = {
        name: json.dumps(memory.collapse(messages, protected=0, counter=name))
        .partition(" tokens")[0]
        .rpartition(" ")[2]
        for name in ("estimate", "words")
    }
    assert sizes["estimate"] != sizes["words"]


@pytest.mark.parametrize("wire", WIRE_NAMES)
@pytest.mark.requirement("F-COUNTER-04")
def test_a_list_costs_its_words_and_its_images_by_their_size(wire: str) -> None:
    words = written([Said("user", "Look at this."), Used((("Read", "src/app.py", "x" * 400),))], wire)
    count = counter()
    assert 100 < message_tokens(words, wire, count) < 160
    small = message_tokens([*words, message(wire, picture(1_000, 1_000))], wire, count)
    assert 250 < small - message_tokens(words, wire, count) < 1_400, "not a third of its million pixels' bytes"
    assert message_tokens([], wire, count) == 0
    assert set(WIRE_NAMES) == set(WIRES)


@pytest.mark.requirement("F-COUNTER-03")
def test_a_compaction_counts_by_the_counter_that_was_chosen() -> None:
    with quiet() as memory:
        memory.add_many(Turn(role=turn.role, content=turn.content, session="work") for turn in work())
        memory.drain()
        by_default = memory.condense("work", force=True, dry_run=True).understood["tokens_before"]
        receipt = memory.condense("work", force=True, counter="anthropic/classes")
        assert receipt.understood["tokens_before"] != by_default
        assert receipt.tokens == counter("anthropic/classes")(memory.recap("work", counter="anthropic/classes").text)
        with pytest.raises(ConfigError, match="'gemma' is unknown"):
            memory.condense("work", force=True, counter="gemma")
