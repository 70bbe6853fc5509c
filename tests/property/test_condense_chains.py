"""Collapsing tool chains, over generated conversations in every wire format."""

import copy
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.condense.chains import collapse
from clew.condense.wires import WIRES
from clew.text.counters import counter
from tests.support.effort import examples
from tests.support.wire_rules import refused
from tests.support.wire_talks import Event, Said, Used, written

_WORDS = st.sampled_from(["Read it.", "Why does the build fail?", "Found it: the port is taken.", "Go on."])
_CALLS = st.lists(
    st.tuples(
        st.sampled_from(["Read", "Bash", "Edit"]),
        st.sampled_from(["src/app.py", "npm test", "[chain-0]\nx"]),
        st.sampled_from(["ok", "line\n" * 400]),
    ),
    min_size=1,
    max_size=3,
).map(tuple)
_USED = st.builds(Used, _CALLS, st.sampled_from(["", "Let me look:"]), st.booleans(), st.booleans())
_ANSWERED = st.tuples(_WORDS, st.lists(_USED, max_size=14), _WORDS, st.sampled_from([None, True, False])).map(
    lambda talk: [Said("user", talk[0]), *_reasoning(talk[1], every=talk[3]), Said("assistant", talk[2])]
)


def _reasoning(rounds: list[Used], *, every: bool | None) -> list[Used]:
    """The rounds of an answer as they are, or of which each reasons, or none."""
    return rounds if every is None else [replace(each, reasoned=every) for each in rounds]


_TALKS = st.lists(_ANSWERED, min_size=1, max_size=4).map(lambda parts: [event for part in parts for event in part])
_COUNT = counter()
_EVERY_WIRE = pytest.mark.parametrize("name", sorted(WIRES))


@_EVERY_WIRE
@given(events=_TALKS, protected=st.integers(0, 12))
@settings(deadline=None, max_examples=examples(12, 150))
@pytest.mark.requirement("F-CONDENSE-20")
def test_a_collapsed_list_stays_valid_and_nothing_is_lost(name: str, events: list[Event], protected: int) -> None:
    wire = WIRES[name]
    messages = written(events, name)
    before = copy.deepcopy(messages)
    assert wire.problems(messages) == []
    is_taken = not refused(messages, name)  # an answer of which only later steps reason is refused
    collapsed, chains = collapse(messages, wire, _COUNT, protected=protected)
    assert messages == before
    assert wire.problems(collapsed) == []
    if is_taken:
        assert refused(collapsed, name) == []
    assert (
        collapsed[len(collapsed) - min(protected, len(collapsed)) :]
        == messages[len(messages) - min(protected, len(messages)) :]
    )
    whole = json.dumps(collapsed)
    for chain in chains:
        assert chain.stub in _texts(collapsed)
        assert _occurs(json.loads(chain.original), messages)
        assert "\n" not in chain.stub
    kept = json.dumps([json.loads(chain.original) for chain in chains]) + whole
    assert all(json.dumps(text)[1:-1] in kept for text in _texts(messages))


@_EVERY_WIRE
@given(events=_TALKS)
@settings(deadline=None, max_examples=examples(6, 100))
@pytest.mark.requirement("F-CONDENSE-21")
def test_the_stubs_of_a_list_are_those_of_the_list_grown(name: str, events: list[Event]) -> None:
    wire = WIRES[name]
    messages = written(events, name)
    seen: list[str] = []
    questions = [number for number, each in enumerate(messages) if wire.is_question(each)]
    for length in range(1, len(messages) + 1, 3):
        if wire.problems(messages[:length]) or length in questions:
            continue
        stubs = [chain.stub for chain in collapse(messages[:length], wire, _COUNT)[1]]
        if not wire.checks_reasoning:
            assert stubs[: len(seen)] == seen
        assert set(seen) <= set(stubs)
        seen = stubs


@_EVERY_WIRE
@given(events=_TALKS, lost=st.lists(st.integers(0, 60), min_size=1, max_size=3), protected=st.integers(0, 8))
@settings(deadline=None, max_examples=examples(9, 100))
@pytest.mark.requirement("F-CONDENSE-27")
def test_orphans_make_no_list_worse(name: str, events: list[Event], lost: list[int], protected: int) -> None:
    wire = WIRES[name]
    whole = written(events, name)
    gone = {place % len(whole) for place in lost}
    messages = [message for place, message in enumerate(whole) if place not in gone]
    collapsed, chains = collapse(messages, wire, _COUNT, protected=protected)
    assert len(wire.problems(collapsed)) <= len(wire.problems(messages))
    kept = json.dumps([json.loads(chain.original) for chain in chains]) + json.dumps(collapsed)
    assert all(json.dumps(text)[1:-1] in kept for text in _texts(messages))


