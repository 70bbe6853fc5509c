"""The order of sessions by their names, which breaks ties, kept up as sessions come.

Every turn that comes makes a new view of the index, and sorting all names for each would take a home of 100,000
sessions as long as much of a recall.
"""

import threading
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

_FEW: Final = 16
"""New names that are put in one by one; of more the whole is sorted."""


class NameOrder:
    """Places of names by code; a code keeps its name, and new ones follow. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sorted: list[str] = []
        self._places = np.empty(0, dtype=np.int64)

    def places(self, names: Sequence[str]) -> NDArray[np.int64]:
        """Of each name, by its code, a number that orders it among these names.

        Args:
            names: all that the caller knows, by code. Other callers may know more, which are then counted too.
        """
        with self._lock:
            new = names[len(self._places) :]
            if len(new) > _FEW:
                order = sorted(range(len(names)), key=names.__getitem__)
                self._sorted = [names[code] for code in order]
                self._places = np.empty(len(names), dtype=np.int64)
                self._places[order] = np.arange(len(names))
                return self._places
            for name in new:
                place = bisect_left(self._sorted, name)
                self._sorted.insert(place, name)
                self._places = np.append(self._places + (self._places >= place), place)  # others may read the old one
            return self._places
