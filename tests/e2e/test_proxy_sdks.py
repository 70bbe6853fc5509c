"""The vendors' own SDKs talk to the scripted upstream, straight and through the proxy, and notice no difference."""

import asyncio
import base64
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, Final

import anthropic
import httpx2
import openai
import pytest
from google import genai
from google.genai import errors as gemini_errors
from google.genai import types as gemini_types

from clew.serve.scripted.script import Fault, FaultKind, Pace, RecordedRequest, Reply, ToolUse, always, in_turn
from tests.support.sdk_ways import PASSAGES, Way, way

pytestmark = [pytest.mark.requirement("P-UPS-02"), pytest.mark.slow]

WORDS: Final = "Grüße aus Köln: 三つの猫 🐈 and plain words."
PIXEL: Final = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(40)).decode()
LOOK: Final = ToolUse("look", {"where": "Köln", "deep": {"n": [1, 2]}})
CALLING: Final = Reply(WORDS, (LOOK, ToolUse("look", {"where": "x"})), "Let me think.", pace=Pace((1, 7, 2)))
USED: Final = [{"where": "Köln", "deep": {"n": [1, 2]}}, {"where": "x"}]


@pytest.fixture(params=PASSAGES)
def path(request: pytest.FixtureRequest) -> Iterator[Way]:
    with way(request.param) as made:
        yield made


def claude(path: Way) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=path.anthropic, api_key="k", max_retries=0)


def gpt(path: Way) -> openai.OpenAI:
    return openai.OpenAI(base_url=path.openai, api_key="k", max_retries=0)


def gemini(path: Way) -> genai.Client:
    return genai.Client(api_key="k", http_options=gemini_types.HttpOptions(base_url=path.gemini))


def anthropic_body(*more: dict[str, Any]) -> dict[str, Any]:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PIXEL}}
    return {
        "model": "claude-1",
        "max_tokens": 2000,
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "tools": [{"name": "look", "input_schema": {"type": "object"}}],
        "messages": [{"role": "user", "content": [image, {"type": "text", "text": "What is it?"}]}, *more],
    }


def test_anthropic_answers_think_call_and_continue(path: Way) -> None:
    path.upstream.script = in_turn([CALLING, CALLING, "Done."])
    with claude(path) as client:
        whole = client.messages.create(**anthropic_body())
        with client.messages.stream(**anthropic_body()) as stream:
            text = "".join(stream.text_stream)
            streamed = stream.get_final_message()
        assert text == WORDS
        assert [block.type for block in streamed.content] == ["thinking", "text", "tool_use", "tool_use"]
        assert [block.input for block in streamed.content if block.type == "tool_use"] == USED
        assert [block.type for block in whole.content] == [block.type for block in streamed.content]
        assert whole.content[0].to_dict() == streamed.content[0].to_dict()
        assert streamed.stop_reason == "tool_use"
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": "seen"}
            for block in streamed.content
            if block.type == "tool_use"
        ]
        answered = {"role": "assistant", "content": [block.to_dict() for block in whole.content]}
        for block, result in zip(whole.content[2:], results, strict=True):
            result["tool_use_id"] = block.to_dict()["id"]
        final = client.messages.create(**anthropic_body(answered, {"role": "user", "content": results}))
        assert final.to_dict()["content"] == [{"type": "text", "text": "Done."}]
        assert client.messages.count_tokens(model="claude-1", messages=anthropic_body()["messages"]).input_tokens > 5


def _arguments(calls: Any) -> list[str]:
    return [call.function.arguments for call in calls]


