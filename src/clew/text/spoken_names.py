"""Whom a short name means among people with whole names: "Mara" is Mara Lindqvist, where no other Mara is known."""

from collections.abc import Iterable
from typing import Final

from clew.text.normalise import fold

_LEAST: Final = 3
"""Letters of a word of a name by which somebody is called; "Dr" and "de" are none."""


def people_called(name: str, people: Iterable[str]) -> list[str]:
    """The people that a name may mean, in their order.

    Those of exactly this name, else those whose name differs in case and accents alone, else those of whose name it is
    one of the words.

    Examples:
        >>> people_called("jose", ["Mara Lindqvist", "José Ortega"])
        ['José Ortega']
        >>> people_called("Tom", ["Tom Becker", "Tom Reed"])
        ['Tom Becker', 'Tom Reed']
    """
    every = list(people)
    if name in every:
        return [name]
    wanted = fold(name)
    return [candidate for candidate in every if fold(candidate) == wanted] or [
        candidate for candidate in every if wanted in short_names(candidate)
    ]


def short_names(name: str) -> list[str]:
    """The first and the last word of a name of several, as `fold` writes them; not what is too short to be a name."""
    words = fold(name).split()
    called = [word for word in words if len(word) >= _LEAST]
    return list(dict.fromkeys((called[0], called[-1]))) if called and len(words) > 1 else []
