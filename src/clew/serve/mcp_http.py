"""Serves the tools over MCP's streamable HTTP, as a part of the server's ASGI app.

Borders: tokens, hosts and origins are checked before a request gets here (`clew.serve.access`); the space and the
scopes that a token gives choose the tools. Requests stand alone: there are no sessions that a second token could take
over, and any worker process can answer any of them.
"""

import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from anyio.abc import TaskGroup, TaskStatus
from starlette.types import Message, Receive, Scope, Send

from clew.errors import ClosedError
from clew.serve.agent_tools.tools import Tools
from clew.serve.mcp import keep_logs_apart, make_server

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

log = logging.getLogger("clew.serve")

ToolsKey = tuple[str, bool, bool]
"""A space, whether its tools may store, and whether they may delete."""


class McpOverHttp:
    """One MCP server for each space and set of scopes, made at its first request."""

    def __init__(self, tools_of: Callable[[ToolsKey], Tools]) -> None:
        """Takes what opens the tools of a space; it may block, and is called in a thread."""
        self._tools_of = tools_of
        self._managers: dict[ToolsKey, StreamableHTTPSessionManager] = {}
        self._tasks: TaskGroup | None = None
        self._starting: defaultdict[ToolsKey, anyio.Lock] = defaultdict(anyio.Lock)  # opening one holds up no other

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serves until the block ends; part of the lifespan of the app."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            try:
                yield
            finally:
                self._tasks = None
                self._managers.clear()
                tasks.cancel_scope.cancel()

    async def handle(self, key: ToolsKey, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one HTTP request to the path of the MCP server.

        Raises:
            MissingExtra: the SDK is not installed.
            ClosedError: the app is stopping.
        """
        manager = self._managers.get(key) or await self._started(key)
        body = await _messages(receive)
        if body is None:
            log.info("a client of MCP left before its request was whole")
        else:
            await manager.handle_request(scope, _again(body, receive), send)

    async def _started(self, key: ToolsKey) -> "StreamableHTTPSessionManager":
        async with self._starting[key]:
            if key not in self._managers:
                if self._tasks is None:
                    raise ClosedError("the server is stopping; send the request again when it has started")
                self._managers[key] = await self._tasks.start(self._serve, key)
            return self._managers[key]

    async def _serve(self, key: ToolsKey, *, task_status: "TaskStatus[StreamableHTTPSessionManager]") -> None:
        keep_logs_apart()  # here, since two threads at once would both add handlers
        manager = await anyio.to_thread.run_sync(lambda: _manager(self._tools_of(key)))
        async with manager.run():
            task_status.started(manager)
            await anyio.sleep_forever()


async def _messages(receive: Receive) -> list[Message] | None:
    """The messages of a request's body; None if the client left before its end, which the SDK logs as its own failure.

    The SDK holds the whole body in memory, too.
    """
    messages: list[Message] = []
    while not messages or messages[-1].get("more_body", False):
        messages.append(await receive())
        if messages[-1]["type"] == "http.disconnect":
            return None
    return messages


def _again(messages: list[Message], receive: Receive) -> Receive:
    """Gives messages that were received already, and then what comes."""
    messages.reverse()

    async def next_message() -> Message:
        return messages.pop() if messages else await receive()

    return next_message


def _manager(tools: Tools) -> "StreamableHTTPSessionManager":
    server = make_server(tools)
    from mcp.server.transport_security import TransportSecuritySettings  # an extra, which takes a second to import

    checked_before = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    server.streamable_http_app(json_response=True, stateless_http=True, transport_security=checked_before)
    return server.session_manager