def test_openai_chat_streams_and_calls_tools(path: Way) -> None:
    path.upstream.script = in_turn([CALLING, CALLING, "Done."])
    image: Any = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}
    messages: list[Any] = [{"role": "user", "content": [{"type": "text", "text": "What is it?"}, image]}]
    tools: Any = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
    with gpt(path) as client:
        whole = client.chat.completions.create(model="gpt-1", messages=messages, tools=tools)
        with client.chat.completions.stream(
            model="gpt-1", messages=messages, tools=tools, stream_options={"include_usage": True}
        ) as stream:
            streamed = stream.until_done().get_final_completion()
        message, again = whole.choices[0].message, streamed.choices[0].message
        assert message.content == again.content == WORDS
        assert whole.usage is not None
        assert streamed.usage is not None
        assert whole.usage.prompt_tokens == streamed.usage.prompt_tokens
        assert _arguments(message.tool_calls) == _arguments(again.tool_calls)
        history = [*messages, message.to_dict(exclude_none=False)]
        history += [{"role": "tool", "tool_call_id": call.id, "content": "seen"} for call in message.tool_calls or []]
        for entry in history:
            entry.pop("annotations", None) if isinstance(entry, dict) else None
        final = client.chat.completions.create(model="gpt-1", messages=history, tools=tools)
        assert final.choices[0].message.content == "Done."


def test_openai_responses_reason_call_and_continue_on_the_server(path: Way) -> None:
    path.upstream.script = in_turn([CALLING, "Done.", CALLING, "Done again."])
    tools: Any = [{"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": False}]
    given: Any = {"model": "gpt-1", "tools": tools, "reasoning": {"effort": "low"}}
    with gpt(path) as client:
        first = client.responses.create(input="What is it?", **given)
        assert first.output_text == WORDS
        results: Any = [
            {"type": "function_call_output", "call_id": item.call_id, "output": "seen"}
            for item in first.output
            if item.type == "function_call"
        ]
        second = client.responses.create(input=results, previous_response_id=first.id, **given)
        assert second.output_text == "Done."
        with client.responses.stream(
            input="What is it?", include=["reasoning.encrypted_content"], store=False, **given
        ) as stream:
            kinds = [event.type for event in stream]
            streamed = stream.get_final_response()
        assert kinds[0] == "response.created"
        assert kinds[-1] == "response.completed"
        resent: Any = [{"role": "user", "content": "What is it?"}]
        resent += [item.to_dict() for item in streamed.output]
        for item in resent[1:]:
            item.pop("parsed_arguments", None)
            for part in item.get("content") or []:
                part.pop("parsed", None)
            if item["type"] == "function_call":
                resent.append({"type": "function_call_output", "call_id": item["call_id"], "output": "seen"})
        assert client.responses.create(input=resent, store=False, **given).output_text == "Done again."


def test_gemini_streams_and_calls_functions(path: Way) -> None:
    path.upstream.script = in_turn([CALLING, CALLING, "Done."])
    function = gemini_types.FunctionDeclaration(name="look", parameters_json_schema={"type": "object"})
    config = gemini_types.GenerateContentConfig(
        tools=[gemini_types.Tool(function_declarations=[function])],
        system_instruction="Be brief.",
        automatic_function_calling=gemini_types.AutomaticFunctionCallingConfig(disable=True),
    )
    image = gemini_types.Part.from_bytes(data=base64.b64decode(PIXEL), mime_type="image/png")
    question = gemini_types.Content(role="user", parts=[gemini_types.Part(text="What is it?"), image])
    with gemini(path) as client:
        whole = client.models.generate_content(model="gem-1", contents=[question], config=config)
        pieces = list(client.models.generate_content_stream(model="gem-1", contents=[question], config=config))
        parts = [part for piece in pieces for part in piece.parts or []]
        assert "".join(part.text or "" for part in parts) == WORDS
        assert [part.function_call.args for part in parts if part.function_call] == USED
        content = (whole.candidates or [])[0].content
        assert content is not None
        answers = [gemini_types.Part.from_function_response(name="look", response={"result": "seen"})] * 2
        history = [question, content, gemini_types.Content(role="user", parts=answers)]
        final = client.models.generate_content(model="gem-1", contents=history, config=config)
        assert final.text == "Done."
        assert (client.models.count_tokens(model="gem-1", contents="hi").total_tokens or 0) > 0


