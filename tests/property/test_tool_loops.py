"""Tool loops by chance: any mixture of words, thinking and calls, in any pieces, is one valid answer in each format."""

import asyncio
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from clew.memory import Memory
from clew.serve.proxy.wires import WIRES
from clew.serve.scripted.script import Pace, Reply, ToolUse, in_turn
from tests.support.effort import examples
from tests.support.memories import quiet, told
from tests.support.tool_loops import LoopApp, asked, request_of

OURS = (
    ToolUse("clew_find_quote", {"text": "Redis"}),
    ToolUse("clew_find_quote", {"text": "zebra"}),
    ToolUse("clew_recall_all", {}),
    ToolUse("clew_expand_topic", {"topic": "nothing"}),
    ToolUse("clew_restore", {"wrong": 1}),
    ToolUse("clew_remember_when", {"since": "Redis"}),
)


@pytest.fixture
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        opened.add(told("We picked Redis for the sessions.", session="api"))
        yield opened


def reply(rng: random.Random, number: int, *, ours: int, theirs: int) -> Reply:
    calls = [*(rng.choice(OURS) for _ in range(ours)), *(ToolUse("weather", {"city": f"c{n}"}) for n in range(theirs))]
    rng.shuffle(calls)
    text = f"words{number} and é 茶." if not calls or rng.randrange(2) else ""
    sizes = rng.choice(((), (1,), (2, 5, 1), (rng.randint(1, 400),)))
    return Reply(text, tuple(calls), f"thought{number}", pace=Pace(sizes), output_tokens=rng.randint(1, 50))


def script(rng: random.Random) -> list[Reply]:
    """Rounds of ours, then an answer that calls the client's tools or none; and once more."""
    found: list[Reply] = []
    for _ in range(2):
        for _ in range(rng.randrange(3)):
            found.append(reply(rng, len(found), ours=rng.randint(1, 3), theirs=0))
        theirs = rng.randrange(3)
        found.append(reply(rng, len(found), ours=rng.randrange(3) if theirs else 0, theirs=theirs))
    return [*found, Reply("The end.", thinking="enough")]


async def checked(memory: Memory, rng: random.Random, wire: str) -> int:
    """Carries a script to its end; how many of its rounds the client did not see."""
    stream = bool(rng.randrange(2))
    replies = script(rng)
    app = LoopApp(memory, in_turn(replies))
    path, value = request_of(wire, "what did we pick?", stream=stream, tools=True)
    member = {"responses": "input", "gemini": "contents"}.get(wire, "messages")
    hidden = 0
    for _ in range(4):
        before = len(app.upstream.requests)
        status, body, answer = await asked(app, wire, path, value)
        shown = (wire, stream, replies, body)
        assert status == 200, shown
        used = replies[before : len(app.upstream.requests)]
        assert answer.complete, shown
        assert b"clew_" not in body, shown
        assert [json.loads(call.arguments) for call in answer.calls] == [
            dict(call.arguments) for call in used[-1].calls if call.name == "weather"
        ], shown
        said = json.dumps(answer.messages, ensure_ascii=False)
        places = [said.index(each.text) for each in used if each.text]
        assert places == sorted(places), shown
        assert answer.usage.output == sum(each.output_tokens or 0 for each in used), shown
        results = {call.id: "rain" for call in answer.calls}
        given = WIRES[wire].tool_results(answer, results) if results else answer.messages
        value[member] = [*value[member], *given, *([] if results else [person(wire, member)])]
        hidden += len(used) - 1
        if len(app.upstream.requests) >= len(replies) - 1:
            break
    return hidden


def person(wire: str, member: str) -> Any:
    return request_of(wire, "and then?")[1][member][0]


@pytest.mark.requirement("P-SRF-10", "P-SRF-12")
@pytest.mark.thorough
@pytest.mark.parametrize("wire", sorted(WIRES))
def test_any_loop_is_one_valid_answer(memory: Memory, wire: str) -> None:
    rng = random.Random(wire)  # noqa: S311  # scripts, no secrets

    async def main() -> list[int]:
        return [await checked(memory, rng, wire) for _ in range(examples(5, 100))]

    assert any(asyncio.run(main())), "no script had a call of Clew's tools"
