"""Requests and answers of OpenAI Responses and Gemini: read, changed in place, assembled from streams."""

import json
from typing import Any

import pytest

from clew.errors import FormatError
from clew.serve.proxy.exchange import TokenUsage, ToolCall
from clew.serve.proxy.wires import WIRES, wire_of
from clew.serve.proxy.wires.streams import ListStream
from tests.unit.test_serve_wires import TOOL, after, request, sse

RESPONSES, GEMINI = WIRES["responses"], WIRES["gemini"]
STREAM = "/v1beta/models/gemini-3:streamGenerateContent"


@pytest.mark.requirement("P-FMT-01")
def test_paths_of_responses_and_gemini() -> None:
    for path in ("/v1/responses", "/v1/responses/compact?x=1"):
        assert wire_of("POST", path) is RESPONSES
    for path in (
        "/v1/responses/r/cancel",
        "/v1/responses/r/compact",
        "/v1/conversations",
        "/v1internal:generateContent",
    ):
        assert wire_of("POST", path) is None
    for path in ("/v1beta/models/m:generateContent?key=k", f"{STREAM}?alt=sse", "/v1/tunedModels/m:generateContent"):
        assert wire_of("POST", path) is GEMINI
    for path in ("/v1beta/models/m:countTokens", "/v1beta/models/m:embedContent", "/v1beta/models"):
        assert wire_of("POST", path) is None


@pytest.mark.requirement("P-FMT-01")
def test_the_text_of_an_input_is_one_message() -> None:
    read = request("responses", {"model": "m", "input": "Zürich?", "instructions": "Be brief."})
    assert read.messages == ({"role": "user", "content": "Zürich?"},)
    assert read.system == "Be brief."
    content = [{"type": "input_text", "text": "Zürich?"}, {"type": "input_text", "text": "M"}]
    assert after(read, RESPONSES.appended(read, 0, "M"))["input"] == [{"role": "user", "content": content}]
    new = [{"role": "user", "content": "new"}]
    for bounds, expected in (((0, 0), [*new, *read.messages]), ((1, 1), [*read.messages, *new]), ((0, 1), new)):
        assert after(read, RESPONSES.replaced(read, *bounds, new))["input"] == expected


@pytest.mark.requirement("P-FMT-01")
def test_an_input_may_lie_with_the_provider() -> None:
    read = request("responses", {"model": "m", "previous_response_id": "r1"})
    assert (read.messages, read.spans) == ((), ())
    new = [{"role": "user", "content": "new"}]
    assert after(read, RESPONSES.replaced(read, 0, 0, new))["input"] == new
    odd_inputs: tuple[object, ...] = (1, {}, ["x"])
    for odd in odd_inputs:
        with pytest.raises(FormatError, match="input"):
            request("responses", {"input": odd})


@pytest.mark.requirement("P-FMT-02")
def test_items_of_responses_are_changed_in_place() -> None:
    items: list[dict[str, Any]] = [
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Rules"}]},
        {"role": "user", "content": "A"},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "x"},
        {"role": "user", "content": [{"type": "input_text", "text": "B"}]},
    ]
    read = request("responses", {"input": items, "tools": [{"type": "web_search"}]})
    assert read.system == "Rules"
    assert read.messages == tuple(items[1:])
    assert read.tools == ("web_search",)
    part = {"type": "input_text", "text": "M"}
    changed = after(
        read, *(RESPONSES.appended(read, index, "M") for index in (0, 3)), RESPONSES.with_tools(read, [TOOL])
    )
    assert changed["input"][1]["content"] == [{"type": "input_text", "text": "A"}, part]
    assert changed["input"][4]["content"] == [{"type": "input_text", "text": "B"}, part]
    assert changed["tools"][1]["parameters"] == TOOL["schema"]


