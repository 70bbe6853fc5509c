"""A wire that breaks on command, between a store and its server."""

import socket
import threading
from contextlib import suppress
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
