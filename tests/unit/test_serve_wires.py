"""Requests and answers in the formats of Anthropic and OpenAI: read, changed in place, assembled from streams."""

import json
from typing import Any

import pytest

from clew.errors import FormatError, InputError
from clew.serve.proxy.exchange import ChatRequest, TokenUsage, ToolCall, edited
from clew.serve.proxy.wires import WIRES, wire_of

ANTHROPIC, OPENAI = WIRES["anthropic"], WIRES["openai"]
MARK = {"cache_control": {"type": "ephemeral"}}
TOOL = {"name": "clew_restore", "description": "Give back.", "schema": {"type": "object", "properties": {}}}


def request(wire: str, body: object, path: str = "/v1/x") -> ChatRequest:
    text = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False, indent=1).encode()
    return WIRES[wire].read(path, {"X-Clew-Session": "s", "User-Agent": "me"}, text)


def after(asked: ChatRequest, *changes: Any) -> dict[str, Any]:
    changed = json.loads(edited(asked.body, changes))
    assert isinstance(changed, dict)
    return changed


@pytest.mark.requirement("P-FMT-01")
def test_a_path_has_a_format_only_when_it_is_a_chat() -> None:
    assert wire_of("POST", "/v1/messages?beta=true") is ANTHROPIC
    assert wire_of("POST", "/v1/chat/completions") is wire_of("post", "/chat/completions/") is OPENAI
    for path in ("/v1/messages/count_tokens", "/v1/messages/batches", "/v1/models", "/v1/threads/t/messages", "/"):
        assert wire_of("POST", path) is None
    assert wire_of("GET", "/v1/messages") is None


@pytest.mark.requirement("P-FMT-01")
def test_a_request_of_anthropic_is_read() -> None:
    system = [{"type": "text", "text": "Be", **MARK}, {"type": "text", "text": "brief."}]
    messages = [{"role": "user", "content": "Zürich 日本"}, {"role": "assistant", "content": "…"}]
    body = {"system": system, "model": "m", "messages": messages, "stream": True, "tools": [{"name": "Read"}]}
    read = request("anthropic", body)
    assert (read.system, read.model, read.stream, read.tools) == ("Be\nbrief.", "m", True, ("Read",))
    assert read.headers == {"user-agent": "me"}
    assert [json.loads(read.body[span.start : span.end]) for span in read.spans] == list(read.messages) == messages


@pytest.mark.requirement("P-FMT-01")
def test_instructions_are_no_messages_of_a_conversation() -> None:
    messages = [{"role": "system", "content": "A"}, {"role": "developer", "content": [{"type": "text", "text": "B"}]}]
    body = {"model": "m", "messages": [*messages, {"role": "user", "content": "C"}], "functions": [{"name": "f"}]}
    read = request("openai", body)
    assert read.system == "A\n\nB"
    assert read.messages == ({"role": "user", "content": "C"},)
    assert json.loads(read.body[read.spans[0].start : read.spans[0].end]) == read.messages[0]
    assert read.tools == ("f",)


@pytest.mark.requirement("P-FMT-02")
def test_anthropic_gets_a_block_of_its_own_after_every_mark() -> None:
    marked = [{"type": "text", "text": "B", **MARK}]
    read = request("anthropic", {"messages": [{"role": "user", "content": 'Ä "'}, {"role": "user", "content": marked}]})
    block = {"type": "text", "text": 'M "é"\n'}
    messages = after(read, *(ANTHROPIC.appended(read, index, block["text"]) for index in (0, 1)))["messages"]
    assert [message["content"] for message in messages] == [[{"type": "text", "text": 'Ä "'}, block], [*marked, block]]


@pytest.mark.requirement("P-FMT-02")
def test_openai_gets_the_same_text_in_either_form() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:,"}}
    contents = ["A", [{"type": "text", "text": "A", **MARK}], [image], []]
    read = request("openai", {"messages": [{"role": "user", "content": content} for content in contents]})
    changes = (OPENAI.appended(read, index, "M") for index in range(len(contents)))
    part = {"type": "text", "text": "M"}
    expected = ["A\n\nM", [{"type": "text", "text": "A\n\nM", **MARK}], [image, part], [part]]
    assert [message["content"] for message in after(read, *changes)["messages"]] == expected


