"""Values of the exact types that stores hold, in place of values of their subclasses.

A caller's text may be a member of a `class Name(str, Enum)` or a numpy string, and a moment a pandas Timestamp. They
compare equal to plain values, but no store takes them, and `str(Name.ANN)` is not the text that `Name.ANN` holds.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import TypeVar

from clew.errors import InputError, TurnRejected, shown


def exact_text(text: str) -> str:
    """The characters of a text as a plain `str`, the same object if it is one."""
    return text if type(text) is str else str.__str__(text)


Choice = TypeVar("Choice", bound=str)


def exact_choice(value: object, name: str, choices: Iterable[Choice], error: type[InputError] = InputError) -> Choice:
    """One of several words, as a plain `str`.

    Args:
        name: what the word chooses, for the message.
        error: what is raised for anything else.

    Raises:
        InputError: it is none of them.
    """
    for choice in choices if isinstance(value, str) else ():
        if choice == value:
            return choice
    raise error(f"{name} {shown(value)} is unknown; expected one of {', '.join(choices)}")


def exact_moment(moment: datetime, name: str) -> datetime:
    """A moment as a plain `datetime`, the same object if it is one; what is finer than a microsecond is cut off.

    Raises:
        TurnRejected: it is not a moment, as pandas' NaT, which calls itself a datetime.
    """
    if type(moment) is datetime:
        return moment
    try:
        return datetime(
            *(moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.microsecond),
            tzinfo=moment.tzinfo,
            fold=moment.fold,
        )
    except (TypeError, ValueError, AttributeError) as error:
        raise TurnRejected(f"{name} is {shown(moment)}, which is no moment; give None where it is not known") from error
