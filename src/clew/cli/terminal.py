"""The way to the terminal: everything printed passes here, or through the console of `show`.

Stored text, names of files and repeated arguments may contain control characters, which a terminal obeys: colours,
cursor movements, changes of writing direction. Here they become visible characters, in a pipe too, since what reads it
(`head`, `less -R`) often writes to a terminal. Only `give_exactly` leaves them in a pipe. Imports nothing heavier than
click.
"""

import errno
import io
import json
import os
import re
import sys
from collections.abc import Mapping
from typing import IO, Any

import click

from clew.errors import InputError
from clew.text.printable import CONTROL, printable


class OutputClosed(OSError):
    """Something was to be printed, and whoever started the program had closed standard output."""

    def __init__(self) -> None:
        super().__init__(errno.EBADF, "standard output is closed")


class _NoOutput(io.RawIOBase):
    """Standard output of a program that was started without one, as by `clew stats >&-`.

    Its number stays taken by a file that can only be read, so that no file that is opened later gets it.
    """

    def __init__(self) -> None:
        self._number = os.open(os.devnull, os.O_RDONLY)

    def fileno(self) -> int:
        """The number of the file in its place."""
        return self._number

    def writable(self) -> bool:
        """It is opened to be written, as every standard output."""
        return True

    def write(self, data: Any, /) -> int:
        """Writes nothing.

        Raises:
            OutputClosed: there is something to write.
        """
        if memoryview(data).nbytes:
            raise OutputClosed
        return 0


def no_output() -> io.TextIOWrapper:
    """A stream in the place of a closed standard output, which says so when something is to be printed."""
    return io.TextIOWrapper(_NoOutput(), encoding="utf-8", write_through=True)  # type: ignore[arg-type]  # as python -u


def emit(*records: Mapping[str, Any]) -> None:
    """Prints one JSON object per line; keys keep their order, and text is not escaped to ASCII."""
    for record in records:
        click.echo(as_json(record))


def as_json(record: Mapping[str, Any], indent: int | None = None) -> str:
    """A record as JSON in which characters that a terminal may obey are escaped; a parser gives them back unchanged."""
    return CONTROL.sub(_escape, json.dumps(record, ensure_ascii=False, indent=indent))


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def say(text: str, *, err: bool = False, file: IO[str] | None = None) -> None:
    """Prints a line of plain text, with control characters made visible."""
    click.echo(printable(text), err=err, file=file)


def decoded(data: bytes) -> str:
    """The text of standard input.

    Raises:
        InputError: it is not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"standard input is not valid UTF-8 (at byte {error.start}); convert it, for example with iconv"
        ) from error


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
