"""Calls of tools as SpecStory wrote them in 2025: `Tool use: **Read**` and a file, then `Result:` and a block."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_CALL: Final = re.compile(r"Tool use: \*\*(?P<name>[^*\n]{1,100})\*\*(?P<about>.*)")
_ENDS: Final = ("Result:", "Error:")
_FENCE: Final = "```"


@dataclass(frozen=True, slots=True)
class OlderCall:
    """A call of a tool.

    Attributes:
        asked: what the tool was asked, as SpecStory describes it.
        result: what it answered; None for a call without a result.
    """

    name: str
    asked: str
    result: str | None
    is_error: bool


def older_call(lines: Sequence[str]) -> OlderCall | None:
    """The call of which a message consists; None for another message."""
    start = next((n for n, line in enumerate(lines) if line.strip()), None)
    call = None if start is None else _CALL.fullmatch(lines[start].rstrip())
    if start is None or call is None:
        return None
    end = next((n for n in range(start + 1, len(lines)) if lines[n].rstrip() in _ENDS), None)
    asked = "\n".join([call["about"].strip(), *lines[start + 1 : end]]).strip()
    if end is None:
        return OlderCall(call["name"], asked, None, is_error=False)
    return OlderCall(call["name"], asked, _unfenced(lines[end + 1 :]), is_error=lines[end].startswith("Error"))


def _unfenced(lines: Sequence[str]) -> str:
    text = "\n".join(lines).strip("\n")
    opening, _, inner = text.partition("\n")
    if not opening.startswith(_FENCE):
        return text
    inner, _, _ = inner.rpartition(f"\n{_FENCE}") if f"\n{_FENCE}" in inner else (inner, "", "")
    return inner
