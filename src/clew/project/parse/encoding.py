"""The text of a file in UTF-8, whichever encoding it has: told by its first bytes, by what it declares, or guessed."""

import codecs
import re
from typing import Final

from clew.ingest.encoding import LATIN, is_latin

_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_DECLARED: Final = re.compile(
    rb"\A(?:[^\r\n]*\r?\n)?[ \t\f]*(?:#|//|/\*|%)[^\r\n]*?coding[:=][ \t]*([-\w.]{1,40})"
    rb"|\A<\?xml[^>]{0,100}encoding=[\"']([-\w.]{1,40})"
)
"""The encoding in one of the first two lines (PEP 263; Ruby and editors write the same), or in a declaration of XML."""


def as_utf8(data: bytes) -> bytes:
    """Text without a mark of its byte order; what is no valid UTF-8 is read as declared, or as it most likely is meant.

    Bytes of an unknown encoding are kept: readers replace them.
    """
    if data.startswith(_UTF16):
        return data.decode("utf-16", "replace").encode()
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _guessed(data)
    return data


def _guessed(data: bytes) -> bytes:
    match = _DECLARED.search(data[:1_000])
    if match is not None:
        try:
            return data.decode((match[1] or match[2]).decode("ascii")).encode()
        except (LookupError, ValueError):  # no encoding of text is called like this, or the text does not have it
            pass
    return data.decode(LATIN, "replace").encode() if is_latin(data) else data
