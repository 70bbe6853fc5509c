"""The texts in a JSON value."""

from collections.abc import Iterator, Mapping
from typing import Any


def json_texts(value: Any) -> Iterator[str]:
    """Every text among the values, in order; names of members are none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from json_texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from json_texts(inner)
