"""Odd and hostile requests: a clear error or the upstream's answer, and a server that goes on."""

import asyncio
import gzip
import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from clew import Memory
from tests.e2e.test_proxy_process import serving
from tests.support.proxies import RunningProxy, proxy
from tests.support.raw_upstreams import RawRequest, answer, ask, chunk, connected, post, raw_upstream, split

pytestmark = pytest.mark.slow  # programs and servers are started

CHAT = "/openai/v1/chat/completions"


def echo(request: RawRequest) -> list[bytes]:
    return [answer(request.line + b"\n" + request.body)]


def alive(server: RunningProxy) -> bool:
    return split(ask(server.url, post("/openai/v1/x", b"still here")))[2].endswith(b"still here")


HOST = b"Host: localhost\r\nConnection: close\r\n"
REFUSED = {
    "garbage": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "two hosts": b"GET /openai/x HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
    "no host": b"GET /openai/x HTTP/1.1\r\n\r\n",
    "huge header": b"GET /openai/x HTTP/1.1\r\n" + HOST + b"X-Long: " + b"a" * 4_000_000 + b"\r\n\r\n",
    "space in a name": b"GET /openai/x HTTP/1.1\r\n" + HOST + b"X-Clew Token: a\r\n\r\n",
    "two lengths": b"POST /openai/x HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
    "negative length": b"POST /openai/x HTTP/1.1\r\n" + HOST + b"Content-Length: -2\r\n\r\nabc",
    "odd coding": b"POST /openai/x HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "odd chunk": b"POST /openai/x HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
    "other site's address": b"GET http://evil.example/openai/x HTTP/1.1\r\n" + HOST + b"\r\n",
    "asterisk": b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n",
    "tunnel": b"CONNECT evil.example:443 HTTP/1.1\r\n" + HOST + b"\r\n",
}


@pytest.mark.requirement("P-RLY-20")
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_request_for_an_api_reaches_none(name: str) -> None:
    with raw_upstream(echo) as upstream, proxy(upstream.url) as server:
        try:
            raw = ask(server.url, REFUSED[name])
        except ConnectionError:  # it closed the connection before it had read all
            raw = b""
        status = split(raw)[0] if raw else 400
        assert status == 204 if name == "asterisk" else 400 <= status < 600, "what methods there are may be asked for"
        assert status != 500
        assert upstream.requests == [] or upstream.requests[0].body == b""
        assert alive(server)


@pytest.mark.requirement("P-RLY-20")
def test_a_request_hidden_in_another_is_not_passed_on() -> None:
    """Length and chunks at once: whoever goes by the other one would see a second request."""
    hidden = b"GET /openai/hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"
    head = b"POST /openai/x HTTP/1.1\r\n" + HOST + b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n"
    with raw_upstream(echo) as upstream, proxy(upstream.url) as server:
        ask(server.url, head % (5 + len(hidden)) + b"0\r\n\r\n" + hidden)
        assert all(request.body == b"" for request in upstream.requests)
        for request in upstream.requests:
            names = [name for name, _ in request.headers]
            assert names.count(b"content-length") + names.count(b"transfer-encoding") <= 1
        assert alive(server)


@pytest.mark.requirement("P-RLY-20")
def test_old_clients_and_bytes_after_the_end() -> None:
    with raw_upstream(echo) as upstream, proxy(upstream.url) as server:
        assert ask(server.url, b"GET /openai/v1/models HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 200")
        assert b"body" in ask(server.url, post("/openai/v1/x", b"body") + b"trailing bytes\r\n\r\n")
        assert upstream.requests[-1].body == b"body"
        assert alive(server)


@pytest.mark.requirement("P-RLY-20")
@pytest.mark.parametrize("path", ["/openai/v1/files", CHAT])
def test_a_client_that_leaves_while_it_sends_leaves_nothing(path: str) -> None:
    with raw_upstream(echo) as upstream, proxy(upstream.url) as server:
        with connected(server.url) as plug:
            plug.sendall(b"POST %b HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{" % path.encode())
        server.event("client-gone")
        assert alive(server)
        assert server.services.metrics.text({}).count('status="499"') == 1


@pytest.mark.requirement("P-RLY-20")
def test_a_body_that_grows_when_it_is_unpacked_is_not_unpacked() -> None:
    bomb = gzip.compress(bytes(300 << 20), compresslevel=1)
    with raw_upstream(echo) as upstream, proxy(upstream.url, read_bytes=4 << 20) as server:
        before = resident(os.getpid())
        ask(server.url, post(CHAT, bomb, b"Content-Encoding: gzip"))
        assert upstream.requests[0].body == bomb
        assert server.event("failed-open")["reason"] == "unreadable"
        assert resident(os.getpid()) - before < 60 << 20


def resident(process: int) -> int:
    """Bytes of a process in memory; skips the test where the system does not tell."""
    file = Path(f"/proc/{process}/statm")
    if not file.is_file():
        pytest.skip("needs /proc")
    return int(file.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.requirement("P-RLY-20")
def test_a_chat_larger_than_what_is_read_passes() -> None:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "x" * 3_000_000}]}).encode()
    with raw_upstream(echo) as upstream, proxy(upstream.url, read_bytes=1 << 20) as server:
        assert split(ask(server.url, post(CHAT, body)))[0] == 200
        assert upstream.requests[0].body == body


