"""Clients that close their sending side after the request, as `nc -N` and some programs of HTTP/1.0 do."""

import socket
import threading

import pytest

from tests.support.proxies import proxy
from tests.support.raw_upstreams import PATIENCE, RawRequest, connected, post, raw_upstream, split

BODY = b'{"input": "x"}'
ANSWER = b"a" * 300_000


def half_closed(url: str, request: bytes, go_on: threading.Event) -> bytes:
    """Sends a request and the end of sending, lets the upstream answer only then, and gives all that comes."""
    with connected(url) as plug:
        plug.sendall(request)
        plug.shutdown(socket.SHUT_WR)
        go_on.set()
        return b"".join(iter(lambda: plug.recv(65_536), b""))


@pytest.mark.requirement("P-RLY-49")
@pytest.mark.parametrize("version", [b"HTTP/1.0", b"HTTP/1.1"])
@pytest.mark.parametrize("path", ["/openai/v1/embeddings", "/openai/v1/chat/completions"])
def test_a_client_that_sends_no_more_gets_its_answer_whole(version: bytes, path: str) -> None:
    go_on = threading.Event()

    def reply(_: RawRequest) -> list[bytes]:
        go_on.wait(PATIENCE)
        return [b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(ANSWER), ANSWER[:1000], ANSWER[1000:]]

    with raw_upstream(reply) as upstream, proxy(upstream.url) as server:
        raw = half_closed(server.url, post(path, BODY).replace(b"HTTP/1.1", version), go_on)
    status, _, body = split(raw)
    assert (status, body) == (200, ANSWER)
