"""Which headers of a request and of an answer go on, and what Clew's own headers ask for."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote

from clew.serve.proxy.encodings import is_readable
from clew.serve.proxy.exchange import PREFIX

RawHeaders = Sequence[tuple[bytes, bytes]]

_HOP_BY_HOP: Final = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding "
    b"upgrade http2-settings".split()
)
"""RFC 9110, 7.6.1, and what older clients send: they speak of one connection, and end here."""
_SET_ANEW: Final = frozenset((b"host", b"content-length", b"expect"))
_OWN: Final = PREFIX.encode()
_OFF: Final = frozenset(("off", "0", "false", "no"))
_ON: Final = frozenset(("on", "1", "true", "yes"))
_AS_THEY_ARE: Final = " !#$&'()*+,-./:;<=>?@[]^_`{|}~"
"""Characters of a name that stand in a header as they are; the others are percent-encoded, as `%` is."""


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """What the headers of Clew ask for; None where they say nothing.

    Attributes:
        session: name of the conversation.
        inject: whether remembered text may be added.
        tools: whether Clew's tools are offered.
        incognito: nothing of this request is stored, and nothing is added.
    """

    session: str | None = None
    inject: bool | None = None
    tools: bool | None = None
    incognito: bool = False


def options_of(headers: Mapping[bytes, bytes]) -> RequestOptions:
    """The options that the headers of Clew give; what they say in other words than on and off counts as nothing.

    A request that asks to be incognito in other words is, since what was stored against somebody's will is worse.
    """
    incognito = headers.get(b"x-clew-incognito", b"").strip()
    return RequestOptions(
        session=_name(headers.get(b"x-clew-session", b"").decode("utf-8", "replace").strip()) or None,
        inject=_switch(headers.get(b"x-clew-inject")),
        tools=_switch(headers.get(b"x-clew-tools")),
        incognito=bool(incognito) and _switch(incognito) is not False,
    )


def in_header(name: str) -> bytes:
    """A name as a header of an answer has it, in ASCII; a request may give it back like this, or as it is."""
    return quote(name, safe=_AS_THEY_ARE).encode()


def _name(value: str) -> str:
    """The name of which `in_header` makes this value, or the value itself where that makes none like it.

    A value that stands for NUL, which no name may hold, is a name as it is written: the chat is stored all the same.
    """
    name = unquote(value, errors="replace")
    return name if in_header(name).decode() == value and "\0" not in name else value


def _switch(value: bytes | None) -> bool | None:
    word = (value or b"").decode("latin-1").strip().lower()
    return True if word in _ON else False if word in _OFF else None


def is_own(name: bytes) -> bool:
    """Whether a header, in lower case, is Clew's; servers take an underscore for a hyphen."""
    return name.replace(b"_", b"-").startswith(_OWN)


def onward(headers: RawHeaders) -> list[tuple[bytes, bytes]]:
    """The headers of a request that go upstream; its framing is set anew, and nothing of Clew goes on."""
    dropped = _SET_ANEW | _of_connection(headers)
    return [(name, value) for name, value in headers if name.lower() not in dropped and not is_own(name.lower())]


def backward(headers: RawHeaders, ours: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers of an answer that go to the client, and ours after them."""
    dropped = _of_connection(headers)
    kept = [(name, value) for name, value in headers if name.lower() not in dropped and not is_own(name.lower())]
    return [*kept, *ours]


def _of_connection(headers: RawHeaders) -> frozenset[bytes]:
    named = {
        part.strip().lower() for name, value in headers if name.lower() == b"connection" for part in value.split(b",")
    }
    return _HOP_BY_HOP | named


def only_readable_encodings(headers: RawHeaders) -> list[tuple[bytes, bytes]]:
    """The headers, offering only encodings of an answer that can be read here."""
    changed: list[tuple[bytes, bytes]] = []
    for name, value in headers:
        if name.lower() == b"accept-encoding":
            parts = [part.strip() for part in value.split(b",")]
            kept = [part for part in parts if is_readable(part.partition(b";")[0].decode("latin-1"))]
            changed.append((name, b", ".join(kept) or b"identity"))
        else:
            changed.append((name, value))
    return changed


def without(headers: RawHeaders, *names: bytes) -> list[tuple[bytes, bytes]]:
    """The headers without those of these names, which are in lower case."""
    return [(name, value) for name, value in headers if name.lower() not in names]
