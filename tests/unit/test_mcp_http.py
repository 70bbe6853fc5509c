"""MCP over HTTP: the official client against the part of the ASGI app that serves it."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from clew.errors import ClosedError, StoreReadOnly
from clew.memory import Memory
from clew.serve.agent_tools.tools import Tools
from clew.serve.mcp_http import McpOverHttp, ToolsKey
from tests.support.memories import quiet, told

URL = "http://127.0.0.1:8377/clew/mcp"
ALL = ("default", True, True)


def served(tools_of: Callable[[ToolsKey], Tools], work: Callable[[McpOverHttp], Awaitable[None]]) -> None:
    async def main() -> None:
        mcp = McpOverHttp(tools_of)
        async with mcp.running():
            await work(mcp)

    asyncio.run(asyncio.wait_for(main(), 60))


def client(mcp: McpOverHttp, key: ToolsKey = ALL) -> Client:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await mcp.handle(key, scope, receive, send)

    http = httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app))
    return Client(streamable_http_client(URL, http_client=http))


def tools_over(memory: Memory, key: ToolsKey = ALL) -> Tools:
    return Tools(memory, may_store=key[1], may_forget=key[2], local=False)


def text(result: Any) -> str:
    return str(result.content[0].text)


@pytest.mark.requirement("P-SRF-08")
def test_the_official_client_stores_and_recalls_over_http() -> None:
    with quiet() as memory:

        async def work(mcp: McpOverHttp) -> None:
            async with client(mcp) as one:
                stored = await one.call_tool("remember", {"text": "We picked Redis for sessions."})
                assert text(stored) == "Stored as notes:turn:0."
            async with client(mcp) as two:
                found = await two.call_tool("recall", {"query": "what did we pick for sessions?"})
                assert "We picked Redis" in text(found)
                brief = await two.read_resource("clew://recap")
                assert "We picked Redis" in brief.contents[0].text  # type: ignore[union-attr]  # it is text
                failed = await two.call_tool("recall", {"query": ""})
                assert failed.is_error
                assert text(failed).startswith("query is empty")
                unknown = await two.call_tool("open", {"id": "nope"})
                assert unknown.is_error
                assert text(unknown).startswith("there is no session 'nope'")

        served(lambda _: tools_over(memory), work)


@pytest.mark.requirement("P-SRF-08")
def test_the_space_and_the_scopes_choose_the_tools() -> None:
    with quiet() as mine, quiet() as other:
        mine.add(told("The lighthouse is mine."))
        opened: list[ToolsKey] = []

        def tools_of(key: ToolsKey) -> Tools:
            opened.append(key)
            return tools_over(mine if key[0] == "mine" else other, key)

        async def names(mcp: McpOverHttp, key: ToolsKey) -> set[str]:
            async with client(mcp, key) as one:
                found = await one.call_tool("recall", {"query": "lighthouse"})
                assert ("The lighthouse is mine." in text(found)) == (key[0] == "mine")
                return {tool.name for tool in (await one.list_tools()).tools}

        async def work(mcp: McpOverHttp) -> None:
            reader = await names(mcp, ("mine", False, False))
            assert not reader & {"remember", "forget"}
            assert await names(mcp, ("mine", True, False)) == reader | {"remember"}
            assert await names(mcp, ("other", True, True)) == reader | {"remember", "forget"}
            await asyncio.gather(*(names(mcp, ("mine", False, False)) for _ in range(10)))

        served(tools_of, work)
        assert len(opened) == 3, "a server for each space and set of scopes"


@pytest.mark.requirement("P-SRF-08")
def test_a_space_that_cannot_be_opened_stops_no_other() -> None:
    def tools_of(key: ToolsKey) -> Tools:
        if key[0] == "broken":
            raise StoreReadOnly("the home cannot be written")
        return tools_over(memory)

    with quiet() as memory:

        async def work(mcp: McpOverHttp) -> None:
            with pytest.raises(StoreReadOnly):
                await mcp.handle(("broken", True, True), {"type": "http"}, never, never)
            async with client(mcp) as one:
                assert "Nothing relevant" in text(await one.call_tool("recall", {"query": "tea"}))

        served(tools_of, work)


@pytest.mark.requirement("P-SRF-08")
def test_a_space_that_opens_slowly_holds_up_no_other() -> None:
    opens, may_open = threading.Event(), threading.Event()

    def tools_of(key: ToolsKey) -> Tools:
        if key[0] == "slow":
            opens.set()
            assert may_open.wait(60)
        return tools_over(memory, key)

    with quiet() as memory:

        async def work(mcp: McpOverHttp) -> None:
            async def late() -> None:
                async with client(mcp, ("slow", True, True)) as other:
                    await other.list_tools()

            slow = asyncio.ensure_future(late())
            try:
                assert await asyncio.to_thread(opens.wait, 60)
                async with asyncio.timeout(60), client(mcp) as one:
                    assert "Nothing relevant" in text(await one.call_tool("recall", {"query": "tea"}))
            finally:
                may_open.set()
            await slow

        served(tools_of, work)


@pytest.mark.requirement("P-SRF-08")
def test_nothing_is_served_before_the_start_and_after_the_end() -> None:
    async def main() -> None:
        mcp = McpOverHttp(lambda _: pytest.fail("nothing may be opened"))
        with pytest.raises(ClosedError, match="the server is stopping"):
            await mcp.handle(ALL, {"type": "http"}, never, never)
        async with mcp.running():
            pass
        with pytest.raises(ClosedError):
            await mcp.handle(ALL, {"type": "http"}, never, never)

    asyncio.run(main())


async def never(*_: Any) -> Any:
    pytest.fail("nothing is read or sent")
