"""What a browser asks on behalf of a page of another origin that `serve.origins` lists (CORS).

Borders: decides nothing about who may call; see `access`. Answers of providers stay as they are: what a page may read
of them is theirs to say. What Clew answers in their place, such as a refusal, is Clew's own.
"""

from typing import TYPE_CHECKING, Final

from clew.serve.access import Headers

if TYPE_CHECKING:
    from starlette.types import Message, Send

_METHOD: Final = b"access-control-request-method"
_HEADERS: Final = b"access-control-request-headers"
_SECONDS: Final = b"600"
_VARY: Final = (b"vary", b"Origin")
_EXPOSED: Final = (b"access-control-expose-headers", b"mcp-session-id, retry-after")


def is_preflight(method: str, headers: Headers) -> bool:
    """Whether a browser asks whether a page may send a request; it carries neither a token nor a key."""
    return method == "OPTIONS" and b"origin" in headers and _METHOD in headers


def preflight_headers(headers: Headers) -> list[tuple[bytes, bytes]]:
    """Of the answer that allows what a preflight asks for."""
    asked = [(b"access-control-allow-headers", headers[_HEADERS])] if _HEADERS in headers else []
    return [
        (b"access-control-allow-origin", headers[b"origin"]),
        (b"access-control-allow-methods", headers[_METHOD]),
        *asked,
        (b"access-control-max-age", _SECONDS),
        _VARY,
    ]


def readable_by(origin: bytes, send: "Send") -> "Send":
    """Sends on, with the headers by which a browser lets a page of this origin read the answer."""

    async def readable(message: "Message") -> None:
        if message["type"] == "http.response.start":
            more = [(b"access-control-allow-origin", origin), _EXPOSED, _VARY]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return readable