@pytest.mark.requirement("P-FMT-02")
@pytest.mark.parametrize("is_one", [True, False])
def test_contents_of_gemini_may_be_one_object_or_a_list(is_one: bool) -> None:
    content: dict[str, Any] = {"role": "user", "parts": {"text": "A"} if is_one else [{"text": "A"}]}
    body = {"contents": content if is_one else [content], "systemInstruction": {"parts": {"text": "S"}}}
    read = request("gemini", body, STREAM)
    assert (read.system, read.model, read.stream, read.messages) == ("S", "gemini-3", True, (content,))
    changed = after(read, GEMINI.appended(read, 0, "M"))["contents"]
    assert (changed if is_one else changed[0])["parts"] == [{"text": "A"}, {"text": "M"}]
    new = [{"role": "user", "parts": [{"text": "new"}]}]
    assert after(read, GEMINI.replaced(read, 0, 0, new))["contents"] == [*new, content]


@pytest.mark.requirement("P-FMT-03")
@pytest.mark.parametrize("name", ["functionDeclarations", "function_declarations"])
def test_tools_join_the_declarations_of_gemini(name: str) -> None:
    own = [{"googleSearch": {}}, {name: [{"name": "f"}]}]
    read = request("gemini", {"contents": [], "tools": own})
    assert read.tools == ("googleSearch", "f")
    added = {"name": TOOL["name"], "description": TOOL["description"], "parametersJsonSchema": TOOL["schema"]}
    assert after(read, GEMINI.with_tools(read, [TOOL]))["tools"] == [own[0], {name: [{"name": "f"}, added]}]
    other: tuple[object, ...] = ({"googleSearch": {}}, [{"googleSearch": {}}], None)
    for tools in other:
        read = request("gemini", {"contents": [], "tools": tools})
        assert after(read, GEMINI.with_tools(read, [TOOL]))["tools"][-1] == {"functionDeclarations": [added]}


CALL = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "read", "arguments": '{"a":1}'}
TEXT = {"type": "message", "id": "m1", "role": "assistant", "content": [{"type": "output_text", "text": "Grüezi"}]}
USAGE = {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 2}


@pytest.mark.requirement("P-FMT-05")
@pytest.mark.parametrize("output", [[{"type": "reasoning", "id": "r1", "summary": []}, TEXT, CALL], []])
def test_a_stream_of_responses_is_assembled(output: list[dict[str, Any]]) -> None:
    events = (
        {"type": "response.created", "response": {"model": "m", "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": {"type": "message", "id": "m1"}},
        {"type": "response.output_text.delta", "item_id": "m1", "delta": "Grü"},
        {"type": "response.output_text.delta", "item_id": "m1", "delta": "ezi"},
        {"type": "response.output_item.done", "output_index": 0, "item": TEXT},
        {"type": "response.output_item.done", "output_index": 1, "item": CALL},
        {"type": "response.completed", "response": {"status": "completed", "output": output, "usage": USAGE}},
    )
    reader = RESPONSES.reader()
    for event in events[:4]:
        reader.feed(sse(event))
    assert [message["content"] for message in reader.answer().messages] == ["Grüezi"]
    for event in events[4:]:
        reader.feed(sse(event))
    answer = reader.answer()
    assert list(answer.messages) == (output or [TEXT, CALL])
    assert answer.calls == (ToolCall("c1", "read", '{"a":1}'),)
    assert (answer.usage, answer.stop, answer.model) == (TokenUsage(9, 4, None, 2), "completed", "m")
    assert answer.complete
    assert RESPONSES.tool_results(answer, {"c1": "found"})[-1] == {
        "type": "function_call_output",
        "call_id": "c1",
        "output": "found",
    }


@pytest.mark.requirement("P-FMT-05")
def test_a_whole_answer_of_responses_and_a_failed_one() -> None:
    whole = {"object": "response", "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    answer = RESPONSES.read_answer(json.dumps({**whole, "output": [TEXT], "usage": USAGE}).encode())
    assert (answer.messages, answer.stop, answer.complete) == ((TEXT,), "max_output_tokens", True)
    reader = RESPONSES.reader()
    reader.feed(sse({"type": "response.failed", "response": {"status": "failed", "error": {"code": "x"}}}))
    assert not reader.answer().complete
    assert not RESPONSES.read_answer(b'{"error":{}}').complete


CHUNKS = (
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hm", "thought": True}]}}], "modelVersion": "g"},
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "Grü"}]}}]},
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "ezi"}]}}]},
    {
        "candidates": [
            {"content": {"parts": [{"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": "s"}]}}
        ]
    },
    {"candidates": [{"content": {"parts": [{"functionCall": {"id": "x", "name": "f", "args": {}}}]}}]},
    {
        "candidates": [{"content": {"parts": [{"text": "", "thoughtSignature": "t"}]}, "finishReason": "STOP"}],
        "usageMetadata": {
            "promptTokenCount": 9,
            "cachedContentTokenCount": 4,
            "candidatesTokenCount": 2,
            "thoughtsTokenCount": 3,
        },
    },
)


