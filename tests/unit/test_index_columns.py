"""Columns take no more room than they need when they are read at once, and are not moved for each turn that comes."""

from dataclasses import replace
from operator import add

import numpy as np
import pytest
from numpy.typing import NDArray

from clew.index.columns import Columns
from clew.index.entry import PieceTerms, TurnEntry
from clew.index.incremental_cache import MAX_ARRAYS, CacheKey, IncrementalCache, RecentArrays
from clew.index.segment import Segment, build

SQUARES = CacheKey[NDArray[np.int64]]("squares")


def entry(number: int) -> TurnEntry:
    return TurnEntry(number, "s", number, "", None, "user", None, 5, (PieceTerms({"tea": 1}, {}, 5),))


@pytest.mark.requirement("F-INDEX-17")
@pytest.mark.parametrize("at_once", [0, 2, 6])
def test_system_turns_are_neighbours_of_each_other_alone(at_once: int) -> None:
    columns, roles = Columns(), ("system", "user", "assistant", "system", "user", "user")
    turns = [replace(entry(number), role=role) for number, role in enumerate(roles)]
    columns.extend(Segment.load(build(turns[:at_once])))
    for turn in turns[at_once:]:
        columns.add(turn)
    previous, following = (columns.piece[side].array[:6].tolist() for side in ("previous", "next"))
    assert previous == [-1, -1, 1, 0, 2, 4]
    assert following == [3, 2, 4, -1, 5, -1]


@pytest.mark.requirement("F-FORM-07")
def test_columns_that_are_read_at_once_have_little_room_left_over() -> None:
    columns = Columns()
    columns.reserve(1000, 1000)
    held = columns.turn["at"].array
    columns.extend(Segment.load(build([entry(number) for number in range(1000)])))
    assert columns.turn["at"].array is held, "nothing was moved"
    assert all(1000 < len(column.array) < 1010 for column in (*columns.turn.values(), *columns.piece.values()))


@pytest.mark.requirement("F-FORM-07")
def test_columns_that_grow_are_moved_a_few_times() -> None:
    columns, moves = Columns(), 0
    for number in range(2000):
        before = columns.turn["at"].array
        columns.reserve(number + 1, number + 1)
        columns.add(entry(number))
        moves += columns.turn["at"].array is not before
    assert moves < 60
    assert len(columns.turn["at"].array) < 1.2 * 2000


@pytest.mark.requirement("F-SPEED-16")
def test_what_is_kept_of_turns_is_made_of_new_ones_alone_and_older_views_keep_theirs() -> None:
    kept, asked = IncrementalCache(), list[tuple[int, int]]()

    def squares(rows: slice) -> NDArray[np.int64]:
        asked.append((rows.start, rows.stop))
        return np.arange(rows.start, rows.stop, dtype=np.int64) ** 2

    old = kept.grown(SQUARES, 3, squares)
    new = kept.grown(SQUARES, 200, squares)
    assert (old.tolist(), new.tolist()) == ([0, 1, 4], [n * n for n in range(200)])
    assert kept.grown(SQUARES, 3, squares).tolist() == old.tolist()
    assert asked == [(0, 3), (3, 200)]
    assert not new.flags.writeable
    for name in range(2 * MAX_ARRAYS):
        kept.grown(CacheKey(str(name)), 4, squares)
    assert kept.grown(SQUARES, 5, squares).tolist() == [0, 1, 4, 9, 16]


@pytest.mark.requirement("F-SPEED-16")
def test_what_is_folded_of_turns_likewise() -> None:
    kept, asked = IncrementalCache(), list[tuple[int, int]]()

    def total(rows: slice) -> int:
        asked.append((rows.start, rows.stop))
        return sum(range(rows.start, rows.stop))

    found = [kept.folded(CacheKey[int]("sum"), size, total, add) for size in (4, 10, 10, 5, 12)]
    assert found == [6, 45, 45, 10, 66]
    assert asked == [(0, 4), (4, 10), (0, 5), (10, 12)], "an older view takes nothing from newer ones"


@pytest.mark.requirement("F-READING-04")
def test_what_views_share_is_made_once() -> None:
    kept, key = IncrementalCache(), CacheKey[list[int]]("some")
    shared = kept.shared(key, list)
    assert kept.shared(key, list) is shared
    assert IncrementalCache().shared(key, list) is not shared


@pytest.mark.requirement("F-SPEED-43")
def test_the_arrays_used_last_are_kept() -> None:
    kept, made = RecentArrays[NDArray[np.int64]](2 * 24), list[str]()

    def get(key: str) -> NDArray[np.int64]:
        found = kept.kept(key)
        if found is None:
            made.append(key)
            found = kept.keep(key, np.arange(3))
        return found

    assert not get("a").flags.writeable
    for key in "bacab":
        assert get(key).tolist() == [0, 1, 2]
    assert "".join(made) == "abcb", "b was the one that nobody had used for the longest time"


@pytest.mark.requirement("F-SPEED-43")
def test_arrays_are_kept_by_their_size() -> None:
    kept = RecentArrays[NDArray[np.uint8]](10)
    first = kept.keep("first", np.zeros(6, np.uint8))
    assert kept.keep("first", np.ones(6, np.uint8)) is first, "what another thread made meanwhile stays"
    kept.keep("second", np.zeros(4, np.uint8))
    assert kept.kept("first") is first
    kept.keep("third", np.zeros(1, np.uint8))
    assert [name for name in ("first", "second", "third") if kept.kept(name) is not None] == ["first", "third"]
    kept.keep("large", np.zeros(20, np.uint8))
    assert [name for name in ("first", "third", "large") if kept.kept(name) is not None] == ["large"]
