"""Fenced code in Markdown, line by line: what is in it is not a label, heading or mark of the document."""

import re
from dataclasses import dataclass

_LEAD = r" {0,4}(?:(?:[-*+]|\d{1,9}[.)])\s++)?|[^\n`~]{1,80}:[*_]{0,2}\s++(?=`++[\w+#.-]*+\s*+$)"
_OPENING = re.compile(rf"(?P<quote>(?: {{0,3}}+>)*+)(?:{_LEAD})(?P<marks>`{{3,}}+(?=[^`]*+$)|~{{3,5}}(?!~))")
"""The line that opens fenced code, also in a list, in a quotation or behind a label; a long row of tildes is a rule.

What repeats gives nothing back, so that no line takes longer than its length.
"""


@dataclass(frozen=True, slots=True)
class Fence:
    """What opened the code at hand; quoted code ends with the quotation, too."""

    marks: str
    is_quoted: bool


def fenced(line: str, fence: Fence | None) -> tuple[bool, Fence | None]:
    """Whether a line stands outside fenced code, and the fence that is open after it; by the rules of CommonMark.

    The line that opens the code stands outside, since a label may be before it ("Ann: ```").

    Args:
        fence: what is open before the line.
    """
    if fence is not None and not (fence.is_quoted and not line.lstrip().startswith(">")):
        closing = line.lstrip("> \t").rstrip()
        is_closed = closing.startswith(fence.marks) and not closing.strip(fence.marks[0])
        return False, None if is_closed else fence
    match = _OPENING.match(line)
    return True, None if match is None else Fence(match["marks"], bool(match["quote"]))
