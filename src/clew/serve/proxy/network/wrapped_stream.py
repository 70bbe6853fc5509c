"""A connection of the HTTP library around another one, for those that change a part of what it does.

Imports the extra `server`. Start at `WrappedStream`.
"""

import ssl
from typing import Any

import httpcore2


class WrappedStream(httpcore2.AsyncNetworkStream):
    """Does what the connection in it does."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream) -> None:
        self._stream = stream

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """As the library has it."""
        return await self._stream.read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """As the library has it."""
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """As the library has it."""
        await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        """As the library has it; what comes back is not wrapped."""
        return await self._stream.start_tls(ssl_context, server_hostname, timeout)

    def get_extra_info(self, info: str) -> Any:
        """As the library has it."""
        return self._stream.get_extra_info(info)
