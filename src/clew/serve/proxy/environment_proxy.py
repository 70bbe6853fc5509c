"""Requests that go over the HTTP proxy which the environment names, by the HTTP library, which knows how.

Imports the extra `server`.
"""

import ssl
from collections.abc import AsyncIterator, Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Final, cast
from urllib.request import getproxies

import httpx2

from clew.serve.proxy.connection_pool import CONNECT, IDLE, KEPT
from clew.serve.proxy.forward import Broken, Outgoing, ReceivedAnswer, Unreachable, is_idempotent

_PROXIES: Final = frozenset(("http", "https", "all"))
"""Kinds of the environment's proxies."""


def names_a_proxy() -> bool:
    """Whether the environment does."""
    return bool(_PROXIES & getproxies().keys())


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
        may_go_again = is_unsent or is_idempotent(outgoing)
        return may_go_again and outgoing.has_whole_body and not (is_new or is_answered)


class EnvironmentProxy:
    """Sends requests over the environment's proxy. One event loop uses it."""

    def __init__(self, context: ssl.SSLContext, silence: float) -> None:
        """Takes how connections are encrypted, and the seconds that an upstream may be silent."""
        jar = CookieJar(DefaultCookiePolicy(allowed_domains=[]))  # one client's cookies are never sent for another

        def client(kept: int) -> httpx2.AsyncClient:
            return httpx2.AsyncClient(
                verify=context,
                timeout=httpx2.Timeout(silence, connect=CONNECT, pool=None),
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=kept, keepalive_expiry=IDLE),
                cookies=jar,
                follow_redirects=False,
            )

        self._kept, self._fresh = client(KEPT), client(0)

    async def send(self, outgoing: Outgoing) -> ReceivedAnswer:
        """See `Forwarder.send`."""
        attempt = Attempt()
        try:
            try:
                answer = await _asked(self._kept, outgoing, attempt)
            except (httpx2.NetworkError, httpx2.RemoteProtocolError):
                if not attempt.may_be_repeated(outgoing):
                    raise
                answer = await _asked(self._fresh, outgoing, Attempt())
        except httpx2.TimeoutException as error:
            raise Unreachable(504, type(error).__name__) from error
        except httpx2.HTTPError as error:
            raise Unreachable(502, type(error).__name__) from error
        return ReceivedAnswer(answer.status_code, answer.headers.raw, _pieces(answer), answer.aclose)

    async def close(self) -> None:
        """Closes all connections."""
        await self._kept.aclose()
        await self._fresh.aclose()


async def _asked(client: httpx2.AsyncClient, outgoing: Outgoing, attempt: Attempt) -> httpx2.Response:
    request = httpx2.Request(
        outgoing.method,
        outgoing.url,
        headers=list(outgoing.headers),
        content=outgoing.body,
        extensions={"target": outgoing.target, "timeout": client.timeout.as_dict(), "trace": attempt.note},
    )
    return await client.send(request, stream=True, auth=None)


async def _pieces(answer: httpx2.Response) -> AsyncIterator[bytes]:
    try:
        async for piece in cast("httpx2.AsyncByteStream", answer.stream):
            yield piece
    except httpx2.HTTPError as error:
        raise Broken(type(error).__name__) from error