@_EVERY_WIRE
@given(events=_TALKS, image=st.booleans())
@settings(deadline=None, max_examples=examples(9, 100))
@pytest.mark.requirement("F-CONDENSE-27")
def test_nested_results_come_back_as_they_were(name: str, events: list[Event], image: bool) -> None:
    wire = WIRES[name]
    messages = [_nested(message, image=image) for message in written(events, name)]
    before = json.dumps(messages)
    collapsed, chains = collapse(messages, wire, _COUNT, protected=0)
    assert json.dumps(messages) == before
    assert wire.problems(collapsed) == []
    for chain in chains:
        assert _occurs(json.loads(chain.original), messages)


_STEPS = st.lists(
    st.tuples(st.sampled_from(["call", "result", "assistant", "search", "user"]), st.booleans(), st.integers(0, 5)),
    min_size=5,
    max_size=40,
)


@given(steps=_STEPS, protected=st.integers(0, 8))
@settings(deadline=None, max_examples=examples(60, 600))
@pytest.mark.requirement("CHAIN-STAY-01")
def test_a_result_that_comes_after_other_items_keeps_its_call(
    steps: list[tuple[str, bool, int]], protected: int
) -> None:
    items = _interleaved(steps)
    collapsed, chains = collapse(items, WIRES["responses"], _COUNT, protected=protected)
    assert refused(items, "responses") == []
    assert refused(collapsed, "responses") == []
    assert all(_occurs(json.loads(chain.original), items) for chain in chains)


def _interleaved(steps: list[tuple[str, bool, int]]) -> list[dict[str, object]]:
    """Items of Responses in which outputs come when they are ready: words, searches and other calls stand between."""
    asked: dict[str, object] = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]}
    items = [asked]
    waiting: list[str] = []
    for number, (step, reasoned, place) in enumerate(steps):
        if reasoned and step in ("call", "assistant"):
            items.append({"type": "reasoning", "id": f"rs_{number}", "summary": []})
        if step == "call":
            waiting.append(f"call_{number}")
            items.append({"type": "function_call", "call_id": waiting[-1], "name": "Read", "arguments": "{}"})
        elif step == "result" and waiting:
            items.append(_output(waiting.pop(place % len(waiting))))
        elif step == "search":
            items.append({"type": "web_search_call", "id": f"ws_{number}", "status": "completed", "action": _SEARCH})
        elif step == "user":
            items.append({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "And?"}]})
        elif step == "assistant":
            said = {"type": "output_text", "text": "One moment.", "annotations": []}
            message: dict[str, object] = {"type": "message", "role": "assistant", "content": [said]}
            items.append({**message, "id": f"msg_{number}", "status": "completed"})
    return [*items, *(_output(call) for call in waiting)]


_SEARCH = {"type": "search", "query": "tides"}


def _output(call: str) -> dict[str, object]:
    return {"type": "function_call_output", "call_id": call, "output": "line\n" * 300}


def _nested(message: dict[str, object], *, image: bool) -> dict[str, object]:
    """The message with structured results: lists of blocks with an image, or objects in objects."""
    source = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" * 30}
    blocks: list[object] = [{"type": "text", "text": "see"}, *([{"type": "image", "source": source}] if image else [])]
    if message.get("role") == "tool":
        return {**message, "content": [{"type": "text", "text": "part one"}, {"type": "text", "text": "part two"}]}
    if message.get("type") == "function_call_output":
        return {**message, "output": [{"type": "input_text", "text": "one"}, {"type": "input_text", "text": "two"}]}
    if isinstance(parts := message.get("parts"), list):
        nested = {"output": {"rows": [{"a": [1, 2, {"b": None}]}]}}
        return {
            **message,
            "parts": [
                {"functionResponse": {**part["functionResponse"], "response": nested}}
                if "functionResponse" in part
                else part
                for part in parts
            ],
        }
    if isinstance(content := message.get("content"), list):
        return {
            **message,
            "content": [
                {**block, "content": [*blocks, {"type": "tool_result", "tool_use_id": "inner", "content": "x"}]}
                if block.get("type") == "tool_result"
                else block
                for block in content
            ],
        }
    return message


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for each in value.values() for text in _texts(each)]
    return [text for each in value for text in _texts(each)] if isinstance(value, list) else []


def _occurs(run: list[object], messages: list[dict[str, object]]) -> bool:
    return any(list(messages[start : start + len(run)]) == run for start in range(len(messages)))
