"""The term index made again, window by window: broken off and gone on with, and beside others."""

from collections.abc import Callable, Iterable

import pytest

from clew.errors import ConflictError
from clew.index.entry import PieceTerms, TurnEntry
from clew.index.packer import pack, verify
from clew.index.segment_kinds import STAGED, TERMS, list_segments, segment_data
from clew.index.staged_rebuild import Entries, rebuild, resume_ordinal, staged_problems
from clew.store.protocol import Store
from tests.support.index_stores import SPACE, add, everything, forget, listed, memory_store


class BrokenOff(Exception):
    """What ends a rebuild in its middle."""


def turn(n: int) -> TurnEntry:
    return TurnEntry(n, f"s{n % 3}", n, "", "Ann", "user", n, 9, (PieceTerms({"word": 1, f"only{n}x": 1}, {}, 9),))


def turns(first: int, after: int) -> list[TurnEntry]:
    return [turn(n) for n in range(first, after)]


def filled(count: int) -> Store:
    store = memory_store()
    add(store, turns(0, count))
    pack(store, SPACE, minimum=7, fan_out=2)
    return store


def at_window(number: int, do: Callable[[], object], entries: Iterable[TurnEntry]) -> Entries:
    """Entries whose reader does something once a window's turns are read."""
    asked, source = [0], listed(entries)

    def read(low: int, high: int) -> Iterable[TurnEntry]:
        found = source(low, high)
        asked[0] += 1
        if asked[0] == number:
            do()
        return found

    return read


def break_off() -> None:
    raise BrokenOff


def broken(store: Store, window: int, entries: Iterable[TurnEntry]) -> None:
    with pytest.raises(BrokenOff):
        rebuild(store, SPACE, at_window(window, break_off, entries), minimum=4, fan_out=2, step=10)


def packed(store: Store) -> list[tuple[object, ...]]:
    with store.snapshot() as reader:
        return [tuple(row) for row in reader.scan("segment", (SPACE,), (SPACE,))]


def windows_read(store: Store, entries: Iterable[TurnEntry]) -> list[int]:
    """The first ordinals of the windows for which a rebuild asks."""
    asked, source = [], listed(entries)

    def read(low: int, high: int) -> Iterable[TurnEntry]:
        asked.append(low)
        return source(low, high)

    rebuild(store, SPACE, read, minimum=4, fan_out=2, step=10)
    return asked


@pytest.mark.requirement("F-HOLD-01")
@pytest.mark.parametrize("window", [1, 2, 4])
def test_a_rebuild_goes_on_where_it_was_broken_off(window: int) -> None:
    once, store = filled(35), filled(35)
    assert rebuild(once, SPACE, listed(turns(0, 35)), minimum=4, fan_out=2, step=10) == 35
    before = packed(store)
    broken(store, window, turns(0, 35))
    assert [row for row in packed(store) if row[1] == TERMS] == before, "the old index serves"
    assert verify(store, SPACE, range(35)) == []
    assert windows_read(store, turns(0, 35)) == [0, 10, 20, 30][window - 1 :]
    assert packed(store) == packed(once)
    with store.snapshot() as reader:
        assert resume_ordinal(reader, SPACE) is None


@pytest.mark.requirement("F-HOLD-02", "F-HOLD-01")
def test_what_is_forgotten_between_two_parts_of_a_rebuild_is_gone_from_both() -> None:
    once, store = filled(35), filled(35)
    broken(store, 3, turns(0, 35))
    gone = {0, 9, *range(10, 20), 25}
    forget(store, gone)
    assert not any(f"only{n}x".encode() in everything(store) for n in gone)
    forget(once, gone)
    left = [each for each in turns(0, 35) if each.ordinal not in gone]
    assert windows_read(store, left) == [20, 30]
    rebuild(once, SPACE, listed(left), minimum=4, fan_out=2, step=10)
    assert packed(store) == packed(once)
    assert verify(store, SPACE, [each.ordinal for each in left]) == []


