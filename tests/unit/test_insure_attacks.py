"""Histories that clients and providers shortened by themselves, in each wire format, and what is brought back."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.memory import Memory
from clew.text.counters import NAMES, counter
from clew.types import Part, Turn
from tests.support.effort import examples
from tests.support.memories import quiet
from tests.support.wire_talks import Event, Said, Used, written

WIRES = ("anthropic", "openai", "responses", "gemini")
LOG = "".join(f"worker {n} wrote carts/{n}.json in {n} ms\n" for n in range(10, 110))
ERROR = "E sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 reached in src/shop/pool.py:88\n"
TALK: list[Event] = [
    Said("user", "Why do carts vanish? Never touch the billing tables while you look for it."),
    Used(
        (("Read", "logs/carts.log", LOG + ERROR), ("Bash", "pytest tests/test_cart.py -x", "2 failed")), "Let me look:"
    ),
    Said("assistant", "We decided to move the carts from Postgres to Redis, because two workers overwrite each other."),
    Said("user", "Good. The password is hunter2-Xk93!qv now, and the port is 6390."),
    Used((("Edit", "src/shop/carts.py", "ok"),)),
    Said("assistant", "Carts are in Redis now."),
    *(Said(role, text) for role, text in (("user", "Thanks."), ("assistant", "Anything else?"))),
]


def stored(memory: Memory, events: Sequence[Event] = TALK) -> None:
    """Adds a conversation as a client's turns."""
    for number, event in enumerate(events):
        if isinstance(event, Said):
            memory.add(Turn(role="user" if event.role == "user" else "assistant", content=event.text, session="s"))
            continue
        calls = [
            Part(type="tool_call", name=name, text=json.dumps({"path": argument}), call_id=f"{number}.{place}")
            for place, (name, argument, _) in enumerate(event.calls)
        ]
        words = [Part(type="text", text=event.announced)] if event.announced else []
        memory.add(Turn(role="assistant", content=(*words, *calls), session="s"))
        for place, (_, _, result) in enumerate(event.calls):
            part = Part(type="tool_result", text=result, call_id=f"{number}.{place}")
            memory.add(Turn(role="tool", content=(part,), session="s"))
    memory.drain()


@pytest.fixture(scope="module", name="memory")
def _memory() -> Any:
    with quiet() as memory:
        stored(memory)
        yield memory


def edited(value: Any, old: str, new: str) -> Any:
    """A message list with a text replaced wherever it stands."""
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, dict):
        return {name: edited(each, old, new) for name, each in value.items()}
    return [edited(each, old, new) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.requirement("F-CONDENSE-28")
def test_a_whole_history_has_lost_nothing(memory: Memory, wire: str) -> None:
    assert memory.insure("s", written(TALK, wire)).text == ""


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.requirement("F-CONDENSE-28")
def test_results_that_a_provider_cleared_come_back_though_their_calls_are_there(memory: Memory, wire: str) -> None:
    cleared = edited(written(TALK, wire), LOG + ERROR, "[Old tool result content cleared]")
    made = memory.insure("s", cleared)
    assert "src/shop/pool.py:88" in made.text
    assert "TimeoutError" in made.text
    assert "pytest tests/test_cart.py" not in made.text, "which the messages hold"


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.requirement("F-CONDENSE-28")
def test_of_a_result_that_was_cut_off_the_rest_comes_back(memory: Memory, wire: str) -> None:
    cut = edited(written(TALK, wire), LOG + ERROR, LOG[:1700] + "\n... [3 lines truncated]")
    made = memory.insure("s", cut)
    assert "src/shop/pool.py:88" in made.text
    assert "carts/12.json" not in made.text


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.requirement("F-CONDENSE-28")
def test_what_the_client_s_own_summary_tells_is_not_told_again(memory: Memory, wire: str) -> None:
    summary = (
        "This session is being continued. Summary: carts vanished because two workers overwrote each other, so the "
        "decision was to move carts from Postgres to Redis. Failing: pytest tests/test_cart.py -x."
    )
    made = memory.insure("s", written([Said("user", summary), *TALK[-2:]], wire))
    assert "Never touch the billing tables" in made.text
    assert "src/shop/pool.py:88" in made.text
    assert "### Key decisions" not in made.text
    assert "pytest tests/test_cart.py" not in made.values


@pytest.mark.requirement("F-CONDENSE-28")
def test_a_secret_that_was_masked_when_stored_is_not_lost(memory: Memory) -> None:
    whole = written(TALK, "anthropic")
    assert "hunter2" in json.dumps(whole)
    assert memory.insure("s", whole).text == ""
    assert "hunter2" not in memory.insure("s", []).text


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.requirement("F-CONDENSE-28")
def test_what_clew_itself_collapsed_or_brought_back_is_not_lost(memory: Memory, wire: str) -> None:
    whole = written(TALK, wire)
    shorter = memory.collapse(whole, wire, protected=0)
    assert "restore chain-" in json.dumps(shorter)
    assert memory.insure("s", shorter).text == ""
    first = memory.insure("s", whole[-2:])
    again = memory.insure("s", [*written([Said("user", first.text)], wire), *whole[-2:]])
    assert not set(again.values) & set(first.values)


@pytest.mark.requirement("F-CONDENSE-28")
def test_what_is_brought_back_says_so_and_pretends_no_state(memory: Memory) -> None:
    text = memory.insure("s", written(TALK[-2:], "anthropic")).text
    assert text.startswith("## No longer in this history: ")
    assert "**Status:**" not in text
    assert "**Goal**" not in text
    assert "### Points" not in text


@pytest.mark.parametrize(
    "odd",
    [
        [{"role": "user"}],
        [{"role": "user", "content": None}],
        [{"type": "compaction", "encrypted_content": "gAAAA" * 50}],
        [{"role": "user", "content": [{"type": "text", "text": "{" * 5_000}]}],
        [{"parts": [{"functionResponse": {"response": {"a": ["b" * 50] * 3}}}]}],
        [{"role": "tool", "content": "\ud800"}],
    ],
)
@pytest.mark.requirement("F-CONDENSE-28")
def test_odd_lists_are_histories_that_lost_all(memory: Memory, odd: list[dict[str, Any]]) -> None:
    assert "Never touch the billing tables" in memory.insure("s", odd).text


@given(
    kept=st.lists(st.integers(0, 40), max_size=12),
    budget=st.integers(0, 700),
    name=st.sampled_from([name for name in NAMES if name != "openai"]),
    wire=st.sampled_from(WIRES),
)
@settings(deadline=None, max_examples=examples(9, 200))
@pytest.mark.requirement("F-CONDENSE-28")
def test_the_budget_is_exact_whatever_was_cut(
    memory: Memory, kept: list[int], budget: int, name: str, wire: str
) -> None:
    whole = written(TALK, wire)
    messages = [whole[place] for place in sorted({place % len(whole) for place in kept})]
    made = memory.insure("s", messages, budget=budget, counter=name)
    assert counter(name)(made.text) == made.tokens <= budget
    assert made == memory.insure("s", messages, budget=budget, counter=name)
