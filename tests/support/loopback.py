"""Runs a small web server on this machine for as long as a test asks it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

_LOOK_SECONDS: Final = 0.01
"""How often the server looks whether it shall end; the library's half second is what most tests with a server took."""


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A client that goes away before the answer is part of a test."""


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address of a server that has the handler answer."""
    http = _Quiet(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=http.serve_forever, args=(_LOOK_SECONDS,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_address[1]}"
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
