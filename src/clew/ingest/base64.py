"""Base64 as sources write it: decoded to bytes, with what is needed to write it again letter for letter.

Most sources write the canonical form of RFC 4648 section 4. Others leave the padding out, use the alphabet of section 5
for addresses, or break lines as RFC 2045 does; a few hold no base64 at all where it is expected.
"""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Iterator
from typing import Any

VERBATIM = "verbatim"
_WIDTHS = (76, 64)  # RFC 2045, RFC 7468
_BREAKS = ("\n", "\r\n")
_TO_URL = bytes.maketrans(b"+/", b"-_")
_FROM_URL = bytes.maketrans(b"-_", b"+/")


def decode_base64(text: str) -> tuple[bytes, dict[str, Any] | None]:
    """Decodes base64 and describes how it was written.

    Returns:
        The bytes and None for canonical base64. For another form that can be described, the bytes and the description.
        For anything else the text itself as UTF-8 and `{"form": "verbatim"}`: nothing is lost.
    """
    data = base64_bytes(text)
    if data is not None:
        for form in _forms():
            if encode_base64(data, form) == text:
                return data, form or None
    return text.encode("utf-8", "surrogatepass"), {"form": VERBATIM}


def encode_base64(data: bytes, form: dict[str, Any] | None = None) -> str:
    """Encodes bytes exactly as the text that `decode_base64` read was written."""
    described = form or {}
    if described.get("form") == VERBATIM:
        return data.decode("utf-8", "surrogatepass")
    code = b64encode(data)
    if described.get("url"):
        code = code.translate(_TO_URL)
    if described.get("padding") is False:
        code = code.rstrip(b"=")
    text = code.decode()
    width = described.get("width")
    if not isinstance(width, int) or width < 1:
        return text
    end = str(described.get("break", "\n"))
    lines = end.join(text[i : i + width] for i in range(0, len(text), width))
    return lines + end if described.get("last") else lines


def base64_bytes(text: str) -> bytes | None:
    """The bytes of base64 in any alphabet, with or without padding and line breaks; None for anything else."""
    try:
        code = b"".join(text.encode("ascii").split()).translate(_FROM_URL)
        return b64decode(code + b"=" * (-len(code) % 4), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        return None


def _forms() -> Iterator[dict[str, Any]]:
    """Every form of base64 that can be described, the canonical one first."""
    for look in ({}, {"padding": False}, {"url": True}, {"url": True, "padding": False}):
        yield look
        for width in _WIDTHS:
            for end in _BREAKS:
                for last in (False, True):
                    yield {**look, "width": width, "break": end, "last": last}
