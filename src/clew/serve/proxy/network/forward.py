"""Sends a request upstream and hands its answer back as it arrives.

Borders: knows no memory and no wire format. Bodies and answers pass as bytes: nothing is decompressed, kept or held
back; a slow reader slows down the upstream.
"""

import os
import re
import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit
from urllib.request import getproxies

from clew.serve.proxy.headers import RawHeaders
from clew.serve.proxy.network.idle_time import LIMIT
from clew.serve.proxy.network.surplus import read_too_far

if TYPE_CHECKING:
    import httpx2

CONNECT: Final = 20.0
"""Seconds until a connection to the upstream must stand."""
SILENCE: Final = 1_200.0
"""Seconds that the upstream may be silent: models think for minutes, and the vendors' SDKs wait for 600 s."""
IDLE: Final = 60.0
"""Seconds for which an unused connection is kept for the next request."""
IDLE_PLAIN: Final = 2.0
"""Seconds for the same without encryption: to a server nearby, where a new connection costs next to nothing.

Such servers (those on uvicorn and llama.cpp's among them) close a connection that was idle for 5 s, and a question that
meets them in closing it is lost.
"""
_KEEP_ALIVE: Final = re.compile(r"(?:^|[,;\s])timeout\s*=\s*(\d{1,9})(?!\d)", re.IGNORECASE)
"""How a server tells in `Keep-Alive` for how many seconds it keeps a connection on which nothing happens."""
_LAST_STATUS: Final = 599
_IDEMPOTENT: Final = frozenset(("GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"))
_PROXIES: Final = frozenset(("http", "https", "all"))
"""Kinds of the environment's proxies."""
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

        Either nothing of it was sent over a connection that stood; or it went out over a connection that had been used
        before, which the upstream may have closed meanwhile, and its body had not gone out to the end, so that nobody
        can have acted on it, or its method may be repeated (RFC 9110, 9.2.2). A question that had gone out whole is not
        sent again, since the upstream may have begun an answer, which costs money: a proxy cannot tell, and must not
        guess. The vendors' SDKs ask again by themselves.
        """
        is_new = self._has("connection.connect")
        is_unconnected = any(event.startswith("connection.") and event.endswith(".failed") for event in self._events)
        is_answered = self._has("receive_response_headers.complete")
        is_unsent = not self._has("send_request_headers.complete")
        is_unfinished = bool(outgoing.body) and not self._has("send_request_body.complete")
        has_whole_body = outgoing.body is None or isinstance(outgoing.body, bytes)
        is_repeatable = is_unfinished or outgoing.method in _IDEMPOTENT
        may_go_again = not is_unconnected if is_unsent else is_repeatable and not is_new
        return may_go_again and has_whole_body and not is_answered

    def _has(self, part: str) -> bool:
        return any(part in event for event in self._events)


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

        A connection on which the upstream went on behind the end of the answer is not used again: what stands there
        would be taken for the answer to the next request, which may be another client's.

        Raises:
            Broken: it broke off.
        """
        stream = cast("httpx2.AsyncByteStream", self._answer.stream)
        try:
            async for piece in stream:
                yield piece
            if read_too_far(stream):
                await self._answer.extensions["network_stream"].aclose()
        except self._error as error:
            raise Broken(type(error).__name__) from error

    async def aclose(self) -> None:
        """Ends the answer, also in its middle, which tells the upstream to stop."""
        await self._answer.aclose()


