"""The formats against a strict upstream: its answers are read alike in every form, and it takes what was edited."""

import json
from typing import Any

import pytest

from clew.serve.proxy.economy.cache_model import CacheUse
from clew.serve.proxy.exchange import Answer, ChatRequest, edited
from clew.serve.proxy.wires import WIRES
from clew.serve.scripted.script import Reply, ToolUse
from clew.serve.scripted.vendors import VENDORS
from tests.support.chat_requests import LISTS
from tests.support.wire_bodies import PATHS
from tests.support.wire_talks import Said, written

EVERY_WIRE = pytest.mark.parametrize("name", sorted(WIRES))
TOOL = {"name": "clew_restore", "description": "Give back.", "schema": {"type": "object", "properties": {}}}
REPLIES = (
    Reply(text="Grüezi, 日本!"),
    Reply(thinking="Which file?", text="Let me look.", calls=(ToolUse("Read", {"path": "ä.py"}), ToolUse("Read", {}))),
    Reply(thinking="Hm", calls=(ToolUse("clew_restore", {"ref": "chain-1"}),)),
)
COUNTS = (CacheUse(read=100, written=20, missed=3), 7)
TALK = [Said("user", "Why?"), Said("assistant", "So."), Said("user", "And now?")]
ASKED: dict[str, dict[str, Any]] = {
    "anthropic": {
        "model": "claude-opus-4-1",
        "max_tokens": 9000,
        "thinking": {"type": "enabled", "budget_tokens": 2000},
    },
    "openai": {"model": "gpt-5", "stream_options": {"include_usage": True}, "stream": True},
    "responses": {"model": "gpt-5", "reasoning": {"summary": "auto"}},
    "gemini": {"generationConfig": {"thinkingConfig": {"includeThoughts": True}}},
}
TOOLS: dict[str, list[dict[str, Any]]] = {
    "anthropic": [{"name": "Read", "input_schema": {"type": "object"}}],
    "openai": [{"type": "function", "function": {"name": "Read", "parameters": {"type": "object"}}}],
    "responses": [{"type": "function", "name": "Read", "parameters": {"type": "object"}}],
    "gemini": [{"functionDeclarations": [{"name": "Read", "description": "Reads."}]}],
}


def asked(name: str) -> ChatRequest:
    value = {**ASKED[name], "tools": TOOLS[name], LISTS[name]: written(TALK, name)}
    return WIRES[name].read(PATHS[name], {}, json.dumps(value).encode())


def refused(name: str, body: bytes) -> list[str]:
    return [refusal.message for refusal in VENDORS[name].refusals(json.loads(body), [])]


def answers(name: str, reply: Reply) -> tuple[Answer, Answer]:
    """The answer that came whole, and the one that came as a stream."""
    vendor, wire, value = VENDORS[name], WIRES[name], {"model": "gemini-3", **asked(name).value}
    reader = wire.reader()
    for piece in vendor.events(value, reply, COUNTS, 1):
        reader.feed(piece)
    return wire.read_answer(json.dumps(vendor.whole(value, reply, COUNTS, 1)).encode()), reader.answer()


@EVERY_WIRE
@pytest.mark.parametrize("reply", REPLIES, ids=range(len(REPLIES)))
@pytest.mark.requirement("P-FMT-05")
def test_an_answer_is_the_same_whole_and_streamed(name: str, reply: Reply) -> None:
    whole, streamed = answers(name, reply)
    assert whole.complete
    assert streamed.complete
    assert [(call.name, json.loads(call.arguments)) for call in streamed.calls] == [
        (call.name, dict(call.arguments)) for call in reply.calls
    ]
    assert (streamed.calls, streamed.stop, streamed.model) == (whole.calls, whole.stop, whole.model)
    assert streamed.usage == whole.usage
    assert (whole.usage.input, whole.usage.cached, whole.usage.output) == (123, 100, 7)
    assert str(reply.text) in "".join(str(message) for message in streamed.messages)
    assert len(streamed.messages) == len(whole.messages)


@EVERY_WIRE
@pytest.mark.parametrize("reply", REPLIES[1:], ids=(1, 2))
@pytest.mark.requirement("P-FMT-06")
def test_the_upstream_takes_the_answer_and_its_results(name: str, reply: Reply) -> None:
    request, wire = asked(name), WIRES[name]
    assert refused(name, request.body) == []
    for answer in answers(name, reply):
        results = wire.tool_results(answer, {call.id: "found" for call in answer.calls})
        end = len(request.messages)
        edits = [wire.replaced(request, end, end, results), wire.with_tools(request, [TOOL])]
        assert refused(name, edited(request.body, edits)) == []


@EVERY_WIRE
@pytest.mark.requirement("P-FMT-02", "P-FMT-03")
def test_the_upstream_takes_a_block_and_tools(name: str) -> None:
    request, wire = asked(name), WIRES[name]
    edits = [wire.appended(request, len(request.messages) - 1, "M"), wire.with_tools(request, [TOOL])]
    assert refused(name, edited(request.body, edits)) == []


@pytest.mark.requirement("P-FMT-02")
def test_a_client_that_moves_its_mark_keeps_the_cached_prefix() -> None:
    """Claude Code marks the last message, as a list, and sends it as text from then on."""
    wire, vendor = WIRES["anthropic"], VENDORS["anthropic"]
    marked = [{"type": "text", "text": "Why?", "cache_control": {"type": "ephemeral"}}]
    later = [{"role": "assistant", "content": "So."}, {"role": "user", "content": "And?"}]
    prompts = []
    for messages in ([{"role": "user", "content": marked}], [{"role": "user", "content": "Why?"}, *later]):
        body = json.dumps({**ASKED["anthropic"], "messages": messages}).encode()
        request = wire.read(PATHS["anthropic"], {}, body)
        changed = edited(body, [wire.appended(request, 0, "M")])
        assert refused("anthropic", changed) == []
        prompts.append([block.data for block in vendor.prompt(json.loads(changed), [])])
    first, second = prompts
    assert len(first) == 2
    assert second[: len(first)] == first
