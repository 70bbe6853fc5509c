"""Chats through the proxy: what is remembered reaches the model, and what is off adds nothing."""

import gzip
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import brotli
import pytest
import zstandard

from clew import Memory
from clew.models.protocol import Matrix
from clew.serve.proxy.chats import ChatTicket
from clew.serve.scripted.echo_model import answer_from_request
from clew.serve.scripted.script import Reply
from clew.serve.scripted.server import ScriptedUpstream
from clew.testing import HashEmbedder
from tests.support.proxies import proxy
from tests.support.raw_upstreams import ask, post, split

FACT = "The backup code of the garage door is 4711, and it changes every spring."
QUESTION = "What is the backup code of the garage door?"

CHATS: dict[str, tuple[str, dict[str, Any]]] = {
    "anthropic": (
        "/anthropic/v1/messages",
        {"model": "claude-opus-4-1", "max_tokens": 99, "messages": [{"role": "user", "content": QUESTION}]},
    ),
    "openai": ("/openai/v1/chat/completions", {"model": "gpt-5", "messages": [{"role": "user", "content": QUESTION}]}),
    "responses": ("/v1/responses", {"model": "gpt-5", "input": [{"role": "user", "content": QUESTION}]}),
    "gemini": (
        "/gemini/v1beta/models/gemini-2.5-pro:generateContent",
        {"contents": [{"role": "user", "parts": [{"text": QUESTION}]}]},
    ),
}
KEYS = (b"x-api-key: k", b"anthropic-version: 2023-06-01", b"Authorization: Bearer k", b"x-goog-api-key: k")


def filled(**more: Any) -> Callable[[str], Memory]:
    """Opens memories that know the fact."""

    def opening(space: str) -> Memory:
        memory = Memory.open(":memory:", space=space, config={"embedder": "none"}, **more)
        memory.update(FACT, "Noted.", session="house")
        memory.drain(200)
        return memory

    return opening


def scripted() -> ScriptedUpstream:
    return ScriptedUpstream(answer_from_request)


@pytest.mark.requirement("P-RLY-08")
@pytest.mark.parametrize("wire", list(CHATS))
def test_what_is_remembered_reaches_the_model(wire: str) -> None:
    path, value = CHATS[wire]
    upstream = scripted()
    with upstream.serving() as url, proxy(url, filled()) as server:
        status, headers, body = split(ask(server.url, post(path, json.dumps(value).encode(), *KEYS)))
        assert (status, b"4711" in body) == (200, True), body
        name = headers[b"x-clew-receipt"].decode()
        assert server.services.spaces.get("default").explain(name).id == name
    (sent,) = upstream.chats()
    assert QUESTION in sent.body.decode()


@pytest.mark.requirement("P-RLY-08")
@pytest.mark.parametrize(
    ("settings", "headers"),
    [({"inject": False}, ()), ({}, (b"X-Clew-Inject: off",)), ({}, (b"X-Clew-Incognito: on",)), ({"budget": 0}, ())],
)
@pytest.mark.parametrize("wire", list(CHATS))
def test_where_it_is_off_requests_stay_byte_for_byte(
    wire: str, settings: dict[str, Any], headers: tuple[bytes, ...]
) -> None:
    path, value = CHATS[wire]
    body = json.dumps(value, indent=3).encode()
    upstream = scripted()
    with upstream.serving() as url, proxy(url, filled(), **settings) as server:
        status, told, _ = split(ask(server.url, post(path, body, *KEYS, *headers)))
        packed = gzip.compress(body)
        ask(server.url, post(path, packed, *KEYS, *headers, b"Content-Encoding: gzip"))
    assert status == 200
    assert b"x-clew-receipt" not in told
    assert [request.body for request in upstream.chats()] == [body, packed]


@pytest.mark.requirement("P-IDN-25")
def test_who_asks_for_another_answer_is_not_shown_the_one_before() -> None:
    path = CHATS["openai"][0]
    begun = [{"role": "user", "content": "We build a ferry."}]
    answers = iter(["Which one?", "Her funnel gets magenta.", "Her funnel gets teal.", "Yes."])
    upstream = ScriptedUpstream(lambda _request: Reply(next(answers)))

    def say(url: str, messages: Sequence[Mapping[str, str]]) -> None:
        assert (
            split(ask(url, post(path, json.dumps({"model": "gpt-5", "messages": messages}).encode(), *KEYS)))[0] == 200
        )

    with upstream.serving() as url, proxy(url) as server:
        say(server.url, begun)
        begun += [{"role": "assistant", "content": "Which one?"}]
        begun += [{"role": "user", "content": "Which colour gets the funnel of the ferry?"}]
        say(server.url, begun)
        say(server.url, begun)
        assert b"magenta" not in upstream.chats()[-1].body
        say(server.url, [{"role": "user", "content": "Did the funnel of the ferry get magenta?"}])
        assert b"(replaced): Her funnel gets magenta." in upstream.chats()[-1].body