@pytest.mark.requirement("P-FMT-02")
@pytest.mark.parametrize("wire", sorted(WIRES))
@pytest.mark.parametrize("content", [{}, {"content": 1, "parts": 1}, {"content": {}, "parts": True}])
def test_nothing_is_added_where_no_content_is(wire: str, content: dict[str, Any]) -> None:
    messages = [{"role": "user", **content}]
    read = request(wire, dict.fromkeys(("messages", "input", "contents"), messages))
    for index in (0, 1, -1):
        with pytest.raises(InputError, match=f"message {index}"):
            WIRES[wire].appended(read, index, "M")


@pytest.mark.requirement("P-FMT-03")
@pytest.mark.parametrize("wire", ["anthropic", "openai"])
@pytest.mark.parametrize(("start", "stop", "new"), [(0, 2, 1), (1, 1, 2), (3, 3, 1), (0, 0, 1), (2, 3, 0), (0, 2, 0)])
def test_messages_are_replaced(wire: str, start: int, stop: int, new: int) -> None:
    messages = [{"role": "user", "content": str(number)} for number in range(3)]
    fresh = [{"role": "user", "content": "new"}] * new
    read = request(wire, {"a": 1.0, "messages": messages, "z": 1e400})
    messages[start:stop] = fresh
    assert after(read, WIRES[wire].replaced(read, start, stop, fresh))["messages"] == messages


@pytest.mark.requirement("P-FMT-03")
def test_a_request_keeps_a_message() -> None:
    read = request("anthropic", {"messages": [{"role": "user", "content": "A"}]})
    for bounds in ((0, 1), (0, 0), (1, 0), (0, 2)):
        with pytest.raises(InputError, match="messages"):
            ANTHROPIC.replaced(read, *bounds, [])


@pytest.mark.requirement("P-FMT-03")
@pytest.mark.parametrize("own", [{}, {"tools": []}, {"tools": None}, {"tools": [{"name": "a", **MARK}]}])
def test_tools_come_after_the_clients_own(own: dict[str, Any]) -> None:
    read = request("anthropic", {"messages": [{"role": "user", "content": "A"}], **own})
    tools = after(read, ANTHROPIC.with_tools(read, [TOOL]))["tools"]
    assert tools[:-1] == (own.get("tools") or [])
    assert tools[-1] == {"name": TOOL["name"], "description": TOOL["description"], "input_schema": TOOL["schema"]}
    read = request("openai", {"messages": [], **own})
    assert after(read, OPENAI.with_tools(read, [TOOL]))["tools"][-1]["function"]["parameters"] == TOOL["schema"]


ODD = [
    *(b"", b"[]", b'"x"', b"{", b'{"messages":[}', b'{"messages":[],}', b'{"messages":[{}],"a"}', b"\xff{}", b"{} x"),
    *(b"{}", b'{"messages":{}}', b'{"messages":[1]}', b"[" * 99_999, b'{"messages":' + b"[" * 99_999),
    *(b'{"messages":[' + b'{"a":' * 500 + b"1" + b"}" * 500 + b"]}", b'{"a":' + b"9" * 5000 + b',"messages":[]}'),
]


@pytest.mark.requirement("P-FMT-04")
@pytest.mark.parametrize("body", ODD, ids=range(len(ODD)))
def test_what_is_no_request_is_refused(body: bytes) -> None:
    with pytest.raises(FormatError):
        request("anthropic", body)


@pytest.mark.requirement("P-FMT-04")
def test_names_escapes_marks_and_repetitions_are_read_as_parsers_do() -> None:
    message = b'{"role":"user","content":1,"cont\\u0065nt":"\\ud800\xc3\xa9"}'
    body = b'\xef\xbb\xbf {"messages" : [ ] ,"m\\u0065ssages":[%s]}' % message
    read = request("anthropic", body)
    assert read.messages == ({"role": "user", "content": "\ud800é"},)
    changed = edited(body, [ANTHROPIC.appended(read, 0, "M")])
    assert changed.startswith(body[: body.index(b'"\\ud800')])
    assert json.loads(changed.removeprefix(b"\xef\xbb\xbf"))["messages"][0]["content"] == [
        {"type": "text", "text": "\ud800é"},
        {"type": "text", "text": "M"},
    ]


def sse(*events: dict[str, Any], end: str = "\n") -> bytes:
    lines = (f"event: {event.get('type', '')}{end}data: {json.dumps(event, ensure_ascii=False)}" for event in events)
    return "".join(f": note{end}{line}{end}{end}" for line in lines).encode()


