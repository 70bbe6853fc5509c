"""The wire form of dataclasses: `to_dict` returns JSON-compatible primitives, `from_dict` reads them back.

Datetimes are written as ISO 8601 in UTC, bytes as hexadecimal text, tuples as lists; fields that are None are left out.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from enum import StrEnum
from itertools import repeat
from operator import attrgetter, call
from types import UnionType
from typing import Any, Generic, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from clew.errors import InputError
from clew.types.shown_fields import shown_record


class Record:
    """Base class of the dataclasses with a wire form."""

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__repr__" not in vars(cls):
            cls.__repr__ = shown_record  # type: ignore[method-assign]  # dataclasses keep one that is there

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, as primitives; fields that are None are left out."""
        pairs = ((name, getattr(self, name)) for name in _hints(type(self)))
        return {name: _plain(value) for name, value in pairs if value is not None}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Reads the result of `to_dict`; unknown keys are ignored, so that data of newer versions can be read.

        Raises:
            InputError: a required field that is never None is missing, or a value has the wrong type or form.
        """
        hints = _hints(cls)
        if not isinstance(data, Mapping):
            raise InputError(f"{cls.__name__}: expected a mapping, got {type(data).__name__}")
        try:
            given = {name: _typed(hints[name], data[name]) for name in hints if name in data}
            absent = _absent(cls)
            return cls(**({**absent, **given} if absent else given))
        except (TypeError, ValueError, KeyError) as error:
            missing = [name for name in _required(cls) if name not in data]
            what = f"lacks {', '.join(missing)}" if missing else f"has an invalid value ({error})"
            raise InputError(f"{cls.__name__}: the record {what}; expected the fields {', '.join(hints)}") from error


R = TypeVar("R", bound=Record)
T = TypeVar("T")


def maker(kind: type[R]) -> Callable[..., R]:
    """Returns a fast constructor of a frozen, slotted class that takes the values of all fields in order.

    It is three times as fast as the class itself, since it uses no keywords or defaults and runs no `__post_init__`.
    """
    setters = tuple(vars(kind)[field.name].__set__ for field in fields(kind))  # type: ignore[arg-type]  # dataclasses

    def make(*values: Any) -> R:
        if len(values) != len(setters):
            raise TypeError(f"{kind.__name__} has {len(setters)} fields; got {len(values)} values")
        record = object.__new__(kind)
        deque(map(call, setters, repeat(record), values), maxlen=0)  # a third of the time of a plain loop
        return record

    return make


def copier(kind: type[T], *names: str) -> Callable[..., T]:
    """Returns what `dataclasses.replace` does with these fields, whose new values follow the object; see `maker`."""
    unchanged = [field.name for field in fields(kind) if field.name not in names]  # type: ignore[arg-type]  # dataclasses
    read = attrgetter(*unchanged)
    setters = tuple(vars(kind)[name].__set__ for name in (*unchanged, *names))

    def copy(record: T, *values: Any) -> T:
        copied = object.__new__(kind)
        deque(map(call, setters, repeat(copied), (*read(record), *values)), maxlen=0)
        return copied

    return copy


def bulk_maker(kind: type[T]) -> Callable[..., list[T]]:
    """Returns a constructor of many objects of a slotted dataclass: takes their number, then a column for each field.

    Columns come in the order of the fields, `init=False` ones included, and may be endless. No `__post_init__` runs.
    For sixty objects it takes a fifth of the time of the class itself.
    """
    setters = tuple(vars(kind)[field.name].__set__ for field in fields(kind))  # type: ignore[arg-type]  # dataclasses

    def make(count: int, *columns: Iterable[Any]) -> list[T]:
        records = list(map(object.__new__, repeat(kind, count)))
        for setter, column in zip(setters, columns, strict=True):
            deque(map(setter, records, column), maxlen=0)
        return records

    return make


class DeferredValue(Generic[T]):
    """A value of a `deferrable` field that is made when the field is read first, once for all threads."""

    __slots__ = ("_lock", "_made", "_make")

    def __init__(self, make: Callable[[], T]) -> None:
        self._make: Callable[[], T] | None = make
        self._lock = threading.Lock()

    def value(self) -> T:
        """The value, made now unless it was made before; what it is made of is let go then."""
        with self._lock:
            if self._make is not None:
                self._made = self._make()
                self._make = None
            return self._made


class _DeferrableField:
    """The slot of a field whose value may be given as `DeferredValue`."""

    def __init__(self, slot: Any) -> None:
        self._slot = slot

    def __get__(self, record: Any, kind: type | None = None) -> Any:
        if record is None:
            return self
        value = self._slot.__get__(record, kind)
        if not isinstance(value, DeferredValue):
            return value
        resolved = value.value()
        self._slot.__set__(record, resolved)
        return resolved

    def __set__(self, record: Any, value: Any) -> None:
        self._slot.__set__(record, value)

    def given(self, record: Any) -> Any:
        """The value as it was given, still deferred if nobody has read it."""
        return self._slot.__get__(record)


def deferrable(*names: str) -> Callable[[type[T]], type[T]]:
    """Makes fields of a slotted dataclass take a `DeferredValue` in place of a value; who reads them sees the value."""

    def with_deferrable_fields(kind: type[T]) -> type[T]:
        for name in names:
            setattr(kind, name, _DeferrableField(vars(kind)[name]))
        return kind

    return with_deferrable_fields


def as_given(record: object, name: str) -> Any:
    """The value of a field as it was given: a `DeferredValue` if it is one that nobody has read."""
    slot = vars(type(record))[name]
    return slot.given(record) if isinstance(slot, _DeferrableField) else slot.__get__(record)


def changed(record: R, **values: Any) -> R:
    """What `dataclasses.replace` gives, without making deferred values."""
    kind = type(record)
    unchanged = {name: as_given(record, name) for name in _hints(kind) if name not in values}
    return kind(**unchanged, **values)


_HINTS: dict[type, dict[str, Any]] = {}  # cached, since reading annotations is slow


def _hints(cls: type) -> dict[str, Any]:
    if cls not in _HINTS:
        hints = get_type_hints(cls)
        _HINTS[cls] = {field.name: hints[field.name] for field in fields(cls)}
    return _HINTS[cls]


def _required(cls: type) -> list[str]:
    every = fields(cls)
    return [field.name for field in every if field.default is MISSING and field.default_factory is MISSING]


_ABSENT: dict[type, dict[str, None]] = {}  # cached likewise


def _absent(cls: type) -> dict[str, None]:
    """The required fields that may be None, which `to_dict` then leaves out."""
    if cls not in _ABSENT:
        hints = _hints(cls)
        _ABSENT[cls] = {name: None for name in _required(cls) if _takes_none(hints[name])}
    return _ABSENT[cls]


def _takes_none(hint: Any) -> bool:
    return hint is Any or (get_origin(hint) in (Union, UnionType) and type(None) in get_args(hint))


_PRIMITIVES: frozenset[type] = frozenset((str, int, float, bool, type(None)))


def _plain(value: Any) -> Any:
    # Most values are primitives; the other checks take five times as long.
    return value if type(value) in _PRIMITIVES else taken_apart(value)


def taken_apart(value: Any) -> Any:
    """A value that JSON does not have, as primitives: the `default` of an encoder."""
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _typed(hint: Any, value: Any) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if value is None:
        return None
    if origin in (Union, UnionType):
        return _typed_union(arguments, value)
    if origin in (tuple, Sequence):
        if not isinstance(value, tuple | list):
            raise ValueError(f"expected a list, got {type(value).__name__}")
        return tuple(_typed(arguments[0], item) for item in value)
    if origin is dict and isinstance(value, Mapping):
        return {key: _typed(arguments[1], item) for key, item in value.items()}
    return _typed_scalar(hint, value)


def _typed_scalar(hint: Any, value: Any) -> Any:
    if hint is datetime and isinstance(value, str):
        return datetime.fromisoformat(value)
    if hint is bytes and isinstance(value, str):
        return bytes.fromhex(value)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        if not isinstance(value, str):  # a deep list would be shown whole by the error of an enumeration
            raise ValueError(f"expected a text, got {type(value).__name__}")
        return hint(value)
    if isinstance(hint, type) and issubclass(hint, Record) and isinstance(value, Mapping):
        return hint.from_dict(value)
    return value


def _typed_union(arguments: tuple[Any, ...], value: Any) -> Any:
    """Chooses the member of a union by the value: text stays text if `str` is a member, a list becomes the tuple."""
    if isinstance(value, str) and str in arguments:
        return value
    kinds = [argument for argument in arguments if argument is not type(None)]
    if isinstance(value, list | tuple):
        kinds = [kind for kind in kinds if get_origin(kind) is tuple] or kinds
    return _typed(kinds[0], value)
