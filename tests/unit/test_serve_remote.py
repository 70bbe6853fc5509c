"""Encrypted connections, which upstreams close at awkward moments."""

import asyncio
import socket
import ssl
import struct
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import cast

import httpcore2
import httpx2
import pytest

from clew.serve.proxy.network.forward import Forwarder, Outgoing, Unreachable
from clew.serve.proxy.network.remote import RemoteNetwork, RemoteStream
from tests.support.raw_upstreams import read_request
from tests.support.tls_upstreams import HOST, put_certificate, tls_upstream

SOON = 60.0
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
KEPT_SHORTLY = b"HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1, max=100\r\nContent-Length: 2\r\n\r\nok"

pytestmark = pytest.mark.requirement("SRV-FAR-01")


class Upstream:
    """Answers, and closes its connections when it is told to."""

    def __init__(self, answer: bytes = OK, *, most: int = 100) -> None:
        self.answer, self.most = answer, most
        self.asked: list[int] = []
        self.plugs: list[ssl.SSLSocket] = []
        self.gone = threading.Semaphore(0)

    def serve(self, plug: ssl.SSLSocket) -> None:
        number = len(self.asked)
        self.asked.append(0)
        self.plugs.append(plug)
        with suppress(OSError, ValueError):  # it is closed
            while self.asked[number] < self.most and read_request(plug) is not None:
                self.asked[number] += 1
                if self.asked[number] < self.most:
                    plug.sendall(self.answer)

    async def met(self) -> None:
        """Waits until there is a connection."""
        until = time.monotonic() + SOON
        while not self.plugs and time.monotonic() < until:
            await asyncio.sleep(0.001)
        assert self.plugs

    def close_idle(self, *, kindly: bool) -> None:
        """Ends all connections: as TLS does, or without a word."""
        for plug in self.plugs:
            if kindly:
                plug.settimeout(0)
                with suppress(OSError):  # it does not wait for the other side's word
                    plug.unwrap()
            with suppress(OSError):  # its thread has heard of it, and closed it
                plug.shutdown(socket.SHUT_WR)
        time.sleep(0.05)  # it takes its way, also on loopback


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = put_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    return file


