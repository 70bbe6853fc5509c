"""Which values of a session are likely to be needed again, and so belong literally into its recap.

On real sessions of coding agents a value that is used again was mostly used lately, or often, and a short one costs
little: choosing by what a token of it is worth kept two thirds of the values that the rest of the session used
again, in a recap of a thirtieth of the text (docs/condense.md).
"""

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Final

from clew.condense.material import Mark, RecapTurn

_PLAIN: Final = frozenset({"identifier", "path", "url"})
"""Kinds whose values stand in one code span, with spaces between them."""

_FRESH: Final = 0.05
"""Share of the session's length in which a use hardly loses worth: three times that later it counts half."""

_LEAST_FRESH: Final = 2_000
"""Characters in which it hardly does in a short session."""

_DECAY: Final = 0.5
"""Power with which a use loses worth with the text since: that of the base-level activation of memory (Anderson and
Schooler 1991, "Reflections of the environment in memory"). It falls fast at first and then ever more slowly, so one
decay serves sessions of a day and a team's half year, which no exponential one did (docs/condense-figures.md)."""

_EVERY_USE: Final = 0.02
"""What each turn that uses a value counts, however long ago; of uses beyond `_MOST_USES` it is all that counts."""

_SATURATION: Final = 0.7
"""Power of the sum of a value's uses: one that was used twenty times is not ten times as likely to be needed again as
one that was used twice, so many short values are worth more than a few that are in every listing."""

_EVERY_DAY: Final = 0.6
"""What each day after the first on which a value is used counts: what a team comes back to on another day, it needs for
long. Agents' sessions last a day or two, and choose as without it."""

_SEPARATOR: Final = 0.5
"""Tokens added to the length of each value, for the separator behind it."""

_WITH_LINE: Final = 0.25
"""Worth of a path with a line number, as a share of a path's: of 118 such in four sessions none was used again."""

_LINE: Final = re.compile(r":\d+(?:[:-]\d+)?$")

_FILLED: Final = re.compile(r"(?:^|[/\\])(?:node_modules|bower_components|site-packages|__pycache__)[/\\]")
"""A path in a folder that a package manager or an interpreter fills. Such paths come by the dozen in listings: of 512
in three cuts of a session none was used again, where 71 of 267 others were. One that a second turn names is meant."""

_PIECE: Final = re.compile(r"[^\W_]+|[\W_]")
_LONGEST: Final = 80  # characters of a value in which others are looked for

_MOST_USES: Final = 24
"""Uses of a value that are told apart; of older ones only the number counts."""


@dataclass(frozen=True, slots=True)
class ReusedValue:
    """A value, its kind, its worth for each token after the values before it, and the last turn that used it."""

    mark: Mark
    worth: float
    last: int


@dataclass(slots=True)
class ValueUse:
    """How a value was used so far: its last spelling and kind, and where.

    Attributes:
        count: turns that use it.
        ends: characters before the ends of the last turns that use it, oldest first.
        last: seq of the last of them.
        days: on how many days it was used; a turn without a time is on the day of the use before.
        day: the last of these days, as a number; 0 where no use has a time.
    """

    mark: Mark
    count: int = 0
    ends: list[int] = field(default_factory=list)
    last: int = -1
    days: int = 1
    day: int = 0

    @property
    def is_filling(self) -> bool:
        """Whether it only fills a listing, as the files of installed packages do."""
        return self.count == 1 and self.mark.kind == "path" and _FILLED.search(self.mark.value) is not None


