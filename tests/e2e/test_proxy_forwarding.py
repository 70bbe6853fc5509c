"""What passes through the proxy: every byte, as it comes, in both directions, and nothing of Clew's own."""

import asyncio
import gzip
import json
import threading
from collections.abc import Iterator
from itertools import chain

import pytest

from clew.serve.proxy.network.forward import IDLE_PLAIN, Attempt, Forwarder, Outgoing, Unreachable
from tests.support.proxies import proxy
from tests.support.raw_upstreams import (
    RawRequest,
    answer,
    ask,
    chunk,
    closing_upstream,
    connected,
    post,
    raw_upstream,
    split,
)

NEW = ["connection.connect_tcp.complete"]
BODY = b'{"model": "m",   "odd": [1.0, "\\u00e9"],\r\n "x":null}'


def echo(request: RawRequest) -> list[bytes]:
    """Says what it got: the first line and the body."""
    return [answer(request.line + b"\n" + request.body)]


@pytest.mark.requirement("P-RLY-02")
@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("/openai/v1/embeddings?a=%20b&c", b"/v1/embeddings?a=%20b&c"),
        ("/anthropic/v1/files/a%2Fb", b"/v1/files/a%2Fb"),
        ("/gemini/v1beta/models/x:embedContent?key=k", b"/v1beta/models/x:embedContent?key=k"),
        ("/v1/models", b"/v1/models"),
        ("/v1beta/models", b"/v1beta/models"),
        ("/openai/~a!$&'()*+,;=:@", b"/~a!$&'()*+,;=:@"),
        ("/anthropic", b"/"),
        ("/anthropic?a=b", b"/?a=b"),
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "PURGE"])
def test_every_path_and_method_goes_on_byte_for_byte(path: str, wanted: bytes, method: str) -> None:
    with raw_upstream(echo) as upstream, proxy(upstream.url) as server:
        raw = post(path, BODY, b"Authorization: Bearer k").replace(b"POST", method.encode())
        status, _, body = split(ask(server.url, raw))
    assert (status, body) == (200, b"%b %b HTTP/1.1\n%b" % (method.encode(), wanted, BODY))


@pytest.mark.requirement("P-RLY-02")
@pytest.mark.parametrize("method", [b"GET", b"HEAD", b"OPTIONS"])
def test_requests_without_a_body_get_none(method: bytes) -> None:
    with raw_upstream(lambda _: [answer(b"" if method == b"HEAD" else b"ok", b"X-A: b")]) as upstream:
        with proxy(upstream.url) as server:
            raw = ask(
                server.url, method + b" /openai/v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            )
        status, headers, _ = split(raw)
        assert (status, headers[b"x-a"]) == (200, b"b")
        names = {name for name, _ in upstream.requests[0].headers}
        assert not {b"content-length", b"transfer-encoding"} & names


@pytest.mark.requirement("P-RLY-03")
def test_headers_go_on_without_those_of_the_connection_and_of_clew() -> None:
    given = (
        b"X-Api-Key: secret",
        b"anthropic-version: 2023-06-01",
        b"X-Clew-Session: s",
        b"x_clew_token: t",
        b"Connection: X-Hop",
        b"X-Hop: 1",
        b"TE: trailers",
        b"Keep-Alive: 5",
        b"Proxy-Authorization: p",
        b"Cookie: a=b",
        b"Cookie: c=d",
        b"X-Odd: \xe9",
    )
    with raw_upstream(echo) as upstream, proxy(upstream.url) as server:
        ask(server.url, post("/anthropic/v1/files", BODY, *given))
        headers = upstream.requests[0].headers
    assert [(n, v) for n, v in headers if n not in (b"host", b"content-length")] == [
        (b"x-api-key", b"secret"),
        (b"anthropic-version", b"2023-06-01"),
        (b"cookie", b"a=b"),
        (b"cookie", b"c=d"),
        (b"x-odd", b"\xe9"),
    ]
    assert (b"host", upstream.url.removeprefix("http://").encode()) in headers


@pytest.mark.requirement("P-RLY-03")
def test_cookies_of_one_client_are_not_kept_for_another() -> None:
    with raw_upstream(lambda _: [answer(b"", b"Set-Cookie: id=1; Path=/")]) as upstream, proxy(upstream.url) as server:
        _, headers, _ = split(ask(server.url, post("/openai/x")))
        ask(server.url, post("/openai/x"))
        assert headers[b"set-cookie"] == b"id=1; Path=/"
        assert all(name != b"cookie" for request in upstream.requests for name, _ in request.headers)


@pytest.mark.requirement("P-RLY-02")
@pytest.mark.parametrize("encoding", [b"gzip", b"br", b"zstd", b"deflate"])
def test_compressed_and_chunked_bodies_stay_as_they_are(encoding: bytes) -> None:
    packed = gzip.compress(BODY)
    with raw_upstream(echo) as upstream, proxy(upstream.url) as server:
        ask(server.url, post("/openai/v1/files", packed, b"Content-Encoding: " + encoding))
        head = b"POST /openai/v1/files HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        ask(
            server.url,
            head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk(packed[:9]) + chunk(packed[9:]) + chunk(b""),
        )
        assert [request.body for request in upstream.requests] == [packed, packed]
        assert (b"content-encoding", encoding) in upstream.requests[0].headers


