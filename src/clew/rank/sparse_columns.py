"""Columns with a value for every turn that are stored in less room: most signals have something to say of few turns.

Borders: knows positions and values only.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Positions = NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class FewTurns:
    """A column that is 0 but for some turns.

    Attributes:
        size: number of turns.
        positions: of those turns, at least one, ascending, each once.
        values: theirs.
    """

    size: int
    positions: NDArray[np.intp]
    values: Scores

    def __getitem__(self, wanted: Positions) -> Scores:
        """The values of some turns."""
        places = np.minimum(self.positions.searchsorted(wanted), len(self.positions) - 1)
        return np.where(self.positions[places] == wanted, self.values[places], 0.0)

    def dense(self) -> Scores:
        """The values of all turns."""
        values = np.zeros(self.size)
        values[self.positions] = self.values
        return values


@dataclass(frozen=True, slots=True, eq=False)
class BySession:
    """A column with one value for all turns of a session.

    Attributes:
        values: of each session, by its code.
        codes: of each turn, the code of its session.
        runs: the code of each run of turns of one session, and how many turns the run has.
    """

    values: Scores
    codes: NDArray[np.int32]
    runs: tuple[NDArray[np.intp], NDArray[np.intp]]

    def __getitem__(self, wanted: Positions) -> Scores:
        """The values of some turns."""
        return self.values[self.codes[wanted]]

    def dense(self) -> Scores:
        """The values of all turns."""
        codes, lengths = self.runs
        return np.repeat(self.values[codes], lengths)


Column = Scores | FewTurns | BySession
"""One value per turn."""


def distinct(positions: NDArray[np.intp]) -> NDArray[np.intp]:
    """Positions in ascending order, each once, without `numpy.unique`, whose first call loads a module for 9 ms."""
    ordered = np.sort(positions)
    is_first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def whole(column: Column) -> Scores:
    """A column as an array of one value per turn."""
    return column if isinstance(column, np.ndarray) else column.dense()
