"""One member of a JSON object put in, replaced or taken out, with every other byte of the text left as it is.

Borders: texts only. A text with comments is no JSON and is refused: nothing here could keep what it cannot read.
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
    """Places in the text: of the name's opening quote, of the value, and behind the value."""

    name: str
    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class _Object:
    """Places of the braces, and what lies between."""

    opens: int
    closes: int
    members: tuple[_Member, ...]

    def member(self, name: str) -> _Member | None:
        return next((each for each in self.members if each.name == name), None)


def read(text: str) -> dict[str, Any]:
    """The object that a text holds.

    Raises:
        FormatError: it is no JSON, no object, or names one member twice; the message says where.
    """
    try:
        found = json.loads(text, object_pairs_hook=_without_repetition)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"it is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise FormatError(f"it holds a {type(found).__name__}; expected an object")
    return found


def get(text: str, path: Sequence[str]) -> Any:
    """The value under a path of names; None where there is none.

    Raises:
        FormatError: as for `read`, or something on the path is no object.
    """
    found: Any = read(text)
    for depth, name in enumerate(path):
        if not isinstance(found, dict):
            raise FormatError(f"{'.'.join(path[:depth])} is a {type(found).__name__}; expected an object")
        if name not in found:
            return None
        found = found[name]
    return found


def put(text: str, path: Sequence[str], value: Any) -> str:
    """The text with a value under a path of names, behind the members that are there, in the text's own indentation.

    Raises:
        FormatError: as for `get`.
    """
    get(text, path)
    here = _scan(text, _SPACE.match(text, 0).end())  # type: ignore[union-attr]  # it matches the empty text too
    for depth, name in enumerate(path):
        member = here.member(name)
        if member is None:
            for outer in reversed(path[depth + 1 :]):
                value = {outer: value}
            return _insert(text, here, name, value, depth)
        if depth == len(path) - 1:
            return text[: member.value] + _written(text, value, depth) + text[member.end :]
        here = _scan(text, member.value)
    raise FormatError("the path is empty; name a member")


def drop(text: str, path: Sequence[str]) -> str:
    """The text without the member under a path of names; as it is when there is none.

    Raises:
        FormatError: as for `get`.
    """
    if not path or get(text, path[:-1]) is None or path[-1] not in get(text, path[:-1]):
        return text
    here = _scan(text, _SPACE.match(text, 0).end())  # type: ignore[union-attr]  # it matches the empty text too
    for name in path[:-1]:
        here = _scan(text, here.member(name).value)  # type: ignore[union-attr]  # it is there: see above
    names = [each.name for each in here.members]
    place = names.index(path[-1])
    if len(names) == 1:
        return text[: here.opens + 1] + text[here.closes :]
    if place == len(names) - 1:
        return text[: here.members[place - 1].end] + text[here.members[place].end :]
    return text[: here.members[place].start] + text[here.members[place + 1].start :]


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} stands twice in one object")
    return found


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _scan(text: str, opens: int) -> _Object:
    """The object that begins at a brace of a well-formed text."""
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
    """A value as it stands in the text, as a member at this depth, from 0."""
    newline = _newline(text, depth)
    if not newline:
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=_unit(text)).replace("\n", newline)


def _newline(text: str, depth: int) -> str:
    """What stands before a member at this depth; empty in a text of one line."""
    if "\n" not in text.strip() and text.strip() != "{}":
        return ""
    return ("\r\n" if "\r\n" in text else "\n") + _unit(text) * (depth + 1)


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return _USUAL_INDENT if found is None else found[1]