def delta(index: int, kind: str, **members: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **members}}


def opened(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


CITATION = {"type": "char_location", "cited_text": "x"}
EVENTS = (
    {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 3, "cache_read_input_tokens": 5}}},
    {"type": "ping"},
    opened(0, type="thinking", thinking="", signature=""),
    delta(0, "thinking_delta", thinking="Hm, 日本"),
    delta(0, "thinking_delta", thinking="?"),
    delta(0, "signature_delta", signature="sig=="),
    opened(1, type="text", text=""),
    delta(1, "text_delta", text="Zürich"),
    delta(1, "citations_delta", citation=CITATION),
    {"type": "content_block_stop", "index": 1},
    opened(2, type="tool_use", id="t1", name="Read", input={}),
    delta(2, "input_json_delta", partial_json='{"path": "a'),
    delta(2, "input_json_delta", partial_json='.py"}'),
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
)
CONTENT = [
    {"type": "thinking", "thinking": "Hm, 日本?", "signature": "sig=="},
    {"type": "text", "text": "Zürich", "citations": [CITATION]},
    {"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a.py"}},
]


@pytest.mark.requirement("P-FMT-05")
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 9999])
def test_a_stream_of_anthropic_is_assembled_from_pieces_of_any_size(end: str, size: int) -> None:
    stream = sse(*EVENTS, end=end).rstrip()
    reader = ANTHROPIC.reader()
    for at in range(0, len(stream), size):
        reader.feed(stream[at : at + size])
        if size == 7:
            assert reader.answer().complete is (at + size >= len(stream))
    answer = reader.answer()
    assert answer.messages == ({"role": "assistant", "content": CONTENT},)
    assert answer.calls == (ToolCall("t1", "Read", '{"path": "a.py"}'),)
    assert (answer.usage, answer.stop, answer.model) == (TokenUsage(8, 5, None, 9), "tool_use", "m")
    assert answer.complete


@pytest.mark.requirement("P-FMT-05")
def test_what_came_before_a_break_is_kept() -> None:
    reader = ANTHROPIC.reader()
    reader.feed(sse(*EVENTS[:-3])[:-30])
    answer = reader.answer()
    assert answer.messages[0]["content"][:2] == CONTENT[:2]
    assert answer.messages[0]["content"][2]["input"] in ({}, '{"path": "a')
    assert not answer.complete


def chunk(**members: Any) -> dict[str, Any]:
    return {"model": "m", "choices": [{"index": 0, "finish_reason": None, **members}]}


CALLS = [{"index": 0, "id": "c1", "function": {"name": "read", "arguments": '{"a'}}]
CHUNKS = (
    {"choices": [{"index": 1, "delta": {"content": "another answer"}}]},
    chunk(delta={"role": "assistant", "content": "", "reasoning_content": "Hm"}),
    chunk(delta={"content": "Grü"}),
    chunk(delta={"content": "ezi", "refusal": None}),
    chunk(delta={"tool_calls": CALLS}),
    chunk(delta={"tool_calls": [{"index": 0, "function": {"arguments": '":1}'}}]}),
    chunk(delta={}, finish_reason="tool_calls"),
    {
        "choices": [],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
    },
)


@pytest.mark.requirement("P-FMT-05")
@pytest.mark.parametrize("size", [1, 5, 9999])
def test_a_stream_of_openai_is_assembled(size: int) -> None:
    stream = sse(*CHUNKS) + b"data: [DONE]\n\n"
    reader = OPENAI.reader()
    for at in range(0, len(stream), size):
        reader.feed(stream[at : at + size])
    answer = reader.answer()
    call = {"type": "function", "id": "c1", "function": {"name": "read", "arguments": '{"a":1}'}}
    message = {"role": "assistant", "reasoning_content": "Hm", "content": "Grüezi", "tool_calls": [call]}
    assert answer.messages == (message,)
    assert answer.calls == (ToolCall("c1", "read", '{"a":1}'),)
    assert (answer.usage, answer.stop, answer.model) == (TokenUsage(7, 4, None, 2), "tool_calls", "m")
    assert answer.complete


