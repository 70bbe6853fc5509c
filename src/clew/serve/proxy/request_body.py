"""The body of a request as it arrives, and the client's leaving."""

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import Receive


class ClientGone(Exception):
    """The client closed the connection before its request, or the answer, was complete."""


class RequestBody:
    """Reads a body as a whole, up to a limit, or hands it on in parts. Only one part at a time is held."""

    def __init__(self, receive: "Receive") -> None:
        self._receive = receive
        self._read: list[bytes] = []
        self._ended = asyncio.Event()

    async def whole(self, most: int) -> bytes | None:
        """The body, or None when it is longer than `most` bytes; `parts` then gives all of it.

        Raises:
            ClientGone: the client left before its end.
        """
        size = sum(map(len, self._read))
        while size <= most and not self._ended.is_set():
            part = await self._next()
            self._read.append(part)
            size += len(part)
        if size > most:
            return None
        self._read = [b"".join(self._read)]
        return self._read[0]

    async def parts(self) -> AsyncIterator[bytes]:
        """The parts of the body, those first that were read already.

        Raises:
            ClientGone: the client left before the end.
        """
        while self._read:
            yield self._read.pop(0)
        while not self._ended.is_set():
            yield await self._next()

    async def gone(self) -> None:
        """Returns when the client has left, which it cannot be asked before its body is read."""
        await self._ended.wait()
        while (await self._receive())["type"] != "http.disconnect":
            continue

    def skip(self) -> None:
        """Says that there is no body, so that nothing waits for its end."""
        self._ended.set()

    async def _next(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        if not message.get("more_body", False):
            self._ended.set()
        return bytes(message.get("body", b""))
