"""The joined answers of a tool loop, read by the vendors' own SDKs."""

import asyncio
from contextlib import ExitStack, closing
from typing import Any

import anthropic
import openai
import pytest
from google import genai
from google.genai import types

from clew.memory import Memory
from clew.serve.scripted.script import Reply, ToolUse, in_turn
from clew.serve.scripted.server import ScriptedUpstream
from tests.support.memories import quiet, told
from tests.support.proxies import proxy
from tests.support.tool_loops import LoopApp, asked, request_of

QUOTE = ToolUse("clew_find_quote", {"text": "Redis"})
WEATHER = ToolUse("weather", {"city": "Oslo"})
REPLIES = (
    Reply("Let me look.", (QUOTE,), "I should look.", output_tokens=13),
    Reply("You picked Redis.", (QUOTE, WEATHER), "Found it.", output_tokens=29),
    Reply("It rains.", (), "Done.", output_tokens=5),
)


def app_over(memory: Memory) -> LoopApp:
    memory.add(told("We picked Redis for the sessions.", session="api"))
    return LoopApp(memory, in_turn(REPLIES))


@pytest.mark.requirement("P-SRF-17", "P-SRF-12")
@pytest.mark.parametrize("stream", [False, True])
def test_anthropic(stream: bool) -> None:
    async def main() -> None:
        with quiet() as memory:
            app = app_over(memory)
            client = anthropic.AsyncAnthropic(api_key="k", base_url="http://clew", http_client=app.client())
            value: dict[str, Any] = request_of("anthropic", "what did we pick?", tools=True)[1]
            del value["stream"]

            async def asked() -> Any:
                if not stream:
                    return await client.messages.create(**value)
                async with client.messages.stream(**value) as events:
                    return await events.get_final_message()

            message = await asked()
            kinds = [block.type for block in message.content]
            assert kinds == ["thinking", "text", "thinking", "text", "tool_use"]
            assert message.stop_reason == "tool_use"
            assert message.usage.output_tokens == 42
            value["messages"] += [
                {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in message.content]},
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": message.content[-1].id, "content": "rain"}],
                },
            ]
            message = await asked()
            assert message.content[-1].text == "It rains."
            assert app.upstream.requests[-1].body.count(b"We picked Redis for the sessions.") == 1

    asyncio.run(main())


@pytest.mark.requirement("P-SRF-17", "P-SRF-12")
@pytest.mark.parametrize("stream", [False, True])
def test_openai_chat(stream: bool) -> None:
    async def main() -> None:
        with quiet() as memory:
            app = app_over(memory)
            client = openai.AsyncOpenAI(api_key="k", base_url="http://clew/v1", http_client=app.client())
            value: dict[str, Any] = request_of("openai", "what did we pick?", tools=True)[1]
            del value["stream"]

            async def asked() -> Any:
                if not stream:
                    return await client.chat.completions.create(**value)
                async with client.chat.completions.stream(**value, stream_options={"include_usage": True}) as events:
                    return await events.get_final_completion()

            answer = await asked()
            message = answer.choices[0].message
            assert message.content == "Let me look.\n\nYou picked Redis."
            assert [call.function.name for call in message.tool_calls] == ["weather"]
            assert answer.choices[0].finish_reason == "tool_calls"
            assert answer.usage.completion_tokens == 42
            value["messages"] += [
                message.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}),
                {"role": "tool", "tool_call_id": message.tool_calls[0].id, "content": "rain"},
            ]
            answer = await asked()
            assert answer.choices[0].message.content == "It rains."
            assert not answer.choices[0].message.tool_calls

    asyncio.run(main())


