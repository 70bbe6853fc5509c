"""The HTTP client that Clew passes to every vendor's SDK.

It follows no redirects, which would carry the key to another host; bounds each answer in time and size; connects to
this machine without a proxy; and removes the SDKs' headers about the system they run on.
"""

import time
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, cast

LARGEST: Final = 16 << 20
"""Bytes of an answer: far more than any answer has."""

_ABOUT_US: Final = "x-stainless-"  # operating system, Python version and the like: telemetry by another name


def _is_about_us(header: str) -> bool:
    return header.lower().startswith(_ABOUT_US)


def bounded_client(*, here: bool, largest: int = LARGEST) -> Any:
    """An `httpx2.Client` whose time-out is that of the whole answer.

    Args:
        here: the server is on this machine.
        largest: bytes of an answer; a longer one is cut off with an error.
    """
    import httpx2  # it comes with the SDKs, and takes 0.1 s to load

    class Body(httpx2.SyncByteStream):
        def __init__(self, stream: httpx2.SyncByteStream, until: float) -> None:
            self._stream, self._until = stream, until

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for part in self._stream:
                size += len(part)
                if size > largest:
                    raise httpx2.ReadError(f"the answer has more than {largest >> 20} MB")
                if time.monotonic() > self._until:
                    raise httpx2.ReadTimeout("the answer took longer than it may")
                yield part

        def close(self) -> None:
            self._stream.close()

    class Bounded(httpx2.Client):
        def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
            for name in filter(_is_about_us, list(request.headers)):
                del request.headers[name]
            until = time.monotonic() + request.extensions["timeout"]["read"]
            response = super().send(request, **{**options, "stream": True, "follow_redirects": False})
            response.stream = Body(cast(httpx2.SyncByteStream, response.stream), until)
            if not options.get("stream"):
                response.read()
            return response

    return Bounded(verify=_certificates(), trust_env=not here)


@cache
def _certificates() -> Any:
    """The certificates that servers are checked against; reading them takes 0.1 s."""
    import httpx2  # as above

    return httpx2.create_ssl_context()
