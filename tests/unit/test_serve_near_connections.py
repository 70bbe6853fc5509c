"""Connections to servers on this machine, which these close as a question is on its way to them."""

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import httpcore2
import pytest

from clew.serve.proxy.forward import Forwarder, Outgoing, Unreachable
from clew.serve.proxy.near_connections import NearNetwork

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
SOON = 60.0


@contextmanager
def server() -> Iterator[tuple[str, list[int]]]:
    """Answers the first request of each connection, and closes it at the second; gives the requests of each."""
    listening = socket.create_server(("127.0.0.1", 0))
    came: list[int] = []

    def serve() -> None:
        while True:
            try:
                plug, _ = listening.accept()
            except OSError:  # closed: the test is over
                return
            came.append(0)
            with plug:
                plug.settimeout(SOON)
                while plug.recv(4_096).endswith(b"\r\n\r\n") and came[-1] == 0:
                    came[-1] += 1
                    plug.sendall(ANSWER)

    thread = Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", came
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(SOON)


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
    async def run(url: str, came: list[int]) -> list[int]:
        forwarder = Forwarder(idle_near=0.5)
        first = asyncio.ensure_future(asked(forwarder, url))
        until = time.monotonic() + SOON
        while came != [1] and time.monotonic() < until:
            await asyncio.sleep(0)
        time.sleep(0.6)  # the loop is busy while the answer is there
        statuses = [await first, await asked(forwarder, url)]
        await forwarder.close()
        return statuses

    with server() as (url, came):
        assert asyncio.run(run(url, came)) == [200, 200]
    assert came == [1, 1]


@pytest.mark.requirement("SRV-NEAR-01")
def test_a_connection_is_used_again_while_it_is_young() -> None:
    async def run(url: str) -> list[int]:
        forwarder = Forwarder(idle_near=SOON)
        statuses = [await asked(forwarder, url), await asked(forwarder, url)]
        await forwarder.close()
        return statuses

    with server() as (url, came):
        assert asyncio.run(run(url)) == [200, 502]  # this server had it, and may have read it: it is not sent twice
    assert came == [1]


@pytest.mark.requirement("SRV-NEAR-01")
def test_nothing_is_written_to_a_connection_that_the_other_side_has_closed() -> None:
    async def run() -> bytes:
        loop = asyncio.get_running_loop()
        with socket.create_server(("127.0.0.1", 0)) as listening:
            stream = await NearNetwork(SOON).connect_tcp("localhost", listening.getsockname()[1], timeout=5)
            plug, _ = await loop.run_in_executor(None, listening.accept)
            await stream.write(b"one")
            plug.shutdown(socket.SHUT_WR)
            with pytest.raises(httpcore2.WriteError, match="has closed"):
                await stream.write(b"two")
            assert await stream.read(10) == b""
            await stream.aclose()
            plug.settimeout(5)
            said = b"".join(iter(lambda: plug.recv(10), b""))
            plug.close()
            return said

    assert asyncio.run(run()) == b"one"


@pytest.mark.requirement("SRV-NEAR-01")
def test_what_cannot_be_reached_or_does_not_answer_is_an_error_of_the_library() -> None:
    async def run() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
            stream = await NearNetwork(SOON).connect_tcp("127.0.0.1", port)
            with pytest.raises(httpcore2.ReadTimeout):
                await stream.read(1, timeout=0.01)
            with pytest.raises(httpcore2.WriteTimeout):
                await stream.write(b"x" * (64 << 20), timeout=0.01)
            await stream.aclose()
        with pytest.raises(httpcore2.ConnectError):
            await NearNetwork(SOON).connect_tcp("127.0.0.1", port)

    asyncio.run(run())
