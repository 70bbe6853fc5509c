"""Errors of the scripted APIs, and what all their rules need."""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from clew.serve.proxy.economy.cache_model import Block

BYTES_PER_TOKEN: Final = 4

_KEY: Final = b"the scripted upstream signs what it thought"


@dataclass(frozen=True, slots=True)
class Denial:
    """Why a request is refused.

    Attributes:
        status: the HTTP status.
        kind: the vendor's own word for the kind of error (`invalid_request_error`, `INVALID_ARGUMENT`).
        param: the parameter that is wrong, where the vendor names one.
        code: the vendor's code, where it has one.
    """

    message: str
    status: int = 400
    kind: str = "invalid_request_error"
    param: str | None = None
    code: str | None = None


def signature(text: str) -> str:
    """The signature of a piece of reasoning; anybody who changes a byte of it cannot make a new one."""
    return base64.b64encode(hmac.new(_KEY, text.encode(), hashlib.sha256).digest()).decode()


def sealed(text: str) -> str:
    """Reasoning that the client keeps without being able to read or change it."""
    return base64.b64encode(f"{signature(text)}{text}".encode()).decode()


def is_sealed(value: object) -> bool:
    """Whether this is what `sealed` made, unchanged; in either alphabet of base64, as the APIs read it."""
    if not isinstance(value, str) or not is_base64(value):
        return False
    text = base64.urlsafe_b64decode(value.replace("+", "-").replace("/", "_")).decode(errors="replace")
    mark = len(signature(""))
    return hmac.compare_digest(signature(text[mark:]).encode(), text[:mark].encode())


def is_base64(value: object) -> bool:
    """Whether this is a base64 text, in either alphabet, that is not empty."""
    if not isinstance(value, str) or not value:
        return False
    try:
        base64.b64decode(value.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def repeated(names: Iterable[str]) -> Iterator[str]:
    """The names that occurred before, in order."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield name
        seen.add(name)


def unknown(value: Mapping[str, Any], known: frozenset[str]) -> Iterator[str]:
    """The keys that are not known, in order."""
    return (key for key in value if key not in known)


def compact(value: object) -> str:
    """JSON without spaces, in the order of its keys."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def prompt_block(data: bytes, mark: float = 0.0) -> Block:
    """A part of a prompt. Tokens are counted by bytes, so that expected figures can be computed by hand."""
    return Block(data, -(-len(data) // BYTES_PER_TOKEN), mark)
