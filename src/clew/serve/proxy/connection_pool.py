"""The connections to all upstreams: kept while no request uses them, and opened while a request is still prepared.

A new connection takes as long as one to three ways to the provider and back. The question is looked up and embedded
meanwhile, so that the first byte waits for the longer of the two and not for both.

Imports the extra `server`. Start at `ConnectionPool.connection`.
"""

import asyncio
import ssl
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final, NamedTuple

import httpx2

from clew.serve.proxy.upstream_connection import ConnectionFailed, UpstreamConnection

CONNECT: Final = 20.0
"""Seconds until a connection must stand."""
IDLE: Final = 60.0
"""Seconds for which an unused connection is kept for the next request."""
IDLE_NEAR: Final = 2.0
"""Seconds for the same without encryption: to a server nearby, where a new connection costs next to nothing.

Such servers (those on uvicorn and llama.cpp's among them) close a connection that was idle for 5 s, and a question that
meets them in closing it is lost.
"""
LIFE: Final = 2.0
"""Seconds after which an early connection that no request took is closed; servers nearby close such ones themselves."""
KEPT: Final = 100
"""Unused connections that are kept."""
_NEXT_ADDRESS: Final = 0.25
"""Seconds after which the next address of a host is tried beside the first (RFC 8305)."""


class Origin(NamedTuple):
    """Where requests connect to.

    Attributes:
        host: in ASCII; an IPv6 address without brackets.
        name: host and port as the header `Host` has them.
    """

    host: str
    port: int
    is_encrypted: bool
    name: bytes


@lru_cache(maxsize=64)
def origin_of(url: str) -> Origin:
    """Where requests to an address connect to."""
    given = httpx2.URL(url)
    is_encrypted = given.scheme == "https"
    port = given.port or (443 if is_encrypted else 80)
    return Origin(given.raw_host.decode("ascii"), port, is_encrypted, given.netloc)


class ConnectionPool:
    """Connections by origin. One event loop uses it."""

    def __init__(self, context: ssl.SSLContext, idle_near: float = IDLE_NEAR, life: float = LIFE) -> None:
        """Takes how connections are encrypted, and the seconds of `IDLE_NEAR` and `LIFE`."""
        context.set_alpn_protocols(["http/1.1"])
        self._context, self._idle_near, self._life = context, idle_near, life
        self._free: dict[Origin, list[UpstreamConnection]] = {}
        self._count = 0
        self._begun: dict[Origin, asyncio.Task[UpstreamConnection]] = {}
        self._openings: set[asyncio.Task[UpstreamConnection]] = set()

    def open_early(self, origin: Origin) -> None:
        """Begins to open a connection for a request that comes soon, unless one is free; one at a time."""
        if origin in self._begun or any(each.is_usable() for each in self._free.get(origin, ())):
            return
        opening = asyncio.ensure_future(self.opened(origin))
        self._begun[origin] = opening
        self._openings.add(opening)
        opening.add_done_callback(partial(self._stands, origin))

    async def connection(self, origin: Origin) -> UpstreamConnection:
        """A connection that is free, or was begun for this request; a new one where there is none.

        Raises:
            ConnectionFailed: the host cannot be reached.
        """
        free = self._taken(origin)
        if free is None and (opening := self._begun.pop(origin, None)) is not None:
            await asyncio.shield(opening)
            free = self._taken(origin)
        return await self.opened(origin) if free is None else free

    async def opened(self, origin: Origin) -> UpstreamConnection:
        """A new connection.

        Raises:
            ConnectionFailed: the host cannot be reached.
        """
        make = partial(UpstreamConnection, IDLE if origin.is_encrypted else self._idle_near, self._life)
        try:
            async with asyncio.timeout(CONNECT):
                return await self._connected(make, origin)
        except TimeoutError as error:
            raise ConnectionFailed("ConnectTimeout", is_late=True, is_unprocessed=True) from error
        except (OSError, ValueError) as error:  # ValueError: a name that is none
            raise ConnectionFailed("ConnectError", is_unprocessed=True) from error

    async def _connected(self, make: Callable[[], UpstreamConnection], origin: Origin) -> UpstreamConnection:
        _, connection = await asyncio.get_running_loop().create_connection(
            make,
            origin.host,
            origin.port,
            ssl=self._context if origin.is_encrypted else None,
            happy_eyeballs_delay=_NEXT_ADDRESS,
        )
        return connection

    def give_back(self, origin: Origin, connection: UpstreamConnection) -> None:
        """Takes a connection whose answer has ended, or which is not used to its end."""
        if connection.begin_anew():
            self._keep(origin, connection)
        else:
            connection.close()

    async def close(self) -> None:
        """Closes the connections that no request uses."""
        for opening in self._openings:
            opening.cancel()
        await asyncio.gather(*self._openings, return_exceptions=True)
        for connection in [each for free in self._free.values() for each in free]:
            connection.close()
        self._free.clear()
        self._count = 0

    def _keep(self, origin: Origin, connection: UpstreamConnection) -> None:
        """Keeps a free connection, and closes those that are over."""
        free = self._free.setdefault(origin, [])
        over = [each for each in free if each.is_over()]
        for each in over:
            free.remove(each)
            each.close()
        self._count -= len(over)
        if self._count < KEPT:
            free.append(connection)
            self._count += 1
        else:
            connection.close()

    def _taken(self, origin: Origin) -> UpstreamConnection | None:
        """The free connection that was used last, no longer free."""
        free = self._free.get(origin, [])
        while free:
            connection = free.pop()
            self._count -= 1
            if connection.is_usable():
                return connection
            connection.close()
        return None

    def _stands(self, origin: Origin, opening: "asyncio.Task[UpstreamConnection]") -> None:
        """Leaves a connection that stands to a request for a while; of one that failed, only who waits for it hears."""
        self._openings.discard(opening)
        if self._begun.get(origin) is opening:
            del self._begun[origin]
        if opening.cancelled() or opening.exception() is not None:
            return
        connection = opening.result()
        self._keep(origin, connection)
        asyncio.get_running_loop().call_later(self._life, self._expire, origin, connection)

    def _expire(self, origin: Origin, connection: UpstreamConnection) -> None:
        """Closes a connection that no request took."""
        free = self._free.get(origin, [])
        if connection in free and connection.is_over():
            free.remove(connection)
            self._count -= 1
            connection.close()