@dataclass(slots=True)
class Uses:
    """The values of the turns read so far, by their case-folded text. Values that differ only in case are one.

    Attributes:
        position: characters of all turns read.
    """

    position: int = 0
    values: dict[str, ValueUse] = field(default_factory=dict)

    def add(self, turn: RecapTurn) -> None:
        """Reads the next turn."""
        self.position += turn.characters
        day = 0 if turn.at is None else turn.at.toordinal()
        for key, mark in {mark.value.casefold(): mark for mark in turn.marks}.items():
            use = self.values.setdefault(key, ValueUse(mark))
            use.mark, use.last = mark, turn.seq
            use.days += 0 < use.day < day
            use.day = max(use.day, day)
            use.count += 1
            use.ends = [*use.ends[1 - _MOST_USES :], self.position]

    def worth(self, use: ValueUse) -> float:
        """What a value is worth now, whatever its length."""
        fresh = _FRESH * self.position + _LEAST_FRESH
        often = _EVERY_USE * use.count + _EVERY_DAY * (use.days - 1)
        share = _WITH_LINE if use.mark.kind == "path" and _LINE.search(use.mark.value) else 1.0
        uses: float = (sum((1.0 + (self.position - end) / fresh) ** -_DECAY for end in use.ends) + often) ** _SATURATION
        return share * uses

    def by_worth(self, count: Callable[[str], int]) -> list[ReusedValue]:
        """The values but for those that only fill listings, by their worth for each token, best first; ties by text.

        A value also has the worth of the values that it contains, as `src/app/hooks.go` contains `hooks.go`, unless one
        before it contains them too.
        """
        keys = sorted(key for key, use in self.values.items() if not use.is_filling)
        places = {key: place for place, key in enumerate(keys)}
        uses = [self.values[key] for key in keys]
        within = [[places[part] for part in _parts(key) if part in places] for key in keys]
        cost = [count(use.mark.value) + _SEPARATOR for use in uses]
        left = [self.worth(use) for use in uses]

        def gain(place: int) -> float:
            return round(sum(left[part] for part in within[place]) / cost[place], 9)

        waiting = [(-gain(place), uses[place].mark.value, place) for place in range(len(keys))]
        heapify(waiting)
        values: list[ReusedValue] = []
        while waiting:
            worth, text, place = heappop(waiting)
            if gain(place) < -worth:  # a value before it contains a part of it
                heappush(waiting, (-gain(place), text, place))
                continue
            values.append(ReusedValue(uses[place].mark, -worth, uses[place].last))
            for part in within[place]:
                left[part] = 0.0
        return values

    def keep_best(self, most: int, besides: Container[str] = ()) -> None:
        """Forgets the values of least worth where there are more than `most`.

        Args:
            besides: keys that are kept in any case.
        """
        if len(self.values) > most:
            worth = {key: (-self.worth(use), key) for key, use in self.values.items()}
            best = set(sorted(self.values, key=worth.__getitem__)[:most])
            self.values = {key: use for key, use in self.values.items() if key in best or key in besides}


def values_by_worth(turns: Iterable[RecapTurn], count: Callable[[str], int]) -> list[ReusedValue]:
    """The different values of a session, see `Uses.by_worth`."""
    uses = Uses()
    for turn in turns:
        uses.add(turn)
    return uses.by_worth(count)


def _parts(key: str) -> set[str]:
    """The parts of a value between borders of words and signs, the whole value included."""
    if key.isalnum():
        return {key}
    ends = [0, *(piece.end() for piece in _PIECE.finditer(key, 0, _LONGEST))]
    parts = {key[start:end] for start in ends for end in ends if end - start > 0}
    return parts | {key}


def is_plain(value: ReusedValue) -> bool:
    """Whether a value can stand in one code span with others: it has neither white space nor a backtick."""
    return value.mark.kind in _PLAIN and not any(char.isspace() or char == "`" for char in value.mark.value)


def listed(values: Sequence[ReusedValue], shown: Mapping[str, str]) -> str:
    """The values of one kind, the plain ones in one code span, where each needs only a space as separator."""
    plain = " ".join(value.mark.value for value in values if is_plain(value))
    rest = (shown[value.mark.value] for value in values if not is_plain(value))
    return ", ".join([*([f"`{plain}`"] if plain else []), *rest])
