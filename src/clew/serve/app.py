"""The application that the web server runs: Clew's own pages below /clew/, everything else through the proxy.

Start at `make_app`. Written against ASGI itself: the proxy hands bytes on, and needs no more than that.
"""

import asyncio
import json
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from clew.serve.access import Access, AccessDenied, Principal
from clew.serve.event_log import EventLog
from clew.serve.health import health
from clew.serve.metrics import CONTENT_TYPE, Metrics
from clew.serve.proxy.api_errors import error_answer
from clew.serve.proxy.forward import Forwarder
from clew.serve.proxy.handle import Incoming, Proxy, incoming
from clew.serve.proxy.pipeline import Pipeline
from clew.serve.proxy.prepare import SafePreparation
from clew.serve.proxy.upstreams import split_prefix, upstreams
from clew.serve.proxy.workers import Workers
from clew.serve.spaces import Spaces

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from clew.config import Config

OWN: Final = b"/clew/"
"""Below it are Clew's own pages."""


@dataclass(frozen=True, slots=True)
class Services:
    """What the pages and the proxy of one server share.

    Attributes:
        space: the space of requests without a token.
    """

    config: "Config"
    space: str
    access: Access
    spaces: Spaces
    metrics: Metrics
    events: EventLog


def make_app(services: Services) -> "ASGIApp":
    """The application; it opens its connections when the web server starts it, and closes the memories at the end.

    Raises:
        ConfigError: the address of an upstream is wrong.
    """
    return _Application(services)


class _Application:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._upstreams = upstreams(services.config.serve)
        self._proxy: Proxy | None = None

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._serve(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1002})

    async def _live(self, receive: "Receive", send: "Send") -> None:
        """Opens what the server needs while it runs, and closes it in the reverse order."""
        services = self._services
        async with AsyncExitStack() as stack:
            await receive()
            stack.push_async_callback(asyncio.to_thread, services.spaces.close)
            forwarder = Forwarder()
            stack.push_async_callback(forwarder.close)
            config, metrics, events = services.config.serve, services.metrics, services.events
            preparation = SafePreparation(Pipeline(services.spaces, config), events, metrics)
            workers = Workers(preparation, config.threads, config.patience, metrics)
            stack.push_async_callback(workers.close)
            self._proxy = Proxy(config, self._upstreams, forwarder, workers, metrics, events)
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        request = incoming(scope)
        own = request.path.startswith(OWN) or request.path == OWN[:-1]
        admitted = self._services.access.admit(request.named, own_page=own)
        self._services.metrics.add("clew_in_flight")
        try:
            if own:
                await self._own(request, admitted, send)
            elif isinstance(admitted, AccessDenied):
                await self._refuse(request, admitted, send)
            elif self._proxy is not None:
                await self._proxy.handle(request, admitted, receive, send)
        finally:
            self._services.metrics.add("clew_in_flight", -1)

    async def _refuse(self, request: Incoming, refusal: AccessDenied, send: "Send") -> None:
        found = split_prefix(request.path)
        headers, body = error_answer(found[0] if found else None, refusal.status, refusal.message)
        if refusal.retry_after is not None:
            headers.append((b"retry-after", b"%d" % refusal.retry_after))
        self._services.events.write("refused", status=refusal.status, method=request.method)
        self._services.metrics.add("clew_requests_total", provider="refused", status=str(refusal.status))
        await _answer(send, refusal.status, headers, body)

    async def _own(self, request: Incoming, admitted: Principal | AccessDenied, send: "Send") -> None:
        """A page of Clew's own. Whether the server lives is told to everyone who calls it by its name."""
        services = self._services
        if request.path == b"/clew/health" and services.access.checked_origin(request.named) is None:
            page = health(services.spaces, services.events, detailed=isinstance(admitted, Principal))
            body = json.dumps(page).encode()
            await _page(send, request, 200 if page["status"] == "ok" else 503, b"application/json", body)
        elif isinstance(admitted, AccessDenied):
            await self._refuse(request, admitted, send)
        elif request.path == b"/clew/metrics":
            text = services.metrics.text(services.events.counts)
            await _page(send, request, 200, CONTENT_TYPE.encode(), text.encode())
        else:
            await self._refuse(request, AccessDenied(404, "there is no such page; docs/proxy.md lists them"), send)


async def _page(send: "Send", request: Incoming, status: int, kind: bytes, body: bytes) -> None:
    if request.method not in ("GET", "HEAD"):
        await _answer(send, 405, [(b"allow", b"GET, HEAD"), (b"content-length", b"0")], b"")
        return
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body)), (b"cache-control", b"no-store")]
    await _answer(send, status, headers, b"" if request.method == "HEAD" else body)


async def _answer(send: "Send", status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
