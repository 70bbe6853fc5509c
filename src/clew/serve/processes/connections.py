"""The web server's connections at their ends: clients that send no more, and connections that come as it stops.

Imports the extra `server`: only `run_server.make_server` imports this module. Start at `OrderlyServer`.
"""

import asyncio
import logging
import socket
from typing import Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from clew.serve.proxy.api_errors import error_answer

HURRIED: Final = 10
"""Seconds that storing what was relayed, and closing the memories, may take after a second Ctrl-C."""

log = logging.getLogger("clew.serve")


class _ClosingState(ServerState):
    """What the connections of a server share.

    Attributes:
        is_closing: whether the server has asked the connections that it knew to end.
    """

    is_closing: bool = False


class OrderlyConnection(H11Protocol):
    """A connection that answers a client that has closed its sending side, and none that comes too late.

    What is not HTTP is refused in the shape that programs read.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begins, or ends at once where the server is closing.

        A connection that was accepted just before is made just after the others were asked to end. Nobody would ask it,
        and the server would wait for it as for a running answer.
        """
        super().connection_made(transport)
        if isinstance(self.server_state, _ClosingState) and self.server_state.is_closing:
            self.shutdown()

    def eof_received(self) -> bool | None:  # type: ignore[override]  # uvicorn's never keeps a connection
        """Whether the connection stays open after the client's last byte.

        It does for a whole request that said it would be the only one (HTTP/1.0, or `Connection: close`). From all
        others the end of sending is the only sign that they have gone: then the upstream need not go on answering.
        """
        if self.cycle is None or self.cycle.more_body or self.transport.is_closing():
            return False
        return self.cycle.scope["http_version"] == "1.0" or _says_close(self.headers)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002  # uvicorn gives it; it is not a sentence for users
        """Refuses what is not HTTP, in the shape of an API's errors; with an answer under way it can only end."""
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            headers, body = error_answer(None, 400, "the request is no valid HTTP; its connection ends here")
            lines = [b"HTTP/1.1 400 Bad Request", *(b": ".join(header) for header in headers), b"connection: close"]
            self.transport.write(b"\r\n".join([*lines, b"", body]))
        self.transport.close()


def _says_close(headers: list[tuple[bytes, bytes]]) -> bool:
    """Whether a request says that no other follows on its connection."""
    named = [value for name, value in headers if name == b"connection"]
    return b"close" in {word.strip().lower() for value in named for word in value.split(b",")}


class OrderlyServer(uvicorn.Server):
    """A server that tells its connections that it is closing."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.server_state = _ClosingState()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends all connections when their answers have ended, then the application.

        A second Ctrl-C breaks the answers off. uvicorn would leave the application without an end then; it gets
        `HURRIED` seconds, in which what was relayed is stored.
        """
        if isinstance(self.server_state, _ClosingState):
            self.server_state.is_closing = True
        await super().shutdown(sockets)
        if self.force_exit:
            if self.server_state.tasks:
                log.warning(
                    "%d answers are broken off, since the server was told twice to end", len(self.server_state.tasks)
                )
            for task in self.server_state.tasks:
                task.cancel(msg="the server was told twice to end")
            try:
                await asyncio.wait_for(self._ended(), HURRIED)
            except TimeoutError:
                log.warning("the server ends although %d answers are not stored yet", len(self.server_state.tasks))

    async def _ended(self) -> None:
        """Waits for the answers that were broken off, then ends the application."""
        await asyncio.gather(*self.server_state.tasks, return_exceptions=True)
        await self.lifespan.shutdown()
