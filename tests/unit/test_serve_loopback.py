"""Connections to servers on this machine, which these close as a question is on its way to them."""

import asyncio
import socket
import time

import httpcore2
import pytest

from clew.serve.proxy.network.forward import Forwarder, Outgoing, Unreachable
from clew.serve.proxy.network.loopback import LoopbackNetwork
from tests.support.raw_upstreams import closing_upstream

SOON = 60.0


async def asked(forwarder: Forwarder, url: str) -> int:
    """Status of the answer to a question; that of the error where there is none."""
    try:
        answer = await forwarder.send(Outgoing("POST", url, b"/v1/messages", [(b"content-length", b"0")], None))
    except Unreachable as error:
        return error.status
    assert [piece async for piece in answer.pieces()] == [b"ok"]
    await answer.aclose()
    return answer.status


@pytest.mark.requirement("SRV-NEAR-01")
def test_an_answer_that_was_read_late_does_not_make_its_connection_young() -> None:
    async def run(url: str, came: list[list[bytes]]) -> list[int]:
        forwarder = Forwarder(idle_plain=0.5)
        first = asyncio.ensure_future(asked(forwarder, url))
        until = time.monotonic() + SOON
        while came != [[b"POST"]] and time.monotonic() < until:
            await asyncio.sleep(0)
        time.sleep(0.6)  # the loop is busy while the answer is there
        statuses = [await first, await asked(forwarder, url)]
        await forwarder.close()
        return statuses

    with closing_upstream() as (url, came):
        assert asyncio.run(run(url, came)) == [200, 200]
    assert came == [[b"POST"], [b"POST"]]


@pytest.mark.requirement("SRV-NEAR-01")
def test_a_connection_is_used_again_while_it_is_young() -> None:
    async def run(url: str) -> list[int]:
        forwarder = Forwarder(idle_plain=SOON)
        statuses = [await asked(forwarder, url), await asked(forwarder, url)]
        await forwarder.close()
        return statuses

    with closing_upstream() as (url, came):
        assert asyncio.run(run(url)) == [200, 502]  # this server had it, and may have read it: it is not sent twice
    assert came == [[b"POST", b"POST"]]


@pytest.mark.parametrize("surplus", [b"\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"])
@pytest.mark.requirement("SRV-NEAR-01")
def test_what_stands_behind_an_answer_is_no_answer_to_the_next_request(surplus: bytes) -> None:
    async def run(url: str) -> list[int]:
        forwarder = Forwarder(idle_plain=SOON)
        statuses = [await asked(forwarder, url), await asked(forwarder, url)]
        await forwarder.close()
        return statuses

    with closing_upstream(surplus=surplus) as (url, came):
        assert asyncio.run(run(url)) == [200, 200]
    assert came == [[b"POST"], [b"POST"]]


@pytest.mark.requirement("SRV-NEAR-01")
def test_nothing_is_written_to_a_connection_that_the_other_side_has_closed() -> None:
    async def run() -> bytes:
        loop = asyncio.get_running_loop()
        with socket.create_server(("127.0.0.1", 0)) as listening:
            stream = await LoopbackNetwork(SOON).connect_tcp("localhost", listening.getsockname()[1], timeout=SOON)
            plug, _ = await loop.run_in_executor(None, listening.accept)
            await stream.write(b"one")
            plug.shutdown(socket.SHUT_WR)
            with pytest.raises(httpcore2.WriteError, match="has closed"):
                await stream.write(b"two")
            assert await stream.read(10) == b""
            await stream.aclose()
            plug.settimeout(SOON)
            said = b"".join(iter(lambda: plug.recv(10), b""))
            plug.close()
            return said

    assert asyncio.run(run()) == b"one"


@pytest.mark.requirement("SRV-NEAR-01")
def test_what_cannot_be_reached_or_does_not_answer_is_an_error_of_the_library() -> None:
    async def run() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
            stream = await LoopbackNetwork(SOON).connect_tcp("127.0.0.1", port)
            with pytest.raises(httpcore2.ReadTimeout):
                await stream.read(1, timeout=0.01)
            with pytest.raises(httpcore2.WriteTimeout):
                await stream.write(b"x" * (64 << 20), timeout=0.01)
            await stream.aclose()
        with pytest.raises(httpcore2.ConnectError):
            await LoopbackNetwork(SOON).connect_tcp("127.0.0.1", port)

    asyncio.run(run())
