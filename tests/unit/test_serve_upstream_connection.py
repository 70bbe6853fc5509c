"""One connection to an upstream, which closes it as a question is on its way."""

import asyncio
import socket
import ssl
import time
from collections.abc import AsyncIterator, Awaitable

import pytest

from clew.serve.proxy.connection_pool import IDLE, Origin
from clew.serve.proxy.forward import Forwarder, Outgoing, Unreachable
from clew.serve.proxy.upstream_connection import ConnectionFailed, UpstreamConnection
from tests.raw_upstreams import closing_upstream

SOON = 60.0
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


async def asked(forwarder: Forwarder, url: str) -> int:
    """Status of the answer to a question; that of the error where there is none."""
    try:
        answer = await forwarder.send(Outgoing("POST", url, b"/v1/messages", [(b"content-length", b"0")], None))
    except Unreachable as error:
        return error.status
    assert [piece async for piece in answer.pieces()] == [b"ok"]
    await answer.aclose()
    return answer.status


async def pair(listening: socket.socket, idle: float = SOON) -> tuple[UpstreamConnection, socket.socket]:
    """A connection, and the upstream's side of it."""
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(lambda: UpstreamConnection(idle, SOON), *listening.getsockname())
    plug, _ = await loop.run_in_executor(None, listening.accept)
    plug.settimeout(SOON)
    return connection, plug


async def sent(connection: UpstreamConnection, body: bytes | AsyncIterator[bytes] | None, seconds: float) -> None:
    size = (b"content-length", b"%d" % len(body)) if isinstance(body, bytes) else (b"transfer-encoding", b"chunked")
    await connection.send("POST", b"/", [(b"host", b"x"), size], body, seconds)


async def answered(connection: UpstreamConnection, sending: Awaitable[None], seconds: float) -> int:
    await sending
    return (await connection.head(seconds)).status_code


@pytest.mark.requirement("SRV-NEAR-01")
def test_an_answer_that_was_read_late_does_not_make_its_connection_young() -> None:
    async def run(url: str, came: list[list[bytes]]) -> list[int]:
        forwarder = Forwarder(idle_near=0.5)
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
        forwarder = Forwarder(idle_near=SOON)
        statuses = [await asked(forwarder, url), await asked(forwarder, url)]
        await forwarder.close()
        return statuses

    with closing_upstream() as (url, came):
        assert asyncio.run(run(url)) == [200, 502]  # this server had it, and may have read it: it is not sent twice
    assert came == [[b"POST", b"POST"]]


@pytest.mark.requirement("SRV-NEAR-01")
def test_nothing_is_sent_over_a_connection_that_the_other_side_has_closed() -> None:
    async def run() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            connection, plug = await pair(listening)
            plug.shutdown(socket.SHUT_WR)
            assert not connection.is_usable()  # before the loop has seen the end
            with pytest.raises(ConnectionFailed) as failed:
                await sent(connection, b"two", SOON)
            assert failed.value.is_unprocessed
            connection.close()
            assert await asyncio.get_running_loop().run_in_executor(None, plug.recv, 10) == b""
            plug.close()

    asyncio.run(run())


@pytest.mark.requirement("SRV-NEAR-01")
def test_a_request_that_was_sent_in_part_is_unprocessed_and_one_that_was_sent_whole_may_not_be() -> None:
    async def failed(body: bytes, *, reads: bool) -> ConnectionFailed:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            connection, plug = await pair(listening)
            sending = asyncio.ensure_future(sent(connection, body, SOON))
            if reads:
                await sending
                assert (await asyncio.get_running_loop().run_in_executor(None, plug.recv, 1000)).endswith(body)
            else:
                await asyncio.sleep(0.01)
            plug.close()
            with pytest.raises(ConnectionFailed) as error:
                await answered(connection, sending, SOON)
            connection.close()
            return error.value

    assert asyncio.run(failed(b"x" * (64 << 20), reads=False)).is_unprocessed
    assert not asyncio.run(failed(b"x", reads=True)).is_unprocessed


@pytest.mark.requirement("SRV-NEAR-01")
def test_a_connection_that_is_silent_or_takes_nothing_fails_in_time() -> None:
    async def run() -> list[str]:
        causes = []
        with socket.create_server(("127.0.0.1", 0)) as listening:
            for body in (b"x", b"x" * (64 << 20)):
                connection, plug = await pair(listening)
                with pytest.raises(ConnectionFailed) as failed:
                    await answered(connection, sent(connection, body, 0.01), 0.01)
                causes.append(failed.value.cause)
                assert failed.value.is_late
                connection.close()
                plug.close()
        return causes

    assert asyncio.run(run()) == ["ReadTimeout", "WriteTimeout"]


@pytest.mark.requirement("SRV-NEAR-01")
def test_an_answer_that_comes_before_the_end_of_the_request_is_read() -> None:
    refusal = b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

    async def run() -> int:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            connection, plug = await pair(listening)

            async def parts() -> AsyncIterator[bytes]:
                yield b"one"
                plug.sendall(refusal)
                plug.shutdown(socket.SHUT_WR)
                await asyncio.sleep(0.01)
                yield b"two"

            await sent(connection, parts(), SOON)
            status = (await connection.head(SOON)).status_code
            assert not connection.begin_anew()
            connection.close()
            plug.close()
            return status

    assert asyncio.run(run()) == 413


@pytest.mark.requirement("SRV-NEAR-01")
@pytest.mark.parametrize(
    ("said", "is_kept"),
    [
        (OK, True),
        (OK + b"HTTP/1.1 200 OK\r\n", False),
        (b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", False),
        (b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK, True),
    ],
)
def test_a_connection_serves_another_request_where_its_answer_allows_it(said: bytes, is_kept: bool) -> None:
    async def run() -> bool:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            connection, plug = await pair(listening)
            await sent(connection, b"x", SOON)
            plug.sendall(said)
            assert (await connection.head(SOON)).status_code == 200
            assert b"".join([piece async for piece in connection.pieces(SOON)]) == b"ok"
            kept = connection.begin_anew()
            connection.close()
            plug.close()
            return kept

    assert asyncio.run(run()) is is_kept


@pytest.mark.requirement("SRV-NEAR-01")
def test_connections_to_other_machines_know_their_age_in_the_same_way() -> None:
    """A TLS server without a certificate, and a loop that is busy while the second answer comes."""
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    for context in (server, client):
        context.maximum_version = ssl.TLSVersion.TLSv1_2  # whose suites without certificates 1.3 does not have
        context.set_ciphers("AECDH-AES256-SHA:@SECLEVEL=0")

    async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async for line in reader:
            if line == b"\r\n":
                writer.write(OK)
        writer.close()

    async def run() -> list[bool]:
        listening = await asyncio.start_server(answered, "127.0.0.1", 0, ssl=server)
        port = listening.sockets[0].getsockname()[1]
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(
            lambda: UpstreamConnection(0.5, SOON), "127.0.0.1", port, ssl=client
        )
        found = []
        for is_busy in (False, True):
            await connection.send("GET", b"/", [(b"host", b"x")], None, SOON)
            head = asyncio.ensure_future(connection.head(SOON))
            await asyncio.sleep(0)
            if is_busy:
                time.sleep(0.6)
            assert (await head).status_code == 200
            assert [piece async for piece in connection.pieces(SOON)] == [b"ok"]
            assert connection.begin_anew()
            found.append(connection.is_usable())
        connection.close()
        listening.close()
        await listening.wait_closed()
        return found

    assert asyncio.run(run()) == [True, False]
    assert Origin("api.example", 443, True, b"api.example").is_encrypted
    assert IDLE > 1