@pytest.mark.requirement("F-HOLD-02")
def test_what_is_added_between_two_parts_of_a_rebuild_is_in_its_result() -> None:
    once, store = filled(35), filled(35)
    broken(store, 4, turns(0, 35))
    for each in (once, store):
        add(each, turns(35, 52))
    assert windows_read(store, turns(0, 52)) == [30, 40, 50]
    rebuild(once, SPACE, listed(turns(0, 52)), minimum=4, fan_out=2, step=10)
    assert packed(store) == packed(once)


@pytest.mark.requirement("F-INDEX-10", "F-HOLD-02")
def test_rebuilding_keeps_turns_that_came_meanwhile() -> None:
    store = filled(10)

    def others() -> None:
        add(store, turns(10, 13))
        pack(store, SPACE, minimum=1)

    assert rebuild(store, SPACE, at_window(1, others, turns(0, 10))) == 13
    assert verify(store, SPACE, range(13)) == []


@pytest.mark.requirement("F-INDEX-10", "F-HOLD-02")
@pytest.mark.parametrize("window", [1, 2])
def test_rebuilding_does_not_bring_a_forgotten_turn_back(window: int) -> None:
    store = filled(15)
    stored = turns(0, 15)

    def forgetting() -> None:
        forget(store, [0, 12])
        stored[:] = [each for each in stored if each.ordinal not in (0, 12)]

    entries = at_window(window, forgetting, ())

    def read(low: int, high: int) -> Iterable[TurnEntry]:
        found = listed(stored)(low, high)
        entries(low, high)
        return found

    assert rebuild(store, SPACE, read, step=10) == 13
    assert verify(store, SPACE, [n for n in range(15) if n not in (0, 12)]) == []
    assert b"only12x" not in everything(store)


@pytest.mark.requirement("F-INDEX-10")
def test_entries_of_turns_that_are_not_stored_are_refused() -> None:
    store = filled(10)
    forget(store, [3])
    with pytest.raises(ConflictError, match="during every attempt"):
        rebuild(store, SPACE, listed(turns(0, 10)))
    assert verify(store, SPACE, [n for n in range(10) if n != 3]) == []
    assert rebuild(store, "nowhere", listed([])) == 0


@pytest.mark.requirement("F-HOLD-01")
def test_two_rebuilds_at_once_do_the_work_once() -> None:
    store = filled(35)
    read: list[int] = []

    def other() -> None:
        read.extend(windows_read(store, turns(0, 35)))

    assert rebuild(store, SPACE, at_window(3, other, turns(0, 35)), minimum=4, fan_out=2, step=10) == 35
    assert read == [20, 30], "it took up what the first had staged"
    assert verify(store, SPACE, range(35)) == []


@pytest.mark.requirement("F-HOLD-01")
def test_what_another_maker_or_nobody_staged_is_dropped() -> None:
    store, once = filled(35), filled(35)
    rebuild(once, SPACE, listed(turns(0, 35)), minimum=4, fan_out=2, step=10)
    with pytest.raises(BrokenOff):
        rebuild(store, SPACE, at_window(3, break_off, turns(0, 35)), maker="older", minimum=4, fan_out=2, step=10)
    assert windows_read(store, turns(0, 35)) == [0, 10, 20, 30]
    assert packed(store) == packed(once)


@pytest.mark.requirement("F-HOLD-01", "F-INDEX-11")
def test_staged_segments_that_are_unsound_are_named_and_dropped() -> None:
    store = filled(35)
    broken(store, 3, turns(0, 35))
    with store.snapshot() as reader:
        first, second = list_segments(reader, SPACE, STAGED)
        sound = segment_data(reader, SPACE, first)
        assert staged_problems(reader, SPACE) == []
    row = (SPACE, STAGED, second.low, second.high, 0, 0, sound[:-1])
    stray = (SPACE, STAGED, 90, 99, 0, 0, sound)
    store.transaction(lambda tx: tx.put("segment", [row, stray]))
    with store.snapshot() as reader:
        problems = staged_problems(reader, SPACE)
    assert [each.where for each in problems] == ["segment staged 10 to 19", "segment staged 90 to 99"]
    assert {each.kind for each in problems} == {"index"}
    assert windows_read(store, turns(0, 35)) == [0, 10, 20, 30]
    assert verify(store, SPACE, range(35)) == []
