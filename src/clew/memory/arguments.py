"""Checks of the arguments that callers give to a memory, so that a wrong one is named where it comes in."""

import math
from datetime import datetime
from numbers import Integral, Real
from typing import Final

from clew.errors import InputError
from clew.ingest.encoding import checked_name, escape_surrogates
from clew.rank.intent.time_window import last_moment_of
from clew.rows.pins import canonical
from clew.types.facts import FactStatus
from clew.types.pins import PinKind
from clew.types.turn import aware

MOST: Final = 2**63 - 1
"""The largest number that a store can hold."""

BUDGET: Final = "the tokens that the block may take"
"""What a budget counts."""


def given_text(value: object, name: str) -> str:
    """The text, in the form in which text is stored.

    Raises:
        InputError: it is no text.
    """
    if not isinstance(value, str):
        raise InputError(f"the {name} is {_shown(value)}; expected text, as a str")
    return escape_surrogates(value)


def given_space(value: object) -> str:
    """The name of a space.

    Raises:
        InputError: it is no text, empty, or holds a NUL or a lone surrogate, which no database keeps.
    """
    return _given_name(value, "space")


def given_session(value: object) -> str:
    """The name of a session.

    Raises:
        InputError: it is no text, empty, or holds a NUL or a lone surrogate, which no database keeps.
    """
    return _given_name(value, "session")


def _given_name(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"the {what} is {_shown(value)}; expected its name, as a str")
    if not value.strip():
        raise InputError(f"{what} {value!r} is empty; name it, or leave the argument out for 'default'")
    return checked_name(value, what)


def given_count(value: object, name: str, what: str) -> int:
    """The number, 0 or more; `what` says what it counts.

    Raises:
        InputError: it is negative, or no whole number.
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError(f"{name} is {_shown(value)}; expected a whole number: {what}")
    if value < 0:
        raise InputError(f"{name} {_shown(value)} is negative; give {what}, 0 or more")
    number = int(value)
    if number > MOST:
        raise InputError(f"{name} is {_shown(value)}; give {what}, at most {MOST}")
    return number


def given_seconds(value: object, name: str) -> float | None:
    """How long to wait, in seconds; None for None, which is as long as it takes.

    Raises:
        InputError: it is no number.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value):
        raise InputError(
            f"{name} is {_shown(value)}; expected seconds, as a number, or None to wait as long as it takes"
        )
    return float(value)


def _shown(value: object) -> str:
    """A value as a message shows it; Python writes no number of more than 4,300 digits."""
    try:
        return f"{value!r:.60}"
    except ValueError:
        return "a number of more than 4,300 digits"


def given_moment(value: object, name: str, now: datetime) -> datetime | None:
    """The moment, in UTC; the last one of a time in words, such as "last year" or "2024-03-05"; None for None.

    Raises:
        InputError: it is no time.
    """
    if value is None:
        return None
    if isinstance(value, datetime):
        return aware(value, name)
    if not isinstance(value, str):
        raise InputError(f"{name} is {_shown(value)}; expected a datetime, or a time such as 'last week'")
    return last_moment_of(value, name, now)


def given_flag(value: object, name: str) -> bool:
    """A switch.

    Raises:
        InputError: it is neither True nor False.
    """
    if not isinstance(value, bool):
        raise InputError(f"{name} is {_shown(value)}; expected True or False")
    return value


def given_status(value: object) -> FactStatus:
    """The status of facts.

    Raises:
        InputError: there is no such status.
    """
    try:
        return FactStatus(str(value))
    except ValueError as error:
        known = ", ".join(FactStatus)
        raise InputError(f"status is {_shown(value)}; expected one of {known}") from error


def given_ref_or_rule(ref: str | None, where: str | None) -> tuple[PinKind, str]:
    """The turn or the rule that a pin names, of which exactly one is given.

    Raises:
        InputError: neither or both are given, or `ref` is no turn id.
    """
    if (ref is None) == (where is None):
        raise InputError(
            f"{'nothing' if ref is None else 'a turn and a rule'} is given; name a turn, or a rule (where)"
        )
    if ref is not None:
        return "turn", canonical(given_text(ref, "turn id"))
    return "where", given_text(where, "rule").strip()
