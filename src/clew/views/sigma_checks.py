"""Checks of the fields of the SIGMA document's records, which may come from files of other programs."""

from collections.abc import Iterable, Sequence
from typing import Final

from clew.errors import InputError, shown

LARGEST: Final = 10**15
"""Largest number in a record; no time in milliseconds comes near it."""


def take_lists(record: object, *names: str) -> None:
    """Makes tuples of the fields that were given as lists, so that records with the same contents are equal."""
    for name in names:
        value = getattr(record, name)
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            raise InputError(f"{type(record).__name__}: {name} is {shown(value)}; expected a list")
        if not isinstance(value, tuple):
            object.__setattr__(record, name, tuple(value))


def check_fields(record: object, texts: Sequence[str] = (), numbers: Sequence[str] = ()) -> None:
    """Raises InputError for a field of the wrong type."""
    for name in (*texts, *numbers):
        value = getattr(record, name)
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST
        if not (is_number if name in numbers else isinstance(value, str)):
            expected = f"a number of at most {LARGEST:,}" if name in numbers else "a text"
            raise InputError(f"{type(record).__name__}: {name} is {shown(value)}; expected {expected}")


def check_one_of(record: object, name: str, expected: Sequence[str]) -> None:
    """Raises InputError for a field with an unknown value."""
    value = getattr(record, name)
    if value not in expected:
        raise InputError(f"{type(record).__name__}: {name} is {shown(value)}; expected one of {', '.join(expected)}")


def check_range(record: object, low: float, high: float, *names: str) -> None:
    """Raises InputError for a field below the lowest or above the highest value."""
    for name in names:
        value = getattr(record, name)
        if not low <= value <= high:
            raise InputError(f"{type(record).__name__}: {name} is {shown(value)}; expected {low:g} to {high:g}")


def check_tokens(tokens: int | None) -> None:
    """Refuses what is not a number of tokens.

    Raises:
        InputError: it is negative, or of another type.
    """
    if tokens is not None and (isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 0):
        raise InputError(f"{shown(tokens)} is not a number of tokens; expected a whole number, 0 or more")
