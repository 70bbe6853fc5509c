"""Messages that are odd, but sent by real programs: they are stored, and so is the rest of their conversation."""

import json
import re
from typing import Any

import pytest

from clew.ingest.encoding import is_encodable
from clew.serve.proxy.exchange import Answer
from clew.serve.proxy.question import question_in
from clew.serve.proxy.window import Replacement, VirtualWindow, digest_of
from clew.types import Turn
from tests.support.chat_requests import chat_request
from tests.support.memories import quiet
from tests.support.proxy_talks import NOBODY, Proxied

pytestmark = pytest.mark.requirement("SRV-ODDMSG-01")

HALF = "\ud83c"
"""The first half of an emoji, as programs send that cut texts after so many UTF-16 units."""
Message = dict[str, Any]
ASKED: Message = {"role": "user", "content": "Which port is it?"}


def called(call_id: str, name: str = "f", arguments: Any = "{}") -> Message:
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"id": call_id, "type": "function", "function": function}]}


def responded(response: Any) -> list[Message]:
    call = {"functionCall": {"name": "f", "args": {}}}
    result = {"functionResponse": {"name": "f", "response": response}}
    return [
        {"role": "user", "parts": [{"text": "Which port is it?"}]},
        {"role": "model", "parts": [call]},
        {"role": "user", "parts": [result]},
    ]


OLD = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
STORED: list[tuple[str, list[Message], list[str]]] = [
    ("openai", [ASKED, OLD, {"role": "function", "name": "f", "content": ""}], ["f({})", ""]),
    ("openai", [ASKED, OLD, {"role": "function", "name": "f", "content": None}], ["f({})", ""]),
    ("openai", [ASKED, called("a"), {"role": "tool", "content": ""}], ["f({})", ""]),
    ("gemini", responded({"output": ""}), ["f({})", ""]),
    ("gemini", responded(None), ["f({})", ""]),
    ("responses", [ASKED, {"type": "local_shell_call_output", "output": ""}], [""]),
    ("responses", [ASKED, {"type": ["x"], "role": "user", "content": "Hm?"}], ["Hm?"]),
    ("openai", [ASKED, called(HALF), {"role": "tool", "tool_call_id": HALF, "content": "8123"}], ["f({})", "8123"]),
    ("openai", [ASKED, called("a", HALF, HALF)], ["␛d83c;(␛d83c;)"]),
    ("openai", [ASKED, called("a", "f", {"x": float("nan")})], ['f({"x": NaN})']),
    ("openai", [ASKED, {"role": "user", "content": [{"type": "future", "x": float("nan")}]}], ["[future]"]),
    ("openai", [ASKED, {"role": "user", "content": [{"type": "future", "x": float("inf")}]}], ["[future]"]),
]


@pytest.mark.parametrize(("wire", "messages", "told"), STORED)
def test_an_odd_message_keeps_nothing_from_being_stored(wire: str, messages: list[Message], told: list[str]) -> None:
    with quiet() as memory:
        proxied, request = Proxied(memory), chat_request(wire, messages)
        conversation = proxied.conversations.identify(request, NOBODY)
        conversation = proxied.memorizer.store_request(conversation, request, NOBODY)
        answer: Message = {"role": "assistant", "content": "It is 8123."}
        if wire == "gemini":
            answer = {"role": "model", "parts": [{"text": "It is 8123."}]}
        proxied.memorizer.store_answer(conversation, request, NOBODY, Answer((answer,)))
        stored = [turn.text for turn in memory.turns(conversation.session)]
    assert stored == ["Which port is it?", *told, "It is 8123."]


def test_what_a_model_spoke_is_stored_and_gone_on_from_by_its_id() -> None:
    spoken = {
        "role": "assistant",
        "content": None,
        "audio": {"id": "audio_1", "transcript": "It is 8123.", "data": "A"},
    }
    with quiet() as memory:
        proxied = Proxied(memory)
        session = proxied.exchange([ASKED], spoken).session
        again: Message = {"role": "assistant", "audio": {"id": "audio_1"}}
        thanks = {"role": "user", "content": "And of the mirror?"}
        assert proxied.exchange([ASKED, again, thanks], {**spoken, "audio": {"transcript": "8124."}}).session == session
        assert proxied.stored(session) == ["Which port is it?", "It is 8123.", "And of the mirror?", "8124."]


def test_a_question_with_half_an_emoji_is_looked_up() -> None:
    question = question_in({"role": "user", "content": f"Which port {HALF} is it?"})
    assert is_encodable(question)
    assert question.startswith("Which port ")


def test_old_calls_with_half_an_emoji_become_stubs_and_come_back() -> None:
    with quiet() as memory:
        chain = [called("a", "f", HALF), {"role": "tool", "tool_call_id": "a", "content": f"{HALF} " * 2_000}]
        messages = [ASKED, *chain, {"role": "assistant", "content": "It is 8123."}, *[ASKED] * 8]
        short = memory.collapse(messages, "openai", protected=4)
        assert len(json.dumps(short)) < len(json.dumps(messages)) / 10
        (ref,) = re.findall(r"chain-[0-9a-f]+", json.dumps(short))
        assert json.loads(memory.restore(ref).text) == chain


def test_a_window_keeps_messages_with_half_an_emoji_over_a_restart() -> None:
    with quiet() as memory:
        memory.add(Turn(role="user", content="Which port is it?", session="s"))
        request = chat_request("openai", [{"role": "user", "content": HALF}, ASKED])
        made = Replacement(1, digest_of(request.messages[:1]), ({"role": "user", "content": f"said {HALF}"},))
        for window in (VirtualWindow(memory, 1_000), VirtualWindow(memory, 1_000)):
            if window.current("s", request) is None:
                window.accept("s", made)
            assert window.current("s", request) == made
            window.close()
