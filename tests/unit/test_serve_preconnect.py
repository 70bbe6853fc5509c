"""Connections that open while a request is prepared: taken by it, or closed."""

import asyncio
import ssl
from collections.abc import Iterable
from typing import Any

import httpcore2
import pytest

from clew import Memory
from clew.serve.proxy.network.forward import Forwarder, Outgoing
from clew.serve.proxy.network.preconnect import PreconnectNetwork, PreconnectTransport
from tests.support.proxies import START, proxy
from tests.support.raw_upstreams import answer, ask, post, raw_upstream, split

PLACE = ("api.example", 443)
BODY = b'{"model": "m", "messages": [{"role": "user", "content": "Which tea was it?"}]}'


class Stream(httpcore2.AsyncNetworkStream):
    """A connection to nowhere."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.has_ended = self.is_closed = False

    async def aclose(self) -> None:
        self.is_closed = True

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,  # noqa: ARG002  # the library's form
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002  # the same
    ) -> "Stream":
        self.name += f" as {server_hostname}"
        return self

    def get_extra_info(self, info: str) -> Any:
        return self.has_ended if info == "is_readable" else None


class Network(httpcore2.AsyncNetworkBackend):
    """Gives connections when it is told to."""

    def __init__(self) -> None:
        self.opened: list[Stream] = []
        self.go = asyncio.Event()
        self.error: Exception | None = None

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002  # the same
        local_address: str | None = None,  # noqa: ARG002  # the same
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002  # the same
    ) -> Stream:
        await self.go.wait()
        if self.error is not None:
            raise self.error
        self.opened.append(Stream(f"{host}:{port}"))
        return self.opened[-1]


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.requirement("SRV-EARLY-01")
def test_a_request_takes_the_connection_that_was_begun_for_it() -> None:
    async def run() -> None:
        network = Network()
        early, context = PreconnectNetwork(network), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        early.begin(PLACE, context, 5)
        early.begin(PLACE, context, 5)
        network.go.set()
        taken = await early.connect_tcp(*PLACE)
        secured = await taken.start_tls(context, "api.example")
        assert [stream.name for stream in network.opened] == ["api.example:443 as api.example"]
        assert secured is network.opened[0]
        await early.connect_tcp(*PLACE)
        assert len(network.opened) == 2

    asyncio.run(run())


@pytest.mark.requirement("SRV-EARLY-01")
@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://bücher.example/v1", "xn--bcher-kva.example:80"),
        ("http://[::1]:8080", "::1:8080"),
        ("HTTP://API.example", "api.example:80"),
    ],
)
def test_any_address_of_an_upstream_is_connected_to(url: str, place: str) -> None:
    async def run() -> list[str]:
        network = Network()
        network.go.set()
        transport = PreconnectTransport(network, ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), 1, 60.0)
        transport.preconnect(url, 5)
        await settled()
        await transport.aclose()
        return [stream.name for stream in network.opened]

    assert asyncio.run(run()) == [place]


@pytest.mark.requirement("SRV-EARLY-01")
def test_a_connection_that_ended_meanwhile_is_not_taken() -> None:
    async def run() -> None:
        network = Network()
        early = PreconnectNetwork(network)
        network.go.set()
        early.begin(PLACE, None, 5)
        await settled()
        network.opened[0].has_ended = True
        assert await early.connect_tcp(*PLACE) is network.opened[1]
        assert network.opened[0].is_closed

    asyncio.run(run())


@pytest.mark.requirement("SRV-EARLY-01")
def test_a_connection_that_fails_is_told_to_the_request_that_waits_and_to_no_later_one() -> None:
    async def run() -> None:
        network = Network()
        early = PreconnectNetwork(network)
        network.error = httpcore2.ConnectError("refused")
        early.begin(PLACE, None, 5)
        waiting = asyncio.ensure_future(early.connect_tcp(*PLACE))
        await settled()
        network.go.set()
        with pytest.raises(httpcore2.ConnectError):
            await waiting
        early.begin(PLACE, None, 5)
        await settled()
        network.error = None
        assert await early.connect_tcp(*PLACE) is network.opened[0]

    asyncio.run(run())


@pytest.mark.requirement("SRV-EARLY-01")
@pytest.mark.parametrize("how", ["never taken", "server ends", "server ends at once", "client leaves"])
def test_a_connection_that_nobody_takes_is_closed(how: str) -> None:
    async def run() -> list[Stream]:
        network = Network()
        early = PreconnectNetwork(network, life=0.0 if how == "never taken" else 60.0)
        if how != "server ends at once":
            network.go.set()
        early.begin(PLACE, None, 5)
        if how == "client leaves":
            network.go.clear()
            leaving = asyncio.ensure_future(early.connect_tcp(*PLACE))
            await settled()
            leaving.cancel()
            network.go.set()
            await settled()
        elif how == "server ends":
            await settled()
        elif how == "never taken":
            while not (network.opened and network.opened[0].is_closed):
                await asyncio.sleep(0)
            return network.opened
        await early.close()
        return network.opened

    assert all(stream.is_closed for stream in asyncio.run(run()))


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
        forwarder.preconnect("http://api.example")
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
