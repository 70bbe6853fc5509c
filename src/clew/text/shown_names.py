"""Names of people and sessions as they are shown to a model: on one line, and unable to pass for anything else."""

import re
from typing import Final

from clew.text.printable import printable

COLONS: Final = ":\u02d0\u02f8\u05c3\u2236\ua789\ufe13\ufe55\uff1a"
"""The colon, and what looks like it."""

LIKE_A_MARK: Final = re.compile(r"<(?=\s*+/?\s*+clew-memory)", re.IGNORECASE)
"""The beginning of what looks like a block's own mark."""

_LONGEST_NAME: Final = 40
"""Characters of a speaker's name that are shown."""
_ANY_COLON: Final = re.compile(f"[{COLONS}]")


def name_on_a_line(name: str) -> str:
    """A name on one line, with the block's marks escaped and control characters visible."""
    if name.isalnum():
        return name
    plain = printable(" ".join(name.split()))
    return LIKE_A_MARK.sub(r"\g<0>\\", plain) if "<" in plain else plain


def shown_speaker(name: str) -> str:
    """A speaker's name on one line, cut when it is long, with `;` for a colon, so that no words can follow a role."""
    cut = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1].rstrip()}…"
    return cut if cut.isalnum() else _ANY_COLON.sub(";", name_on_a_line(cut))
