"""Clew's own pages below /clew/, by the beginning of their paths. Start at `own_pages`.

Who asks is checked before a page is called; a page checks what the scopes of a principal allow.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, closing
from typing import TYPE_CHECKING, Final

from clew.errors import ClewError
from clew.serve.access import AccessScope, Principal
from clew.serve.agent_tools.tools import Tools
from clew.serve.hooks_page import MOST_BYTES, answer_hook, read_event
from clew.serve.hooks_page import PAGE as HOOKS
from clew.serve.mcp_http import McpOverHttp, ToolsKey
from clew.serve.metrics import CONTENT_TYPE
from clew.serve.rest.page import RestPage
from clew.serve.rest.problems import problem_of
from clew.serve.services import Services

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

_OTHERS_TOO: Final = (
    "metrics count the requests of all spaces, and this token is for one; send the token of the setting serve.token"
)

Page = Callable[[Principal, "Scope", "Receive", "Send"], Awaitable[None]]


@asynccontextmanager
async def own_pages(services: Services) -> AsyncIterator[Mapping[bytes, Page]]:
    """The pages, while the server runs: each path, or the path before a slash and more."""
    mcp = McpOverHttp(lambda key: _tools(services, key))

    async def mcp_page(principal: Principal, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if AccessScope.READ not in principal.scopes:
            await answer_json(scope, send, 403, {"error": "this token does not allow reading"})
            return
        scopes = principal.scopes
        may_forget = AccessScope.FORGET in scopes and (principal.has_token or services.config.serve.allow_forget)
        key = (principal.space, AccessScope.WRITE in scopes, may_forget)
        try:
            await mcp.handle(key, scope, receive, send)
        except ClewError as error:  # the memory cannot be opened, or the SDK is missing: no answer has begun
            status, told = problem_of(error)
            services.events.failed("mcp-failed", error, space=principal.space)
            await answer_json(scope, send, status, told.to_dict())

    async def metrics(principal: Principal, scope: "Scope", _receive: "Receive", send: "Send") -> None:
        if not principal.sees_server:
            await answer_json(scope, send, 403, {"error": _OTHERS_TOO})
            return
        text = services.metrics.text(services.events.counts)
        await answer_page(scope, send, 200, CONTENT_TYPE, text.encode())

    async def hooks(principal: Principal, scope: "Scope", receive: "Receive", send: "Send") -> None:
        event = read_event(await _body(receive))
        if scope["method"] != "POST" or event is None:
            await answer(send, 400, [(b"content-length", b"0")], b"")
            return
        try:
            memory = await asyncio.to_thread(services.spaces.get, principal.space)
            answered = await asyncio.to_thread(answer_hook, memory, principal, event, services.config.serve.budget)
        except ClewError as error:
            services.events.failed("hook-failed", error)
            await answer(send, 503, [(b"content-length", b"0")], b"")
            return
        body = json.dumps(answered, ensure_ascii=False).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        await answer(send, 200, headers, body)

    rest = RestPage(services.spaces.get, services.config.serve.threads)
    with closing(rest):
        async with mcp.running():
            yield {b"/clew/mcp": mcp_page, b"/clew/metrics": metrics, b"/clew/api": rest, HOOKS: hooks}


def page_of(pages: Mapping[bytes, Page], path: bytes) -> Page | None:
    """The page for a path; None when there is none."""
    starts = [start for start in pages if path == start or path.startswith(start + b"/")]
    return pages[max(starts, key=len)] if starts else None


async def _body(receive: "Receive") -> bytes:
    """The body of a request; nothing when it is too long for an event."""
    body: bytes = b""
    while len(body) <= MOST_BYTES:
        message = await receive()
        body += bytes(message.get("body", b""))
        if not message.get("more_body"):
            return body
    return b""


async def answer_json(scope: "Scope", send: "Send", status: int, value: object) -> None:
    """Answers with JSON."""
    await answer_page(scope, send, status, "application/json", json.dumps(value).encode())


async def answer_page(
    scope: "Scope", send: "Send", status: int, kind: str, body: bytes, more: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    """Answers a GET or HEAD, with more headers; other methods are refused with 405."""
    headers = [(b"content-type", kind.encode()), (b"cache-control", b"no-store"), *more]
    if scope["method"] not in ("GET", "HEAD") and status == 200:
        status, headers, body = 405, [(b"allow", b"GET, HEAD")], b""
    headers.append((b"content-length", b"%d" % len(body)))
    await answer(send, status, headers, b"" if scope["method"] == "HEAD" else body)


async def answer(send: "Send", status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    """Sends a whole answer."""
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _tools(services: Services, key: ToolsKey) -> Tools:
    space, may_store, may_forget = key
    return Tools(services.spaces.get(space), may_store=may_store, may_forget=may_forget, local=False)
