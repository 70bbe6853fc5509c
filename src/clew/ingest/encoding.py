"""Text that every store can hold: what UTF-8 cannot encode is escaped, reversibly, before it goes further.

The escape form is U+241B (the sign for "escape"), four hexadecimal digits and a semicolon:

    lone surrogate U+D83D      ␛d83d;
    undecodable byte 0xFF      ␛dcff;      (as surrogateescape reads it: U+DC00 + byte)
    NUL                        ␛0000;      (PostgreSQL's text has no NUL)
    ␛ before such a form       ␛241b;      (so that text which already looks escaped comes back as it was)

All other control characters are kept as they are.
"""

import json
import re
from typing import Any

from clew.errors import TurnRejected, shown
from clew.ingest.strings import map_turn, map_value
from clew.types import Turn

ESCAPE = "␛"
LATIN = "cp1252"
"""Windows-1252: what programs write that know nothing of Unicode; it has Latin-1's letters."""

_LETTERS = re.compile(
    rb"(?<=[a-zA-Z ])[\xc0-\xfd](?=[a-zA-Z ,.;:!?'\")\r\n]|$)|(?<=[a-zA-Z])[\xc0-\xfd]{2}(?=[a-zA-Z])"
    rb"|[\x85\x91-\x97\xa0\xa7\xab\xb0\xbb\xbf]"
)
_FORM = r"(?:d[89a-f][0-9a-f]{2}|0000|241b);"
_TROUBLE = re.compile(f"[\ud800-\udfff\0]|{ESCAPE}(?={_FORM})")
_ESCAPED = re.compile(ESCAPE + _FORM)


def is_encodable(text: str) -> bool:
    """Whether the text can be stored as it is: no lone surrogate, no NUL."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def escape_surrogates(text: str) -> str:
    """The text with lone surrogates and NUL in the form above; `unescape` gives the text back, for any text.

    Text that holds none of them, nor anything that looks escaped, comes back as the same object. Escaping twice escapes
    the escapes: do it once, at the edge where text enters.
    """
    if ESCAPE not in text and is_encodable(text):
        return text
    return _TROUBLE.sub(lambda found: f"{ESCAPE}{ord(found[0]):04x};", text)


def checked_name(name: str, what: str) -> str:
    """A name that a caller gives.

    Raises:
        TurnRejected: it holds a NUL or a lone surrogate, which no database keeps.
    """
    if not is_encodable(name):
        raise TurnRejected(f"the {what} {shown(name, 200)} holds a NUL or a lone surrogate; choose another name")
    return name


def unescape(text: str) -> str:
    """The text that `escape_surrogates` was given; encode it with "surrogatepass" or "surrogateescape"."""
    return _ESCAPED.sub(lambda found: chr(int(found[0][1:5], 16)), text) if ESCAPE in text else text


_UNDECODED = re.compile("[\udc80-\udcff]")
_BEYOND_ASCII = re.compile("[^\x00-\x7f]")


def is_latin(data: bytes) -> bool:
    """Whether bytes that are not UTF-8 are Windows-1252: letters and signs of it, and not a character of UTF-8."""
    if data.isascii():
        return False
    text = data.decode("utf-8", "surrogateescape")
    odd = len(_UNDECODED.findall(text))
    others = len(_BEYOND_ASCII.findall(text)) - odd
    at_end = 3 if others else 0  # the sample may end inside a character
    return odd > at_end and others == 0 and 2 * sum(map(len, _LETTERS.findall(data))) >= odd


def undecoded(data: bytes) -> tuple[str, bool]:
    """Bytes that are not UTF-8 as text, and whether they were read as Windows-1252; else each is a lone surrogate."""
    if is_latin(data):
        try:
            return data.decode(LATIN), True
        except UnicodeDecodeError:
            return data.decode("utf-8", "surrogateescape"), False  # it has bytes that Windows-1252 has not
    return data.decode("utf-8", "surrogateescape"), False


def json_text(value: Any) -> str:
    """Compact JSON text that can be stored and reads as the same value: lone surrogates are written as JSON escapes.

    Raises:
        TypeError, ValueError, RecursionError: the value cannot be written as JSON.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text if is_encodable(text) else json.dumps(value, separators=(",", ":"))


def escape_value(value: Any) -> Any:
    """Escapes every string of a JSON value, keys included, as `escape_surrogates` does."""
    return map_value(value, escape_surrogates)


def parse_inner(text: str) -> Any:
    """The value that a text of a record holds as JSON, as commands' results are stored; the text is escaped already.

    Raises:
        ValueError: it is not JSON, is nested too deep, or quotes NUL or a lone surrogate, which no store can hold.
    """
    try:
        value = json.loads(text)
        is_storable = "\\u" not in text or escape_value(value) == value
    except RecursionError as error:
        raise ValueError("nested too deep to be read") from error
    if not is_storable:
        raise ValueError("holds NUL or a lone surrogate")
    return value


def depth(value: Any) -> int:
    """Levels of nesting of a JSON value, counted without recursion; those of text and numbers count, too."""
    deepest = 0
    level = [value]
    while level:
        level = [
            child
            for item in level
            if isinstance(item, list | dict)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
        deepest += 1
    return deepest


def escape_turn(turn: Turn) -> Turn:
    """The turn with all its texts escaped; the same object when nothing had to be escaped.

    For turns that callers make themselves; what the importers give is escaped already.
    """
    if not turn.metadata and all(part.extra is None for part in turn.parts):  # nearly every turn: all its text at once
        said = (text for part in turn.parts for text in (part.text, part.name, part.call_id, part.media_type))
        named = (turn.text, turn.speaker, turn.session, turn.external_id, turn.parent, turn.branch, turn.source)
        text = "".join(filter(None, (*said, *named)))
        if escape_surrogates(text) is text:
            return turn
    names = ("session", "external_id", "parent", "branch", "source")
    return map_turn(turn, escape_surrogates, *names, of_parts=("call_id", "media_type"))