@pytest.mark.requirement("P-RLY-04")
@pytest.mark.parametrize(
    ("status", "header"),
    [(b"429 Slow down", b"Retry-After: 7"), (b"529 Overloaded", b"retry-after: 3"), (b"400 Bad", b"A: b")],
)
def test_errors_of_the_upstream_pass_unchanged(status: bytes, header: bytes) -> None:
    text = b'{"type":"error",  "odd":1}'
    with raw_upstream(lambda _: [answer(text, header, status=status)]) as upstream, proxy(upstream.url) as server:
        code, headers, body = split(ask(server.url, post("/anthropic/v1/x")))
    name, _, value = header.partition(b": ")
    assert (code, headers[name.lower()], body) == (int(status[:3]), value, text)


@pytest.mark.requirement("P-RLY-05")
@pytest.mark.parametrize(
    ("path", "mark"),
    [
        ("/anthropic/v1/x", b'"type": "error"'),
        ("/openai/v1/x", b'"param": null'),
        ("/gemini/v1beta/x", b'"code": 502'),
    ],
)
def test_an_upstream_that_is_not_there_is_an_error_of_the_api(path: str, mark: bytes) -> None:
    with proxy("http://127.0.0.1:9") as server:
        status, headers, body = split(ask(server.url, post(path)))
        assert (status, headers[b"content-type"]) == (502, b"application/json")
        assert mark in body
        assert server.event("upstream-unreachable")["cause"] == "ConnectError"


@pytest.mark.requirement("P-RLY-05")
@pytest.mark.parametrize("nonsense", [b"", b"hello\r\n\r\n", b"HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n"])
def test_an_upstream_that_answers_nonsense_is_an_error_of_the_api(nonsense: bytes) -> None:
    with raw_upstream(lambda _: [nonsense]) as upstream, proxy(upstream.url) as server:
        assert split(ask(server.url, post("/openai/v1/x")))[0] == 502


@pytest.mark.requirement("P-RLY-02")
def test_an_upstream_on_this_machine_is_reached_without_the_proxy_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with raw_upstream(echo) as upstream, proxy(upstream.url) as server:
        assert split(ask(server.url, post("/openai/v1/x")))[0] == 200


@pytest.mark.requirement("P-RLY-04")
def test_an_answer_is_relayed_while_it_comes() -> None:
    go = threading.Event()

    def reply(_: RawRequest) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b"data: 1\n\n")
        assert go.wait(60)
        yield chunk(b"data: 2\n\n") + chunk(b"")

    with raw_upstream(reply) as upstream, proxy(upstream.url) as server, connected(server.url) as plug:
        plug.sendall(post("/openai/v1/x"))
        read = b""
        while b"data: 1\n\n" not in read:
            read += plug.recv(65_536)
        go.set()
        read += b"".join(iter(lambda: plug.recv(65_536), b""))
    assert split(read)[2] == b"data: 1\n\ndata: 2\n\n"


@pytest.mark.requirement("P-RLY-04")
@pytest.mark.parametrize("head", [b"Transfer-Encoding: chunked", b"Content-Length: 100"])
def test_an_answer_that_breaks_off_breaks_off_for_the_client(head: bytes) -> None:
    part = chunk(b"half") if b"chunked" in head else b"half"
    whole = b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n" + part
    with raw_upstream(lambda _: [whole]) as upstream, proxy(upstream.url) as server:
        raw = ask(server.url, post("/openai/v1/x"))
        server.event("upstream-broken")
    assert b"half" in raw
    assert not raw.endswith(b"0\r\n\r\n")


@pytest.mark.requirement("P-RLY-06")
def test_a_client_that_leaves_ends_the_upstream() -> None:
    stop = threading.Event()

    def reply(_: RawRequest) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(b"one")
        while not stop.wait(0.02):
            yield chunk(b"more")

    with raw_upstream(reply) as upstream, proxy(upstream.url) as server:
        with connected(server.url) as plug:
            plug.sendall(post("/openai/v1/x"))
            plug.recv(10)
        try:
            assert upstream.left.acquire(timeout=60)
            server.event("client-gone")
        finally:
            stop.set()


