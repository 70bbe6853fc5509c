"""Applies one function to every text of a turn."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from clew.types import Part, Turn
from clew.types.turn import plain_text

TextChange = Callable[[str], str]
Changed = TypeVar("Changed", Part, Turn)


def map_value(value: Any, change: TextChange) -> Any:
    """A JSON value with every string changed, keys included."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list | tuple):
        return [map_value(item, change) for item in value]
    if isinstance(value, dict):
        return {map_value(key, change): map_value(item, change) for key, item in value.items()}
    return value


def map_turn(turn: Turn, change: TextChange, *names: str, of_parts: Sequence[str] = ()) -> Turn:
    """The turn with its parts, metadata, speaker and the named fields changed; the same object when nothing changed.

    Args:
        of_parts: fields of the parts that are changed beside what they say.
    """
    parts = tuple(_map_part(part, change, of_parts) for part in turn.parts)
    named = {name: map_value(getattr(turn, name), change) for name in ("speaker", "metadata", *names)}
    return _replaced(with_parts(turn, parts, change), named)


def with_parts(turn: Turn, parts: tuple[Part, ...], change: TextChange = str) -> Turn:
    """The turn with other parts, and its plain text derived from them.

    A plain text that was not derived from the parts is kept, changed by `change`.
    """
    apart = turn.text != plain_text(turn.parts)
    return _replaced(turn, {"content": parts, "text": change(turn.text) if apart else plain_text(parts)})


def _map_part(part: Part, change: TextChange, names: Sequence[str]) -> Part:
    fields = ("text", "name", "extra", *names)
    return _replaced(part, {name: map_value(getattr(part, name), change) for name in fields})


def _replaced(record: Changed, fields: dict[str, Any]) -> Changed:
    differing = {name: value for name, value in fields.items() if value != getattr(record, name)}
    return replace(record, **differing) if differing else record
