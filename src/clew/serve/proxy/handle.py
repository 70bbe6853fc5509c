"""One request through the proxy: read, prepared in a thread, sent upstream, relayed, and remembered.

Nothing here touches a memory: what does runs in threads, behind `prepare`.
"""

import asyncio
import time
from collections.abc import Awaitable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from clew.config import ServeConfig
from clew.serve.access import AccessScope, Principal
from clew.serve.event_log import EventLog
from clew.serve.metrics import Metrics
from clew.serve.proxy.answering import ClientAnswer
from clew.serve.proxy.chat_relay import ChatRelay, FailedAfterAsking
from clew.serve.proxy.chats import Chat, ChatTicket
from clew.serve.proxy.headers import RawHeaders, backward, only_readable_encodings, onward, options_of
from clew.serve.proxy.history.fetched_answers import Fetch, fetch_of
from clew.serve.proxy.kept_answer import KeptAnswer
from clew.serve.proxy.network.forward import Broken, Forwarder, Outgoing, Unreachable
from clew.serve.proxy.request_body import ClientGone, RequestBody
from clew.serve.proxy.upstreams import (
    Provider,
    Target,
    Upstream,
    address_for,
    by_body,
    by_marks,
    is_plain,
    split_prefix,
)
from clew.serve.proxy.wires import wire_of
from clew.serve.proxy.workers import Workers

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

_UNKNOWN_PATH: Final = "no page and no API has this path; APIs are below /anthropic, /openai, /gemini, /v1 and /v1beta"


@dataclass(frozen=True, slots=True)
class Incoming:
    """A request as the server took it.

    Attributes:
        path: as it came, without the query string.
        named: the headers by name in lower case; of several, the last.
    """

    method: str
    path: bytes
    query: bytes
    headers: RawHeaders
    named: Mapping[bytes, bytes]

    @property
    def has_body(self) -> bool:
        """Whether a body follows."""
        return b"transfer-encoding" in self.named or self.named.get(b"content-length", b"0") != b"0"


def incoming(scope: "Scope") -> Incoming:
    """The request of an ASGI scope."""
    headers = tuple(scope["headers"])
    return Incoming(scope["method"], scope["raw_path"], scope["query_string"], headers, dict(headers))