@pytest.mark.requirement("P-RLY-06")
def test_a_slow_reader_slows_the_upstream_down() -> None:
    sent = 0

    def reply(_: RawRequest) -> Iterator[bytes]:
        nonlocal sent
        yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        piece = chunk(bytes(1 << 20))
        for _each in range(200):
            yield piece
            sent += 1
        yield chunk(b"")

    with raw_upstream(reply) as upstream, proxy(upstream.url) as server, connected(server.url) as plug:
        plug.sendall(post("/openai/v1/x"))
        plug.recv(10)
        before = -1
        while before != sent:
            before = sent
            threading.Event().wait(0.5)
        held = sent
        size = sum(map(len, iter(lambda: plug.recv(1 << 20), b"")))
    assert held < 40, "megabytes in the buffers of three sockets"
    assert size > 200 << 20


@pytest.mark.requirement("P-RLY-02")
def test_a_hundred_megabytes_pass() -> None:
    body = bytes(100 << 20)
    with raw_upstream(lambda request: [answer(b"%d" % len(request.body))]) as upstream, proxy(upstream.url) as server:
        assert split(ask(server.url, post("/openai/v1/files", body)))[2] == b"%d" % len(body)


@pytest.mark.requirement("P-RLY-07")
@pytest.mark.parametrize(
    "path",
    ["/openai/../x", "/openai/%2e%2e/x", "/openai/a%2f..%2fb", "/openai/a\\b", "/openai/%00", "/clewx", "/", "/etc"],
)
def test_other_paths_and_steps_up_are_refused(path: str) -> None:
    with raw_upstream(echo) as upstream, proxy(upstream.url) as server:
        assert split(ask(server.url, post(path)))[0] in (400, 404)
        assert upstream.requests == []


@pytest.mark.requirement("P-RLY-07")
def test_websockets_are_refused_clearly() -> None:
    with raw_upstream(echo) as upstream, proxy(upstream.url) as server:
        head = b"GET /openai/v1/responses HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\n"
        status, _, body = split(ask(server.url, head + b"Upgrade: websocket\r\n\r\n"))
        assert (status, b"plain HTTP" in body, upstream.requests) == (426, True, [])


@pytest.mark.requirement("P-RLY-60")
def test_a_whole_address_in_the_request_line_is_served_where_it_is_our_own() -> None:
    with raw_upstream(echo) as upstream, proxy(upstream.url) as server:
        own = server.url
        status, _, body = split(ask(own, post(f"{own}/openai/v1/files?x=1", BODY)))
        assert (status, body) == (200, b"POST /v1/files?x=1 HTTP/1.1\n" + BODY)
        assert split(ask(own, post(f"{own}/clew/mcp")))[0] != 404
        assert split(ask(own, post("*").replace(b"POST", b"OPTIONS")))[0] == 204
        assert len(upstream.requests) == 1


@pytest.mark.requirement("P-RLY-60")
@pytest.mark.parametrize(
    ("method", "target", "named"),
    [
        (b"POST", "http://api.openai.com/v1/chat/completions", b"'api.openai.com'"),
        (b"POST", "http://127.0.0.1:11434/v1/chat/completions", b"'127.0.0.1:11434'"),  # a model on this machine
        (b"POST", "http://127.0.0.1:x/v1/models", b"another server"),
        (b"POST", "http://ann:secret@127.0.0.1/v1/models", b"another server"),
        (b"POST", "ftp://127.0.0.1:{port}/v1/models", b"another server"),
        (b"CONNECT", "api.openai.com:443", b"'api.openai.com:443'"),
        (b"CONNECT", "127.0.0.1:{port}", b"127.0.0.1"),
    ],
)
def test_who_takes_clew_for_an_http_proxy_is_told_what_to_set(method: bytes, target: str, named: bytes) -> None:
    with raw_upstream(echo) as upstream, proxy(upstream.url) as server:
        port = server.url.rpartition(":")[2]
        status, _, body = split(ask(server.url, post(target.format(port=port)).replace(b"POST", method, 1)))
        assert (status, upstream.requests) == (421, [])
        assert named in body
        assert f"{server.url}/openai/v1".encode() in body
        assert b"secret" not in body


@pytest.mark.requirement("P-RLY-52")
def test_an_offer_of_another_version_of_http_is_passed_over() -> None:
    """As Java's client makes it in the first request of each connection: its body follows in HTTP/1.1."""
    offer = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk"
    first = post("/openai/v1/embeddings", BODY, offer).replace(b"Connection: close\r\n", b"")
    with raw_upstream(echo) as upstream, proxy(upstream.url) as server:
        told = ask(server.url, first + post("/openai/v1/files", BODY))
        lines = [request.line for request in upstream.requests]
        assert lines == [b"POST /v1/embeddings HTTP/1.1", b"POST /v1/files HTTP/1.1"]
        assert [request.body for request in upstream.requests] == [BODY, BODY]
        assert told.count(b"HTTP/1.1 200 OK") == 2
        assert b"upgrade" not in b"".join(request.head.lower() for request in upstream.requests)


