"""Connections to upstreams that open while a request is still being prepared.

A new connection takes as long as one to three ways to the provider and back. The question is looked up and embedded
meanwhile, so that the first byte waits for the longer of the two and not for both.

Imports the extra `server`. Start at `PreconnectTransport`.
"""

import asyncio
import ssl
from collections.abc import Iterable
from functools import lru_cache, partial
from typing import Final

import httpcore2
import httpx2

from clew.serve.proxy.network.wrapped_stream import WrappedStream

LIFE: Final = 2.0
"""Seconds after which a connection is closed that was opened ahead and that no request took.

Servers on this machine close such ones themselves.
"""

Address = tuple[str, int]


class PreconnectTransport(httpx2.AsyncHTTPTransport):
    """The library's own transport, over a network that opens connections ahead of requests."""

    def __init__(self, network: httpcore2.AsyncNetworkBackend, context: ssl.SSLContext, kept: int, idle: float) -> None:
        """Takes how many unused connections are kept, and for how many seconds."""
        super().__init__(verify=context)
        self._context = context
        self._ahead = PreconnectNetwork(network)
        self._pool = httpcore2.AsyncConnectionPool(  # the library has no argument for the network
            ssl_context=context,
            max_connections=None,
            max_keepalive_connections=kept,
            keepalive_expiry=idle,
            network_backend=self._ahead,
        )

    def preconnect(self, url: str, seconds: float) -> None:
        """Begins to open a connection for the next request, unless one is free.

        Args:
            seconds: until it must stand.
        """
        origin = _origin(url)
        free = (
            connection
            for connection in self._pool.connections
            if connection.is_idle() and connection.can_handle_request(origin)
        )
        if all(connection.has_expired() for connection in free):
            context = self._context if origin.scheme == b"https" else None
            self._ahead.begin((origin.host.decode("ascii"), origin.port), context, seconds)

    async def aclose(self) -> None:
        """Closes all connections."""
        await self._ahead.close()
        await super().aclose()


@lru_cache(maxsize=64)
def _origin(url: str) -> httpcore2.Origin:
    """Where a request to an address connects to, as the library reads it."""
    given = httpx2.URL(url)
    return httpcore2.URL(scheme=given.raw_scheme, host=given.raw_host, port=given.port, target=b"/").origin


class PreconnectNetwork(httpcore2.AsyncNetworkBackend):
    """Opens connections ahead of the requests that need them, and hands them out. One event loop uses it."""

    def __init__(self, network: httpcore2.AsyncNetworkBackend, life: float = LIFE) -> None:
        """Takes what opens connections, and the seconds after which one that no request took is closed."""
        self._network, self._life = network, life
        self._begun: dict[Address, Opening] = {}
        self._closing: set[asyncio.Task[None]] = set()

    def begin(self, address: Address, context: ssl.SSLContext | None, seconds: float) -> None:
        """Begins to open a connection, encrypted where a context is given; one to a place at a time."""
        if address not in self._begun:
            opening = asyncio.ensure_future(self._opened(address, context, seconds))
            self._begun[address] = opening
            opening.add_done_callback(partial(self._stands, address))

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """The connection that was begun, or a new one where there is none or it has ended.

        Raises:
            httpcore2.ConnectError: the host cannot be reached. httpcore2.ConnectTimeout: in time.
        """
        opening = self._begun.pop((host, port), None)
        if opening is not None:
            try:
                stream = await asyncio.shield(opening)
            except asyncio.CancelledError:
                self._close(opening)
                raise
            if not stream.get_extra_info("is_readable"):
                return stream
            await stream.aclose()
        return await self._network.connect_tcp(
            host, port, timeout=timeout, local_address=local_address, socket_options=socket_options
        )

    async def close(self) -> None:
        """Closes the connections that no request took."""
        for address in tuple(self._begun):
            self._close(self._begun.pop(address))
        await asyncio.gather(*self._closing)

    async def _opened(self, address: Address, context: ssl.SSLContext | None, seconds: float) -> "PreconnectStream":
        stream = await self._network.connect_tcp(*address, timeout=seconds)
        if context is not None:
            context.set_alpn_protocols(["http/1.1"])  # as the library does for each connection
            try:
                stream = await stream.start_tls(context, address[0], timeout=seconds)
            except BaseException:
                await stream.aclose()
                raise
        return PreconnectStream(stream, is_encrypted=context is not None)

    def _stands(self, address: Address, opening: "Opening") -> None:
        """Leaves a connection that stands to a request for a while; of one that failed, only who waits for it hears."""
        if opening.cancelled() or opening.exception() is not None:
            if self._begun.get(address) is opening:
                del self._begun[address]
            return
        asyncio.get_running_loop().call_later(self._life, self._expire, address, opening)

    def _expire(self, address: Address, opening: "Opening") -> None:
        if self._begun.get(address) is opening:
            self._close(self._begun.pop(address))

    def _close(self, opening: "Opening") -> None:
        closing = asyncio.ensure_future(_closed(opening))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)


async def _closed(opening: "Opening") -> None:
    """Closes a connection, also one that is only begun."""
    opening.cancel()
    (stream,) = await asyncio.gather(opening, return_exceptions=True)
    if isinstance(stream, PreconnectStream):
        await stream.aclose()


class PreconnectStream(WrappedStream):
    """A connection that may be encrypted already."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream, *, is_encrypted: bool) -> None:
        super().__init__(stream)
        self._is_encrypted = is_encrypted

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        """The encrypted connection."""
        if self._is_encrypted:
            return self._stream
        return await super().start_tls(ssl_context, server_hostname, timeout)


Opening = asyncio.Task[PreconnectStream]
