"""What is made of turns one after the other, kept beside the columns: a newer view makes it of the new turns alone."""

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar, cast

from numpy.typing import NDArray

from clew.index.columns import Column

T = TypeVar("T")

MAX_ARRAYS: Final = 32
"""Arrays that are kept: those of other weights than the present ones go."""


@dataclass(frozen=True)  # without slots: Python 3.11 cannot make `CacheKey[int](...)` of a slotted frozen class
class CacheKey(Generic[T]):
    """Names one cached value of a view or of its columns, and that value's type.

    Attributes:
        parameters: what the value depends on beside the turns, such as weights.
    """

    name: str
    parameters: tuple[Hashable, ...] = ()


class IncrementalCache:
    """Grows with the columns of one space. Threads may share it, and views of any age."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._arrays: dict[CacheKey[NDArray[Any]], Column] = {}
        self._folds: dict[CacheKey[Any], tuple[int, Any]] = {}

    def grown(self, key: CacheKey[NDArray[Any]], size: int, make: Callable[[slice], NDArray[Any]]) -> NDArray[Any]:
        """One value for each of the first `size` turns, read-only.

        Args:
            make: gives the values of a run of turns, each of which depends on its turn alone.
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
            found = column.array[:size]
        found.flags.writeable = False
        return found

    def folded(self, key: CacheKey[T], size: int, make: Callable[[slice], T], join: Callable[[T, T], T]) -> T:
        """One value for the first `size` turns together.

        Args:
            make: gives the value of a run of turns.
            join: the value of two runs together; the same however turns are parted.
        """
        with self._lock:
            held = self._folds.get(key)
            if held is None or held[0] > size:  # an older view asks
                held = size, make(slice(0, size))
            elif held[0] < size:
                held = size, join(held[1], make(slice(held[0], size)))
            self._folds[key] = held
            return cast(T, held[1])
