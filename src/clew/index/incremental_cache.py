"""A cache of values derived from the columns: a newer view computes them for new turns only."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final, Generic, NamedTuple, TypeVar, cast

from numpy.typing import NDArray

from clew.index.columns import Column

T = TypeVar("T")
A = TypeVar("A", bound=NDArray[Any])

MAX_ARRAYS: Final = 32
"""Most arrays in the cache; it is emptied when full, which drops arrays made with outdated weights."""


class CacheKey(NamedTuple, Generic[T]):
    """Names one cached value of a view or of its columns, and that value's type.

    `CacheKey[int](...)` takes ten times as long as `CacheKey(...)`; where keys are made for each question, the type
    stands in an annotation.

    Attributes:
        parameters: what the value depends on beside the turns, such as weights.
    """

    name: str
    parameters: tuple[Hashable, ...] = ()


class IncrementalCache:
    """Derived values that grow with the columns of one space. Safe to share between threads and views of any age."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._arrays: dict[CacheKey[NDArray[Any]], Column] = {}
        self._folds: dict[CacheKey[Any], tuple[int, Any]] = {}
        self._shared: dict[CacheKey[Any], Any] = {}

    def shared(self, key: CacheKey[T], make: Callable[[], T]) -> T:
        """One object for all views, which guards its own state and holds what never changes of a turn."""
        with self._lock:
            if key not in self._shared:
                self._shared[key] = make()
            return cast(T, self._shared[key])

    def grown(self, key: CacheKey[NDArray[Any]], size: int, make: Callable[[slice], NDArray[Any]]) -> NDArray[Any]:
        """A read-only array with one value for each of the first `size` turns.

        Args:
            make: computes the values of a slice of turns; each value must depend on its own turn only.
        """
        with self._lock:
            column = self._arrays.get(key)
            if column is None:
                if len(self._arrays) >= MAX_ARRAYS:
                    self._arrays.clear()
                first = make(slice(0, size))
                column = self._arrays[key] = Column(first.dtype, 0)
                column.reserve(size)
                column.extend(first)
            elif column.size < size:
                column.extend(make(slice(column.size, size)))
            values = column.array[:size]
        values.flags.writeable = False
        return values

    def folded(self, key: CacheKey[T], size: int, make: Callable[[slice], T], join: Callable[[T, T], T]) -> T:
        """One value for the first `size` turns as a whole.

        Args:
            make: computes the value of a slice of turns.
            join: combines the values of two adjacent slices; the result must not depend on where slices are cut.
        """
        with self._lock:
            folded = self._folds.get(key)
            if folded is not None and folded[0] > size:  # an older view asks
                return make(slice(0, size))
            if folded is None:
                folded = size, make(slice(0, size))
            elif folded[0] < size:
                folded = size, join(folded[1], make(slice(folded[0], size)))
            self._folds[key] = folded
            return cast(T, folded[1])


class RecentArrays(Generic[A]):
    """Arrays by key, of which those used longest ago go when all of them are too large. Safe to share."""

    def __init__(self, most: int) -> None:
        """Keeps `most` bytes, and in any case the array that was asked for last."""
        self._most = most
        self._size = 0
        self._kept: OrderedDict[Hashable, A] = OrderedDict()
        self._lock = threading.Lock()

    def kept(self, key: Hashable) -> A | None:
        """The array of a key, read-only; None unless it is kept."""
        with self._lock:
            entry = self._kept.get(key)
            if entry is not None:
                self._kept.move_to_end(key)
            return entry

    def keys(self) -> list[Hashable]:
        """The keys of all arrays that are kept, the one that was asked for last at the end."""
        with self._lock:
            return list(self._kept)

    def keep(self, key: Hashable, value: A) -> A:
        """Keeps an array, read-only from now on, and returns the one that is kept."""
        value.flags.writeable = False
        with self._lock:
            known = self._kept.get(key)
            if known is not None:  # another thread made it meanwhile
                return known
            self._kept[key] = value
            self._size += value.nbytes
            while self._size > self._most and len(self._kept) > 1:
                _, gone = self._kept.popitem(last=False)
                self._size -= gone.nbytes
        return value
