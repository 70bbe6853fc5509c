"""What may stand between a store and its server: a wire that breaks on command, a pooler."""

import socket
import threading
from contextlib import ExitStack, suppress
from typing import Final

_MOST: Final = 1 << 16


class Wire:
    """Passes every connection on to a port of this machine.

    Attributes:
        port: where clients connect.
        cut_at: bytes that do not pass any more, since the connection is cut there, once; None cuts none.
        cuts_answers: whether they come from the server; if not, from a client.
        is_down: whether new connections are refused.
    """

    def __init__(self, to: int) -> None:
        self._to = to
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.cut_at: bytes | None = None
        self.cuts_answers = False
        self.is_down = False
        self.cuts = 0
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Takes no further connection."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # closed
                return
            if self.is_down:
                client.close()
                continue
            server = socket.create_connection(("127.0.0.1", self._to))
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self._pass, args=(source, target, source is client), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, from_client: bool) -> None:
        with suppress(OSError):  # the other direction was cut
            while data := source.recv(_MOST):
                if from_client != self.cuts_answers and self.cut_at is not None and self.cut_at in data:
                    self.cut_at = None
                    self.cuts += 1
                    break
                target.sendall(data)
        for each in (source, target):
            with suppress(OSError):  # already closed
                each.shutdown(socket.SHUT_RDWR)
            each.close()


class Pooler:
    """Gives each transaction another connection of the server, as poolers do in their mode of that name.

    Attributes:
        port: where clients connect; they are taken for the user that the server trusts on its socket.
    """

    def __init__(self, socket_path: str) -> None:
        self._server = socket_path
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.switches = True
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Takes no further connection."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with ExitStack() as stack, suppress(OSError, EOFError):  # the client left
            stack.enter_context(client)
            start = _packet(client)
            while len(start) == 8:  # asks for encryption, which there is none of
                client.sendall(b"N")
                start = _packet(client)
            servers = [stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(2)]
            greetings = [self._connected(server, start) for server in servers]
            client.sendall(greetings[0])
            number = 0
            while True:
                server = servers[number % 2]
                waits = True
                while waits:  # until the client wants no answer any more and is outside a transaction
                    message = _message(client)
                    server.sendall(message)
                    if message[:1] in (b"Q", b"S"):
                        waits = _relay(server, client) != b"I"
                number += self.switches

    def _connected(self, server: socket.socket, start: bytes) -> bytes:
        """Connects to the server and gives its greeting."""
        server.connect(self._server)
        server.sendall(start)
        greeting = b""
        while not greeting.endswith(b"Z\0\0\0\5I"):
            greeting += _message(server)
        return greeting


def _relay(server: socket.socket, client: socket.socket) -> bytes:
    """Passes an answer on until the server is ready, and gives the state of its transaction."""
    while True:
        message = _message(server)
        client.sendall(message)
        if message[:1] == b"Z":
            return message[-1:]


def _message(source: socket.socket) -> bytes:
    kind = _exactly(source, 1)
    return kind + _packet(source)


def _packet(source: socket.socket) -> bytes:
    """A length, which counts itself, and what it is the length of."""
    length = _exactly(source, 4)
    return length + _exactly(source, int.from_bytes(length, "big") - 4)


def _exactly(source: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = source.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data
