"""What diffs write before a path to say on which side it is: `a/`, `b/`, and `/dev/null` for a side without a file."""

import re
from typing import Final

from clew.text.late_pattern import late_pattern

_HEADER: Final = late_pattern(r"^diff --git ([aciow])/\S{1,300} (?!\1)([bciow])/\S{1,300}$", re.MULTILINE)
_SIDES: Final = late_pattern(
    r"^--- (?:([aciow])/[^\s]{1,300}|(/dev/null))(?:\t[^\n]{0,60})?"
    r"\n\+\+\+ (?:(?!\1)([bciow])/[^\s]{1,300}|(/dev/null))(?:\t[^\n]{0,60})?$",
    re.MULTILINE,
)
"""The prefixes of Git differ on both sides; where they do not, they are folders."""

_PREFIX: Final = len("a/")
_NO_FILE: Final = len("/dev/null")


def side_marks(text: str) -> dict[int, int]:
    """Where such marks stand in a text, and how many characters each has."""
    marks: dict[int, int] = {}
    if "diff --git " in text:
        for header in _HEADER.finditer(text):
            marks |= {header.start(1): _PREFIX, header.start(2): _PREFIX}
    if "\n+++ " in text:
        for sides in _SIDES.finditer(text):
            marks |= {sides.start(group): _PREFIX for group in (1, 3) if sides[group]}
            marks |= {sides.start(group): _NO_FILE for group in (2, 4) if sides[group]}
    return marks
