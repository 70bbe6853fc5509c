"""Turns that were set aside, on every backend: noted, left alone by another process, tried when asked, forgotten."""

from clew.derive.mentions import MentionReading
from clew.derive.retrying import retry_all
from clew.maintain.forget import Selection, forget
from clew.project.links import TurnLinks, links_of
from clew.rows.failed_jobs import deferred
from clew.rows.mentions import linked_rows
from clew.store.protocol import Store
from clew.types.turn import Turn
from tests.support.memories import NOON, quiet, told

BAD = "zyzzyva"


def failing(turn: Turn) -> TurnLinks:
    if BAD in turn.text:
        raise IndexError(turn.text)
    return links_of(turn)


def run(store: Store, *, sound: bool = False) -> int:
    """Reads all turns with rules that were just started; gives the steps."""
    work, steps = MentionReading(store, "default", links_of if sound else failing), 0
    while work.step():
        steps += 1
    assert work.pending() == 0
    return steps


def read(store: Store) -> set[int]:
    with store.snapshot() as reader:
        return {ordinal for ordinal, _ in linked_rows(reader, "default", 0)}


def aside(store: Store) -> list[str]:
    with store.snapshot() as reader:
        return [each.job for each in deferred(reader, "default")]


def test_a_turn_that_was_set_aside(store: Store) -> None:
    with quiet(store) as memory:
        memory.parts.worker.stop()
        memory.add_many([told(f"I edited src/part{n}.py{f' {BAD}' * (n in (2, 5))}.") for n in range(9)])
        assert run(store) > 1
        assert aside(store) == ["mentions:s:turn:2", "mentions:s:turn:5"]
        assert read(store) == set(range(9)) - {2, 5}
        assert run(store) == 0  # another process
        retry_all(store, "default")
        assert aside(store) == []
        run(store)
        assert aside(store) == ["mentions:s:turn:2", "mentions:s:turn:5"]
        forget(store, "default", Selection(turn_ids=("s:turn:2",)), NOON)
        assert aside(store) == ["mentions:s:turn:5"]
        retry_all(store, "default")
        run(store, sound=True)
        assert (aside(store), read(store)) == ([], set(range(9)) - {2})