class Proxy:
    """Stands between clients and upstreams. One event loop uses it."""

    def __init__(
        self,
        config: ServeConfig,
        upstreams: Mapping[Provider, Upstream],
        forwarder: Forwarder,
        workers: Workers,
        metrics: Metrics,
        events: EventLog,
    ) -> None:
        self._config, self._upstreams, self._forwarder, self._workers = config, upstreams, forwarder, workers
        self._metrics, self._events = metrics, events

    async def handle(
        self, request: Incoming, principal: Principal, receive: "Receive", send: "Send", own: "Send | None" = None
    ) -> None:
        """Answers one request.

        Args:
            own: sends what Clew answers itself; None for `send`, by which the provider's answer goes.
        """
        began = time.monotonic()
        body = RequestBody(receive)
        answer = ClientAnswer(send, own)
        target: Target | None = None
        try:
            target = await self._target(request, body)
            if target is None:
                await answer.error(None, 404, _UNKNOWN_PATH)
            elif b"websocket" in request.named.get(b"upgrade", b"").lower():
                await answer.error(target.provider, 426, "websockets are not served here; use plain HTTP")
            else:
                await self._forward(request, principal, target, body, answer)
        except ClientGone:
            self._events.write("client-gone", method=request.method, principal=principal.name)
        except Unreachable as error:
            provider = None if target is None else target.provider
            self._metrics.add("clew_upstream_errors_total", provider=str(provider), cause=error.cause)
            self._events.write("upstream-unreachable", provider=str(provider), cause=error.cause)
            await answer.error(provider, error.status, str(error))
        except Broken as error:
            self._events.write("upstream-broken", provider=str(target and target.provider), cause=str(error))
            if target is not None:  # nothing of it was relayed where the whole answer is read first
                await answer.error(target.provider, 502, "the provider's answer broke off; send the request again")
        if answer.first is not None:
            self._metrics.observe("clew_first_byte_seconds", answer.first - began)
        self._metrics.add(
            "clew_requests_total",
            provider=str(target.provider) if target else "none",
            status=str(answer.status or 499),
        )

    async def _target(self, request: Incoming, body: RequestBody) -> Target | None:
        target = split_prefix(request.path) if is_plain(request.path) else None
        if target is None:
            return None
        provider, below = target
        if provider is None:
            provider = by_marks(below, request.named, request.query)
        if provider is None:
            read = await body.whole(self._config.read_bytes) if request.has_body else None
            provider = by_body(read or b"")
        return Target(provider, below + (b"?" + request.query if request.query else b""))

    async def _forward(
        self, request: Incoming, principal: Principal, target: Target, body: RequestBody, answer: ClientAnswer
    ) -> None:
        if AccessScope.PROXY not in principal.scopes:
            await answer.error(target.provider, 403, "this token does not allow the proxy; its scopes have no `proxy`")
            return
        path = target.path.decode("latin-1")
        wire = wire_of(request.method, path)
        raw = await body.whole(self._config.read_bytes) if wire is not None else None
        if wire is None or raw is None:
            await _unless_gone(self._pass(request, target, body, answer, self._fetch(request, target, principal)), body)
            return
        going_on = onward(request.headers)
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in going_on}
        encoding = headers.get("content-encoding", "")
        chat = Chat(wire, path, headers, raw, encoding, principal, options_of(request.named), ChatTicket())
        url, asked = address_for(self._upstreams[target.provider], target, request.named)
        relay = ChatRelay(
            chat,
            request.method,
            url,
            asked,
            going_on,
            self._forwarder,
            self._workers,
            self._config.read_bytes,
        )
        try:
            await _unless_gone(relay.run(answer), body)
        except (ClientGone, Unreachable, Broken):
            raise
        except FailedAfterAsking as error:  # to fail open now would send the question twice, and pay for both
            bug = error.__cause__ or error
            self._events.failed("relay-failed", bug, provider=str(target.provider), wire=wire.name)
            raise Broken(type(bug).__name__) from bug
        except Exception as error:  # a bug of the proxy itself, whose parts that know memories fail open in `prepare`
            self._events.failed("relay-failed", error, provider=str(target.provider), wire=wire.name)
            if answer.status is not None:
                raise Broken(type(error).__name__) from error
            await _unless_gone(self._pass(request, target, body, answer), body)

    def _fetch(self, request: Incoming, target: Target, principal: Principal) -> "_Fetching | None":
        """The answer of a model that a request fetches, which is stored; None for everything else."""
        fetch = fetch_of(request.method, target.path.decode("latin-1")) if target.provider is Provider.OPENAI else None
        if fetch is None or options_of(request.named).incognito:
            return None
        return _Fetching(fetch, principal.space)

    async def _pass(
        self,
        request: Incoming,
        target: Target,
        body: RequestBody,
        answer: ClientAnswer,
        fetching: "_Fetching | None" = None,
    ) -> None:
        """Forwards a request and its answer as they are."""
        headers = onward(request.headers) if fetching is None else only_readable_encodings(onward(request.headers))
        if request.has_body and b"content-length" in request.named and b"transfer-encoding" not in request.named:
            headers.append((b"content-length", request.named[b"content-length"]))
        if not request.has_body:
            body.skip()
        url, asked = address_for(self._upstreams[target.provider], target, request.named)
        parts = body.parts() if request.has_body else None
        sent = await self._forwarder.send(Outgoing(request.method, url, asked, headers, parts))
        async with aclosing(sent):
            await answer.start(sent.status, backward(sent.headers, ()))
            kept = None if fetching is None else KeptAnswer(sent.status, sent.headers, self._config.read_bytes)
            async for piece in sent.pieces():
                if kept is not None:
                    kept.take(piece)
                await answer.piece(piece)
            if kept is not None and fetching is not None:
                self._workers.fetched(fetching.space, fetching.fetch, kept)
            await answer.end()


@dataclass(frozen=True, slots=True)
class _Fetching:
    """An answer that is fetched, and the space of who fetches it."""

    fetch: Fetch
    space: str


async def _unless_gone(work: Awaitable[None], body: RequestBody) -> None:
    """Does the work, and cancels it when the client leaves.

    Raises:
        ClientGone: the client left.
    """
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(body.gone())
    try:
        await asyncio.wait((task, gone), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            task.cancel()
            await asyncio.wait((task,))
            raise ClientGone
        await task
    finally:
        gone.cancel()
        task.cancel()
