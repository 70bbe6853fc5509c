"""Connections that are kept, and those that open while a request is prepared: taken by it, or closed."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from clew import Memory
from clew.serve.proxy.connection_pool import KEPT, ConnectionPool, Origin, origin_of
from clew.serve.proxy.forward import Forwarder, Outgoing
from clew.serve.proxy.upstream_connection import ConnectionFailed, UpstreamConnection
from tests.proxies import START, proxy
from tests.raw_upstreams import answer, ask, post, raw_upstream, split

PLACE = Origin("api.example", 80, False, b"api.example")
SOON = 60.0
BODY = b'{"model": "m", "messages": [{"role": "user", "content": "Which tea was it?"}]}'


class Peer(asyncio.Protocol):
    """The upstream's side of a connection."""

    def __init__(self) -> None:
        self.is_closed = asyncio.Event()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  # asyncio's form
        self.is_closed.set()


class Pool(ConnectionPool):
    """Connects to a server of the test, whatever the origin, when it is told to."""

    def __init__(self, life: float = SOON) -> None:
        super().__init__(ssl.create_default_context(), SOON, life)
        self.go = asyncio.Event()
        self.go.set()
        self.error: Exception | None = None
        self.peers: list[Peer] = []
        self.port = 0

    async def _connected(self, make: Callable[[], UpstreamConnection], origin: Origin) -> UpstreamConnection:
        assert origin == PLACE
        await self.go.wait()
        if self.error is not None:
            raise self.error
        _, connection = await asyncio.get_running_loop().create_connection(make, "127.0.0.1", self.port)
        return connection


@asynccontextmanager
async def serving(life: float = SOON) -> AsyncIterator[Pool]:
    pool = Pool(life)

    def peer() -> Peer:
        pool.peers.append(Peer())
        return pool.peers[-1]

    server = await asyncio.get_running_loop().create_server(peer, "127.0.0.1", 0)
    pool.port = server.sockets[0].getsockname()[1]
    try:
        yield pool
    finally:
        await pool.close()
        for each in pool.peers:
            await asyncio.wait_for(each.is_closed.wait(), SOON)
        server.close()
        await server.wait_closed()


async def until(met: Callable[[], bool]) -> None:
    async with asyncio.timeout(SOON):
        while not met():
            await asyncio.sleep(0.001)


@pytest.mark.requirement("SRV-EARLY-01")
def test_a_request_takes_the_connection_that_was_begun_for_it() -> None:
    async def run() -> None:
        async with serving() as pool:
            pool.open_early(PLACE)
            pool.open_early(PLACE)
            taken = await pool.connection(PLACE)
            await until(lambda: len(pool.peers) == 1)
            another = await pool.connection(PLACE)
            await until(lambda: len(pool.peers) == 2)
            taken.close()
            another.close()

    asyncio.run(run())


@pytest.mark.requirement("SRV-EARLY-01")
@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://bücher.example/v1", ("xn--bcher-kva.example", 80, False, b"xn--bcher-kva.example")),
        ("http://[::1]:8080", ("::1", 8080, False, b"[::1]:8080")),
        ("HTTPS://API.example", ("api.example", 443, True, b"api.example")),
    ],
)
def test_any_address_of_an_upstream_is_connected_to(url: str, origin: tuple[str, int, bool, bytes]) -> None:
    assert origin_of(url) == origin


@pytest.mark.requirement("SRV-EARLY-01")
def test_a_connection_that_ended_meanwhile_is_not_taken() -> None:
    async def run() -> None:
        async with serving() as pool:
            pool.open_early(PLACE)
            await until(lambda: len(pool.peers) == 1 and not pool._openings)
            pool.peers[0].transport.close()
            await asyncio.wait_for(pool.peers[0].is_closed.wait(), SOON)
            taken = await pool.connection(PLACE)
            await until(lambda: len(pool.peers) == 2)
            assert taken.is_usable()
            taken.close()

    asyncio.run(run())