@pytest.mark.requirement("P-RLY-20")
@pytest.mark.parametrize("name", ["a b/c", "Übung", "%0d%0aSet-Cookie: x", "🧶", "x" * 3_000])
def test_any_name_of_a_conversation_comes_back_in_a_header(name: str) -> None:
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hello there."}]}).encode()
    with raw_upstream(lambda _: [answer(b"{}")]) as upstream, proxy(upstream.url) as server:
        raw = ask(server.url, post(CHAT, body, b"X-Clew-Session: " + name.encode()))
        status, headers, _ = split(raw)
        assert status == 200
        assert b"set-cookie" not in headers
        assert headers.get(b"x-clew-session", b"").isascii()


@pytest.mark.requirement("P-RLY-21")
@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 of POSIX systems")
def test_a_kill_in_the_middle_of_a_stream_loses_no_stored_turn(tmp_home: Path) -> None:
    stop = threading.Event()

    def reply(_: RawRequest) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        while not stop.wait(0.02):
            yield chunk(b'data: {"choices": [{"index": 0, "delta": {"content": "word "}}]}\n\n')

    with raw_upstream(reply) as upstream:
        try:
            for number in range(3):
                text = f"The door code of house {number} is {4700 + number}."
                value = {"model": "m", "stream": True, "messages": [{"role": "user", "content": text}]}
                with serving(tmp_home, "--upstream-openai", upstream.url) as (url, process), connected(url) as plug:
                    plug.sendall(post(CHAT, json.dumps(value).encode()))
                    while b"word" not in plug.recv(65_536):
                        continue
                    process.send_signal(signal.SIGKILL)
                    process.wait()
        finally:
            stop.set()
    with Memory.open(tmp_home / "memory", config={"embedder": "none"}) as memory:
        assert sum("door code" in turn.text for turn in memory.turns()) == 3
        assert memory.verify().problems == ()


@pytest.mark.requirement("SRV-ODD-01")
def test_an_odd_stream_passes_as_it_is_and_is_read() -> None:
    events = (
        b': ping\r\n\r\ndata: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"}}]}\r\n\r\n'
        b': comment\r\nevent: x\r\ndata: {"choices":[{"index":0,\r\ndata: "delta":{"content":" you"}}]}\r\n\r\n'
        b"data: [DONE]\r\n\r\n"
    )

    def odd(_request: RawRequest) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
        yield b"Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n"
        for at in range(0, len(events), 5):
            yield chunk(events[at : at + 5])
        yield b"0\r\nX-Sum: abc\r\n\r\n"

    value = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "Who is there?"}]}
    with (
        Memory.open(":memory:", config={"embedder": "none"}) as memory,
        raw_upstream(odd) as upstream,
        proxy(upstream.url, lambda _: memory, patience=20) as server,
    ):
        status, _, body = split(ask(server.url, post(CHAT, json.dumps(value).encode())))
        assert (status, body) == (200, events)
        until = time.monotonic() + 20
        while len(memory.turns()) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        assert [turn.text for turn in memory.turns()] == ["Who is there?", "Hello you"]


@pytest.mark.requirement("SRV-ODD-01")
def test_clients_that_never_end_their_heads_hold_up_nobody() -> None:
    with raw_upstream(echo) as upstream, proxy(upstream.url) as server, ExitStack() as open_ones:
        for _ in range(100):
            plug = open_ones.enter_context(connected(server.url))
            plug.sendall(b"POST /openai/v1/x HTTP/1.1\r\nHost: loc")
        assert alive(server)
        assert len(upstream.requests) == 1


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.requirement("P-RLY-22")
def test_two_hundred_streams_at_once_lose_no_byte() -> None:
    streams, pieces = 200, 40

    def reply(request: RawRequest) -> Iterator[bytes]:
        number = int(json.loads(request.body)["messages"][0]["content"].split()[-1])
        yield b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        text = told(number, pieces)
        odd = random.Random(number)  # noqa: S311  # sizes of pieces
        while text:
            size = odd.randint(1, 120)
            yield chunk(text[:size])
            text = text[size:]
        yield chunk(b"")

    async def one(url: str, number: int) -> bytes:
        host, _, port = url.removeprefix("http://").rpartition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        value = {"model": "m", "stream": True, "messages": [{"role": "user", "content": f"This is stream {number}"}]}
        writer.write(post(CHAT, json.dumps(value).encode()))
        raw = await reader.read(-1)
        writer.close()
        return split(raw)[2]

    async def everyone(url: str) -> list[bytes]:
        return await asyncio.gather(*(one(url, number) for number in range(streams)))

    with raw_upstream(reply) as upstream, proxy(upstream.url, patience=20, budget=0) as server:
        read = asyncio.run(everyone(server.url))
    wrong = {number: read[number][-300:] for number in range(streams) if read[number] != told(number, pieces)}
    assert wrong == {}


def told(number: int, pieces: int) -> bytes:
    event = b'data: {"choices": [{"index": 0, "delta": {"content": "%d-%d "}}]}\n\n'
    return b"".join(event % (number, piece) for piece in range(pieces)) + b"data: [DONE]\n\n"


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.requirement("P-RLY-22")
def test_memory_stays_flat_over_ten_thousand_requests(tmp_home: Path) -> None:
    """Half of them pass through, half are chats of which nothing is stored; what is stored takes its room by turns."""
    value = {"model": "m", "messages": [{"role": "user", "content": "Do not keep this."}]}
    requests = (post("/openai/v1/x", b"y" * 2_000), post(CHAT, json.dumps(value).encode(), b"X-Clew-Incognito: on"))
    sizes = []
    with (
        raw_upstream(lambda _: [answer(b"z" * 5_000)]) as upstream,
        serving(tmp_home, "--upstream-openai", upstream.url) as (url, process),
    ):
        for number in range(10_000):
            ask(url, requests[number % 2])
            if number in (2_000, 9_999):
                sizes.append(resident(process.pid))
    assert sizes[1] - sizes[0] < 8 << 20, sizes
