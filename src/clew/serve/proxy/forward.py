"""Sends a request upstream and hands its answer back as it arrives.

Borders: knows no memory and no wire format. Bodies and answers pass as bytes: nothing is decompressed, kept or held
back; a slow reader slows down the upstream.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from clew.serve.proxy.headers import RawHeaders

if TYPE_CHECKING:
    from clew.serve.proxy.connection_pool import Origin
    from clew.serve.proxy.upstream_connection import UpstreamConnection

SILENCE: Final = 1_200.0
"""Seconds that the upstream may be silent: models think for minutes, and the vendors' SDKs wait for 600 s."""
_LAST_STATUS: Final = 599
_IDEMPOTENT: Final = frozenset(("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"))
_HAVE_BODIES: Final = frozenset(("POST", "PUT", "PATCH"))
"""Methods whose requests say that they have no body."""
_HERE: Final = frozenset(("127.0.0.1", "localhost", "::1"))
"""What this machine is called; it is reached without the environment's proxy, which is for other machines."""


class Unreachable(Exception):
    """The upstream gave no answer.

    Attributes:
        status: 502, or 504 when it took too long.
        cause: the type of the network's error.
    """

    def __init__(self, status: int, cause: str) -> None:
        super().__init__(f"the upstream {'took too long' if status == 504 else 'cannot be reached'} ({cause})")
        self.status, self.cause = status, cause


class Broken(Exception):
    """The upstream's answer broke off; the message is the type of the network's error."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request on its way upstream.

    Attributes:
        url: where to connect.
        target: what to ask for there, byte for byte.
        body: the whole of it, or its parts as they arrive; None for none.
    """

    method: str
    url: str
    target: bytes
    headers: RawHeaders
    body: bytes | AsyncIterator[bytes] | None

    @property
    def has_whole_body(self) -> bool:
        """Whether it could be sent again."""
        return self.body is None or isinstance(self.body, bytes)


def is_idempotent(outgoing: Outgoing) -> bool:
    """Whether a request that may have been processed may be sent again (RFC 9110, 9.2.2)."""
    return outgoing.method in _IDEMPOTENT


class ReceivedAnswer:
    """An answer of an upstream whose headers are there.

    Attributes:
        is_encoded: whether its body is compressed.
    """

    def __init__(
        self, status: int, headers: RawHeaders, pieces: AsyncIterator[bytes], close: Callable[[], Awaitable[None]]
    ) -> None:
        """Takes the head, the body as it arrives, and what ends it."""
        self.status, self.headers = status, headers
        self._pieces, self._close = pieces, close
        encodings = [value for name, value in headers if name.lower() == b"content-encoding"]
        self.is_encoded = any(value.strip().lower() != b"identity" for value in encodings)

    def pieces(self) -> AsyncIterator[bytes]:
        """The body as it arrives, as it was sent.

        Raises:
            Broken: it broke off.
        """
        return self._pieces

    async def aclose(self) -> None:
        """Ends the answer, also in its middle, which tells the upstream to stop."""
        await self._close()


class Forwarder:
    """Sends requests upstream over connections that are made once and kept. One event loop uses it."""

    def __init__(self, idle_near: float | None = None) -> None:
        """Takes the seconds for which an unused connection without encryption is kept; None for `IDLE_NEAR`."""
        import httpx2  # the extra `server`; it takes 0.1 s to load

        from clew.serve.proxy import connection_pool  # which loads the same extra
        from clew.serve.proxy.environment_proxy import EnvironmentProxy, names_a_proxy  # likewise
        from clew.serve.proxy.upstream_connection import ConnectionFailed  # likewise

        context = httpx2.create_ssl_context()
        idle = connection_pool.IDLE_NEAR if idle_near is None else idle_near
        self._failed: type[ConnectionFailed] = ConnectionFailed
        self._origin = connection_pool.origin_of
        self._pool = connection_pool.ConnectionPool(context, idle)
        self._proxied = EnvironmentProxy(context, SILENCE) if names_a_proxy() else None

    def open_early(self, url: str) -> None:
        """Begins to open the connection for a request that is still being prepared, unless one is free."""
        origin = self._origin(url)
        if self._proxied is None or origin.host in _HERE:
            self._pool.open_early(origin)

    async def send(self, outgoing: Outgoing) -> ReceivedAnswer:
        """Sends a request and returns its answer when the headers are there; the caller closes it.

        What met a connection that the upstream had closed is sent once more, where that is safe.

        Raises:
            Unreachable: there is no answer.
        """
        origin = self._origin(outgoing.url)
        if self._proxied is not None and origin.host not in _HERE:
            answer = await self._proxied.send(outgoing)
        else:
            answer = await self._sent(outgoing, origin)
        if not 200 <= answer.status <= _LAST_STATUS:
            await answer.aclose()
            raise Unreachable(502, f"status {answer.status}")
        return answer

    async def close(self) -> None:
        """Closes all connections."""
        await self._pool.close()
        if self._proxied is not None:
            await self._proxied.close()

    async def _sent(self, outgoing: Outgoing, origin: "Origin") -> ReceivedAnswer:
        try:
            connection = await self._pool.connection(origin)
            try:
                return await self._asked(outgoing, origin, connection)
            except self._failed as failed:
                may_go_again = failed.is_unprocessed or (is_idempotent(outgoing) and not failed.is_late)
                if not (may_go_again and connection.was_used and outgoing.has_whole_body):
                    raise
                return await self._asked(outgoing, origin, await self._pool.opened(origin))
        except self._failed as failed:
            raise Unreachable(504 if failed.is_late else 502, failed.cause) from failed

    async def _asked(self, outgoing: Outgoing, origin: "Origin", connection: "UpstreamConnection") -> ReceivedAnswer:
        """The answer to a request over a connection, which is closed if there is none."""
        try:
            headers = _framed(outgoing, origin.name)
            await connection.send(outgoing.method.upper(), outgoing.target, headers, outgoing.body, SILENCE)
            head = await connection.head(SILENCE)
        except BaseException:
            connection.close()
            raise
        close = partial(self._close, origin, connection)
        return ReceivedAnswer(head.status_code, head.headers.raw_items(), self._relayed(connection), close)

    async def _relayed(self, connection: "UpstreamConnection") -> AsyncIterator[bytes]:
        try:
            async for piece in connection.pieces(SILENCE):
                yield piece
        except self._failed as failed:
            raise Broken(failed.cause) from failed

    async def _close(self, origin: "Origin", connection: "UpstreamConnection") -> None:
        self._pool.give_back(origin, connection)


def _framed(outgoing: Outgoing, host: bytes) -> list[tuple[bytes, bytes]]:
    """The headers of a request with those that every request has: its host, and how long its body is."""
    names = {name.lower() for name, _ in outgoing.headers}
    headers = list(outgoing.headers)
    if b"host" not in names:
        headers.insert(0, (b"Host", host))
    if not names & {b"content-length", b"transfer-encoding"}:
        if not outgoing.has_whole_body:
            headers.append((b"Transfer-Encoding", b"chunked"))
        elif isinstance(outgoing.body, bytes) and outgoing.body:
            headers.append((b"Content-Length", b"%d" % len(outgoing.body)))
        elif outgoing.method.upper() in _HAVE_BODIES:
            headers.append((b"Content-Length", b"0"))
    return headers