@pytest.mark.requirement("SRV-EARLY-01")
def test_a_connection_that_fails_is_told_to_the_request_that_waits_and_to_no_later_one() -> None:
    async def run() -> None:
        async with serving() as pool:
            pool.go.clear()
            pool.error = OSError("refused")
            pool.open_early(PLACE)
            waiting = asyncio.ensure_future(pool.connection(PLACE))
            await asyncio.sleep(0)
            pool.go.set()
            with pytest.raises(ConnectionFailed, match="ConnectError"):
                await waiting
            pool.open_early(PLACE)
            await asyncio.sleep(0.01)
            pool.error = None
            (await pool.connection(PLACE)).close()

    asyncio.run(run())


@pytest.mark.requirement("SRV-EARLY-01")
@pytest.mark.parametrize("how", ["never taken", "server ends", "server ends at once", "client leaves"])
def test_a_connection_that_nobody_takes_is_closed(how: str) -> None:
    async def run() -> None:  # `serving` waits until every connection is closed
        async with serving(life=0.0 if how == "never taken" else SOON) as pool:
            if how in ("server ends at once", "client leaves"):
                pool.go.clear()
            pool.open_early(PLACE)
            await asyncio.sleep(0)
            if how == "never taken":
                await until(lambda: len(pool.peers) == 1)
                await asyncio.wait_for(pool.peers[0].is_closed.wait(), SOON)
            elif how == "server ends":
                await until(lambda: len(pool.peers) == 1)
            elif how == "client leaves":
                leaving = asyncio.ensure_future(pool.connection(PLACE))
                await asyncio.sleep(0)
                leaving.cancel()
                pool.go.set()
                await until(lambda: len(pool.peers) == 1)
                later = await pool.connection(PLACE)  # who comes next has it
                assert len(pool.peers) == 1
                later.close()

    asyncio.run(run())


@pytest.mark.requirement("SRV-EARLY-01")
def test_no_more_connections_are_kept_than_may_be() -> None:
    async def run() -> None:
        async with serving() as pool:
            taken = [await pool.connection(PLACE) for _ in range(KEPT + 1)]
            await until(lambda: len(pool.peers) == KEPT + 1)
            for connection in taken:
                pool._keep(PLACE, connection)
            await until(lambda: sum(peer.is_closed.is_set() for peer in pool.peers) == 1)
            pool.peers[0].transport.close()
            await asyncio.wait_for(pool.peers[0].is_closed.wait(), SOON)
            again = await pool.connection(PLACE)
            pool._keep(PLACE, again)
            assert sum(peer.is_closed.is_set() for peer in pool.peers) == 2  # the one that had ended, and no other

    asyncio.run(run())


@pytest.mark.requirement("SRV-EARLY-01")
def test_the_connection_opens_while_the_memory_is_asked() -> None:
    with raw_upstream(lambda _: [answer(b"{}")]) as upstream:

        def opening(space: str) -> Memory:
            assert upstream.accepted.wait(START), "no connection came while the memory was opened"
            return Memory.open(":memory:", space=space, config={"embedder": "none"})

        with proxy(upstream.url, opening, patience=START) as server:
            assert split(ask(server.url, post("/openai/v1/chat/completions", BODY)))[0] == 200
            assert not any(event["event"] == "failed-open" for event in server.events)
    assert len(upstream.requests) == 1


@pytest.mark.requirement("SRV-EARLY-01")
def test_where_the_environment_names_a_proxy_requests_go_over_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> bytes:
        forwarder = Forwarder()
        forwarder.open_early("http://api.example")
        headers = [(b"host", b"api.example"), (b"content-length", b"0")]
        received = await forwarder.send(Outgoing("POST", "http://api.example", b"/v1/messages", headers, None))
        body = b"".join([piece async for piece in received.pieces()])
        await received.aclose()
        await forwarder.close()
        return body

    with raw_upstream(lambda request: [answer(request.line)]) as upstream:
        monkeypatch.setenv("http_proxy", upstream.url)
        assert asyncio.run(run()) == b"POST http://api.example/v1/messages HTTP/1.1"
    assert len(upstream.requests) == 1
