"""Sends a request upstream and hands its answer back as it arrives.

Borders: knows no memory and no wire format. Bodies and answers pass as bytes: nothing is decompressed, kept or held
back; a slow reader slows down the upstream.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Any, Final, cast

from clew.serve.proxy.headers import RawHeaders

if TYPE_CHECKING:
    import httpx2

CONNECT: Final = 20.0
"""Seconds until a connection to the upstream must stand."""
SILENCE: Final = 1_200.0
"""Seconds that the upstream may be silent: models think for minutes, and the vendors' SDKs wait for 600 s."""
IDLE: Final = 60.0
"""Seconds for which an unused connection is kept for the next request."""
IDLE_NEAR: Final = 2.0
"""Seconds for the same without encryption: to a server nearby, where a new connection costs next to nothing.

Such servers (those on uvicorn and llama.cpp's among them) close a connection that was idle for 5 s, and a question that
meets them in closing it is lost.
"""
_LAST_STATUS: Final = 599
_IDEMPOTENT: Final = frozenset(("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"))
_KEPT: Final = 100
"""Unused connections that are kept."""


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


class Attempt:
    """What happened to one request so far, by which it is known whether it may be sent again."""

    def __init__(self) -> None:
        """Begins before anything was sent."""
        self._events: set[str] = set()

    async def note(self, event: str, _info: Mapping[str, Any]) -> None:
        """Takes an event of the HTTP library, such as `http11.send_request_headers.complete`."""
        self._events.add(event)

    def may_be_repeated(self, outgoing: Outgoing) -> bool:
        """Whether a request that got no answer may be sent again over a new connection.

        It went out over a connection that had been used before, which the upstream may have closed meanwhile; and
        either nothing of it was sent, or its method may be repeated (RFC 9110, 9.2.2).
        """
        is_new = any(event.startswith("connection.connect") for event in self._events)
        is_answered = any(event.endswith("receive_response_headers.complete") for event in self._events)
        is_unsent = not any(event.endswith("send_request_headers.complete") for event in self._events)
        has_whole_body = outgoing.body is None or isinstance(outgoing.body, bytes)
        may_go_again = is_unsent or outgoing.method in _IDEMPOTENT
        return may_go_again and has_whole_body and not (is_new or is_answered)


class ReceivedAnswer:
    """An answer of an upstream whose headers are there."""

    def __init__(self, answer: "httpx2.Response", error: type[Exception]) -> None:
        """Takes the answer and the type of the errors that reading it raises."""
        self._answer, self._error = answer, error
        self.status = answer.status_code
        self.headers: RawHeaders = answer.headers.raw
        self.is_encoded = answer.headers.get("content-encoding", "identity") != "identity"

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body as it arrives, as it was sent.

        Raises:
            Broken: it broke off.
        """
        try:
            async for piece in cast("httpx2.AsyncByteStream", self._answer.stream):
                yield piece
        except self._error as error:
            raise Broken(type(error).__name__) from error

    async def aclose(self) -> None:
        """Ends the answer, also in its middle, which tells the upstream to stop."""
        await self._answer.aclose()


class Forwarder:
    """The connections to all upstreams, made once and kept. One event loop uses it."""

    def __init__(self, idle_near: float = IDLE_NEAR) -> None:
        """Takes the seconds for which an unused connection without encryption is kept."""
        import httpx2  # the extra `server`; it takes 0.1 s to load

        from clew.serve.proxy.near_connections import HOSTS, NearTransport  # which loads the same extra

        self._library: Any = httpx2
        jar = CookieJar(DefaultCookiePolicy(allowed_domains=[]))  # one client's cookies are never sent for another

        def connections(kept: int, idle: float = IDLE) -> httpx2.AsyncClient:
            near = NearTransport(kept, idle)
            here: dict[str, Any] = {f"http://{host}": near for host in HOSTS}
            here |= dict.fromkeys(f"https://{host}" for host in HOSTS)  # the environment's proxy is for other machines
            return httpx2.AsyncClient(
                timeout=httpx2.Timeout(SILENCE, connect=CONNECT, pool=None),
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=kept, keepalive_expiry=idle),
                cookies=jar,
                mounts=here,
                follow_redirects=False,
            )

        self._client, self._fresh, self._near = connections(_KEPT), connections(0), connections(_KEPT, idle_near)

    async def send(self, outgoing: Outgoing) -> "ReceivedAnswer":
        """Sends a request and returns its answer when the headers are there; the caller closes it.

        What met a connection that the upstream had closed is sent once more, where that is safe.

        Raises:
            Unreachable: there is no answer.
        """
        attempt = Attempt()
        try:
            try:
                client = self._near if outgoing.url.startswith("http:") else self._client
                answer = await self._ask(client, outgoing, attempt)
            except (self._library.NetworkError, self._library.RemoteProtocolError):
                if not attempt.may_be_repeated(outgoing):
                    raise
                answer = await self._ask(self._fresh, outgoing, Attempt())
        except self._library.TimeoutException as error:
            raise Unreachable(504, type(error).__name__) from error
        except self._library.HTTPError as error:
            raise Unreachable(502, type(error).__name__) from error
        if not 200 <= answer.status_code <= _LAST_STATUS:
            await answer.aclose()
            raise Unreachable(502, f"status {answer.status_code}")
        return ReceivedAnswer(answer, self._library.HTTPError)

    async def _ask(self, client: "httpx2.AsyncClient", outgoing: Outgoing, attempt: Attempt) -> "httpx2.Response":
        timeouts = self._client.timeout.as_dict()
        request = self._library.Request(
            outgoing.method,
            outgoing.url,
            headers=list(outgoing.headers),
            content=outgoing.body,
            extensions={"target": outgoing.target, "timeout": timeouts, "trace": attempt.note},
        )
        return await client.send(request, stream=True, auth=None)

    async def close(self) -> None:
        """Closes all connections."""
        for client in (self._client, self._fresh, self._near):
            await client.aclose()
