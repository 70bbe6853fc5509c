"""The joined answers of a tool loop, read by the vendors' own SDKs."""

import asyncio
from typing import Any

import anthropic
import openai
import pytest

from clew.memory import Memory
from clew.serve.scripted.script import Reply, ToolUse, in_turn
from tests.memories import quiet, told
from tests.tool_loops import LoopApp, asked, request_of

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