@pytest.mark.requirement("P-FMT-05")
@pytest.mark.parametrize("size", [1, 4, 9999])
@pytest.mark.parametrize("is_list", [True, False])
def test_a_stream_of_gemini_is_assembled(is_list: bool, size: int) -> None:
    stream = json.dumps(CHUNKS, ensure_ascii=False, indent=1).encode() if is_list else sse(*CHUNKS)
    reader = GEMINI.reader()
    for at in range(0, len(stream), size):
        reader.feed(stream[at : at + size])
        if size == 4:
            reader.answer()
    answer = reader.answer()
    (message,) = answer.messages
    assert message["role"] == "model"
    assert message["parts"] == [
        {"text": "Hm", "thought": True},
        {"text": "Grüezi"},
        {"functionCall": {"name": "f", "args": {"a": 1}}, "thoughtSignature": "s"},
        {"functionCall": {"id": "x", "name": "f", "args": {}}},
        {"text": "", "thoughtSignature": "t"},
    ]
    assert answer.calls == (ToolCall("0:f", "f", '{"a": 1}'), ToolCall("x", "f", "{}"))
    assert (answer.usage, answer.stop, answer.model) == (TokenUsage(9, 4, None, 5), "STOP", "g")
    assert answer.complete
    results = GEMINI.tool_results(answer, {"0:f": "A", "x": "B"})[-1]["parts"]
    assert [part["functionResponse"] for part in results] == [
        {"name": "f", "response": {"output": "A"}},
        {"id": "x", "name": "f", "response": {"output": "B"}},
    ]


@pytest.mark.requirement("S-REST-01")
def test_an_object_full_of_braces_is_decoded_once() -> None:
    decoded: list[int] = []

    def decode(text: str) -> Any:
        decoded.append(len(text))
        return json.loads(text)

    stream = ListStream(decode)
    values = [{"text": '}"{\\' * 500}, {"list": [{"a": {}}] * 200}]
    text = json.dumps(values).encode()
    assert [value for at in range(len(text)) for value in stream.feed(text[at : at + 1])] == values
    assert decoded == [len(json.dumps(value)) for value in values]


@pytest.mark.requirement("P-FMT-05")
@pytest.mark.parametrize("size", [1, 2, 3, 7, 9999])
def test_objects_of_a_list_are_found_wherever_its_pieces_end(size: int) -> None:
    text = b'\xef\xbb\xbf[{"a": "\\\\"}\r\n, {"b": "\\"}{"}, "{", 1, {not json}, {"c": "\xc3\xbc"}] }]'
    stream = ListStream()
    found = [
        value for at in range(0, len(text), size) for value in (*stream.feed(text[at : at + size]), *stream.feed(b""))
    ]
    assert found == [{"a": "\\"}, {"b": '"}{'}, {"c": "ü"}]


@pytest.mark.requirement("P-FMT-05")
def test_whole_answers_of_gemini() -> None:
    answer = GEMINI.read_answer(json.dumps({"promptFeedback": {"blockReason": "SAFETY"}}).encode())
    assert (answer.messages, answer.stop, answer.complete) == ((), "SAFETY", True)
    content = {"role": "model", "parts": [{"text": "A"}]}
    answer = GEMINI.read_answer(json.dumps({"candidates": [{"content": content, "finishReason": "STOP"}]}).encode())
    assert (answer.messages, answer.complete) == ((content,), True)
    assert not GEMINI.read_answer(b"[]").complete


@pytest.mark.requirement("P-FMT-06")
def test_errors_of_responses_and_gemini() -> None:
    assert json.loads(GEMINI.error(429, "Wait."))["error"] == {
        "code": 429,
        "message": "Wait.",
        "status": "RESOURCE_EXHAUSTED",
    }
    assert json.loads(RESPONSES.error(429, "Wait."))["error"]["type"] == "rate_limit_error"
