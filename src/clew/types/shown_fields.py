"""How records show themselves in a REPL, a log or a debugger: what they hold, in a few lines however much it is.

Fields that have their default value are left out, and so is the rest of long texts and lists, whose length is told.
What is left is what a call of the class takes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, Final

_CHARACTERS: Final = 1_000
"""Characters of a text that are shown."""

_VALUES: Final = 20
"""Values of a list or mapping that are shown."""

_RECORDS: Final = 5
"""Records that are shown of a list or mapping, since they have fields themselves; and values of one inside another."""

_DEEPEST: Final = 3
"""Lists and mappings within each other that are shown; one may also hold itself."""


def shown_record(record: Any) -> str:
    """A record as a call of its class: the `__repr__` of every record that has none of its own."""
    pairs = ((field, getattr(record, field.name)) for field in fields(record) if field.repr)
    given = (f"{field.name}={_shown(value)}" for field, value in pairs if not _is_default(field, value))
    return f"{type(record).__qualname__}({', '.join(given)})"


def _is_default(field: "Field[Any]", value: Any) -> bool:
    if field.default_factory is not MISSING:
        return type(value) in (dict, list, tuple) and not value
    default = field.default
    return value is default or (
        type(value) is type(default) and isinstance(value, str | int | float) and value == default
    )


def _shown(value: Any, depth: int = 0) -> str:
    if isinstance(value, str | bytes | bytearray) and len(value) > _CHARACTERS:
        what = "characters" if isinstance(value, str) else "bytes"
        return f"{value[:_CHARACTERS]!r}[... {len(value) - _CHARACTERS:,} more {what}]"
    if type(value) in (list, tuple) and value:
        left, right = "[]" if type(value) is list else ("(", ",)" if len(value) == 1 else ")")
        return f"{left}{', '.join(_cut(value, (_shown(item, depth + 1) for item in value), depth))}{right}"
    if type(value) is dict:
        pairs = (f"{_shown(key, depth + 1)}: {_shown(item, depth + 1)}" for key, item in value.items())
        return f"{{{', '.join(_cut(value, pairs, depth))}}}"
    return repr(value)


def _cut(values: list[Any] | tuple[Any, ...] | Mapping[Any, Any], shown: Iterator[str], depth: int) -> Iterator[str]:
    first = next(iter(values.values() if isinstance(values, Mapping) else values), None)
    most = _RECORDS if depth or is_dataclass(first) else _VALUES
    if depth >= _DEEPEST:
        most = 0
    for _ in range(min(most, len(values))):
        yield next(shown)
    if len(values) > most:
        yield f"... {len(values) - most:,} more"