@pytest.mark.requirement("P-SRF-17", "P-SRF-12")
@pytest.mark.parametrize(("stream", "stored"), [(False, False), (False, True), (True, False)])
def test_openai_responses(stream: bool, stored: bool) -> None:
    async def main() -> None:
        with quiet() as memory:
            app = app_over(memory)
            client = openai.AsyncOpenAI(api_key="k", base_url="http://clew/v1", http_client=app.client())
            value: dict[str, Any] = request_of("responses", "what did we pick?", tools=True)[1]
            del value["stream"]
            value["store"] = stored

            async def asked() -> Any:
                if not stream:
                    return await client.responses.create(**value)
                async with client.responses.stream(**value) as events:
                    return await events.get_final_response()

            answer = await asked()
            kinds = [item.type for item in answer.output]
            assert kinds == ["reasoning", "message", "reasoning", "message", "function_call"]
            assert answer.usage.output_tokens == 42
            assert [tool.name for tool in answer.tools] == ["weather"]
            rain = {"type": "function_call_output", "call_id": answer.output[-1].call_id, "output": "rain"}
            if stored:
                value["previous_response_id"] = answer.id
                value["input"] = [rain]
            else:
                value["input"] += [*(item.model_dump(exclude_none=True) for item in answer.output), rain]
            answer = await asked()
            assert answer.output_text == "It rains."

    asyncio.run(main())


@pytest.mark.requirement("P-SRF-17")
def test_reasoning_that_led_to_a_call_of_ours_alone_is_left_out() -> None:
    async def main() -> None:
        for stream in (False, True):
            with quiet() as memory:
                app = LoopApp(memory, in_turn([Reply("", (QUOTE,), "I should look."), Reply("Redis.", (), "Found.")]))
                client = openai.AsyncOpenAI(api_key="k", base_url="http://clew/v1", http_client=app.client())
                value: dict[str, Any] = request_of("responses", "what did we pick?")[1]
                del value["stream"]
                if stream:
                    async with client.responses.stream(**value) as events:
                        answer: Any = await events.get_final_response()
                else:
                    answer = await client.responses.create(**value)
                assert [item.type for item in answer.output] == ["reasoning", "message"]
                value["input"] += [item.model_dump(exclude_none=True) for item in answer.output]
                value["input"] += [{"role": "user", "content": "thanks"}]
                assert (await client.responses.create(**value)).output_text == "Redis."

    asyncio.run(main())


@pytest.mark.requirement("P-SRF-17")
def test_a_stored_stream_is_left_alone() -> None:
    with quiet() as memory:
        app = LoopApp(memory, in_turn([Reply("Hello.")]))
        path, value = request_of("responses", "hello", stream=True)
        asyncio.run(asked(app, "responses", path, {**value, "store": True}))
        assert b"clew_" not in app.upstream.requests[0].body


@pytest.mark.requirement("P-SRF-17", "P-SRF-12")
@pytest.mark.parametrize("stream", [False, True])
def test_gemini(stream: bool) -> None:

    upstream = ScriptedUpstream(in_turn(REPLIES))
    declared = types.FunctionDeclaration(
        name="weather", description="The weather.", parameters_json_schema={"type": "object", "properties": {}}
    )
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[declared])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    with upstream.serving() as url, proxy(url, tools=True, inject=False, patience=30) as server, ExitStack() as stack:
        server.services.spaces.get("default").add(told("We picked Redis for the sessions.", session="api"))
        options = types.HttpOptions(base_url=server.url + "/gemini")
        client = stack.enter_context(closing(genai.Client(api_key="k", http_options=options)))
        contents: list[Any] = [types.Content(role="user", parts=[types.Part(text="what did we pick?")])]

        def asked_for() -> list[Any]:
            models = client.models
            if not stream:
                answers = [models.generate_content(model="gemini-2.5-flash", contents=contents, config=config)]
            else:
                answers = list(
                    models.generate_content_stream(model="gemini-2.5-flash", contents=contents, config=config)
                )
            found: list[Any] = []
            for answer in answers:
                content = answer.candidates[0].content if answer.candidates else None
                found += (content.parts or []) if content else []
            return found

        parts = asked_for()
        assert [part.function_call.name for part in parts if part.function_call] == ["weather"]
        assert "Let me look." in "".join(part.text or "" for part in parts)
        contents += [
            types.Content(role="model", parts=parts),
            types.Content(
                role="user",
                parts=[
                    types.Part(function_response=types.FunctionResponse(name="weather", response={"output": "rain"}))
                ],
            ),
        ]
        assert "It rains." in "".join(part.text or "" for part in asked_for())
        assert upstream.chats()[-1].body.count(b"We picked Redis for the sessions.") >= 1
