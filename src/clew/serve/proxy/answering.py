"""The answer on its way to a client: started once, ended once; an error can be told only before its start."""

import time
from typing import TYPE_CHECKING

from clew.serve.proxy.api_errors import error_answer
from clew.serve.proxy.headers import RawHeaders
from clew.serve.proxy.upstreams import Provider

if TYPE_CHECKING:
    from starlette.types import Send


class ClientAnswer:
    """The answer to one request.

    Attributes:
        status: None before it has started.
        first: when it started, by the monotonic clock.
    """

    def __init__(self, send: "Send", own: "Send | None" = None) -> None:
        """Takes what sends a provider's answer, and what sends one of Clew's own where that is something else."""
        self._send, self._own = send, own or send
        self.status: int | None = None
        self.first: float | None = None

    async def start(self, status: int, headers: RawHeaders) -> None:
        """Sends status and headers."""
        self.status, self.first = status, time.monotonic()
        await self._send({"type": "http.response.start", "status": status, "headers": list(headers)})

    async def piece(self, piece: bytes) -> None:
        """Sends the next bytes of the body; waits while the client is slow."""
        await self._send({"type": "http.response.body", "body": piece, "more_body": True})

    async def end(self) -> None:
        """Ends the answer: its body is whole."""
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def error(self, provider: Provider | None, status: int, message: str) -> None:
        """An error in the shape of the provider's API, unless the answer has begun."""
        if self.status is not None:
            return
        headers, text = error_answer(provider, status, message)
        await self.own(status, headers, text)

    async def own(self, status: int, headers: RawHeaders, body: bytes) -> None:
        """A whole answer of Clew's own."""
        self._send = self._own
        await self.start(status, headers)
        await self.piece(body)
        await self.end()
