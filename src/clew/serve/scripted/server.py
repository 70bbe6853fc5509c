"""The scripted upstream as an ASGI application, and as a server on this machine.

Borders: what is refused and how answers look is decided by the modules of each API; here is only the way of a request.
"""

import asyncio
import gzip
import json
import threading
import time
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from clew.serve.processes.listening import listening_socket
from clew.serve.proxy.economy.cache_model import CacheModel, read_prompt
from clew.serve.proxy.economy.prices import price_list
from clew.serve.scripted import anthropic_rules, gemini_answers, gemini_rules, responses_rules
from clew.serve.scripted.refusal import Denial, compact
from clew.serve.scripted.responses_rules import items
from clew.serve.scripted.script import OK, Fault, FaultKind, Pace, RecordedRequest, Reply, Script, always
from clew.serve.scripted.vendors import VENDORS, Counts, VendorApi, route, unauthorised

MOST_BYTES: Final = 32 * 1024 * 1024
"""Size of a request that is refused with 413 (Anthropic's limit)."""

JSON: Final = "application/json"
EVENTS: Final = "text/event-stream; charset=utf-8"
HTML: Final = b"<html>\r\n<head><title>500 Internal Server Error</title></head>\r\n<body>nginx</body>\r\n</html>\r\n"

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Page:
    """What a path that is not a chat gives."""

    body: bytes
    status: int = 200
    content_type: str = JSON


@dataclass(frozen=True, slots=True)
class _Outgoing:
    """An answer that is ready to be sent."""

    status: int
    content_type: str
    pieces: Iterator[bytes]
    headers: tuple[tuple[str, str], ...] = ()
    fault: Fault | None = None
    pace: Pace = field(default_factory=Pace)
    error_event: bytes = b""


