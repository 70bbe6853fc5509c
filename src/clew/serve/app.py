"""The application that the web server runs: Clew's own pages below /clew/, everything else through the proxy.

Start at `make_app`. Written against ASGI itself: the proxy hands bytes on, and needs no more than that.
"""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Final

from clew.serve.access import AccessDenied, Principal
from clew.serve.cross_origin import is_preflight, preflight_headers, readable_by
from clew.serve.explorer import HEADERS, explorer_file
from clew.serve.health import health
from clew.serve.pages import Page, answer, answer_json, answer_page, own_pages, page_of
from clew.serve.proxy.api_errors import error_answer
from clew.serve.proxy.handle import Incoming, Proxy, incoming
from clew.serve.proxy.network.forward import Forwarder
from clew.serve.proxy.own_answers import CommandedPipeline
from clew.serve.proxy.prepare import SafePreparation
from clew.serve.proxy.upstreams import split_prefix, upstreams
from clew.serve.proxy.workers import Workers
from clew.serve.request_target import METHODS, read_target
from clew.serve.rest.problems import refusal
from clew.serve.services import Services

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

API: Final = b"/clew/api/"
"""Errors below it have the shape of the REST API."""
OWN: Final = b"/clew/"
"""Below it are Clew's own pages."""


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
        self._pages: Mapping[bytes, Page] = {}

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
        config, metrics, events = services.config.serve, services.metrics, services.events
        async with AsyncExitStack() as stack:
            await receive()
            stack.push_async_callback(asyncio.to_thread, services.spaces.close)
            self._pages = await stack.enter_async_context(own_pages(services))
            forwarder = Forwarder()
            stack.push_async_callback(forwarder.close)
            pipeline = CommandedPipeline(services.spaces, config)
            stack.push_async_callback(asyncio.to_thread, pipeline.close)
            preparation = SafePreparation(pipeline, services.spaces, events, metrics)
            workers = Workers(preparation, config.threads, config.patience, metrics)
            stack.push_async_callback(workers.close)
            self._proxy = Proxy(config, self._upstreams, forwarder, workers, metrics, events)
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        came = incoming(scope)
        origin = self._services.access.listed_origin(came.named)
        readable = send if origin is None else readable_by(origin, send)
        read = read_target(scope, self._services.access.is_own_host)
        if isinstance(read, AccessDenied):
            await self._refuse(came, read, readable)
            return
        request = came if read is scope else incoming(read)
        scope = read
        own = request.path.startswith(OWN) or request.path == OWN[:-1]
        if origin and is_preflight(request.method, request.named) and self._is_called_by_its_name(request):
            await answer(send, 204, preflight_headers(request.named), b"")
            return
        admitted = self._services.access.admit(request.named, own_page=own)
        self._services.metrics.add("clew_in_flight")
        try:
            if own:
                await self._own(request, admitted, scope, receive, readable)
            elif isinstance(admitted, AccessDenied):
                await self._refuse(request, admitted, readable)
            elif request.path == b"*" and request.method == "OPTIONS":
                await answer(readable, 204, [METHODS], b"")
            elif self._proxy is not None:
                await self._proxy.handle(request, admitted, receive, send, readable)
        finally:
            self._services.metrics.add("clew_in_flight", -1)

    def _is_called_by_its_name(self, request: Incoming) -> bool:
        return self._services.access.checked_origin(request.named) is None

    async def _own(
        self,
        request: Incoming,
        admitted: Principal | AccessDenied,
        scope: "Scope",
        receive: "Receive",
        send: "Send",
    ) -> None:
        """Answers one of Clew's own pages. Health and the explorer's files need no token, only the right host name."""
        services, answer = self._services, self._counting(send)
        page = page_of(self._pages, request.path)
        if request.path == b"/clew/health" and self._is_called_by_its_name(request):
            told = health(services.spaces, services.events, admitted)
            await answer_json(scope, answer, 200 if told["status"] == "ok" else 503, told)
        elif (file := explorer_file(request.path)) and self._is_called_by_its_name(request):
            await answer_page(scope, answer, 200, *file, HEADERS)
        elif isinstance(admitted, AccessDenied):
            await self._refuse(request, admitted, send)
        elif page is not None:
            await page(admitted, scope, receive, answer)
        else:
            await self._refuse(request, AccessDenied(404, "there is no such page; docs/proxy.md lists them"), send)

    def _counting(self, send: "Send") -> "Send":
        """Sends on, and counts the answer of a page of Clew's own by its status; `_refuse` counts what it answers."""

        async def counted(message: "Message") -> None:
            if message["type"] == "http.response.start":
                self._services.metrics.add("clew_requests_total", provider="clew", status=str(message["status"]))
            await send(message)

        return counted

    async def _refuse(self, request: Incoming, denied: AccessDenied, send: "Send") -> None:
        if request.path.startswith(API):
            headers, body = refusal(denied.status, denied.message, denied.next)
        else:
            target = split_prefix(request.path)
            headers, body = error_answer(target[0] if target else None, denied.status, denied.message)
        if denied.retry_after is not None:
            headers.append((b"retry-after", b"%d" % denied.retry_after))
        self._services.events.write("refused", status=denied.status, method=request.method)
        self._services.metrics.add("clew_requests_total", provider="refused", status=str(denied.status))
        await answer(send, denied.status, headers, body)
