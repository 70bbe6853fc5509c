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
"""The same of records, which have fields themselves."""


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


def _shown(value: Any) -> str:
    if type(value) is str and len(value) > _CHARACTERS:
        return f"{value[:_CHARACTERS]!r}[... {len(value) - _CHARACTERS:,} more characters]"
    if type(value) in (list, tuple) and value:
        left, right = "[]" if type(value) is list else ("(", ",)" if len(value) == 1 else ")")
        return f"{left}{', '.join(_cut(value, map(_shown, value)))}{right}"
    if type(value) is dict:
        return f"{{{', '.join(_cut(value, (f'{_shown(key)}: {_shown(item)}' for key, item in value.items())))}}}"
    return repr(value)


def _cut(values: list[Any] | tuple[Any, ...] | Mapping[Any, Any], shown: Iterator[str]) -> Iterator[str]:
    first = next(iter(values.values() if isinstance(values, Mapping) else values), None)
    most = _RECORDS if is_dataclass(first) else _VALUES
    for _ in range(min(most, len(values))):
        yield next(shown)
    if len(values) > most:
        yield f"... {len(values) - most:,} more"
