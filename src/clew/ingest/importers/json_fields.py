"""Looks into JSON that may have any shape: what is not there, or not of the kind that is asked for, is None."""

from collections.abc import Mapping
from typing import Any


def text_of(record: Mapping[str, Any], *names: str) -> str | None:
    """The first of these members that is text and not blank; a whole number counts as its digits."""
    for name in names:
        value = record.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value.strip():
            return value
    return None


def dict_of(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The member when it is an object, else an empty one."""
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def list_of(record: Mapping[str, Any], name: str) -> list[Any]:
    """The member when it is a list, else an empty one."""
    value = record.get(name)
    return value if isinstance(value, list) else []


def first_of(record: Mapping[str, Any], *names: str) -> Any:
    """The first of these members that is there and not null."""
    return next((record[name] for name in names if record.get(name) is not None), None)


def without_none(**fields: Any) -> dict[str, Any]:
    """The fields that are known."""
    return {name: value for name, value in fields.items() if value is not None}
