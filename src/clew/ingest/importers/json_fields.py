"""Reads members of JSON objects of any shape: a member that is missing or of another type counts as absent."""

from collections.abc import Mapping
from typing import Any


def text_of(record: Mapping[str, Any], *names: str) -> str | None:
    """The first of these members that is non-blank text; an integer counts as its digits."""
    for name in names:
        value = record.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value.strip():
            return value
    return None


def dict_of(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The member if it is an object, else an empty one."""
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def list_of(record: Mapping[str, Any], name: str) -> list[Any]:
    """The member if it is a list, else an empty one."""
    value = record.get(name)
    return value if isinstance(value, list) else []


def objects_of(record: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The objects in a list; what else it holds is left out."""
    return [item for item in list_of(record, name) if isinstance(item, dict)]


def texts_of(record: Mapping[str, Any], name: str, member: str) -> list[str]:
    """A text of each object in a list: the names of a message's files. Objects without it are left out."""
    return [text for item in objects_of(record, name) if (text := text_of(item, member))]


def first_of(record: Mapping[str, Any], *names: str) -> Any:
    """The first of these members that is present and not null."""
    return next((record[name] for name in names if record.get(name) is not None), None)


def without_none(**fields: Any) -> dict[str, Any]:
    """The fields whose values are not None."""
    return {name: value for name, value in fields.items() if value is not None}
