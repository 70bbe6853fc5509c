"""The scripted upstream refuses what the vendors refuse, in the shape of their errors."""

import copy
import gzip
import json
from collections.abc import Callable
from typing import Any, Final

import anyio
import httpx2
import pytest

from clew.serve.scripted.refusal import sealed, signature
from clew.serve.scripted.script import RecordedRequest, Reply, always, in_turn
from clew.serve.scripted.server import Page, ScriptedUpstream

pytestmark = pytest.mark.requirement("P-UPS-01")

Body = dict[str, Any]

PATHS: Final = {
    "anthropic": "/v1/messages",
    "openai": "/v1/chat/completions",
    "responses": "/v1/responses",
    "gemini": "/v1beta/models/gem-1:generateContent",
}
KEYS: Final = {
    "anthropic": {"x-api-key": "k", "anthropic-version": "2023-06-01"},
    "openai": {"authorization": "Bearer k"},
    "responses": {"authorization": "Bearer k"},
    "gemini": {"x-goog-api-key": "k"},
}
USE: Final = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
RESULT: Final = {"type": "tool_result", "tool_use_id": "t1", "content": "seen"}
THOUGHT: Final = {"type": "thinking", "thinking": "hm", "signature": signature("hm")}
CALL: Final = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
ITEM: Final = {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"}
OUTPUT: Final = {"type": "function_call_output", "call_id": "c1", "output": "seen"}
PART: Final = {"functionCall": {"name": "look", "args": {}}, "thoughtSignature": sealed("hm")}
ANSWER: Final = {"functionResponse": {"name": "look", "response": {"result": "seen"}}}
MARK: Final = {"type": "ephemeral"}


def user(content: object) -> Body:
    return {"role": "user", "content": content}


def said(content: object) -> Body:
    return {"role": "assistant", "content": content}


def turn(role: str, *parts: Body) -> Body:
    return {"role": role, "parts": list(parts)}


GOOD: Final[dict[str, Body]] = {
    "anthropic": {
        "model": "claude-1",
        "max_tokens": 2000,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": MARK}],
        "tools": [{"name": "look", "input_schema": {"type": "object"}}],
        "messages": [user("hi"), said([THOUGHT, USE]), user([RESULT, {"type": "text", "text": "and?"}])],
        "thinking": {"type": "enabled", "budget_tokens": 1024},
    },
    "openai": {
        "model": "gpt-1",
        "tools": [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}],
        "messages": [
            {"role": "system", "content": "Be brief."},
            user("hi"),
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": "seen"},
            user([{"type": "text", "text": "and?"}]),
        ],
    },
    "responses": {
        "model": "gpt-1",
        "instructions": "Be brief.",
        "tools": [{"type": "function", "name": "look", "parameters": {"type": "object"}}],
        "input": [user("hi"), ITEM, OUTPUT, {"type": "message", **user([{"type": "input_text", "text": "and?"}])}],
    },
    "gemini": {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [{"name": "look"}]}],
        "contents": [
            turn("user", {"text": "hi"}),
            turn("model", PART),
            turn("user", ANSWER),
            turn("model", {"text": "seen"}),
            turn("user", {"text": "and?"}),
        ],
    },
}


def post(upstream: ScriptedUpstream, wire: str, body: Body | bytes, path: str = "", **headers: str) -> httpx2.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    async def send() -> httpx2.Response:
        transport = httpx2.ASGITransport(upstream)
        async with httpx2.AsyncClient(transport=transport, base_url="http://up") as client:
            return await client.post(path or PATHS[wire], content=content, headers={**KEYS[wire], **headers})

    return anyio.run(send)


@pytest.mark.parametrize("wire", GOOD)
def test_a_correct_request_is_answered(wire: str) -> None:
    upstream = ScriptedUpstream(always(Reply("Yes.")))
    response = post(upstream, wire, GOOD[wire])
    assert response.status_code == 200, response.text
    assert "Yes." in response.text
    assert upstream.requests[0].body == json.dumps(GOOD[wire]).encode()
    assert upstream.requests[0].wire == wire


