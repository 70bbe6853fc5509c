"""A proxy of nothing but the tool loop, before the strict scripted upstream, as an ASGI app for the vendors' SDKs."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any

import httpx2

from clew.memory import Memory
from clew.serve.agent_tools.toolbox import Toolbox
from clew.serve.agent_tools.tools import Tools
from clew.serve.proxy.exchange import edited
from clew.serve.proxy.held_calls import HeldCalls, put_back
from clew.serve.proxy.tool_loop import ToolLoop, tools_edit
from clew.serve.proxy.wires import WIRES, wire_of
from clew.serve.scripted.script import Pace, Reply, Script
from clew.serve.scripted.server import ScriptedUpstream
from tests.support.memories import NOON

HEADERS = {
    "x-api-key": "k",
    "authorization": "Bearer k",
    "x-goog-api-key": "k",
    "anthropic-version": "2023-06-01",
    "content-type": "application/json",
}

WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}}


class Piecewise(httpx2.AsyncBaseTransport):
    """Runs an ASGI app and hands its answer on piece by piece, as the app sent it."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        body = await request.aread()
        sent: list[dict[str, Any]] = []
        scope = {
            "type": "http",
            "method": request.method,
            "path": request.url.path,
            "raw_path": request.url.raw_path.partition(b"?")[0],
            "query_string": request.url.query,
            "headers": [(key.lower(), value) for key, value in request.headers.raw],
        }

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self.app(scope, receive, send)

        async def pieces() -> AsyncIterator[bytes]:
            for message in sent[1:]:
                yield message.get("body", b"")

        return httpx2.Response(sent[0]["status"], headers=sent[0]["headers"], content=pieces())


class Upstream:
    """An answer of the scripted upstream, as the loop takes it."""

    def __init__(self, answer: httpx2.Response) -> None:
        self.status = answer.status_code
        self.headers = answer.headers
        self._answer = answer

    async def pieces(self) -> AsyncIterator[bytes]:
        async for piece in self._answer.aiter_raw():
            yield piece

    async def aclose(self) -> None:
        await self._answer.aclose()


@dataclass
class LoopApp:
    """Offers the tools of a memory, answers their calls, and puts back what was held, all in one session."""

    memory: Memory
    script: Script
    aliases: bool = False
    upstream: ScriptedUpstream = field(init=False)
    held: HeldCalls = field(init=False)
    loops: list[ToolLoop] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.upstream = ScriptedUpstream(self.script)
        self.held = HeldCalls(self.memory.reads.store, self.memory.space)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body = (await receive())["body"]
        path = scope["path"] + (f"?{scope['query_string'].decode()}" if scope["query_string"] else "")
        headers = {key.decode(): value.decode() for key, value in scope["headers"]}
        wire = wire_of(scope["method"], path)
        assert wire is not None, path
        request = wire.read(path, headers, body)
        box = Toolbox(Tools(self.memory), aliases=self.aliases)
        offered = tools_edit(wire, request, box)
        edits = [*put_back(wire, request, self.held.of("s")), *([] if offered is None else [offered])]
        client = httpx2.AsyncClient(transport=Piecewise(self.upstream), base_url="http://scripted", trust_env=False)

        async def sending(sent: bytes) -> Upstream:
            return Upstream(
                await client.send(client.build_request("POST", path, content=sent, headers=HEADERS), stream=True)
            )

        sent = edited(body, edits)
        first = await sending(sent)
        kind = first.headers["content-type"].encode()
        loop = ToolLoop(wire, request, box, sending)
        self.loops.append(loop)
        started = False
        async for piece in loop.answer(sent, first):
            if not started:
                assert loop.shown is not None
                start = {"status": loop.shown.status, "headers": [(b"content-type", kind)]}
                await send({"type": "http.response.start", **start})
                started = True
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        if loop.held is not None:
            self.held.keep("s", loop.held, NOON)

    def client(self) -> httpx2.AsyncClient:
        """A client of this app."""
        return httpx2.AsyncClient(transport=Piecewise(self), base_url="http://clew", trust_env=False)


PATHS = {
    "anthropic": "/v1/messages",
    "openai": "/v1/chat/completions",
    "responses": "/v1/responses",
    "gemini": "/v1beta/models/gemini-2.5-flash:generateContent",
}


def request_of(wire: str, question: str, *, stream: bool = False, tools: bool = False) -> tuple[str, dict[str, Any]]:
    """Path and body of a request with one question; `tools` gives the client a tool of its own."""
    path = PATHS[wire]
    if wire == "gemini":
        declared = {"name": "weather", "description": "The weather.", "parametersJsonSchema": WEATHER}
        value: dict[str, Any] = {
            "contents": [{"role": "user", "parts": [{"text": question}]}],
            "generationConfig": {"thinkingConfig": {"includeThoughts": True}},
            **({"tools": [{"functionDeclarations": [declared]}]} if tools else {}),
        }
        return (path.replace("generateContent", "streamGenerateContent?alt=sse") if stream else path), value
    value = {"model": "scripted", "stream": stream}
    own: dict[str, Any] = {"name": "weather", "description": "The weather."}
    if wire == "anthropic":
        value |= {"max_tokens": 4_000, "thinking": {"type": "enabled", "budget_tokens": 2_000}}
        own["input_schema"] = WEATHER
    elif wire == "openai":
        own = {"type": "function", "function": {**own, "parameters": WEATHER}}
        value |= {"stream_options": {"include_usage": True}} if stream else {}
    else:
        own |= {"type": "function", "parameters": WEATHER, "strict": False}
        value |= {"reasoning": {"effort": "low"}, "include": ["reasoning.encrypted_content"], "store": False}
    messages = [{"role": "user", "content": question}]
    return path, {
        **value,
        "input" if wire == "responses" else "messages": messages,
        **({"tools": [own]} if tools else {}),
    }


async def asked(app: LoopApp, wire: str, path: str, value: dict[str, Any]) -> tuple[int, bytes, Any]:
    """Status, bytes and reading of the answer to a request."""
    async with app.client() as client:
        answer = await client.post(path, content=json.dumps(value), headers=HEADERS)
    body = answer.content
    reader = WIRES[wire].reader()
    reader.feed(body)
    return answer.status_code, body, reader.answer()


def paced(reply: Reply, sizes: tuple[int, ...]) -> Reply:
    """The reply in pieces of these sizes."""
    return replace(reply, pace=Pace(sizes))
