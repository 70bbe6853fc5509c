"""Adds, replaces or removes one table of a TOML text, or one text before its tables; every other byte stays as it is.

Borders: works on texts, not files. What it has written is read back; a text in which the table cannot be told apart
line by line is refused.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from clew.errors import FormatError
from clew.serve.clients.json_text import value_at

_HEADER: Final = re.compile(r"^\s*\[+\s*([^\]#]+?)\s*\]+")


def read(text: str) -> dict[str, Any]:
    """Parses a text.

    Raises:
        FormatError: it is not TOML; the message says where.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"it is not valid TOML: {error}") from error


def get(text: str, path: Sequence[str]) -> Any:
    """The value at a path of names; None if there is none.

    Raises:
        FormatError: as for `read`, or a value on the path is not a table.
    """
    return value_at(read(text), path, "a table")


def put(text: str, path: Sequence[str], value: Mapping[str, Any] | str) -> str:
    """Sets the table at a path of names, which comes last, or a text, whose path is one name and which comes first.

    Raises:
        FormatError: as for `get`, or the table is there in a form that cannot be replaced.
    """
    kept = drop(text, path)
    end = "\r\n" if "\r\n" in text else "\n"
    if isinstance(value, str):
        return _written_so(f"{path[0]} = {_written(value)}{end}{kept}", path, value)
    lines = [f"[{'.'.join(path)}]", *(f"{name} = {_written(each)}" for name, each in value.items())]
    gap = "" if not kept.strip() else end if kept.endswith(("\n", "\r")) else end * 2
    return _written_so(kept + gap + end.join(lines) + end, path, value)


def drop(text: str, path: Sequence[str]) -> str:
    """Removes the table at a path of names, and the tables in it; returns the text unchanged if there is none.

    Raises:
        FormatError: as for `get`, or the table is there in another form than under a header of its own.
    """
    table = get(text, path)
    if table is None:
        return text
    if isinstance(table, str):
        own_line = re.compile(rf"^{re.escape(path[0])}\s*=.*(?:\r?\n|$)", re.MULTILINE)
        return _checked(text, own_line.sub("", text, count=1), path)
    kept: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        header = _HEADER.match(line)
        if header is not None:
            names = [name.strip().strip("\"'") for name in header[1].split(".")]
            inside = names[: len(path)] == list(path)
        if not inside:
            kept.append(line)
    after = "".join(kept)
    if after.strip() != text.strip() and after.endswith(("\n\n", "\n\r\n")):
        after = after[:-1].removesuffix("\r")
    return _checked(text, after, path)


def _written_so(text: str, path: Sequence[str], value: Mapping[str, Any] | str) -> str:
    """The text after a value was written.

    Raises:
        FormatError: it does not read back.
    """
    try:
        is_written = get(text, path) == value
    except FormatError:  # it holds a character that TOML forbids
        is_written = False
    if not is_written:
        raise FormatError(f"{'.'.join(path)} cannot be written as {str(value)!r:.80}")
    return text


def _checked(text: str, after: str, path: Sequence[str]) -> str:
    """The text after a removal.

    Raises:
        FormatError: something else is gone too, or it is still there.
    """
    if get(after, path) is not None or read(after) != _without(read(text), path):
        raise FormatError(f"{'.'.join(path)} has no header or line of its own")
    return after


def _without(value: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """The value without what is at the path, and without tables that only held that."""
    name, *rest = path
    inner = _without(value[name], rest) if rest else None
    return {key: each if key != name else inner for key, each in value.items() if key != name or inner}


def _written(value: Any) -> str:
    """A text, number, truth value or list of texts; JSON's form of them is TOML's."""
    return json.dumps(value, ensure_ascii=False)
