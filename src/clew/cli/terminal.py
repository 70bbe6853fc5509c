"""The way to the terminal: everything printed passes here, or through the console of `show`.

Stored text, names of files and repeated arguments may contain control characters, which a terminal obeys: colours,
cursor movements, changes of writing direction. Here they become visible characters, in a pipe too, since what reads it
(`head`, `less -R`) often writes to a terminal. Only `give_exactly` leaves them in a pipe. Imports nothing heavier than
click.
"""

import json
import re
import sys
from collections.abc import Mapping
from typing import IO, Any, Final

import click

_CONTROL: Final = re.compile(
    r"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]"
)
"""C0 and C1 controls except tab and line ends (LF, CR LF), line separators, and marks of writing direction."""


def printable(text: str) -> str:
    """Replaces control characters (colours, cursor movements, changes of writing direction) by visible ones."""
    return _CONTROL.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"


def emit(*records: Mapping[str, Any]) -> None:
    """Prints one JSON object per line; keys keep their order, and text is not escaped to ASCII."""
    for record in records:
        click.echo(as_json(record))


def as_json(record: Mapping[str, Any], indent: int | None = None) -> str:
    """A record as JSON in which characters that a terminal may obey are escaped; a parser gives them back unchanged."""
    return _CONTROL.sub(_escape, json.dumps(record, ensure_ascii=False, indent=indent))


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def say(text: str, *, err: bool = False, file: IO[str] | None = None) -> None:
    """Prints a line of plain text, with control characters made visible."""
    click.echo(printable(text), err=err, file=file)


def give(text: str, *, newline: bool = False) -> None:
    """Writes a block to standard output, with control characters made visible; on a terminal a line ends it."""
    _write(printable(text), newline=newline)


def give_exactly(text: str) -> None:
    """Writes stored text to standard output: to a file or a pipe exactly as it is, made harmless on a terminal."""
    _write(printable(text) if sys.stdout.isatty() else text, newline=True)


def _write(text: str, *, newline: bool) -> None:
    at_terminal = sys.stdout.isatty()
    if text or not at_terminal:
        click.echo(text, nl=newline or at_terminal, color=True)  # else click removes some escapes in a pipe