def change(path: str, value: object) -> Callable[[Body], None]:
    """Puts a value at a place such as `messages.0.content`; deletes the place when the value is the type None."""

    def made(body: Body) -> None:
        *way, last = [int(step) if step.lstrip("-").isdigit() else step for step in path.split(".")]
        place: Any = body
        for step in way:
            place = place[step]
        if value is type(None):
            del place[last]
        else:
            place[last] = value

    return made


GONE: Final = type(None)
WRONG: Final[list[tuple[str, str, object, str]]] = [
    ("anthropic", "model", GONE, "model: Field required"),
    ("anthropic", "max_tokens", GONE, "max_tokens: Field required"),
    ("anthropic", "max_tokens", 0, "greater than or equal to 1"),
    ("anthropic", "messages", [], "at least one message"),
    ("anthropic", "messages.0.role", "system", "Input should be 'user' or 'assistant'"),
    ("anthropic", "messages.0", said("hi"), "first message must use"),
    ("anthropic", "messages.0.content", "", "must have non-empty content"),
    ("anthropic", "messages.0.content", "  ", "non-whitespace"),
    ("anthropic", "messages.2.content.1.text", "", "text content blocks must be non-empty"),
    ("anthropic", "messages.2.content.1.note", "x", "Extra inputs are not permitted"),
    ("anthropic", "novelty", 1, "novelty: Extra inputs are not permitted"),
    ("anthropic", "messages.2.content", "seen", "without `tool_result` blocks immediately after: t1"),
    ("anthropic", "messages.2.content", [{"type": "text", "text": "first"}, RESULT], "immediately after: t1"),
    ("anthropic", "messages.1.content", [{"type": "text", "text": "no"}], "unexpected `tool_use_id`"),
    ("anthropic", "messages.2.content", [RESULT, RESULT], "Found multiple `tool_result` blocks"),
    ("anthropic", "messages.1.content", [THOUGHT, USE, USE], "`tool_use` ids must be unique"),
    ("anthropic", "messages.1.content.0.thinking", "hm!", "Invalid `signature` in `thinking` block"),
    ("anthropic", "messages.1.content", [USE], "Expected `thinking` or `redacted_thinking`, but found `tool_use`"),
    ("anthropic", "thinking.budget_tokens", 5, "greater than or equal to 1024"),
    ("anthropic", "thinking.budget_tokens", 2000, "must be greater than `thinking.budget_tokens`"),
    ("anthropic", "tools", [GOOD["anthropic"]["tools"][0]] * 2, "Tool names must be unique"),
    ("anthropic", "tools.0.name", "look at", "String should match pattern"),
    ("anthropic", "tool_choice", {"type": "tool", "name": "x"}, "Tool 'x' not found"),
    ("anthropic", "system", [{"type": "text", "text": "x", "cache_control": MARK}] * 5, "maximum of 4 blocks"),
    (
        "anthropic",
        "messages.2.content.1.cache_control",
        {"type": "ephemeral", "ttl": "1h"},
        "must not come after a ttl='5m'",
    ),
    ("openai", "model", GONE, "you must provide a model"),
    ("openai", "messages", GONE, "Missing required parameter: 'messages'"),
    ("openai", "messages", [], "empty array"),
    ("openai", "messages.1.role", "person", "Invalid value: 'person'"),
    ("openai", "messages.1.content", None, "expected a string, got null"),
    ("openai", "messages.1.content", [], "empty array"),
    ("openai", "messages.4.content.0.type", "image", "Invalid value: 'image'"),
    ("openai", "novelty", 1, "Unknown parameter: 'novelty'."),
    ("openai", "messages.3", user("seen"), "did not have response messages: c1"),
    ("openai", "messages.2", said("no"), "must be a response to a preceeding message"),
    ("openai", "messages.3.tool_call_id", "c2", "must be a response to a preceeding message"),
    ("openai", "tools", GOOD["openai"]["tools"] * 2, "tool names must be unique"),
    ("openai", "tools", [], "empty array"),
    ("openai", "stream_options", {"include_usage": True}, "only allowed when 'stream' is enabled"),
    ("responses", "model", GONE, "'model'"),
    ("responses", "input", GONE, "'input'"),
    ("responses", "input.2", user("x"), "No tool output found for function call c1."),
    ("responses", "input.1", user("x"), "No tool call found for function call output with call_id c1."),
    ("responses", "input.1", {"type": "reasoning", "id": "r", "encrypted_content": "eA=="}, "could not be verified"),
    ("responses", "input.3.content.0.type", "text", "Invalid value: 'text'"),
    ("responses", "previous_response_id", "resp_x", "Previous response with id 'resp_x' not found."),
    ("responses", "tools", GOOD["responses"]["tools"] * 2, "tool names must be unique"),
    ("responses", "messages", [], "Unknown parameter: 'messages'."),
    ("gemini", "contents", [], "contents is not specified"),
    ("gemini", "contents.0.role", "assistant", "valid role: user, model"),
    ("gemini", "contents.0.parts", [], "must not be empty"),
    ("gemini", "contents.0.parts.0.text", "", "must have one initialized field"),
    ("gemini", "contents.0.parts.0.note", "x", 'Unknown name "note"'),
    ("gemini", "novelty", 1, 'Unknown name "novelty"'),
    ("gemini", "contents.2.parts", [ANSWER, ANSWER], "number of function response parts is equal"),
    ("gemini", "contents.0.role", "model", "function call turn comes immediately after a user turn"),
    ("gemini", "contents.1.parts.0.thoughtSignature", "eA==", "Thought signature is not valid"),
    ("gemini", "tools.0.functionDeclarations", [{"name": "a"}, {"name": "a"}], "Duplicate function declaration"),
]


