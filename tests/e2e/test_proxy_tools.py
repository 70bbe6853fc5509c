"""Clew's tools through the proxy: the model calls them, the client sees one answer."""

import json
from typing import Any

import pytest

from clew.serve.scripted.script import RecordedRequest, Reply, ToolUse
from clew.serve.scripted.server import ScriptedUpstream
from tests.e2e.test_proxy_chats import CHATS, KEYS, filled
from tests.e2e.test_proxy_stores import eventually, stored
from tests.support.proxies import proxy
from tests.support.raw_upstreams import ask, post, split

WITHOUT = {"anthropic": "tool_use", "openai": "tool_calls", "responses": "function_call", "gemini": "functionCall"}


def looks_up(request: RecordedRequest) -> Reply:
    """Asks Clew's tool first, then says what it told."""
    body = json.dumps(request.value)
    if "[house" not in body and "4711" not in body:
        return Reply("Let me look.", calls=(ToolUse("clew_find_quote", {"text": "backup code"}),))
    return Reply("It is 4711." if "4711" in body else "I do not know.")


@pytest.mark.requirement("P-RLY-18")
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("wire", list(CHATS))
def test_the_client_sees_one_answer(wire: str, stream: bool) -> None:
    path, value = CHATS[wire]
    if stream and wire == "gemini":
        path = path.replace("generateContent", "streamGenerateContent") + "?alt=sse"
    elif stream:
        value = {**value, "stream": True, **({"store": False} if wire == "responses" else {})}
    upstream = ScriptedUpstream(looks_up)
    with upstream.serving() as url, proxy(url, filled(), budget=0, tools=True) as server:
        request = post(path, json.dumps(value).encode(), *KEYS, b"Accept-Encoding: gzip")
        status, told, body = split(ask(server.url, request))
        assert (status, b"4711" in body, b"clew_find_quote" in body) == (200, True, False), body
        session = told[b"x-clew-session"]
        eventually(lambda: "4711" in stored(server, session)[-1][1], wanted=True)
        assert {role for role, _ in stored(server, session)[1:]} == {"assistant"}
    assert len(upstream.chats()) == 2


@pytest.mark.requirement("P-RLY-18")
@pytest.mark.parametrize(("headers", "settings"), [((b"X-Clew-Tools: off",), {"tools": True}), ((), {})])
def test_tools_are_offered_only_where_they_are_on(headers: tuple[bytes, ...], settings: dict[str, Any]) -> None:
    path, value = CHATS["openai"]
    upstream = ScriptedUpstream()
    with upstream.serving() as url, proxy(url, filled(), budget=0, **settings) as server:
        ask(server.url, post(path, json.dumps(value).encode(), *KEYS, *headers))
        ask(server.url, post(path, json.dumps(value).encode(), *KEYS, b"X-Clew-Tools: on"))
    first, second = upstream.chats()
    assert b"clew_find_quote" not in first.body
    assert b"clew_find_quote" in second.body