@pytest.mark.requirement("P-FMT-05")
def test_streams_of_other_servers_and_older_forms_are_assembled() -> None:
    reader = OPENAI.reader()
    calls = [{"id": "a", "function": {"name": "f", "arguments": "{"}}, {"function": {"arguments": "}"}}]
    more = [{"id": "b", "function": {"name": "g", "arguments": "{}"}}]
    for given in ({"tool_calls": calls}, {"tool_calls": more}, {"function_call": {"name": "h", "arguments": "{"}}):
        reader.feed(sse(chunk(delta=given)))
    reader.feed(sse(chunk(delta={"function_call": {"arguments": "}"}, "audio": {"id": "au", "transcript": "Grü"}})))
    reader.feed(sse(chunk(delta={"audio": {"transcript": "ezi", "data": "AAAA"}, "reasoning": "Hm"})))
    (message,) = reader.answer().messages
    assert [(call["id"], call["function"]) for call in message["tool_calls"]] == [
        ("a", {"name": "f", "arguments": "{}"}),
        ("b", {"name": "g", "arguments": "{}"}),
    ]
    assert message["function_call"] == {"name": "h", "arguments": "{}"}
    assert message["audio"] == {"id": "au", "transcript": "Grüezi"}
    assert message["reasoning_content"] == "Hm"


@pytest.mark.requirement("P-FMT-05")
@pytest.mark.parametrize("wire", ["anthropic", "openai"])
def test_an_error_inside_a_stream_leaves_it_incomplete(wire: str) -> None:
    reader = WIRES[wire].reader()
    reader.feed(sse(*(EVENTS[:-1] if wire == "anthropic" else CHUNKS)))
    reader.feed(sse({"type": "error", "error": {"type": "overloaded_error", "message": "Later."}}))
    reader.feed(b"data: [DONE]\n\n")
    assert reader.answer().messages
    assert not reader.answer().complete


@pytest.mark.requirement("P-FMT-05")
def test_answers_that_came_whole_are_read() -> None:
    usage = {"input_tokens": 1, "cache_creation_input_tokens": 2, "cache_read_input_tokens": 4, "output_tokens": 8}
    message = {"type": "message", "content": CONTENT, "model": "m", "stop_reason": "tool_use", "usage": usage}
    reader = ANTHROPIC.reader()
    reader.feed(json.dumps(message).encode())
    answer = ANTHROPIC.read_answer(json.dumps(message).encode())
    assert answer == reader.answer()
    assert answer.messages == ({"role": "assistant", "content": CONTENT},)
    assert answer.usage == TokenUsage(7, 4, 2, 8)
    given = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "A"}}
    whole = OPENAI.read_answer(json.dumps({"model": "m", "choices": [given]}).encode())
    assert (whole.messages, whole.stop, whole.complete) == (({"role": "assistant", "content": "A"},), "stop", True)
    raw = b'{"choices": [{"finish_reason": "stop", "message": {"content": "one\ttwo\nthree"}}]}'
    assert OPENAI.read_answer(raw).messages == ({"role": "assistant", "content": "one\ttwo\nthree"},)
    for body in (b"", b"{}", b"<html>", b'{"error":{}}', b"[" * 9999):
        assert not ANTHROPIC.read_answer(body).complete
        assert not OPENAI.read_answer(body).complete


@pytest.mark.requirement("P-FMT-06")
def test_results_continue_the_conversation() -> None:
    answer = ANTHROPIC.read_answer(json.dumps({"type": "message", "content": CONTENT}).encode())
    *before, results = ANTHROPIC.tool_results(answer, {"t1": "found", "t2": "of no call"})
    assert before == list(answer.messages)
    assert results["content"] == [{"type": "tool_result", "tool_use_id": "t1", "content": "found"}]
    reader = OPENAI.reader()
    reader.feed(sse(*CHUNKS))
    assert OPENAI.tool_results(reader.answer(), {"c1": "found"})[1:] == (
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
    )


@pytest.mark.requirement("P-FMT-06")
def test_errors_have_the_shape_of_their_api() -> None:
    error = {"type": "error", "error": {"type": "rate_limit_error", "message": "Wait."}}
    assert json.loads(ANTHROPIC.error(429, "Wait.")) == error
    assert json.loads(ANTHROPIC.error(503, "No."))["error"]["type"] == "api_error"
    assert json.loads(OPENAI.error(401, "Who?"))["error"]["code"] == "invalid_api_key"
    assert json.loads(OPENAI.error(500, "No."))["error"]["type"] == "server_error"