@dataclass
class ScriptedUpstream:
    """Plays Anthropic, OpenAI and Gemini; every request is kept in `requests`, byte for byte.

    Attributes:
        script: what the model says.
        pages: answers for paths that are not chats, by path without the query string.
        clock: seconds, for the life of cached prompts.
        keeps_answers: whether the bodies that were sent are kept in `answers`, by the number of the request.
    """

    script: Script = field(default_factory=lambda: always(OK))
    pages: dict[str, Page] = field(default_factory=dict)
    clock: Callable[[], float] = time.monotonic
    keeps_answers: bool = False
    requests: list[RecordedRequest] = field(default_factory=list)
    answers: dict[int, bytes] = field(default_factory=dict)
    cache: CacheModel = field(default_factory=CacheModel)
    _stored: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answers a request of ASGI."""
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        request = await self._recorded(scope, receive)
        answer = self._answer(request)
        await _send(self._kept(answer, request.number) if self.keeps_answers else answer, receive, send)

    @contextmanager
    def serving(self, port: int = 0) -> Iterator[str]:
        """Serves on a port of this machine while the block runs, and gives the address."""
        with serving(self, port) as address:
            yield address

    def chats(self) -> list[RecordedRequest]:
        """The requests for answers of a model, in order."""
        return [request for request in self.requests if request.wire]

    def _kept(self, answer: _Outgoing, number: int) -> _Outgoing:
        whole = list(answer.pieces)
        self.answers[number] = b"".join(whole)
        return replace(answer, pieces=iter(whole))

    async def _recorded(self, scope: Message, receive: Receive) -> RecordedRequest:
        body = b""
        more = True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False) and message["type"] == "http.request"
        query = scope.get("query_string", b"").decode("latin-1")
        path = scope.get("raw_path", scope["path"].encode()).partition(b"?")[0].decode("latin-1")
        headers = tuple((key.decode("latin-1").lower(), value.decode("latin-1")) for key, value in scope["headers"])
        full = f"{path}?{query}" if query else path
        wire, work, _ = route(scope["path"])
        value = _parsed(headers, body)
        request = RecordedRequest(len(self.requests), scope["method"], full, headers, body, wire if work else "", value)
        self.requests.append(request)
        return request

    def _answer(self, request: RecordedRequest) -> _Outgoing:
        path = request.path.partition("?")[0]
        wire, work, model = route(path)
        api = VENDORS[wire]
        if path in self.pages:
            page = self.pages[path]
            return _Outgoing(page.status, page.content_type, iter([page.body]))
        if path.endswith("/models") and request.method == "GET":
            return _Outgoing(200, JSON, iter([_models(wire)]))
        refusal, value = self._checked(request, wire, work, model)
        if refusal is not None:
            return _refused(api, refusal, request.number)
        earlier = self._stored.get(value.get("previous_response_id") or "", [])
        if work == "count":
            total = sum(block.tokens for block in api.prompt(value, earlier))
            return _Outgoing(200, JSON, iter([compact(api.counted(total)).encode()]))
        return self._said(request, (wire, work), value, earlier)

    def _checked(
        self, request: RecordedRequest, wire: str, work: str, model: str
    ) -> tuple[Denial | None, dict[str, Any]]:
        """Why the request is refused, if it is; and its body as the rules read it."""
        refusal = _refused_unread(request, wire, work)
        value = request.value
        if refusal is not None or value is None:
            return refusal, {}
        if wire == "gemini":
            value = {**gemini_rules.camel(value), "model": model}  # type: ignore[dict-item]  # a dict stays one
        previous = value.get("previous_response_id") if wire == "responses" else None
        if previous and previous not in self._stored:
            text = f"Previous response with id '{previous}' not found."
            return Denial(text, param="previous_response_id", code="previous_response_not_found"), value
        if wire == "responses":
            stored = {str(item.get("id")) for response in self._stored.values() for item in response}
            refusal = next(responses_rules.unkept(value, stored), None)
        if wire == "anthropic" and work == "create":
            refusal = next(anthropic_rules.answer_fields(value), None)
        return refusal or next(VENDORS[wire].refusals(value, self._stored.get(previous or "", [])), None), value

    def _said(
        self, request: RecordedRequest, way: tuple[str, str], value: dict[str, Any], earlier: list[dict[str, Any]]
    ) -> _Outgoing:
        wire, work = way
        api = VENDORS[wire]
        reply = self.script(request)
        streamed = work == "stream" if wire == "gemini" else value.get("stream", False)
        failed = _failed(api, reply, request.number, streamed=streamed)
        if failed is not None:
            return failed
        owner = f"{request.header('x-api-key') or request.header('authorization')}:{value['model']}"
        rules = price_list().rules(wire, value["model"])
        read = self.cache.send(read_prompt(rules, owner, api.prompt(value, earlier)), self.clock())
        counts: Counts = (read, _output_tokens(reply))
        if wire == "responses" and value.get("store", True):
            whole = api.whole(value, reply, counts, request.number)
            self._stored[whole["id"]] = [*earlier, *items(value), *whole["output"]]
        pieces, kind = iter([compact(api.whole(value, reply, counts, request.number)).encode()]), JSON
        if streamed:
            pieces, kind = api.events(value, reply, counts, request.number), EVENTS
            if wire == "gemini" and "alt=sse" not in request.path:
                pieces, kind = gemini_answers.array(value, reply, counts, request.number), JSON
        if reply.fault is not None and reply.fault.kind is FaultKind.WRONG_TYPE:
            kind = "text/html"
        broken = api.error_event(Denial("Overloaded", api.overloaded, "overloaded_error"), request.number)
        return _Outgoing(200, kind, pieces, _ids(request.number), reply.fault, reply.pace, broken)


def _parsed(headers: tuple[tuple[str, str], ...], body: bytes) -> dict[str, Any] | None:
    encoding = next((value for name, value in headers if name == "content-encoding"), "identity")
    try:
        if encoding == "gzip":
            body = gzip.decompress(body)
        elif encoding == "deflate":
            body = zlib.decompress(body)
        value = json.loads(body)
        json.dumps(value, ensure_ascii=False).encode()  # half of a character is not JSON for the vendors
    except (ValueError, OSError, EOFError, zlib.error, RecursionError):
        return None  # the request is refused with the vendor's own error
    return value if isinstance(value, dict) else None


def _refused_unread(request: RecordedRequest, wire: str, work: str) -> Denial | None:
    """Why a request is refused whatever its body says."""
    if not work:
        return Denial(f"Not found: {request.method} {request.path}", 404)
    if request.method != "POST":
        return Denial("Method Not Allowed", 405)
    if len(request.body) > MOST_BYTES:
        return Denial("Request exceeds the maximum size", 413)
    if request.value is None:
        return unauthorised(wire, request) or Denial("We could not parse the JSON body of your request.")
    return unauthorised(wire, request)


def _ids(number: int) -> tuple[tuple[str, str], ...]:
    return (("request-id", f"req_{number:024d}"), ("x-request-id", f"req_{number:024d}"))


def _refused(api: VendorApi, refusal: Denial, number: int) -> _Outgoing:
    return _Outgoing(refusal.status, JSON, iter([api.error(refusal, number)]), _ids(number))


def _failed(api: VendorApi, reply: Reply, number: int, *, streamed: bool) -> _Outgoing | None:
    """The answer of a fault that replaces the whole reply; None for other faults."""
    fault = reply.fault
    if fault is None:
        return None
    later = (("retry-after", str(fault.retry_after)),)
    if fault.kind is FaultKind.RATE_LIMIT:
        out = _refused(api, Denial("Rate limit reached. Please try again later.", 429), number)
        return replace(out, headers=out.headers + later)
    if fault.kind is FaultKind.OVERLOADED:
        out = _refused(api, Denial("Overloaded", api.overloaded), number)
        return replace(out, headers=out.headers + later)
    if fault.kind is FaultKind.ERROR_EVENT and not streamed:
        return _refused(api, Denial("Internal server error", 500), number)
    if fault.kind is FaultKind.HTML_ERROR:
        return _Outgoing(500, "text/html", iter([HTML]))
    return None


def _output_tokens(reply: Reply) -> int:
    if reply.output_tokens is not None:
        return reply.output_tokens
    return len(reply.text.split()) + len(reply.thinking.split()) + 10 * len(reply.calls)


def _models(wire: str) -> bytes:
    entry = {"id": "scripted-1", "object": "model", "created": 0, "owned_by": "scripted"}
    if wire == "gemini":
        return compact({"models": [{"name": "models/scripted-1", "displayName": "scripted-1"}]}).encode()
    return compact({"object": "list", "data": [entry], "has_more": False}).encode()


async def _send(answer: _Outgoing, receive: Receive, send: Send) -> None:
    fault = answer.fault
    if fault is not None and fault.kind is FaultKind.RESET_BEFORE:
        _reset(receive)
        return
    headers = [("content-type", answer.content_type), *answer.headers]
    coded = [(name.encode(), value.encode()) for name, value in headers]
    await send({"type": "http.response.start", "status": answer.status, "headers": coded})
    async for piece in _paced(_until(answer), answer):
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    if fault is not None and fault.kind is FaultKind.RESET_AFTER:
        _reset(receive)
        return
    if fault is not None and fault.kind is FaultKind.STALL:
        while (await receive())["type"] != "http.disconnect":
            pass
        return
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def _until(answer: _Outgoing) -> Iterator[bytes]:
    """The body up to where a fault stops it."""
    fault = answer.fault
    if fault is None or fault.kind is FaultKind.WRONG_TYPE:
        yield from answer.pieces
        return
    left = fault.after
    for piece in answer.pieces:
        if fault.kind is FaultKind.ERROR_EVENT:
            if left <= 0:
                break
            yield piece  # events stay whole, as on a stream that the vendor ends with an error
        else:
            yield piece[: max(left, 0)]
        left -= len(piece)
        if left <= 0:
            break
    if fault.kind is FaultKind.ERROR_EVENT:
        yield answer.error_event


async def _paced(pieces: Iterator[bytes], answer: _Outgoing) -> AsyncIterator[bytes]:
    """The body in pieces of the sizes that the pace names; empty ones left out."""
    sizes, pause = answer.pace.sizes, answer.pace.pause
    held = b""
    turn = 0
    for piece in pieces:
        held += piece
        while held and (not sizes or len(held) >= sizes[turn % len(sizes)]):
            size = sizes[turn % len(sizes)] if sizes else len(held)
            await asyncio.sleep(pause)
            yield held[:size]
            held = held[size:]
            turn += 1
    if held:
        await asyncio.sleep(pause)
        yield held


def _reset(receive: Receive) -> None:
    """Breaks the connection. ASGI has no word for it: the server's own object behind `receive` holds the transport."""
    transport = getattr(getattr(receive, "__self__", None), "transport", None)
    if transport is None:
        raise ConnectionResetError("the scripted upstream breaks the connection")
    transport.abort()


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": message["type"] + ".complete"})
        if message["type"] == "lifespan.shutdown":
            return


@contextmanager
def serving(app: Any, port: int = 0) -> Iterator[str]:
    """Serves an ASGI application on a port of this machine, in a thread, while the block runs; gives its address."""
    import uvicorn  # of the extra server; the application itself needs none

    listener = listening_socket("127.0.0.1", port)
    config = uvicorn.Config(app, log_config=None, timeout_graceful_shutdown=1, ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="scripted-upstream", daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()