@pytest.mark.requirement("P-LFT-07")
@pytest.mark.parametrize(("encoding", "packed"), [(b"br", brotli.compress), (b"zstd", zstandard.compress)])
def test_compressed_requests_are_remembered(encoding: bytes, packed: Callable[[bytes], bytes]) -> None:
    path, value = CHATS["openai"]
    body = packed(json.dumps(value).encode())
    upstream = scripted()
    with upstream.serving() as url, proxy(url, filled()) as server:
        told, _ = split(ask(server.url, post(path, body, *KEYS, b"Content-Encoding: " + encoding)))[1:]
        assert b"x-clew-session" in told
        sent = upstream.chats()[-1]
        assert "content-encoding" not in dict(sent.headers)


@pytest.mark.requirement("P-LFT-07")
def test_what_cannot_be_unpacked_is_forwarded_and_counted() -> None:
    upstream = scripted()
    with upstream.serving() as url, proxy(url, filled()) as server:
        ask(server.url, post(CHATS["openai"][0], b"xz...", *KEYS, b"Content-Encoding: xz"))
        assert server.event("failed-open")["reason"] == "compressed"
        assert 'clew_failed_open_total{reason="compressed"} 1' in server.services.metrics.text({})


@pytest.mark.requirement("P-FMT-11")
def test_nothing_is_added_to_a_message_that_asks_nothing() -> None:
    def opening(space: str) -> Memory:
        memory = filled()(space)
        for number in range(30):
            memory.update(f"Yes, thanks, parcel {number} came 👍", "Good.", session="house")
        return memory

    upstream = scripted()
    with upstream.serving() as url, proxy(url, opening) as server:
        for text in ("Thanks!", "Yes.", "👍"):
            body = json.dumps({"model": "gpt-5", "messages": [{"role": "user", "content": text}]}).encode()
            ask(server.url, post("/openai/v1/chat/completions", body, *KEYS))
            assert upstream.chats()[-1].body == body


class WatchedEmbedder(HashEmbedder):
    """An embedder that remembers which threads it ran in."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: set[str] = set()

    def embed(self, texts: Sequence[str]) -> Matrix:
        self.threads.add(threading.current_thread().name)
        return super().embed(texts)


@pytest.mark.requirement("P-RLY-23")
def test_no_recall_runs_on_the_event_loop() -> None:
    path, value = CHATS["openai"]
    embedder = WatchedEmbedder()
    memory = Memory.open(":memory:", embedder=embedder)
    memory.update(FACT, "Noted.", session="house")
    memory.drain(200)
    embedder.threads.clear()
    with scripted().serving() as url, proxy(url, lambda _: memory) as server:
        ask(server.url, post(path, json.dumps(value).encode(), *KEYS))
        asked = {name for name in embedder.threads if not name.startswith("clew-worker")}
    assert {name.rpartition("_")[0] for name in asked} == {"clew-proxy"}


@pytest.mark.requirement("P-RLY-23")
def test_a_block_is_recorded_only_when_the_request_still_waits() -> None:
    waiting, late = ChatTicket(), ChatTicket()
    assert waiting.take()
    assert not waiting.give_up()
    assert late.give_up()
    assert not late.take()


@pytest.mark.requirement("P-RLY-08")
def test_a_header_turns_adding_on() -> None:
    path, value = CHATS["openai"]
    upstream = scripted()
    with upstream.serving() as url, proxy(url, filled(), inject=False) as server:
        body = gzip.compress(json.dumps(value).encode())
        answer = ask(server.url, post(path, body, *KEYS, b"X-Clew-Inject: on", b"Content-Encoding: gzip"))
    assert b"4711" in split(answer)[2]
    (sent,) = upstream.chats()
    assert "content-encoding" not in dict(sent.headers)


@pytest.mark.requirement("P-RLY-08")
def test_what_nobody_spoke_of_adds_nothing() -> None:
    value = {"model": "gpt-5", "messages": [{"role": "user", "content": "How tall do sequoias grow in Oregon?"}]}
    upstream = scripted()
    with upstream.serving() as url, proxy(url, filled()) as server:
        ask(server.url, post("/openai/v1/chat/completions", json.dumps(value).encode(), *KEYS))
    (sent,) = upstream.chats()
    assert b"4711" not in sent.body
