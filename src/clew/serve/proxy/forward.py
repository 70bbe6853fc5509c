"""Sends a request upstream and hands its answer back as it arrives.

Borders: knows no memory and no wire format. Bodies and answers pass as bytes: nothing is decompressed, kept or held
back; a slow reader slows down the upstream.
"""

from collections.abc import AsyncIterator
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
_LAST_STATUS: Final = 599
_HERE: Final = ("all://127.0.0.1", "all://localhost", "all://[::1]")
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

    def __init__(self) -> None:
        import httpx2  # the extra `server`; it takes 0.1 s to load

        self._library: Any = httpx2
        jar = CookieJar(DefaultCookiePolicy(allowed_domains=[]))  # one client's cookies are never sent for another
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(SILENCE, connect=CONNECT, pool=None),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=_KEPT, keepalive_expiry=IDLE),
            cookies=jar,
            mounts=dict.fromkeys(_HERE),  # the environment's proxy is for other machines
            follow_redirects=False,
        )

    async def send(self, outgoing: Outgoing) -> "ReceivedAnswer":
        """Sends a request and returns its answer when the headers are there; the caller closes it.

        Raises:
            Unreachable: there is no answer.
        """
        request = self._library.Request(
            outgoing.method,
            outgoing.url,
            headers=list(outgoing.headers),
            content=outgoing.body,
            extensions={"target": outgoing.target, "timeout": self._client.timeout.as_dict()},
        )
        try:
            answer: httpx2.Response = await self._client.send(request, stream=True, auth=None)
        except self._library.TimeoutException as error:
            raise Unreachable(504, type(error).__name__) from error
        except self._library.HTTPError as error:
            raise Unreachable(502, type(error).__name__) from error
        if not 200 <= answer.status_code <= _LAST_STATUS:
            await answer.aclose()
            raise Unreachable(502, f"status {answer.status_code}")
        return ReceivedAnswer(answer, self._library.HTTPError)

    async def close(self) -> None:
        """Closes all connections."""
        await self._client.aclose()
