"""Checks of the arguments of a memory's methods, so that a wrong argument is reported by the name the caller knows."""

import math
from collections.abc import Callable, Iterable
from datetime import datetime
from numbers import Integral, Real
from typing import Any, Final, TypeVar

from clew.errors import InputError, shown
from clew.ingest.encoding import checked_name, escape_surrogates, is_encodable
from clew.rank.intent.time_window import last_moment_of
from clew.recall.sessions import ProjectFilter
from clew.rows.pins import canonical
from clew.types.exact import exact_choice, exact_text
from clew.types.facts import FactStatus
from clew.types.pins import PinKind
from clew.types.turn import aware

F = TypeVar("F", bound=Callable[..., Any])

MOST: Final = 2**63 - 1
"""The largest integer that a store can hold."""

AGES: Final = 1e9
"""The longest wait in seconds, thirty years: the system's clocks do not accept much more."""

BUDGET: Final = "the tokens that the block may take"
"""What a budget counts."""

WINDOW: Final = "the tokens of the model's whole window"
IN_WINDOW: Final = "the number of newest turns in the prompt"


def given_text(value: object, name: str) -> str:
    """The text, in the form in which text is stored.

    Raises:
        InputError: it is not a str.
    """
    if not isinstance(value, str):
        raise InputError(f"the {name} is {shown(value)}; expected text, as a str")
    return escape_surrogates(exact_text(value))


def given_name(value: object, name: str) -> str:
    """The name or id of something stored; characters that no database can store are escaped, as when it was stored.

    Raises:
        InputError: it is not a str.
    """
    if isinstance(value, str) and is_encodable(value):
        return exact_text(value)  # what looks like an escape belongs to the stored name
    return given_text(value, name)


def given_names(value: object, name: str, each: str) -> list[str]:
    """The names in an iterable, checked by `given_name`; `each` says what one of them is.

    Raises:
        InputError: it is not an iterable, an item is not a str, or it is a single str, which would be read letter by
            letter.
    """
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise InputError(f"{name} is {shown(value)}; expected a list of {each}s")
    return [given_name(item, each) for item in value]


def given_progress(value: F | None) -> F | None:
    """The argument `on_progress`: a function or None.

    Raises:
        InputError: it is neither.
    """
    if value is not None and not callable(value):
        raise InputError(f"on_progress is {shown(value)}; expected a function that is told of the progress, or None")
    return value


def given_space(value: object) -> str:
    """The name of a space.

    Raises:
        InputError: it is not a str, is empty, or has a NUL or a lone surrogate, which no database can store.
    """
    return _given_name(value, "space")


def given_session(value: object) -> str:
    """The name of a session.

    Raises:
        InputError: it is not a str, is empty, or has a NUL or a lone surrogate, which no database can store.
    """
    return _given_name(value, "session")


def _given_name(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"the {what} is {shown(value)}; expected its name, as a str")
    if not value.strip():
        raise InputError(f"{what} {value!r} is empty; name it, or leave the argument out for 'default'")
    return checked_name(exact_text(value), what)


def given_count(value: object, name: str, what: str) -> int:
    """The number, 0 or more; `what` says what it counts.

    Raises:
        InputError: it is negative, or not an integer.
    """
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError(f"{name} is {shown(value)}; expected a whole number: {what}")
    if value < 0:
        raise InputError(f"{name} {shown(value)} is negative; give {what}, 0 or more")
    number = int(value)
    if number > MOST:
        raise InputError(f"{name} is {shown(value)}; give {what}, at most {MOST}")
    return number


def given_seconds(value: object, name: str) -> float | None:
    """How long to wait, in seconds; None waits as long as it takes.

    Raises:
        InputError: it is not a number.
    """
    if value is None:
        return None
    try:
        seconds = math.nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    except OverflowError:  # an integer beyond the floats
        seconds = AGES
    if math.isnan(seconds):
        raise InputError(
            f"{name} is {shown(value)}; expected seconds, as a number, or None to wait as long as it takes"
        )
    return min(seconds, AGES)


def given_moment(value: object, name: str, now: datetime) -> datetime | None:
    """The moment, in UTC; of a time in words, such as "last year" or "2024-03-05", its last moment; None for None.

    Raises:
        InputError: it is not a time.
    """
    if value is None:
        return None
    if isinstance(value, datetime):
        return aware(value, name)
    if not isinstance(value, str):
        raise InputError(f"{name} is {shown(value)}; expected a datetime, or a time such as 'last week'")
    return last_moment_of(value, name, now)


def given_flag(value: object, name: str) -> bool:
    """A bool.

    Raises:
        InputError: it is neither True nor False.
    """
    if not isinstance(value, bool):
        raise InputError(f"{name} is {shown(value)}; expected True or False")
    return value


def given_place(project: object, branch: object) -> ProjectFilter:
    """The filter for a project folder and a git branch.

    Raises:
        InputError: one of them is neither None nor a str.
    """
    return ProjectFilter(
        project=None if project is None else given_text(project, "project"),
        branch=None if branch is None else given_text(branch, "branch"),
    )


def given_status(value: object) -> FactStatus:
    """The status of facts.

    Raises:
        InputError: there is no such status.
    """
    return exact_choice(value, "status", FactStatus)


def given_ref_or_rule(ref: str | None, where: str | None) -> tuple[PinKind, str]:
    """The turn or the rule that a pin names; exactly one is given.

    Raises:
        InputError: neither or both are given, or `ref` is not a turn's id.
    """
    if (ref is None) == (where is None):
        raise InputError(
            f"{'nothing' if ref is None else 'a turn and a rule'} is given; name a turn, or a rule (where)"
        )
    if ref is not None:
        return "turn", canonical(given_name(ref, "turn id"))
    return "where", given_text(where, "rule").strip()
