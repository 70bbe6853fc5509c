"""What an assistant's last answer calls open: the entries of "Still open:" or "What remains:". Start at `left_open`.

Borders: reads one answer, in English. Advice on what one could do ("Next steps") is not taken for open work.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from clew.analyze.naming import without_markup
from clew.condense.courtesy import without_courtesy
from clew.text.late_pattern import late_pattern
from clew.types.turn import Turn

MOST: Final = 8
"""Most entries that are told."""

_READ: Final = 20_000
_WORDS: Final = 300  # characters of an entry
_OPEN: Final = (
    r"(?:still |what(?:['’]s| is)? (?:still |yet )?)?(?:open|left|remaining|remains|outstanding|pending"
    r"|to do|to be done|not (?:yet )?done(?: yet)?|unfinished)"
)
_KIND: Final = r"(?:points|items|tasks|questions|issues|work|to-?dos?)"
_HEADING: Final = late_pattern(
    rf"[\s#>*_-]*(?:{_OPEN}|(?:{_OPEN} )?{_KIND}|follow-?ups?)"
    rf"(?: (?:to do|open|left|for (?:later|now|tomorrow|next time)|steps|{_KIND}))?"
    r"(?: \([^()\n]{1,40}\))?[*_ ]*:[*_ ]*",
    re.IGNORECASE,
)
"""What leads to entries that are open, on a line or at its beginning: `Still open:`, `**Open points:**`."""
_TITLE: Final = late_pattern(rf"#{{1,6}}\s+(?:{_OPEN}(?: {_KIND})?|follow-?ups?)[*_: ]*", re.IGNORECASE)
_ENTRY: Final = late_pattern(r"\s*(?:[-*+•]|\d{1,2}[.)])\s+(?:\[ ?\]\s*)?(?P<text>\S.*)")
_CHECKED: Final = late_pattern(r"\s*[-*+]\s+\[[xX]\]|.*(?:✅|☑)")
_ENDS: Final = late_pattern(r"[.!?]\s+")
_NEXT: Final = late_pattern(r"(?<=[.!])\s+(?=[A-Z])")
_SPLIT: Final = late_pattern(r";\s+")
_NONE: Final = late_pattern(r"(?:nothing|none|no(?:ne)? (?:open|left|more)|n/a|all done)\b.*", re.IGNORECASE)


class LeftOpen(NamedTuple):
    """What the last answer of a session calls open, and the turn of that answer."""

    points: tuple[str, ...]
    turn: Turn


def left_open(turns: Sequence[Turn]) -> LeftOpen | None:
    """What the assistant's last answer calls open; None where it calls nothing so. Thanks after it change nothing."""
    for turn in reversed(turns):
        if turn.origin != "assistant" or turn.role != "assistant":
            continue
        text = "\n".join(part.text for part in turn.parts if part.type == "text")[:_READ]
        if not text.strip() or not without_courtesy(" ".join(text.split())):
            continue
        points = open_points(text)
        return LeftOpen(points, turn) if points else None
    return None


def open_points(text: str) -> tuple[str, ...]:
    r"""The entries below a heading that calls them open, or what follows it on its line.

    | text | points |
    |---|---|
    | Done. Still open:\\n- push it\\n- the report | push it, the report |
    | Noted. Open: tell Ann; the release is yours. | tell Ann, the release is yours |
    | Next steps:\\n- You could add tests | |
    | Open points: none. | |
    """
    lines = plain_lines(text)
    open_lines: list[str] = []
    at = 0
    while at < len(lines):
        after = _after_heading(lines[at])
        at += 1
        if after is None:
            continue
        if after:
            open_lines += _SPLIT.split(_NEXT.split(after)[0])
            continue
        while at < len(lines) and (not lines[at].strip() or _ENTRY.match(lines[at])):
            entry = _ENTRY.match(lines[at])
            if entry is not None and _CHECKED.match(lines[at]) is None:
                open_lines.append(entry["text"])
            at += 1
    points = (" ".join(point.replace("**", "").split()).rstrip(" .;") for point in open_lines)
    told = [point[:_WORDS] for point in points if point and _NONE.fullmatch(point) is None]
    return tuple(dict.fromkeys(told))[:MOST]


def plain_lines(text: str) -> list[str]:
    """The lines of a text, with spaces where fenced code and tags were; these may stand in the middle of an entry."""
    plain = without_markup(text)
    if plain != text:
        plain = "".join([" " if left == "\n" != was else left for left, was in zip(plain, text, strict=True)])
    return plain.split("\n")


def _after_heading(line: str) -> str | None:
    """What follows a heading on its line; None where no sentence of the line begins with one."""
    if _TITLE.fullmatch(line.strip()):
        return ""
    for start in (0, *(end.end() for end in _ENDS.finditer(line))) if ":" in line else ():
        heading = _HEADING.match(line, start)
        if heading is not None:
            return line[heading.end() :].strip()
    return None