@pytest.mark.requirement("P-RLY-53")
@pytest.mark.parametrize("raw", [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"])
def test_what_is_no_http_is_refused_in_the_shape_of_an_api(raw: bytes) -> None:
    with raw_upstream(echo) as upstream, proxy(upstream.url) as server:
        status, headers, body = split(ask(server.url, raw))
        assert (status, upstream.requests) == (400, [])
        assert json.loads(body)["error"]["type"] == "invalid_request_error"
        assert int(headers[b"content-length"]) == len(body)


@pytest.mark.requirement("P-LFT-10")
@pytest.mark.parametrize(("method", "statuses"), [("GET", [200, 200]), ("POST", [200, 502])])
def test_a_connection_that_was_closed_meanwhile_costs_no_answer_that_may_be_asked_for_again(
    method: str, statuses: list[int]
) -> None:
    head = f"{method} /openai/v1/files HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    request = f"{head}Content-Length: 0\r\n\r\n"
    with closing_upstream() as (url, asked), proxy(url) as server:
        assert [split(ask(server.url, request.encode()))[0] for _ in range(2)] == statuses
        assert [*chain.from_iterable(asked)] == [method.encode()] * (3 if method == "GET" else 2)


@pytest.mark.requirement("P-LFT-10")
def test_a_question_whose_end_never_went_out_is_sent_again() -> None:
    body = b" " * (16 << 20)  # more than the buffers of a connection hold
    with closing_upstream(reads_whole=False) as (url, asked), proxy(url) as server:
        for size in (1, len(body)):
            assert split(ask(server.url, post("/openai/v1/chat/completions", body[:size])))[0] == 200
        assert asked == [[b"POST"], [b"POST"]]


@pytest.mark.requirement("SRV-IDLE-01")
@pytest.mark.parametrize(("idle", "statuses"), [(0.0, [200, 200, 200]), (60.0, [200, 502])])
def test_a_question_goes_not_over_a_connection_that_was_idle_for_long(idle: float, statuses: list[int]) -> None:
    async def posted(url: str) -> list[int]:
        forwarder = Forwarder(idle)
        found = []
        for _ in statuses:
            try:
                answer = await forwarder.send(Outgoing("POST", url, b"/v1/files", [(b"content-length", b"0")], None))
                found.append(answer.status)
                assert [piece async for piece in answer.pieces()] == [b"ok"]
                await answer.aclose()
            except Unreachable as error:
                found.append(error.status)
        await forwarder.close()
        return found

    with closing_upstream() as (url, asked):
        assert asyncio.run(posted(url)) == statuses
        assert [*chain.from_iterable(asked)] == [b"POST"] * len(statuses)
    assert IDLE_PLAIN < 5  # after which such servers close a connection


@pytest.mark.requirement("P-LFT-10")
@pytest.mark.parametrize(
    ("method", "body", "events", "repeats"),
    [
        ("POST", b"x", ["http11.send_request_headers.failed"], True),
        ("POST", None, ["http11.send_request_headers.failed"], True),
        ("POST", b"x", ["http11.send_request_headers.complete", "http11.send_request_body.failed"], True),
        ("POST", b"x", ["http11.send_request_headers.complete", "http11.send_request_body.complete"], False),
        ("POST", b"x", [*NEW, "http11.send_request_headers.complete", "http11.send_request_body.failed"], False),
        ("POST", None, ["http11.send_request_headers.complete", "http11.send_request_body.failed"], False),
        ("PUT", b"x", ["http11.send_request_headers.complete"], True),
        ("POST", b"x", ["connection.connect_tcp.complete", "http11.send_request_headers.failed"], True),
        ("GET", None, ["connection.connect_tcp.started", "http11.send_request_headers.complete"], False),
        ("GET", None, ["connection.connect_tcp.started", "connection.connect_tcp.failed"], False),
        ("GET", None, ["connection.connect_tcp.complete", "connection.start_tls.failed"], False),
        ("GET", None, ["http11.send_request_headers.complete", "http11.receive_response_headers.complete"], False),
    ],
)
def test_what_may_be_sent_again(method: str, body: bytes | None, events: list[str], repeats: bool) -> None:  # a column
    attempt = Attempt()
    for event in events:
        asyncio.run(attempt.note(event, {}))
    assert attempt.may_be_repeated(Outgoing(method, "http://x", b"/", [], body)) is repeats