class Connections:
    """The connections to all upstreams, some of which are kept while no request uses them."""

    def __init__(self, context: ssl.SSLContext, cookies: CookieJar, kept: int, idle: float) -> None:
        """Takes how many unused connections are kept, and for how many seconds."""
        import httpcore2  # the extra `server`
        import httpx2  # the same; it takes 0.1 s to load

        from clew.serve.proxy.network.loopback import HOSTS, LoopbackNetwork  # likewise
        from clew.serve.proxy.network.preconnect import PreconnectTransport  # which loads the same extra
        from clew.serve.proxy.network.remote import RemoteNetwork  # likewise

        self._loopback = PreconnectTransport(LoopbackNetwork(idle), context, kept, idle)
        self._remote: PreconnectTransport | None = None
        if not _PROXIES & getproxies().keys():  # else the library's own, which goes over the environment's proxy
            self._remote = PreconnectTransport(RemoteNetwork(httpcore2.AnyIOBackend(), idle), context, kept, idle)
        self._loopback_hosts = frozenset(HOSTS)
        names = [f"[{host}]" if ":" in host else host for host in HOSTS]
        mounts: dict[str, Any] = {f"http://{name}": self._loopback for name in names}
        mounts |= dict.fromkeys(f"https://{name}" for name in names)  # the environment's proxy is for other machines
        self.client = httpx2.AsyncClient(
            verify=context,
            transport=self._remote,
            timeout=httpx2.Timeout(SILENCE, connect=CONNECT, pool=None),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=kept, keepalive_expiry=idle),
            cookies=cookies,
            mounts=mounts,
            follow_redirects=False,
        )

    def preconnect(self, url: str) -> None:
        """Begins to open a connection for a request that comes soon, unless one is free."""
        parts = urlsplit(url)
        transport = (
            self._loopback if parts.scheme == "http" and parts.hostname in self._loopback_hosts else self._remote
        )
        if transport is not None:
            transport.preconnect(url, CONNECT)


def _limit_idle(answer: "httpx2.Response") -> None:
    """Has a connection be left before the server closes it, if it tells for how long it keeps one."""
    told = _KEEP_ALIVE.search(answer.headers.get("keep-alive", ""))
    stream = answer.extensions.get("network_stream")
    limit = None if told is None or stream is None else stream.get_extra_info(LIMIT)
    if told is not None and limit is not None:
        limit(float(told[1]))


@lru_cache(maxsize=64)
def _parsed(url: str) -> "httpx2.URL":
    """An address as the library reads it, which it would do anew for each request."""
    import httpx2  # the extra `server`; it takes 0.1 s to load

    return httpx2.URL(url)


@lru_cache(maxsize=4)
def _trusted(_file: str | None, _folder: str | None) -> ssl.SSLContext:
    """What the library trusts, which takes 20 ms to read; one for all servers of a process with these settings."""
    import httpx2  # the extra `server`; it takes 0.1 s to load

    return httpx2.create_ssl_context()


class Forwarder:
    """Sends requests upstream over connections that are made once and kept. One event loop uses it."""

    def __init__(self, idle_plain: float = IDLE_PLAIN) -> None:
        """Takes the seconds for which an unused connection without encryption is kept."""
        import httpx2  # the extra `server`; it takes 0.1 s to load

        self._library: Any = httpx2
        jar = CookieJar(DefaultCookiePolicy(allowed_domains=[]))  # one client's cookies are never sent for another
        context = _trusted(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
        self._kept, self._fresh = Connections(context, jar, _KEPT, IDLE), Connections(context, jar, 0, IDLE)
        self._plain = Connections(context, jar, _KEPT, idle_plain)

    def preconnect(self, url: str) -> None:
        """Begins to open the connection for a request that is still being prepared, unless one is free."""
        self._for(url).preconnect(url)

    def _for(self, url: str) -> Connections:
        return self._plain if url.startswith("http:") else self._kept

    async def send(self, outgoing: Outgoing) -> "ReceivedAnswer":
        """Sends a request and returns its answer when the headers are there; the caller closes it.

        What met a connection that the upstream had closed is sent once more, where that is safe.

        Raises:
            Unreachable: there is no answer.
        """
        attempt = Attempt()
        try:
            try:
                answer = await self._ask(self._for(outgoing.url), outgoing, attempt)
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

    async def _ask(self, connections: Connections, outgoing: Outgoing, attempt: Attempt) -> "httpx2.Response":
        client = connections.client
        timeouts = client.timeout.as_dict()
        request = self._library.Request(
            outgoing.method,
            _parsed(outgoing.url),
            headers=list(outgoing.headers),
            content=outgoing.body,
            extensions={"target": outgoing.target, "timeout": timeouts, "trace": attempt.note},
        )
        answer = await client.send(request, stream=True, auth=None)
        _limit_idle(answer)
        return answer

    async def close(self) -> None:
        """Closes all connections."""
        for connections in (self._kept, self._fresh, self._plain):
            await connections.client.aclose()
