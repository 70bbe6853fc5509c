"""An upstream that keeps every byte that it gets and answers with given bytes; and plain sockets that ask a server."""

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

PATIENCE = 60.0
UPSTREAM = 20.0
"""Seconds for which the upstream waits for the rest of a request that breaks off."""


@dataclass(frozen=True, slots=True)
class RawRequest:
    """A request as its bytes came: the head with its empty line, and the body, of which the chunks are put together."""

    head: bytes
    body: bytes

    @property
    def line(self) -> bytes:
        return self.head.split(b"\r\n")[0]

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        lines = self.head.split(b"\r\n")[1:]
        return [(name.lower(), value.strip()) for name, _, value in (line.partition(b":") for line in lines) if name]


Reply = Callable[[RawRequest], Iterable[bytes]]


def answer(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    """A whole answer, after which the connection ends: nobody may send a second request on it."""
    head = [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), b"Connection: close", *headers]
    return b"\r\n".join(head) + b"\r\n\r\n" + body


def chunk(piece: bytes) -> bytes:
    """One chunk of a chunked answer; the empty one is its end."""
    return b"%x\r\n%b\r\n" % (len(piece), piece)


@dataclass
class RawUpstream:
    """A running upstream."""

    url: str
    requests: list[RawRequest] = field(default_factory=list)
    left: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    """Released whenever the proxy has closed a connection on which an answer was being sent."""
    accepted: threading.Event = field(default_factory=threading.Event)
    """Set when the first connection came."""


@contextmanager
def raw_upstream(reply: Reply) -> Iterator[RawUpstream]:
    """Answers each connection's first request with the bytes that `reply` gives, then closes it."""
    listening = socket.create_server(("127.0.0.1", 0))
    upstream = RawUpstream(f"http://127.0.0.1:{listening.getsockname()[1]}")
    threads: list[threading.Thread] = []

    def accept() -> None:
        while True:
            try:
                plug, _ = listening.accept()
            except OSError:  # closed: the test is over
                return
            upstream.accepted.set()
            threads.append(threading.Thread(target=serve, args=(plug,), daemon=True))
            threads[-1].start()

    def serve(plug: socket.socket) -> None:
        with plug:
            plug.settimeout(UPSTREAM)
            try:
                request = read_request(plug)
                if request is None:
                    return
                upstream.requests.append(request)
                for piece in reply(request):
                    plug.sendall(piece)
            except OSError:  # the proxy closed its end
                upstream.left.release()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield upstream
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()
        for each in threads:
            each.join(UPSTREAM)


@contextmanager
def closing_upstream(*, reads_whole: bool = True, surplus: bytes = b"") -> Iterator[tuple[str, list[list[bytes]]]]:
    """Answers the first request of each connection, keeps the connection, and closes it when the next one comes.

    Gives its address, and the methods of the requests of each connection.

    Args:
        reads_whole: whether it closes when the next request has come, and not as soon as it begins.
        surplus: what it sends behind the end of its answer, together with it.
    """
    listening = socket.create_server(("127.0.0.1", 0))
    asked: list[list[bytes]] = []

    def serve() -> None:
        while True:
            try:
                plug, _ = listening.accept()
            except OSError:  # closed: the test is over
                return
            asked.append([])
            with plug:
                plug.settimeout(60)
                for n in range(2):
                    if n == 1 and not reads_whole:
                        plug.recv(1)
                        break
                    request = read_request(plug)
                    if request is None:
                        break
                    asked[-1].append(request.line.split()[0])
                    if n == 0:
                        plug.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + surplus)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", asked
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join(60)


def read_request(plug: socket.socket) -> RawRequest | None:
    """The next request of a connection; None when it ends before one is complete."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = plug.recv(65_536)
        if not part:
            return None
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    request = RawRequest(head + b"\r\n\r\n", b"")
    sizes = dict(request.headers)
    if b"transfer-encoding" in sizes:
        while not body.endswith(b"0\r\n\r\n"):
            body += plug.recv(65_536)
        return RawRequest(request.head, unchunked(body))
    wanted = int(sizes.get(b"content-length", b"0"))
    parts = [body]
    while sum(map(len, parts)) < wanted:
        parts.append(plug.recv(1 << 20))
        if not parts[-1]:
            return None
    return RawRequest(request.head, b"".join(parts))


def unchunked(data: bytes) -> bytes:
    """The body of chunks."""
    body = b""
    while data:
        size, _, data = data.partition(b"\r\n")
        body, data = body + data[: int(size, 16)], data[int(size, 16) + 2 :]
    return body


def ask(url: str, data: bytes) -> bytes:
    """Sends bytes to a server and gives all that it answers until it closes; the request says `Connection: close`."""
    with connected(url) as plug:
        plug.sendall(data)
        return b"".join(iter(lambda: plug.recv(65_536), b""))


def connected(url: str) -> socket.socket:
    """A connection to a server."""
    host, _, port = url.removeprefix("http://").rpartition(":")
    plug = socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE)
    plug.settimeout(PATIENCE)
    return plug


def post(path: str, body: bytes = b"{}", *headers: bytes) -> bytes:
    """The bytes of a POST that closes its connection."""
    lines = [b"POST %b HTTP/1.1" % path.encode(), b"Host: localhost", b"Connection: close", *headers]
    return b"\r\n".join([*lines, b"Content-Length: %d" % len(body)]) + b"\r\n\r\n" + body


def split(raw: bytes) -> tuple[int, dict[bytes, bytes], bytes]:
    """Status, headers and body of an answer; chunks are put together."""
    head, _, body = raw.partition(b"\r\n\r\n")
    status, *lines = head.split(b"\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines)}
    is_chunked = headers.get(b"transfer-encoding") == b"chunked"
    return int(status.split()[1]), headers, unchunked(body) if is_chunked else body
