"""Regular expressions that are compiled when they are first used.

Compiling the expressions of all rules takes a tenth of a second, more than a question does; most processes use few of
them.
"""

import re
from typing import Any, cast


class _LatePattern:
    """Stands for a compiled pattern; what is asked of it is looked up there once, and kept."""

    def __init__(self, source: str, flags: int) -> None:
        self._source, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self._source, self._flags), name)  # `re` keeps the compiled pattern, too
        setattr(self, name, value)
        return value


def late_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile`, put off until a method of the pattern is called; an expression that is wrong fails only then."""
    return cast("re.Pattern[str]", _LatePattern(source, flags))