@pytest.fixture(params=[ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def version(request: pytest.FixtureRequest) -> ssl.TLSVersion:
    return cast(ssl.TLSVersion, request.param)


async def asked(forwarder: Forwarder, url: str, method: str = "POST") -> int:
    """Status of the answer to a question; that of the error where there is none."""
    try:
        answer = await forwarder.send(Outgoing(method, url, b"/v1/messages", [(b"content-length", b"0")], None))
    except Unreachable as error:
        return error.status
    assert [piece async for piece in answer.pieces()] == [b"ok"]
    await answer.aclose()
    return answer.status


def run(story: Callable[[Forwarder], Awaitable[list[int]]]) -> list[int]:
    """What a story with a forwarder gives."""

    async def told() -> list[int]:
        forwarder = Forwarder()
        try:
            return await story(forwarder)
        finally:
            await forwarder.close()

    return asyncio.run(told())


@pytest.mark.parametrize("waits", [0.0, 0.3])
def test_the_connection_that_was_opened_early_is_used(certificate: Path, version: ssl.TLSVersion, waits: float) -> None:
    upstream = Upstream()

    async def story(forwarder: Forwarder) -> list[int]:
        forwarder.preconnect(url)
        await asyncio.sleep(waits)  # in which TLS 1.3 sends its tickets
        return [await asked(forwarder, url)]

    with tls_upstream(certificate, upstream.serve, version) as url:
        assert run(story) == [200]
    assert upstream.asked == [1]


@pytest.mark.parametrize("early", [False, True])
def test_a_connection_is_used_for_many_requests(certificate: Path, version: ssl.TLSVersion, *, early: bool) -> None:
    upstream = Upstream()

    async def story(forwarder: Forwarder) -> list[int]:
        if early:
            forwarder.preconnect(url)
            await upstream.met()
        return [await asked(forwarder, url) for _ in range(50)]

    with tls_upstream(certificate, upstream.serve, version) as url:
        assert run(story) == [200] * 50
    assert upstream.asked == [50]


def test_what_stands_behind_an_encrypted_answer_is_no_answer_to_the_next_request(
    certificate: Path, version: ssl.TLSVersion
) -> None:
    upstream = Upstream(OK + OK)

    async def story(forwarder: Forwarder) -> list[int]:
        return [await asked(forwarder, url), await asked(forwarder, url)]

    with tls_upstream(certificate, upstream.serve, version) as url:
        assert run(story) == [200, 200]
    assert upstream.asked == [1, 1]


@pytest.mark.parametrize("kindly", [False, True])
def test_an_early_connection_that_was_closed_again_is_not_used(
    certificate: Path, version: ssl.TLSVersion, *, kindly: bool
) -> None:
    upstream = Upstream()

    async def story(forwarder: Forwarder) -> list[int]:
        forwarder.preconnect(url)
        await upstream.met()
        upstream.close_idle(kindly=kindly)
        return [await asked(forwarder, url)]

    with tls_upstream(certificate, upstream.serve, version) as url:
        assert run(story) == [200]
    assert upstream.asked == [0, 1]


@pytest.mark.parametrize("kindly", [False, True])
def test_a_connection_that_was_closed_while_it_was_kept_costs_nothing(
    certificate: Path, version: ssl.TLSVersion, *, kindly: bool
) -> None:
    upstream = Upstream()

    async def story(forwarder: Forwarder) -> list[int]:
        first = await asked(forwarder, url)
        upstream.close_idle(kindly=kindly)
        return [first, await asked(forwarder, url)]

    with tls_upstream(certificate, upstream.serve, version) as url:
        assert run(story) == [200, 200]
    assert upstream.asked == [1, 1]


@pytest.mark.parametrize("is_early", [False, True])
@pytest.mark.parametrize("kindly", [False, True])
def test_a_question_that_has_not_left_is_sent_over_another_connection(
    certificate: Path, version: ssl.TLSVersion, monkeypatch: pytest.MonkeyPatch, *, kindly: bool, is_early: bool
) -> None:
    upstream = Upstream()
    sending = httpcore2.AsyncHTTP11Connection._send_request_headers
    last: list[Callable[[], None]] = []

    async def late(self: httpcore2.AsyncHTTP11Connection, request: httpcore2.Request) -> None:
        if last:  # the library has looked at the connection, and found it open
            last.pop()()
        await sending(self, request)

    async def story(forwarder: Forwarder) -> list[int]:
        first = [] if is_early else [await asked(forwarder, url)]
        if is_early:
            forwarder.preconnect(url)
            await upstream.met()
        last.append(partial(upstream.close_idle, kindly=kindly))
        return [*first, await asked(forwarder, url)]

    monkeypatch.setattr(httpcore2.AsyncHTTP11Connection, "_send_request_headers", late)
    with tls_upstream(certificate, upstream.serve, version) as url:
        assert run(story) == ([200] if is_early else [200, 200])
    assert upstream.asked == [0 if is_early else 1, 1]


def test_a_question_that_may_have_been_read_is_not_sent_twice(certificate: Path, version: ssl.TLSVersion) -> None:
    upstream = Upstream(most=2)

    async def story(forwarder: Forwarder) -> list[int]:
        return [await asked(forwarder, url), await asked(forwarder, url), await asked(forwarder, url)]

    with tls_upstream(certificate, upstream.serve, version) as url:
        assert run(story) == [200, 502, 200]
    assert upstream.asked == [2, 1]


def test_a_connection_is_left_before_the_server_closes_it(certificate: Path) -> None:
    upstream, plain = Upstream(KEPT_SHORTLY), Upstream()

    async def story(forwarder: Forwarder) -> list[int]:
        return [await asked(forwarder, url), await asked(forwarder, url)]

    for each, wanted in ((upstream, [1, 1]), (plain, [2])):
        with tls_upstream(certificate, each.serve) as url:
            assert run(story) == [200, 200]
        assert each.asked == wanted


def test_an_answer_that_was_read_late_does_not_make_its_connection_young(certificate: Path) -> None:
    upstream = Upstream()

    async def story() -> bool:
        context = httpx2.create_ssl_context()
        network = RemoteNetwork(httpcore2.AnyIOBackend(), 0.3)
        stream = await network.connect_tcp(HOST, int(url.rpartition(":")[2]), timeout=SOON)
        stream = await stream.start_tls(context, HOST, timeout=SOON)
        await stream.write(b"POST / HTTP/1.1\r\n\r\n", SOON)
        until = time.monotonic() + SOON
        while upstream.asked != [1] and time.monotonic() < until:
            await asyncio.sleep(0)
        time.sleep(0.4)  # the loop is busy while the answer is there
        assert await stream.read(100, SOON) == OK
        is_left = bool(stream.get_extra_info("is_readable"))
        await stream.aclose()
        return is_left

    with tls_upstream(certificate, upstream.serve) as url:
        assert asyncio.run(story())


def test_a_body_that_is_still_sent_when_the_upstream_breaks_off_is_an_error_of_the_network(
    certificate: Path, version: ssl.TLSVersion
) -> None:
    def breaks(plug: ssl.SSLSocket) -> None:
        plug.recv(1)
        plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        socket.socket(fileno=plug.detach()).close()  # without a word: what comes is answered by a reset

    async def body() -> AsyncIterator[bytes]:
        for _ in range(200):
            yield b"x" * 65_536
            await asyncio.sleep(0.005)

    async def story(forwarder: Forwarder) -> list[int]:
        headers = [(b"transfer-encoding", b"chunked")]
        try:
            answer = await forwarder.send(Outgoing("POST", url, b"/v1/files", headers, body()))
        except Unreachable as error:
            return [error.status]
        await answer.aclose()
        return [answer.status]

    with tls_upstream(certificate, breaks, version) as url:
        assert run(story) == [502]


class Broken(httpcore2.AsyncNetworkStream):
    """A connection that was closed on this side after an error."""

    def get_extra_info(self, info: str) -> socket.socket | bool | None:
        if info == "socket":
            plug = socket.socket()
            plug.close()
            return plug
        return True if info == "is_readable" else None


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_nothing_is_written_to_a_connection_that_has_broken(*, is_encrypted: bool) -> None:
    stream = RemoteStream(Broken(), SOON, is_encrypted=is_encrypted)
    with pytest.raises(httpcore2.WriteError, match="has closed"):
        asyncio.run(stream.write(b"x"))
    assert stream.get_extra_info("is_readable")
