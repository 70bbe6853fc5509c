"""What an agent's tools take for a session, and what they say where there is no more to show."""

import asyncio

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from clew.errors import InputError, NotFoundError
from clew.memory import Memory
from clew.serve.agent_tools.tools import MOST_FACTS, NAME_CHARS, Tools
from clew.serve.mcp import make_server
from tests.support.memories import quiet, told

LONG = "0cf3db51-1c73-43bb-8d05-dc02739514a5"
SHORT = "0cf3db51"


def planned() -> Memory:
    memory = quiet()
    memory.add(told("We keep the carts of the shop in Redis for a week.", session=LONG))
    return memory


@pytest.mark.requirement("M-TRY-01")
def test_every_tool_takes_a_session_as_a_block_shows_it() -> None:
    with planned() as memory:
        tools = Tools(memory)
        assert f"[{SHORT}]" in tools.recall("carts", session=LONG)
        assert tools.recall("carts", session=SHORT) == tools.recall("carts", session=LONG)
        assert tools.open(SHORT) == tools.open(LONG)
        assert tools.recap_of(SHORT) == tools.recap_of(LONG)
        assert tools.remember("A note.", session=SHORT) == f"Stored as {LONG}:turn:1."
        assert tools.remember("A note.", session="other") == "Stored as other:turn:0."


@pytest.mark.requirement("M-TRY-01")
def test_a_session_that_does_not_exist_is_no_empty_answer() -> None:
    with planned() as memory:
        tools = Tools(memory)
        with pytest.raises(NotFoundError, match="there is no session 'shop'"):
            tools.recall("carts", session="shop")
        with pytest.raises(NotFoundError, match=r"there is no session 'shop'.*A turn's id is a session and a number"):
            tools.open("shop")
        with pytest.raises(NotFoundError) as found:
            tools.open("x" * 100_000)
        assert len(str(found.value)) < 500


@pytest.mark.requirement("M-TRY-02")
def test_a_resource_says_what_is_wrong() -> None:
    async def read() -> None:
        with planned() as memory:
            async with Client(make_server(Tools(memory))) as client:
                with pytest.raises(MCPError, match="there is no session 'shop'"):
                    await client.read_resource("clew://recap/shop")
                (recap,) = (await client.read_resource(f"clew://recap/{SHORT}")).contents
                assert "carts" in getattr(recap, "text", "")

    asyncio.run(read())


@pytest.mark.requirement("M-TRY-03")
def test_an_offset_behind_the_end_is_told() -> None:
    told_end = "offset 900 is behind the end; the turn has 50 characters, from 0"
    with planned() as memory, pytest.raises(InputError, match=told_end):
        Tools(memory).open(f"{SHORT}:0", offset=900)


@pytest.mark.requirement("M-TRY-03")
def test_what_a_list_leaves_out_is_told() -> None:
    with quiet() as memory:
        for number in range(MOST_FACTS + 1):
            memory.add(told(f"I own {number + 2} boats named Boat{number}.", session=f"s{number}"))
        for number in range(30):
            memory.add(told(f"The harbour has a crane, number {number} of many, painted in the colours of the town."))
        memory.drain()
        tools = Tools(memory)
        assert "There are older ones" in tools.query_facts(subject="me")
        assert "There are older ones" not in tools.query_facts(subject="me", object="Boat3")
        assert "20 or more did not fit" in tools.recall("harbour crane", budget=100)
        assert "1 turn:" in tools.sessions()


@pytest.mark.requirement("M-TRY-04")
def test_a_name_that_every_answer_would_repeat_is_short() -> None:
    with planned() as memory, pytest.raises(InputError, match="give at most 200") as found:
        Tools(memory).remember("A note.", session="x" * (NAME_CHARS + 1))
    assert len(str(found.value)) < 200
