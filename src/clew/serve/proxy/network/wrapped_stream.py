"""A connection of the HTTP library (httpcore2) around another one: the base of those that change a part of it.

Imports the extra `server`. Start at `WrappedStream`.
"""

import ssl
from typing import Any

import httpcore2


class WrappedStream(httpcore2.AsyncNetworkStream):
    """Passes every call on to the connection that it wraps."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Reads from the wrapped connection."""
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Writes to the wrapped connection."""
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """Closes the wrapped connection."""
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        """Encrypts the wrapped connection; the one that comes back is not wrapped."""
        return await self._stream.start_tls(ssl_context, server_hostname, timeout)

    def get_extra_info(self, info: str) -> Any:
        """What the wrapped connection tells of itself."""
        return self._stream.get_extra_info(info)
