"""Cutting a request to a window: valid, deterministic, and small enough, in every wire format."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.condense.message_tokens import message_tokens
from clew.condense.wires import WIRES
from clew.serve.proxy.exchange import ChatRequest, edited
from clew.serve.proxy.window import cut
from clew.serve.proxy.window_cut import middle_left_out
from clew.serve.proxy.wires import WIRES as PROXY_WIRES
from clew.text.counters import counter
from clew.text.json_texts import json_texts
from tests.support.chat_requests import chat_request
from tests.support.effort import examples
from tests.support.wire_talks import Event, Said, Used, written

COUNT = counter()
_USED = st.builds(
    Used,
    st.lists(
        st.tuples(st.just("Read"), st.just("src/app.py"), st.sampled_from(["ok", "line of a file\n" * 300])),
        min_size=1,
        max_size=3,
    ).map(tuple),
    st.sampled_from(["", "Let me look:"]),
    st.booleans(),
)
_WORDS = st.sampled_from(["Go on.", "Why does the build fail? " * 40, "Found it: the port is taken. " * 100])
_TALKS = st.lists(
    st.tuples(_WORDS, st.lists(_USED, max_size=8), _WORDS).map(
        lambda talk: [Said("user", talk[0]), *talk[1], Said("assistant", talk[2])]
    ),
    min_size=1,
    max_size=6,
).map(lambda parts: [event for part in parts for event in part])
_EVERY_WIRE = pytest.mark.parametrize("name", sorted(WIRES))
PATHS = {
    "anthropic": "/v1/messages",
    "openai": "/v1/chat/completions",
    "responses": "/v1/responses",
    "gemini": "/v1beta/models/gemini-2.5-flash:generateContent",
}


def messages_after(request: ChatRequest, tokens: int) -> list[dict[str, Any]]:
    body = edited(request.body, cut(request, tokens))
    return list(PROXY_WIRES[request.wire].read(PATHS[request.wire], {}, body).messages)


def asking(events: list[Event], name: str) -> ChatRequest:
    return chat_request(name, written([*events, Said("user", "And which port is free?")], name))


@_EVERY_WIRE
@given(events=_TALKS, room=st.integers(200, 4000))
@settings(deadline=None, max_examples=examples(5, 100))
@pytest.mark.requirement("P-ECO-15")
def test_a_cut_request_is_valid_and_fits(name: str, events: list[Event], room: int) -> None:
    request = asking(events, name)
    assert WIRES[name].problems(request.messages) == []
    left = messages_after(request, room)
    assert WIRES[name].problems(left) == []
    assert message_tokens(left, name, COUNT) <= room
    assert "And which port is free?" in "\n".join(json_texts(left[-1]))
    assert left == messages_after(request, room)
    if message_tokens(request.messages, name, COUNT) <= room:
        assert cut(request, room) == []
    else:
        assert "Clew left out" in json.dumps(left)


@_EVERY_WIRE
@pytest.mark.requirement("P-ECO-15")
def test_a_growing_conversation_is_cut_at_the_same_place_for_long(name: str) -> None:
    events: list[Event] = []
    beginnings = []
    for number in range(60):
        events += [Said("user", f"Question {number}: " + "why? " * 60), Said("assistant", "Because. " * 60)]
        left = messages_after(asking(events, name), 6_000)
        if len(left) < len(asking(events, name).messages):
            beginnings.append(json.dumps(left[0]))
    assert len(beginnings) > 25
    changes = sum(before != after for before, after in pairwise(beginnings))
    assert changes <= len(beginnings) // 3


@_EVERY_WIRE
@pytest.mark.requirement("P-ECO-15")
def test_a_message_larger_than_the_window_keeps_both_ends(name: str) -> None:
    text = "the beginning " + "x" * 100_000 + " the end"
    request = chat_request(name, written([Said("user", text)], name))
    (left,) = messages_after(request, 2_000)
    (shown,) = [each for each in json_texts(left) if len(each) > 100]
    assert shown.startswith("the beginning")
    assert shown.endswith("the end")
    assert "Clew left out" in shown
    assert "text-" in shown
    assert COUNT(shown) <= 2_000


@pytest.mark.requirement("P-ECO-15")
def test_arguments_may_have_a_type_of_any_form() -> None:
    schema = {"type": ["string", "null"], "description": "x" * 100_000}
    used = [{"type": "tool_use", "id": "t", "name": "draft", "input": {"schema": schema}}]
    result = [{"type": "tool_result", "tool_use_id": "t", "content": "done"}]
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Draft it."},
        {"role": "assistant", "content": used},
        {"role": "user", "content": result},
    ]
    left = messages_after(chat_request("anthropic", messages), 2_000)
    assert left[1]["content"][0]["input"]["schema"]["type"] == ["string", "null"]
    assert message_tokens(left, "anthropic", COUNT) <= 2_000


@_EVERY_WIRE
@pytest.mark.requirement("P-ECO-15")
def test_a_long_loop_of_tools_after_one_question_is_cut(name: str) -> None:
    rounds = [Used((("Read", f"src/{number}.py", f"line {number}\n" * 200),)) for number in range(40)]
    request = chat_request(name, written([Said("user", "Find the bug."), *rounds], name))
    left = messages_after(request, 4_000)
    assert WIRES[name].problems(left) == []
    assert message_tokens(left, name, COUNT) <= 4_000
    assert "Find the bug." in json.dumps(left[0])
    assert left[-1] == request.messages[-1]
    assert len(left) > 6


@pytest.mark.requirement("P-ECO-15")
def test_a_text_that_is_shortened_names_its_hash_and_its_size() -> None:
    assert middle_left_out("short", 100) == "short"
    shown = middle_left_out("a" * 5_000 + "b" * 5_000, 1_000)
    assert len(shown) <= 1_010
    assert shown.startswith("a")
    assert shown.endswith("b")
    assert "9,000 characters" in shown
    assert middle_left_out("a" * 5_000, 20) == middle_left_out("a" * 5_000, 20)
