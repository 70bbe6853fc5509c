"""Macros of C and C++ that no grammar can read without the preprocessor: they hide the class or method beside them."""

import re
from typing import Final

_MACRO: Final = rb"[A-Z][A-Z0-9_]{2,63}"
_EXPORTED: Final = re.compile(
    rb"\b(?:class|struct|union|enum)[ \t]+(?:class[ \t]+)?"
    rb"(?P<macro>(?:" + _MACRO + rb"(?:\([^()\n]{0,80}\))?[ \t]+){1,3})"
    rb"(?=[A-Za-z_][\w:]{0,120}\s*(?:final\s*)?[:{])"
)
"""`class SHOP_EXPORT Till : public Desk {`"""
_ANNOTATED: Final = re.compile(
    rb"(?<=[\w)\]])\s{1,200}(?P<macro>[A-Z][A-Z0-9]*(?:_[A-Z0-9]+){1,8}\([^()\n]{0,120}\))"
    rb"(?=\s*(?:[;{=]|override\b|const\b|final\b))"
)
"""`void pay() LOCKS_REQUIRED(mutex);`, `int sum GUARDED_BY(mutex) = 0;`"""
_STATEMENT: Final = re.compile(rb"\b(?:if|while|for|switch)\s*\(|\b(?:return|else|do|throw|goto|case)\s*\Z")
"""What stands before a macro that is a statement, or a value."""
_BEFORE: Final = 400
"""Bytes before a macro, in its line, in which that is looked for: generated code may be one line of megabytes."""
_TYPED: Final = re.compile(rb"^(?P<macro>\w{2,40}\()(?P<type>[\w \t*]{1,80})(?P<end>\))(?=[ \t]+\w+\()", re.MULTILINE)
"""`PyAPI_FUNC(int) PyList_Append(`"""


def without_macros(data: bytes) -> bytes:
    """Code with blanks for such macros, so that all else keeps its place."""
    data = _EXPORTED.sub(_blanked, data)
    data = _TYPED.sub(lambda match: b" " * len(match["macro"]) + match["type"] + b" ", data)
    return _ANNOTATED.sub(_blanked_annotation, data)


def _blanked(match: re.Match[bytes]) -> bytes:
    start, end = (match.span("macro")[side] - match.start() for side in (0, 1))
    return match[0][:start] + b" " * (end - start) + match[0][end:]


def _blanked_annotation(match: re.Match[bytes]) -> bytes:
    least = max(0, match.start() - _BEFORE)
    line = max(least, match.string.rfind(b"\n", least, match.start()) + 1)
    return match[0] if _STATEMENT.search(match.string, line, match.start()) else _blanked(match)
