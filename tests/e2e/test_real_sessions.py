"""Collapse and restore over every real session in the four wire formats (`support/real_sessions.py`)."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from clew.condense.chains import Chain, collapse
from clew.condense.wires import WIRES
from clew.memory import Memory
from clew.text.counters import counter
from tests.support.real_sessions import Messages, as_wire, raw_claude_code, raw_openai, sessions
from tests.support.wire_rules import refused

pytestmark = [pytest.mark.slow, pytest.mark.requirement("F-CONDENSE-27")]
KEEPING = {"ingest": {"secrets": "keep"}}
COUNT = counter()


def check(memory: Memory, name: str, messages: Messages, wire: str) -> int:
    """Checks a list whole and at lengths at which it was sent; returns how many chains left the whole list."""
    api = WIRES[wire]
    before = json.dumps(messages)
    whole, chains = collapse(messages, api, COUNT)
    assert json.dumps(messages) == before, f"{name}: the list was changed"
    assert len(api.problems(whole)) <= len(api.problems(messages)), (name, api.problems(whole)[:3])
    assert len(refused(whole, wire)) <= len(refused(messages, wire)), (name, refused(whole, wire)[:3])
    assert json.dumps(memory.collapse(messages, wire)) == json.dumps(whole), name
    for chain in chains:
        assert memory.restore(chain.ref).text == chain.original, name
    assert put_back(whole, chains) == messages or not undone(whole, chains), name
    originals = [json.loads(chain.original) for chain in chains]
    assert set(_signatures([*whole, *originals])) == set(_signatures(messages)), f"{name}: reasoning was edited"
    seen: set[str] = set()
    for length in range(7, len(messages) + 1, max(1, len(messages) // 12)):
        if not api.problems(messages[:length]):
            shorter, found = collapse(messages[:length], api, COUNT)
            assert not api.problems(shorter), (name, length)
            assert refused(messages[:length], wire) or not refused(shorter, wire), (name, length)
            stubs = {chain.stub for chain in found}
            assert seen <= stubs, f"{name}: a stub of a shorter list is gone at {length}"
            seen = stubs
    return len(chains)


def put_back(collapsed: Messages, chains: Sequence[Chain]) -> Messages:
    """The list with each stub that stands alone replaced by what it stands for."""
    by_stub = {chain.stub: json.loads(chain.original) for chain in chains}
    found: Messages = []
    for message in collapsed:
        texts = list(_texts(message))
        stub = next((text for text in texts if text in by_stub), None)
        found += [message] if stub is None else by_stub[stub]
    return found


def undone(collapsed: Messages, chains: Sequence[Chain]) -> bool:
    """Whether every stub stands alone, without words beside it, so that putting the originals back gives the list."""
    stubs = {chain.stub for chain in chains}
    alone = sum(any(text in stubs for text in _texts(message)) for message in collapsed)
    kept = sum(len(json.loads(chain.original)) for chain in chains) + len(collapsed) - alone
    return alone == len(stubs) and kept == len(put_back(collapsed, chains)) and not _announced(chains)


def _announced(chains: Sequence[Chain]) -> bool:
    """Whether some removed message had words beside its calls, which stay in the list."""
    for chain in chains:
        for message in json.loads(chain.original):
            for wire in WIRES.values():
                if (wire.calls(message) or wire.results(message)) and wire.rest(message) is not None:
                    return True
    return False


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _texts(item)]


def _signatures(value: Any) -> list[str]:
    """Every block of reasoning, as JSON."""
    if isinstance(value, dict):
        if value.get("type") in ("thinking", "redacted_thinking", "reasoning"):
            return [json.dumps(value)]
        return [found for item in value.values() for found in _signatures(item)]
    return [found for item in value for found in _signatures(item)] if isinstance(value, list) else []


@pytest.mark.parametrize("wire", sorted(WIRES))
def test_every_session_stays_valid_and_comes_back(wire: str) -> None:
    chains, count = 0, 0
    with Memory.open(":memory:", embedder="none", config=KEEPING) as memory:
        for name, turns in sessions():
            messages = as_wire(turns, wire)
            if not messages:  # a session of orphaned calls alone
                continue
            assert not WIRES[wire].problems(messages), (name, WIRES[wire].problems(messages)[:3])
            assert not refused(messages, wire), (name, refused(messages, wire)[:3])
            chains += check(memory, name, messages, wire)
            count += 1
    assert count > 1
    assert chains > 10


def test_what_claude_code_sent_itself_stays_as_valid_as_it_was() -> None:
    assert collapsed_in(raw_claude_code(), "anthropic") > 10


def test_what_the_airline_desk_sent_itself_stays_valid() -> None:
    assert collapsed_in(raw_openai(), "openai") > 10


def collapsed_in(lists: Iterable[tuple[str, Messages]], wire: str) -> int:
    """How many chains left these lists, each of which is checked; skips the test where there is no list at all."""
    found = list(lists)
    if not found:
        pytest.skip("CLEW_DATA names no folder with such files")
    with Memory.open(":memory:", embedder="none", config=KEEPING) as memory:
        return sum(check(memory, name, messages, wire) for name, messages in found)