@pytest.mark.requirement("S-LINE-09")
def test_calls_of_finished_answers_need_no_signature() -> None:
    call, said_after = turn("model", {"functionCall": {"name": "look", "args": {}}}), turn("model", {"text": "Seen."})
    finished = [turn("user", {"text": "Look."}), call, turn("user", ANSWER), said_after]
    body = {**GOOD["gemini"], "contents": [*finished, turn("user", {"text": "And now?"})]}
    assert post(ScriptedUpstream(), "gemini", body).status_code == 200
    refused = post(ScriptedUpstream(), "gemini", {**body, "contents": finished[:3]})
    assert (refused.status_code, "missing a thought_signature" in refused.text) == (400, True)


@pytest.mark.parametrize(("wire", "path", "value", "words"), WRONG)
def test_a_broken_rule_is_refused_in_the_vendors_shape(wire: str, path: str, value: object, words: str) -> None:
    body = copy.deepcopy(GOOD[wire])
    change(path, value)(body)
    response = post(ScriptedUpstream(), wire, body)
    assert response.status_code == 400, response.text
    error = response.json()["error"]
    assert words in error["message"]
    assert set(error) == {
        "anthropic": {"type", "message"},
        "openai": {"message", "type", "param", "code"},
        "responses": {"message", "type", "param", "code"},
        "gemini": {"code", "message", "status"},
    }.get(wire)


@pytest.mark.parametrize("wire", GOOD)
def test_a_request_without_key_or_json_is_refused(wire: str) -> None:
    upstream = ScriptedUpstream()
    assert post(upstream, wire, b"{", **{"content-type": "application/json"}).status_code == 400
    empty = dict.fromkeys(KEYS[wire], "")
    assert post(upstream, wire, GOOD[wire], **empty).status_code in (401, 403)


@pytest.mark.parametrize(
    ("at", "status"), [(0, 400), (1, 400), (2, 400), (3, 200)], ids=["first", "before-user", "after-assistant", "last"]
)
def test_messages_of_the_system_stand_between_a_user_and_the_answer(at: int, status: int) -> None:
    body = copy.deepcopy(GOOD["anthropic"])
    said = (
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Go."},
    )
    body["messages"] = list(said) if at else list(said[2:])
    body["messages"].insert(at, {"role": "system", "content": "Agents: none."})
    if at == 1:
        body["messages"][2:2] = [{"role": "user", "content": "And."}]
    assert post(ScriptedUpstream(), "anthropic", body).status_code == status


