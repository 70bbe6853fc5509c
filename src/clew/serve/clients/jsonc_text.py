"""JSON with comments and trailing commas, as the settings of editors have it; every other byte stays as it is."""

import re
from collections.abc import Sequence
from typing import Any, Final

from clew.serve.clients import json_text

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING: Final = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)


def plain(text: str) -> str:
    """The text with spaces in place of comments and trailing commas, so that every offset stays the same."""
    blank = _TOKEN.sub(lambda match: match[0] if match[0][0] == '"' else re.sub(r"[^\r\n]", " ", match[0]), text)
    return _TRAILING.sub(lambda match: " " if match[0] == "," else match[0], blank)


def read(text: str) -> dict[str, Any]:
    """As `json_text.read`."""
    return json_text.read(plain(text))


def get(text: str, path: Sequence[str]) -> Any:
    """As `json_text.get`."""
    return json_text.get(plain(text), path)


def put(text: str, path: Sequence[str], value: Any) -> str:
    """As `json_text.put`."""
    return json_text.put(text, path, value, plain(text))


def drop(text: str, path: Sequence[str]) -> str:
    """As `json_text.drop`; comments between the removed member and the next one go with it."""
    return json_text.drop(text, path, plain(text))
