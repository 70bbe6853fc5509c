"""What callers give to a memory, checked where it comes in: other kinds of values would fail somewhere deep inside."""

from numbers import Integral
from typing import Final

from clew.errors import InputError
from clew.ingest.encoding import escape_surrogates

BUDGET: Final = "the tokens that the block may take"
"""What a budget counts."""


def given_text(value: object, name: str) -> str:
    """The text, in the form in which text is stored.

    Raises:
        InputError: it is no text.
    """
    if not isinstance(value, str):
        raise InputError(f"the {name} is {value!r:.60}; expected text, as a str")
    return escape_surrogates(value)


def given_count(value: object, name: str, what: str) -> int:
    """The number, 0 or more; `what` says what it counts.

    Raises:
        InputError: it is negative, or no whole number.
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError(f"{name} is {value!r:.60}; expected a whole number: {what}")
    if value < 0:
        raise InputError(f"{name} {value} is negative; give {what}, 0 or more")
    return int(value)
