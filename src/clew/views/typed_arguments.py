"""Checks the arguments of the views' public functions and classes against their annotations: start at `typed`.

The views take the source documents' own structures, so that nearly every argument is a number, a list or a record of
theirs. A wrong one is named where it comes in, as `clew.memory.arguments` does for a memory's methods.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, wraps
from inspect import formatannotation, signature
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from clew.errors import InputError, shown

F = TypeVar("F", bound=Callable[..., Any])

_NUMBERS: Final = {int: (Integral, "a whole number"), float: (Real, "a number")}
_WORDS: Final = {
    bool: "True or False",
    str: "text, as a str",
    NoneType: "None",
    Callable: "a function",
    Mapping: "a mapping",
}
_LISTS: Final = (list, tuple, Sequence, Collection, Iterable)


def typed(function: F) -> F:
    """Wraps a function, so that an argument of another type than its annotation is an `InputError` that names it.

    For a class, decorate `__init__`; for a dataclass use `typed_record`.
    """
    order = signature(function)

    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        try:
            given = order.bind(*args, **kwargs).arguments
        except TypeError:
            return function(*args, **kwargs)  # Python names the argument that is missing or not known
        for name, hint in _hints(function).items():
            if name in given and not _is(given[name], hint):
                raise InputError(f"{name} is {shown(given[name])}; expected {_words(hint)}")
        return function(*args, **kwargs)

    return checked  # type: ignore[return-value]  # the wrapper takes what the function takes


C = TypeVar("C", bound=type)


def typed_record(cls: C) -> C:
    """Gives a dataclass a constructor that checks its arguments, see `typed`."""
    cls.__init__ = typed(cls.__init__)  # type: ignore[misc]  # the one that `dataclass` made
    return cls


@cache
def _hints(function: Callable[..., Any]) -> Mapping[str, Any]:
    hints = get_type_hints(function)
    hints.pop("return", None)
    return hints


def _is(value: object, hint: Any) -> bool:
    """Whether a value may be given where an annotation stands."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_is(value, each) for each in inner)
    if origin in _LISTS:
        return _is_list(value, origin, inner[:1])
    if origin in (dict, Mapping):
        return isinstance(value, Mapping) and all(_is(k, inner[0]) and _is(v, inner[1]) for k, v in value.items())
    return _is_one(value, origin or hint)


def _is_one(value: object, kind: Any) -> bool:
    """Whether a value is of a type that holds no others; instead of one of Clew's, whatever has its public names."""
    if kind is Literal:
        return isinstance(value, str)  # whether it is one of them, the function itself tells
    if kind in _NUMBERS:
        return isinstance(value, _NUMBERS[kind][0]) and not isinstance(value, bool)
    if kind is Any or not isinstance(kind, type) or (not _is_protocol(kind) and isinstance(value, kind)):
        return True
    return kind.__module__.startswith("clew.") and all(hasattr(value, name) for name in _members(kind))


def _is_list(value: object, kind: Any, inner: tuple[Any, ...]) -> bool:
    """Whether a value is a list in the widest sense, with members of a type; those of an iterator are not read."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return False
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    if not isinstance(value, Collection):
        return kind is Iterable
    if isinstance(value, set | frozenset) and kind not in (Collection, Iterable):
        return False
    return all(_is(element, hint) for hint in inner for element in value)


def _is_protocol(kind: type) -> bool:
    return kind.__module__.startswith("clew.") and getattr(kind, "_is_protocol", False)


@cache
def _members(kind: type) -> frozenset[str]:
    """The public names of a class, and whether it can be called."""
    own = [cls for cls in kind.__mro__ if cls.__module__.startswith("clew.")]
    named = {name for cls in own for name in (*vars(cls), *vars(cls).get("__annotations__", ()))}
    return frozenset(name for name in named if name == "__call__" or not name.startswith("_"))


def _words(hint: Any) -> str:
    """What an annotation asks for, in words."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(_words, inner)))
    if origin is Literal:
        return f"one of {', '.join(map(str, inner))}"
    if origin in _LISTS:
        return f"a list, each {_words(inner[0])}"
    if hint in _NUMBERS:
        return _NUMBERS[hint][1]
    return _WORDS.get(origin or hint) or formatannotation(origin or hint, "builtins").rpartition(".")[2]
