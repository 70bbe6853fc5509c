"""Columns take no more room than they need when they are read at once, and are not moved for each turn that comes."""

import pytest

from clew.index.columns import Columns
from clew.index.entry import PieceTerms, TurnEntry
from clew.index.segment import Segment, build


def entry(number: int) -> TurnEntry:
    return TurnEntry(number, "s", number, "", None, "user", None, 5, (PieceTerms({"tea": 1}, {}, 5),))


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
