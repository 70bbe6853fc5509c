"""Requests as the blocks that a provider compares: marks, settings, edits, and each wire's own order."""

import json
from typing import Any

import pytest

from clew.serve.proxy.economy.prompt_blocks import BlockReader
from clew.serve.proxy.exchange import Edit, Span
from clew.serve.proxy.wires import WIRES
from clew.text.counters import counter
from tests.support.chat_requests import chat_request

READER = BlockReader(counter("estimate"))
MARK = {"cache_control": {"type": "ephemeral"}}
TALK: list[dict[str, Any]] = [
    {"role": "user", "content": "Which port does the proxy use?"},
    {"role": "assistant", "content": [{"type": "text", "text": "8377."}]},
    {"role": "user", "content": [{"type": "text", "text": "Since when?", **MARK}]},
]


@pytest.mark.requirement("P-ECO-06")
def test_a_mark_changes_nothing_that_is_compared() -> None:
    marked = READER.blocks(chat_request("anthropic", TALK))
    bare = [*TALK[:2], {"role": "user", "content": [{"type": "text", "text": "Since when?"}]}]
    assert [block.data for block in READER.blocks(chat_request("anthropic", bare))] == [block.data for block in marked]
    assert [block.mark for block in marked] == [0, 0, 300]
    hour = {"role": "user", "content": [{"type": "text", "text": "x", "cache_control": {"ttl": "1h"}}]}
    assert READER.blocks(chat_request("anthropic", [hour]))[0].mark == 3600


@pytest.mark.requirement("P-ECO-06")
def test_a_text_and_a_list_of_one_text_are_the_same_prompt() -> None:
    listed = [{"role": "user", "content": [{"type": "text", "text": "Which port does the proxy use?"}]}, *TALK[1:]]
    assert READER.blocks(chat_request("anthropic", listed)) == READER.blocks(chat_request("anthropic", TALK))


@pytest.mark.requirement("P-ECO-06")
def test_tools_and_system_prompt_come_first_with_their_marks() -> None:
    blocks = READER.blocks(
        chat_request(
            "anthropic",
            TALK,
            tools=[{"name": "a"}, {"name": "b", **MARK}],
            system=[{"type": "text", "text": "Be brief.", **MARK}],
            thinking={"type": "enabled"},
        )
    )
    assert [block.data.split(b"\x1f")[0] for block in blocks[:3]] == [b"tools", b"tools", b"system"]
    assert [block.mark for block in blocks] == [0, 300, 300, 0, 0, 0, 300]
    assert blocks[3].tokens == 0
    other = READER.blocks(chat_request("anthropic", TALK, thinking={"type": "disabled"}))
    assert other[0] != READER.blocks(chat_request("anthropic", TALK, thinking={"type": "enabled"}))[0]


@pytest.mark.requirement("P-ECO-06")
def test_a_mark_of_the_whole_request_is_at_its_end() -> None:
    blocks = READER.blocks(chat_request("anthropic", TALK[:2], cache_control={"type": "ephemeral"}))
    assert [block.mark for block in blocks] == [0, 300]
    kept = READER.blocks(chat_request("openai", TALK[:1], prompt_cache_retention="24h"))
    assert [block.mark for block in kept] == [86_400]


@pytest.mark.requirement("P-ECO-06")
def test_edits_inside_a_message_change_that_message_alone() -> None:
    request = chat_request("anthropic", TALK)
    end = request.spans[0].end - 2
    before = READER.messages(request)
    after = READER.messages(request, [Edit(Span(end, end), b" (asked before)")])
    assert after[1:] == before[1:]
    assert b"(asked before)" in after[0][0].data
    assert after[0][0].tokens > before[0][0].tokens


@pytest.mark.requirement("P-ECO-06")
def test_edits_that_replace_messages_are_read_anew() -> None:
    request = chat_request("openai", TALK)
    stub = json.dumps({"role": "user", "content": "(earlier)"}).encode()
    edit = Edit(Span(request.spans[0].start, request.spans[1].end), stub)
    assert len(READER.messages(request, [edit])) == 2
    assert READER.messages(request, [edit])[1] == READER.messages(request)[2]


@pytest.mark.requirement("P-ECO-06")
def test_what_was_read_with_a_raw_line_end_in_a_string_is_counted_too() -> None:
    wire = WIRES["openai"]
    body = b'{"messages": [{"role": "user", "content": "one\ttwo\nthree"}, {"role": "user", "content": "4"}]}'
    request = wire.read("/v1/chat/completions", {}, body)
    escaped = wire.read("/v1/chat/completions", {}, body.replace(b"\t", b"\\t").replace(b"\n", b"\\n"))
    assert READER.blocks(request) == READER.blocks(escaped)
    edit = Edit(request.spans[1], b'{"role": "user", "content": "five\nsix"}, {"role": "user", "content": "7"}')
    assert len(READER.messages(request, [edit])) == 3


@pytest.mark.requirement("P-ECO-06")
@pytest.mark.parametrize(
    ("name", "alone", "listed"),
    [
        ("responses", {"input": "Which port?"}, {"input": [{"role": "user", "content": "Which port?"}]}),
        ("gemini", {"contents": {"parts": [{"text": "Hm?"}]}}, {"contents": [{"parts": [{"text": "Hm?"}]}]}),
    ],
)
def test_messages_that_are_no_list_count_like_a_list_of_one(
    name: str, alone: dict[str, Any], listed: dict[str, Any]
) -> None:
    wire = WIRES[name]
    counts = []
    for value in (alone, listed):
        request = wire.read("/v1beta/models/m:generateContent", {}, json.dumps(value).encode())
        added = wire.appended(request, 0, "Remembered: 8377. " * 20)
        before = wire.replaced(request, 0, 0, [{"role": "user", "parts": [{"text": "Earlier."}]}])
        assert len(READER.messages(request, [before])) == 2
        counts.append(READER.tokens(request, [added]))
        assert counts[-1] > READER.tokens(request) + 80
    assert counts[0] == pytest.approx(counts[1], abs=2)


@pytest.mark.requirement("P-ECO-06")
def test_tools_that_are_added_count() -> None:
    request = chat_request("openai", TALK)
    edit = Edit(Span(1, 1), b'"tools":[{"name":"clew_find_quote"}],')
    assert READER.tokens(request, [edit]) > READER.tokens(request)


@pytest.mark.requirement("P-ECO-06")
@pytest.mark.parametrize("wire", ["openai", "responses", "gemini"])
def test_every_message_of_the_other_wires_is_read(wire: str) -> None:
    messages: list[dict[str, Any]] = (
        [{"role": "user", "parts": [{"text": "one two"}, {"text": "three"}]}, {"role": "model", "parts": []}]
        if wire == "gemini"
        else [{"role": "user", "content": "one two three"}, {"type": "function_call", "arguments": '{"a": 1}'}]
    )
    request = chat_request(wire, messages, model="m", tools=[{"name": "t", "description": "does"}])
    assert [len(blocks) for blocks in READER.messages(request)] == ([2, 0] if wire == "gemini" else [1, 1])
    assert READER.blocks(request)[0].data.startswith(b"tools\x1f")
    assert READER.tokens(request) == sum(block.tokens for block in READER.blocks(request)) > 0


@pytest.mark.requirement("P-ECO-06")
def test_a_reader_remembers_a_bounded_number_of_bytes() -> None:
    reader = BlockReader(counter("estimate"), most=10_000)
    for number in range(50):
        request = chat_request("openai", [{"role": "user", "content": f"{number} " * 1_000}])
        assert reader.tokens(request) == BlockReader(counter("estimate")).tokens(request)
        assert reader.held <= 10_000
