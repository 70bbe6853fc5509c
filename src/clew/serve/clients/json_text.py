"""Adds, replaces or removes one member of a JSON object, and leaves every other byte of the text unchanged.

Borders: works on texts, not files. A text with comments is not JSON and is refused (`jsonc_text` takes it).
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from clew.errors import FormatError

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_INDENT: Final = re.compile(r"\n([ \t]+)\"")
_DECODER: Final = json.JSONDecoder()
_USUAL_INDENT: Final = "  "


@dataclass(frozen=True, slots=True)
class _Member:
    """A member and its offsets: of the opening quote of the name, of the value, and of the end of the value."""

    name: str
    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class _Object:
    """An object: the offsets of its braces, and its members."""

    opens: int
    closes: int
    members: tuple[_Member, ...]

    def member(self, name: str) -> _Member | None:
        return next((member for member in self.members if member.name == name), None)


def read(text: str) -> dict[str, Any]:
    """Parses a text that is a JSON object.

    Raises:
        FormatError: it is not JSON, not an object, or has a duplicate name; the message says where.
    """
    try:
        value = json.loads(text, object_pairs_hook=_without_duplicates)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"it is not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise FormatError(f"expected a JSON object, got {type(value).__name__}")
    return value


def get(text: str, path: Sequence[str]) -> Any:
    """The value at a path of names; None if there is none.

    Raises:
        FormatError: as for `read`, or a value on the path is not an object.
    """
    return value_at(read(text), path, "an object")


def value_at(value: Any, path: Sequence[str], expected: str) -> Any:
    """The value at a path of names in a parsed text; None if there is none.

    Raises:
        FormatError: a value on the path is not a mapping, which the message calls `expected`.
    """
    for depth, name in enumerate(path):
        if not isinstance(value, dict):
            raise FormatError(f"{'.'.join(path[:depth])}: expected {expected}, got {type(value).__name__}")
        if name not in value:
            return None
        value = value[name]
    return value


def put(text: str, path: Sequence[str], value: Any, plain: str | None = None) -> str:
    """Sets the value at a path of names; a new member comes last, in the indentation of the text.

    Args:
        plain: the text as JSON, of the same length, where it is not JSON itself.

    Raises:
        FormatError: as for `get`.
    """
    plain = text if plain is None else plain
    get(plain, path)
    here = _scan(plain, _skip(plain, 0))
    for depth, name in enumerate(path):
        member = here.member(name)
        if member is None:
            for outer in reversed(path[depth + 1 :]):
                value = {outer: value}
            return _insert(text, here, name, value, depth)
        if depth == len(path) - 1:
            return text[: member.value] + _written(text, value, depth) + text[member.end :]
        here = _scan(plain, member.value)
    raise FormatError("the path is empty; give at least one name")


def drop(text: str, path: Sequence[str], plain: str | None = None) -> str:
    """Removes the member at a path of names; returns the text unchanged if there is none.

    Args:
        plain: as for `put`.

    Raises:
        FormatError: as for `get`.
    """
    plain = text if plain is None else plain
    if not path or get(plain, path[:-1]) is None or path[-1] not in get(plain, path[:-1]):
        return text
    here = _scan(plain, _skip(plain, 0))
    for name in path[:-1]:
        here = _scan(plain, here.member(name).value)  # type: ignore[union-attr]  # it is there: see above
    names = [member.name for member in here.members]
    index = names.index(path[-1])
    if len(names) == 1:
        return text[: here.opens + 1] + text[here.closes :]
    if index == len(names) - 1:
        return text[: here.members[index - 1].end] + text[here.members[index].end :]
    return text[: here.members[index].start] + text[here.members[index + 1].start :]


def append(text: str, path: Sequence[str], value: Any) -> str:
    """Adds an element at the end of the list at a path, which has one already; the others keep their bytes.

    Raises:
        FormatError: as for `get`.
    """
    opens, elements = _elements(text, path)
    first, last = elements[0], elements[-1]
    between = text[opens + 1 : first[0]]
    if "\n" in between:
        written = json.dumps(value, ensure_ascii=False, indent=_unit(text)).replace("\n", between)
    else:
        between, written = " ", json.dumps(value, ensure_ascii=False)
    return f"{text[: last[1]]},{between}{written}{text[last[1] :]}"


def drop_element(text: str, path: Sequence[str], index: int) -> str:
    """Removes an element of the list at a path, which has others; these keep their bytes.

    Raises:
        FormatError: as for `get`.
    """
    _, elements = _elements(text, path)
    if index == len(elements) - 1:
        return text[: elements[index - 1][1]] + text[elements[index][1] :]
    return text[: elements[index][0]] + text[elements[index + 1][0] :]


def _elements(text: str, path: Sequence[str]) -> tuple[int, list[tuple[int, int]]]:
    """The offset of a list's bracket, and of the beginning and the end of each of its elements."""
    if not isinstance(get(text, path), list):
        raise FormatError(f"{'.'.join(path)}: expected a list")
    opens = _skip(text, 0)
    for name in path:
        opens = _scan(text, opens).member(name).value  # type: ignore[union-attr]  # it is there: see above
    spans: list[tuple[int, int]] = []
    at = _skip(text, opens + 1)
    while text[at] != "]":
        _, end = _DECODER.raw_decode(text, at)
        spans.append((at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return opens, spans


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} occurs twice in one object")
    return value


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return at if match is None else match.end()


def _scan(text: str, opens: int) -> _Object:
    """Scans the object that begins at a brace of a well-formed text."""
    members: list[_Member] = []
    at = _skip(text, opens + 1)
    while text[at] != "}":
        start = at
        name, at = _DECODER.raw_decode(text, start)
        value = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, value)
        members.append(_Member(name, start, value, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return _Object(opens, at, tuple(members))


def _insert(text: str, here: _Object, name: str, value: Any, depth: int) -> str:
    written = f"{json.dumps(name, ensure_ascii=False)}: {_written(text, value, depth)}"
    newline = _newline(text, depth)
    if not here.members:
        end = newline.removesuffix(_unit(text)) if newline else ""
        return text[: here.opens + 1] + newline + written + end + text[here.closes :]
    last = here.members[-1]
    return text[: last.end] + "," + (newline or " ") + written + text[last.end :]


def _written(text: str, value: Any, depth: int) -> str:
    """A value as JSON, indented as a member at this depth, from 0."""
    newline = _newline(text, depth)
    if not newline:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=_unit(text)).replace("\n", newline)


def _newline(text: str, depth: int) -> str:
    """The line break and indentation before a member at this depth; empty in a text of one line."""
    if "\n" not in text.strip() and text.strip() != "{}":
        return ""
    return ("\r\n" if "\r\n" in text else "\n") + _unit(text) * (depth + 1)


def _unit(text: str) -> str:
    match = _INDENT.search(text)
    return _USUAL_INDENT if match is None else match[1]
