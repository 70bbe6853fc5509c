"""Places in files as stack traces and compilers write them, made plain paths for `clew.text.evidence`."""

import re
from typing import Final

from clew.text.late_pattern import late_pattern

_JAVA: Final = late_pattern(
    r"^([^\S\n]{0,16}at )(?:[\w.@-]{0,80}/{1,2}){0,2}((?:[a-z_]\w{0,60}\.){1,16})[\w$]{1,120}\.[\w$<>]{1,120}"
    r"\((\w{1,120}\.java)(?=[:)])",
    re.MULTILINE,
)
"""A frame of Java: a package is a folder there, as it is not in Kotlin or Scala."""
_BRACKETED: Final = late_pattern(r"(\.\w{1,5})\((\d{1,6})(?:,\d{1,6}){0,3}\)(?=\s?:)")
"""`pot.ts(3,14): error`, as by tsc, MSVC and C#."""
_BUNDLED: Final = late_pattern(
    r"\b(?:file://(?:localhost)?(?=/)|webpack(?:-internal)?:/{2,3}(?:[\w@-]{1,80}/)?(?=\./))"
)
"""What stands before a path of this machine in frames of JavaScript."""


def plain_places(text: str) -> str:
    """A text with the paths in stack traces and messages of compilers as they are in a project.

    `at org.tea.Pot.pour(Pot.java:3)` becomes `at org/tea/Pot.java:3`, `pot.ts(3,14):` `pot.ts:3:`, and
    `file:///srv/pot.mjs` a path. Nothing else is changed.
    """
    if ".java" in text:
        text = _JAVA.sub(lambda frame: f"{frame[1]}{frame[2].replace('.', '/')}{frame[3]}", text)
    if "):" in text or ") :" in text:
        text = _BRACKETED.sub(r"\1:\2", text)
    if "file://" in text or "webpack" in text:
        text = _BUNDLED.sub("", text)
    return text
