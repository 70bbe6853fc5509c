"""Bugs of the proxy itself: the request goes on all the same."""

import asyncio
import io
import json
from collections.abc import Callable, MutableMapping
from typing import Any, cast

import pytest

from clew.config import ServeConfig
from clew.serve.access import Principal
from clew.serve.event_log import EventLog
from clew.serve.metrics import Metrics
from clew.serve.proxy.chats import Chat, PreparedChat, Unchanged
from clew.serve.proxy.handle import Proxy, incoming
from clew.serve.proxy.held_calls import HeldExchange
from clew.serve.proxy.history.fetched_answers import Fetch
from clew.serve.proxy.kept_answer import KeptAnswer
from clew.serve.proxy.network.forward import Forwarder
from clew.serve.proxy.request_body import RequestBody
from clew.serve.proxy.upstreams import upstreams
from clew.serve.proxy.workers import Workers
from tests.support.proxies import NOON
from tests.support.raw_upstreams import answer, raw_upstream

BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hello."}]}).encode()


class BrokenPreparation:
    """Raises where the real one never does."""

    def prepare(self, chat: Chat) -> PreparedChat:
        raise ZeroDivisionError(chat)

    def stop(self) -> None:
        pass

    def without_memory(self, chat: Chat, why: Unchanged) -> PreparedChat:
        raise ZeroDivisionError(chat, why)

    def fetched(self, space: str, fetch: Fetch, answer: KeptAnswer) -> None:
        raise NotImplementedError

    def hold(self, chat: Chat, prepared: PreparedChat, held: HeldExchange) -> None:
        raise ZeroDivisionError(chat, prepared, held)

    def after(self, chat: Chat, prepared: PreparedChat, answer: KeptAnswer | None) -> Callable[[], None]:
        raise ZeroDivisionError(chat, prepared, answer)


class BrokenAnswer(BrokenPreparation):
    """Prepares a chat whose answer cannot be begun."""

    def prepare(self, chat: Chat) -> PreparedChat:
        return PreparedChat(receipt=cast(str, len(chat.raw)))


async def passed(
    url: str, log: io.StringIO, preparation: BrokenPreparation | None = None
) -> list[MutableMapping[str, Any]]:
    """What the client gets."""
    config, metrics, sent = ServeConfig(upstream_openai=url), Metrics(), list[MutableMapping[str, Any]]()
    workers, forwarder = Workers(preparation or BrokenPreparation(), 1, 5.0, metrics), Forwarder()
    handling = Proxy(config, upstreams(config), forwarder, workers, metrics, EventLog(lambda: NOON, log))
    waiting = [{"type": "http.request", "body": BODY, "more_body": False}]

    async def receive() -> MutableMapping[str, Any]:
        if not waiting:
            await asyncio.sleep(60)
        return waiting.pop()

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    scope = {
        "method": "POST",
        "raw_path": b"/openai/v1/chat/completions",
        "query_string": b"",
        "headers": [(b"content-length", b"%d" % len(BODY))],
    }
    await handling.handle(incoming(scope), Principal("default"), receive, send)
    await workers.close()
    await forwarder.close()
    return sent


@pytest.mark.requirement("P-RLY-09")
def test_a_bug_of_the_proxy_leaves_the_request_to_go_on() -> None:
    log = io.StringIO()
    with raw_upstream(lambda request: [answer(b"got " + request.body)]) as upstream:
        sent = asyncio.run(passed(upstream.url, log))
    assert sent[0]["status"] == 200
    assert b"".join(message.get("body", b"") for message in sent) == b"got " + BODY
    assert [json.loads(line)["event"] for line in log.getvalue().splitlines()] == ["relay-failed"]


@pytest.mark.requirement("P-RLY-09")
def test_a_bug_after_the_upstream_was_asked_does_not_ask_it_again() -> None:
    log = io.StringIO()
    with raw_upstream(lambda request: [answer(b"got " + request.body)]) as upstream:
        sent = asyncio.run(passed(upstream.url, log, BrokenAnswer()))
    assert [request.body for request in upstream.requests] == [BODY]
    assert sent[0]["status"] == 502
    assert b"send the request again" in b"".join(message.get("body", b"") for message in sent)
    events = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [event["event"] for event in events][:2] == ["relay-failed", "upstream-broken"]


@pytest.mark.requirement("P-RLY-05")
@pytest.mark.parametrize("sizes", [(6, 6, 6), (6, 6)])
def test_a_body_that_is_too_long_is_so_however_often_it_is_asked_for(sizes: tuple[int, ...]) -> None:
    async def ask() -> None:
        parts = [b"x" * size for size in sizes]
        coming = iter([{"type": "http.request", "body": part, "more_body": True} for part in parts[:-1]])

        async def receive() -> MutableMapping[str, Any]:
            return next(coming, {"type": "http.request", "body": parts[-1], "more_body": False})

        body = RequestBody(receive)
        assert await body.whole(10) is None
        assert await body.whole(10) is None
        assert [part async for part in body.parts()] == parts

    asyncio.run(ask())
