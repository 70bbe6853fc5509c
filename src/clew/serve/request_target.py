"""What a request line names besides a path (RFC 9112, 3.2): a whole address, an authority (CONNECT), or `*`.

A program sends these when it takes Clew for an HTTP proxy, by `HTTP_PROXY` and the like. Start at `read_target`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from clew.serve.access import AccessDenied

if TYPE_CHECKING:
    from starlette.types import Scope

METHODS: Final = (b"allow", b"GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
_PORTS: Final = {"http": 80, "https": 443}
_SHOWN: Final = 80


@dataclass(frozen=True, slots=True)
class _Authority:
    """A server as a request line names it; an empty host where it cannot be read."""

    host: str
    port: int
    text: bytes


def read_target(scope: "Scope", is_own: Callable[[str], bool]) -> "Scope | AccessDenied":
    """The scope with the path alone; why the request is refused where it is for another server.

    A host of this machine alone tells nothing: on another port it is another program, such as a local model, whose
    requests must not go to a provider.

    Args:
        is_own: whether a host is one of the server's names.
    """
    target = scope["raw_path"]
    if target.startswith(b"/") or target == b"*":
        return scope
    is_tunnel = scope["method"] == "CONNECT"
    asked = _authority(b"http://" + target if is_tunnel else target)
    own = scope.get("server")
    if is_tunnel or own is None or asked is None or asked.port != own[1] or not is_own(asked.host):
        return _misdirected(asked, own)
    path = b"/" + target.partition(b"://")[2].partition(b"/")[2]
    headers = [(name, value) for name, value in scope["headers"] if name != b"host"]
    named = {"path": unquote(path.decode("ascii")), "raw_path": path}
    return {**scope, **named, "headers": [(b"host", asked.text), *headers]}


def _authority(address: bytes) -> _Authority | None:
    """The server of an address; None where there is none, or one with a user's name."""
    try:
        parts = urlsplit(address.decode("ascii"))
        default = _PORTS[parts.scheme]
        port = parts.port or default
    except (ValueError, KeyError):  # another scheme, or no address at all
        return None
    return None if parts.username is not None else _Authority(parts.hostname or "", port, parts.netloc.encode())


def _misdirected(asked: _Authority | None, own: tuple[str, int] | None) -> AccessDenied:
    named = "another server" if asked is None else repr(asked.text.decode("ascii")[:_SHOWN])
    here = "http://127.0.0.1:8377" if own is None else f"http://{f'[{own[0]}]' if ':' in own[0] else own[0]}:{own[1]}"
    return AccessDenied(
        421,
        f"this is no HTTP proxy, and was asked for {named}; do not name it in HTTP_PROXY or HTTPS_PROXY, but give the "
        f"program {here}/anthropic, {here}/openai/v1 or {here}/gemini as its base URL (docs/proxy.md)",
        next="set the program's base URL instead of a proxy",
    )
