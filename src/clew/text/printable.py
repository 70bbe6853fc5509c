"""Text as it is shown: no control character can steer a terminal or hide in a line, and long lines are cut."""

import re
from typing import Final

CONTROL: Final = re.compile(
    r"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)
"""C0 and C1 controls except tab and line ends (LF, CR LF), line separators, and marks of writing direction."""

_PLAIN: Final = b"\t\n" + bytes(range(0x20, 0x7F))
"""The bytes of a plain text in ASCII."""

_PRINTABLE: Final = bytes(range(0x20, 0x7F))
"""The printable characters of ASCII."""

_STYLES: Final = re.compile(
    r"(?:(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)|\x1b[()#][0-9A-Z]|\x1b[=>78DEHMNOc])+"
)
"""Runs of whole escape sequences of terminals: colours, cursor movements, titles of windows, character sets."""
_MOVES: Final = re.compile(r"(?:\x1b\[|\x9b)[0-9;]*[ABEFGHf]|\x1b[DEM]")
"""A movement to another place of the screen: what follows is not part of the word before it."""


def without_styles(text: str) -> str:
    """Text as a person saw it on a terminal: without colours, and with a line end where the cursor went elsewhere.

    | Stored | Shown |
    |---|---|
    | `ESC[32mPASSESC[39m ok` | `PASS ok` |
    | `10 %ESC[2KESC[1G20 %` | `10 %`, then `20 %` on a line of its own |

    What is only the beginning of such a sequence stays: `printable` makes it visible.
    """
    return _STYLES.sub(_place, text) if "\x1b" in text or "\x9b" in text else text


def _place(match: re.Match[str]) -> str:
    return "\n" if _MOVES.search(match[0]) else ""


def printable(text: str) -> str:
    """Replaces each control character (colours, cursor movements, changes of writing direction) by a visible one."""
    return text if text.isprintable() or is_plain(text) else CONTROL.sub(_picture, text)


def is_printable(text: str) -> bool:
    """What `str.isprintable` tells, of a long text mostly in ASCII in a tenth of the time."""
    rest = text.encode("utf-8", "surrogatepass").translate(None, _PRINTABLE)
    return not rest or rest.decode("utf-8", "surrogatepass").isprintable()


def is_plain(text: str) -> bool:
    """Whether a text has nothing but printable characters, tabs and line feeds, as nearly all have.

    Of a text in ASCII this is known in a tenth of the time that a search for `CONTROL` takes.
    """
    if text.isascii():
        return not text.encode().translate(None, _PLAIN)
    return text.replace("\n", "").replace("\t", "").isprintable()


def printable_name(name: str) -> str:
    """The name of a file on one line: line ends and tabs in it are visible as well."""
    return name if name.isprintable() else "".join(map(_visible, name))


def cut_line(line: str, most: int) -> str:
    """At most `most` characters of a line, ending with an ellipsis where it is cut."""
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _visible(character: str) -> str:
    return chr(0x2400 + ord(character)) if character in "\t\n\r" else printable(character)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"