def test_a_compressed_body_is_read_and_kept_as_it_came() -> None:
    upstream = ScriptedUpstream()
    packed = gzip.compress(json.dumps(GOOD["openai"]).encode())
    assert post(upstream, "openai", packed, **{"content-encoding": "gzip"}).status_code == 200
    assert upstream.requests[0].body == packed


def test_the_server_keeps_responses_and_continues_them() -> None:
    upstream = ScriptedUpstream(in_turn(["one", "two"]))
    first = post(upstream, "responses", {"model": "m", "input": "hi"}).json()
    body = {"model": "m", "input": "more", "previous_response_id": first["id"]}
    second = post(upstream, "responses", body).json()
    assert second["usage"]["input_tokens"] > first["usage"]["input_tokens"]


def cached(body: Body) -> Body:
    body = copy.deepcopy(body)
    body["system"][0]["text"] = "Be brief. " * 2000
    return body


def test_a_marked_prefix_is_written_once_and_read_until_its_time_is_over() -> None:
    now = [0.0]
    upstream = ScriptedUpstream(clock=lambda: now[0])
    body = cached(GOOD["anthropic"])
    first = post(upstream, "anthropic", body).json()["usage"]
    assert first["cache_creation_input_tokens"] > 4096
    assert first["cache_read_input_tokens"] == 0
    now[0] = 299
    second = post(upstream, "anthropic", body).json()["usage"]
    assert second["cache_read_input_tokens"] == first["cache_creation_input_tokens"]
    now[0] += 301
    assert post(upstream, "anthropic", body).json()["usage"]["cache_read_input_tokens"] == 0


def test_one_changed_byte_before_the_mark_makes_the_cache_cold() -> None:
    upstream = ScriptedUpstream()
    body = cached(GOOD["anthropic"])
    post(upstream, "anthropic", body)
    body["system"][0]["text"] = "be" + body["system"][0]["text"][2:]
    assert post(upstream, "anthropic", body).json()["usage"]["cache_read_input_tokens"] == 0


@pytest.mark.parametrize("wire", ["openai", "responses", "gemini"])
def test_other_vendors_cache_the_common_beginning_by_themselves(wire: str) -> None:
    upstream = ScriptedUpstream()
    body = copy.deepcopy(GOOD[wire])
    first = {"openai": "messages.0.content", "responses": "instructions"}.get(wire, "systemInstruction.parts.0.text")
    last = {"openai": "messages.4.content.0.text", "responses": "input.3.content.0.text"}.get(wire)
    change(first, "Be brief. " * 3000)(body)
    post(upstream, wire, body)
    change(last or "contents.4.parts.0.text", "other words")(body)
    usage = post(upstream, wire, body).json()
    read = {
        "openai": lambda: usage["usage"]["prompt_tokens_details"]["cached_tokens"],
        "responses": lambda: usage["usage"]["input_tokens_details"]["cached_tokens"],
        "gemini": lambda: usage["usageMetadata"]["cachedContentTokenCount"],
    }[wire]()
    assert 7000 < read < 8000


def test_counting_tokens_and_other_paths() -> None:
    upstream = ScriptedUpstream(pages={"/v1/files": Page(b"\x00\xff", 201, "application/x")})
    body = {key: value for key, value in GOOD["anthropic"].items() if key != "max_tokens"}
    assert post(upstream, "anthropic", body, "/v1/messages/count_tokens").json()["input_tokens"] > 10
    page = post(upstream, "openai", b"anything", "/v1/files")
    assert (page.status_code, page.content) == (201, b"\x00\xff")
    assert post(upstream, "openai", b"", "/v1/nothing").status_code == 404
    assert [request.wire for request in upstream.requests] == ["anthropic", "", ""]


def test_a_script_sees_the_request_and_decides() -> None:
    def by_model(request: RecordedRequest) -> Reply:
        return Reply(f"I am {(request.value or {})['model']}.")

    assert "I am gpt-1." in post(ScriptedUpstream(by_model), "openai", GOOD["openai"]).text
