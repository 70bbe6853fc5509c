"""Which values of a session are likely to be needed again, and so belong literally into its recap.

On real sessions of coding agents a value that is used again was mostly used lately, or often, and a short one costs
little: choosing by what a token of it is worth kept two thirds of the values that the rest of the session used
again, in a recap of a thirtieth of the text (docs/condense.md).
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp
from typing import Final

from clew.condense.material import Mark, RecapTurn

_MEMORY: Final = 0.15
"""Share of the session's length after which a use counts 1/e."""

_LEAST_MEMORY: Final = 8_000
"""Characters after which it does in a short session."""

_EVERY_USE: Final = 0.15
"""What each turn that uses a value counts, however long ago."""

_SEPARATOR: Final = 2.0
"""Tokens added to each value's length, so that scraps do not win by shortness alone."""


@dataclass(frozen=True, slots=True)
class ReusedValue:
    """A value, its kind, its worth (above 0), and the last turn that used it."""

    mark: Mark
    worth: float
    last: int


def values_by_worth(turns: Sequence[RecapTurn], count: Callable[[str], int]) -> list[ReusedValue]:
    """The different values of a session, by their worth for each token, best first; ties by text.

    Values that differ only in case are one; its last spelling and kind are shown.
    """
    position = 0
    uses: dict[str, dict[int, int]] = defaultdict(dict)  # value -> turn -> characters before the turn's end
    shown: dict[str, tuple[Mark, int]] = {}
    for turn in turns:
        position += turn.characters
        for mark in turn.marks:
            key = mark.value.casefold()
            uses[key][turn.seq] = position
            shown[key] = (mark, turn.seq)
    fade = _MEMORY * position + _LEAST_MEMORY
    found = []
    for key, places in uses.items():
        worth = sum(exp((at - position) / fade) + _EVERY_USE for at in places.values())
        mark, last = shown[key]
        found.append(ReusedValue(mark, worth / (count(mark.value) + _SEPARATOR), last))
    return sorted(found, key=lambda value: (-round(value.worth, 9), value.mark.value))
