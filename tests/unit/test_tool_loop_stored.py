"""Calls of Clew's tools in OpenAI's responses, which the provider stores or not."""

import asyncio
import json

import pytest

from clew.serve.proxy.held_calls import HeldCalls
from clew.serve.proxy.wires import WIRES
from clew.serve.scripted.script import Reply, ToolUse, in_turn
from tests.support.memories import at, told
from tests.support.tool_loops import LoopApp, asked, request_of
from tests.unit.test_tool_loop import QUOTE, WEATHER_CALL, remembering, sent


@pytest.mark.requirement("P-SRF-60")
@pytest.mark.parametrize("why", ["restarted", "forgotten", "kept"])
@pytest.mark.parametrize("call", [QUOTE, ToolUse("clew_remember_when", {"since": "2024-03-01"})])
def test_a_stored_response_goes_on_when_the_results_of_its_calls_are_gone(call: ToolUse, why: str) -> None:
    with remembering() as memory:
        memory.add_many(told(f"Another thing {n}.", at=at(n)) for n in range(3))
        app = LoopApp(memory, in_turn([Reply("", (call, WEATHER_CALL)), Reply("It rains.")]))
        path, value = request_of("responses", "and?", tools=True)
        value["store"] = True
        _, body, answer = asyncio.run(asked(app, "responses", path, value))
        if why == "restarted":
            app.held = HeldCalls(memory.reads.store, memory.space)
        elif why == "forgotten":
            memory.forget(turn_ids=["api:turn:0"])
        rain = {"type": "function_call_output", "call_id": answer.calls[0].id, "output": "rain"}
        value |= {"previous_response_id": json.loads(body)["id"], "input": [rain]}
        status, body, answer = asyncio.run(asked(app, "responses", path, value))
        assert status == 200, body
        assert "It rains." in body.decode()
        outputs = [item["output"] for item in sent(app)["input"]]
        is_gone = why == "forgotten" or (why == "restarted" and call is not QUOTE)
        assert (["no longer there" in text for text in outputs]) == [is_gone, False]


@pytest.mark.requirement("P-SRF-60")
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("further", [(), (WEATHER_CALL,)])
def test_reasoning_that_nobody_stores_is_not_sent_again(stream: bool, further: tuple[ToolUse, ...]) -> None:
    replies = [Reply("", (QUOTE,), "I should look."), Reply("Redis.", further, "Found."), Reply("Done.")]
    with remembering() as memory:
        app = LoopApp(memory, in_turn(replies))
        path, value = request_of("responses", "what did we pick?", stream=stream, tools=True)
        value["include"] = []
        status, body, answer = asyncio.run(asked(app, "responses", path, value))
        assert (status, len(app.upstream.requests)) == (200, 2), body
        assert "Redis." in body.decode()
        given = WIRES["responses"].tool_results(answer, {call.id: "rain" for call in answer.calls})
        value["input"] += [item for item in given if item["type"] != "reasoning"]
        value["input"] += [{"role": "user", "content": "thanks"}]
        status, body, _ = asyncio.run(asked(app, "responses", path, value))
        assert status == 200, body
