"""Keeps code fences balanced in text that is cut out: none is left open, and none closes what it did not open. Pure."""

import re
from typing import Final

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")


def has_fences(text: str) -> bool:
    """Whether a text may have code fences; fast, but also true for other text that contains their marks."""
    return "```" in text or "~~~" in text


def begins_with_fence(text: str) -> bool:
    """Whether the first line of a text is a code fence."""
    return _FENCE.match(text) is not None


def ends_with_fence(text: str) -> bool:
    """Whether the last line of a text is a code fence."""
    return _FENCE.fullmatch(text[text.rfind("\n") + 1 :]) is not None


def open_at_end(text: str) -> str:
    """The mark of the code fence that is still open at the end of a text; empty if none is."""
    opened = ""
    for line in [line for line in text.split("\n") if "```" in line or "~~~" in line]:
        fence = _FENCE.fullmatch(line)
        if fence is None:
            continue
        mark, info = fence[1], fence[2].strip()
        if not opened:
            opened = "" if mark[0] == "`" and "`" in info else mark
        elif mark.startswith(opened) and not info:
            opened = ""
    return opened


def cut_out(text: str, start: int, end: int) -> str:
    """A part of a text, stripped.

    Where it begins within code and goes on behind it, the code gets a fence at its beginning, so that the fence that
    closes it opens nothing: `return x` and a fence become a fence, `return x` and a fence.
    """
    part = text[start:end].strip()
    opened = open_at_end(text[:start]) if has_fences(part) and has_fences(text[:start]) else ""
    if not opened:
        return part
    first, _, rest = part.partition("\n")
    if open_at_end(f"{opened}\n{first}"):
        return f"{opened}\n{part}"
    return rest.lstrip("\n") or part  # the part begins where the code ends