def test_asynchronous_clients_stream_side_by_side(path: Way) -> None:
    def answer(request: RecordedRequest) -> Reply:
        value = request.value or {}
        given = str(value.get("messages") or value.get("contents"))
        name = next(word for word in ("first", "second", "third") if word in given)
        return Reply(f"{WORDS} {name}", pace=Pace((1, 2, 3, 50)))

    async def ask() -> tuple[str, ...]:
        one = anthropic.AsyncAnthropic(base_url=path.anthropic, api_key="k", max_retries=0)
        two = openai.AsyncOpenAI(base_url=path.openai, api_key="k", max_retries=0)
        three = gemini(path)

        async def first() -> str:
            async with one.messages.stream(
                model="claude-1", max_tokens=10, messages=[{"role": "user", "content": "first"}]
            ) as stream:
                return await stream.get_final_text()

        async def second() -> str:
            stream = await two.chat.completions.create(
                model="gpt-1", messages=[{"role": "user", "content": "second"}], stream=True
            )
            return "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices])

        async def third() -> str:
            stream = await three.aio.models.generate_content_stream(model="gem-1", contents="third")
            return "".join([chunk.text or "" async for chunk in stream])

        async with one, two, three.aio:
            return await asyncio.gather(first(), second(), third())

    path.upstream.script = answer
    assert list(asyncio.run(ask())) == [f"{WORDS} {name}" for name in ("first", "second", "third")]


FAULTS: Final = {
    FaultKind.RATE_LIMIT: (anthropic.RateLimitError, 429),
    FaultKind.OVERLOADED: (anthropic.APIStatusError, 529),
    FaultKind.HTML_ERROR: (anthropic.InternalServerError, 500),
    FaultKind.ERROR_EVENT: (anthropic.InternalServerError, 500),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_errors_of_the_upstream_reach_the_client_as_they_are(path: Way, kind: FaultKind) -> None:
    path.upstream.script = always(Reply(WORDS, fault=Fault(kind, retry_after=7)))
    error, status = FAULTS[kind]
    with claude(path) as client, pytest.raises(error) as caught:
        client.messages.create(model="claude-1", max_tokens=9, messages=[{"role": "user", "content": "hi"}])
    assert caught.value.status_code == status
    if kind in (FaultKind.RATE_LIMIT, FaultKind.OVERLOADED):
        assert caught.value.response.headers["retry-after"] == "7"


def test_a_broken_rule_reaches_the_client_as_the_vendors_error(path: Way) -> None:
    with gpt(path) as client, pytest.raises(openai.BadRequestError, match="must be a response to a preceeding message"):
        client.chat.completions.create(model="gpt-1", messages=[{"role": "tool", "tool_call_id": "c", "content": "x"}])
    stranger = gemini_types.Content(role="x", parts=[gemini_types.Part(text="a")])
    with gemini(path) as client, pytest.raises(gemini_errors.ClientError, match="valid role"):
        client.models.generate_content(model="gem-1", contents=[stranger])


@pytest.mark.parametrize("kind", [FaultKind.RESET_AFTER, FaultKind.STALL, FaultKind.CUT])
def test_what_came_before_a_break_reaches_the_client(path: Way, kind: FaultKind) -> None:
    path.upstream.script = always(Reply("word " * 200, fault=Fault(kind, after=4000)))
    body = {"model": "gpt-1", "messages": [{"role": "user", "content": "hi"}], "stream": True}
    got = b""
    with httpx2.Client(
        timeout=5 if kind is FaultKind.STALL else 60
    ) as client:  # a stall ends with the client's patience
        url, key = f"{path.openai}/chat/completions", {"authorization": "Bearer k"}
        broken = pytest.raises(httpx2.TransportError) if kind is not FaultKind.CUT else nullcontext()
        with broken, client.stream("POST", url, json=body, headers=key) as response:
            for piece in response.iter_raw():
                got += piece
    assert len(got) == 4000
    assert got.startswith(b'data: {"id":')


def test_a_connection_that_breaks_before_the_answer_is_an_error_of_the_connection_or_the_gateway(path: Way) -> None:
    path.upstream.script = always(Reply(WORDS, fault=Fault(FaultKind.RESET_BEFORE)))
    with claude(path) as client, pytest.raises((anthropic.APIConnectionError, anthropic.InternalServerError)):
        client.messages.create(model="claude-1", max_tokens=9, messages=[{"role": "user", "content": "hi"}])
