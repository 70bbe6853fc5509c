"""Many short sessions in one call: few transactions, and the outcome that each session has by itself."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import pytest

from clew.config import IngestConfig
from clew.errors import StoreError
from clew.memory import Memory
from clew.store.memory import MemoryStore
from clew.store.protocol import Reader, Transaction
from clew.types import Turn
from clew.write.prepare import admit, prepare, runs
from tests.support.memories import empty_store, history, quiet, rows, texts, told

pytestmark = pytest.mark.requirement("F-PIPELINE-23")

T = TypeVar("T")
PLAIN: dict[str, Any] = {"ingest": {"exclude": ["text:keep out"]}}


class CountingStore(MemoryStore):
    """Counts what waits for the disk, and outermost snapshots; something may come before a transaction, or in it."""

    def __init__(self) -> None:
        super().__init__()
        self.migrate()
        self.durable = self.snapshots = self._depth = 0
        self.before: Callable[[], object] | None = None
        self.fault: Callable[[Transaction], object] = lambda _: None

    def transaction(self, work: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """One more."""
        before, self.before = self.before, None
        if before is not None:
            before()
        self.durable += durable

        def run(tx: Transaction) -> T:
            result = work(tx)
            self.fault(tx)
            return result

        return super().transaction(run, durable=durable)

    @contextmanager
    def snapshot(self) -> Iterator[Reader]:
        """One more, unless it is inside of another one."""
        self.snapshots += not self._depth
        self._depth += 1
        try:
            with super().snapshot() as reader:
                yield reader
        finally:
            self._depth -= 1


def asleep(store: MemoryStore, **more: Any) -> Memory:
    """A memory whose worker does nothing beside what is counted."""
    memory = quiet(store, **more)
    memory.parts.worker.stop()
    return memory


def sessions(count: int, turns: int = 2) -> list[Turn]:
    """So many short sessions, one after the other."""
    return [told(f"turn {n} of {name}", f"s{name:04}") for name in range(count) for n in range(turns)]


def costs(turns: Iterable[Turn]) -> tuple[int, int]:
    """Durable transactions, and snapshots, of one `add_many` into an empty store."""
    store = CountingStore()
    with asleep(store) as memory:
        store.durable = store.snapshots = 0
        memory.add_many(turns)
        return store.durable, store.snapshots


def raw(store: MemoryStore) -> list[Any]:
    """The rows that an import writes."""
    return [rows(store, table) for table in ("session", "turn", "tail", "weighing")]


def test_a_hundred_short_sessions_share_one_transaction_and_one_state_for_their_reads() -> None:
    none = costs([])
    some, many = costs(sessions(100)), costs(sessions(1000))
    assert some[0] - none[0] == 1
    assert many[0] - none[0] == 10
    assert many[1] - some[1] == 9


def test_they_are_stored_as_each_by_itself_also_when_they_come_again_or_go_on() -> None:
    together, alone = empty_store(), empty_store()
    first = sessions(150)
    again = [turn for n in range(150) for turn in (*first[2 * n : 2 * n + 2], told(f"later {n}", f"s{n:04}"))]
    with asleep(together) as memory:
        reports = [memory.add_many(turns) for turns in (first, first, again)]
    with asleep(alone) as memory:
        for turns, each in ((first, 2), (first, 2), (again, 3)):
            for start in range(0, len(turns), each):
                memory.add_many(turns[start : start + each])
    assert [(report.added, report.known) for report in reports] == [(300, 0), (0, 300), (150, 300)]
    assert reports[2].turn_ids == tuple(f"s{n:04}:turn:{seq}" for n in range(150) for seq in range(3))
    assert raw(together) == raw(alone)


def test_sessions_that_go_on_in_the_next_group_are_lined_up_as_a_whole() -> None:
    store = empty_store()
    mixed = [told(text, session) for text in "abac" for session in ("x", "y", "z")]
    with asleep(store, config={"ingest": {"gather_turns": 5}}) as memory:
        assert memory.add_many(mixed).added == 12
        assert memory.add_many(mixed).known == 12
        assert sorted("".join(texts(memory))) == sorted("abac" * 3)


def test_a_paused_session_and_excluded_turns_are_told_among_the_others() -> None:
    with asleep(CountingStore(), config=PLAIN) as memory:
        memory.pause(session="s0001")
        turns = [*sessions(3), told("keep out", "s0002"), told("keep out", "only"), told("last", "end")]
        steps: list[int] = []
        report = memory.add_many(turns, steps.append)
        assert (report.added, dict(report.skipped)) == (5, {"paused": 2, "excluded": 2})
        assert report.turn_ids == ("s0000:turn:0", "s0000:turn:1", "s0002:turn:0", "s0002:turn:1", "end:turn:0")
        assert steps == [9]


def test_an_id_that_is_stored_with_other_content_is_told_of_its_turn() -> None:
    with asleep(CountingStore()) as memory:
        memory.add(told("one", "s0001", external_id="e"))
        report = memory.add_many([*sessions(1), told("two", "s0001", external_id="e"), told("three", "s0002")])
        assert (report.added, [each.where for each in report.rejected]) == (3, ["turns[2]"])


def test_a_session_that_somebody_else_wrote_to_is_planned_anew() -> None:
    store = CountingStore()
    with asleep(store) as memory:
        mine = history(["a", "b"], session="s0001")
        store.before = lambda: memory.add_many([*mine, told("c", "s0001")])
        report = memory.add_many([*sessions(1), *mine, told("d", "s0002")])
        assert (report.added, report.known) == (3, 2)
        assert report.turn_ids == ("s0000:turn:0", "s0000:turn:1", "s0001:turn:0", "s0001:turn:1", "s0002:turn:0")
        assert sorted(texts(memory)) == ["a", "b", "c", "d", "turn 0 of 0", "turn 1 of 0"]


def test_the_fault_of_one_session_is_told_and_those_before_it_are_stored() -> None:
    store = CountingStore()

    def refuse(tx: Transaction) -> None:
        if tx.get("session", ("default", "s0002")) is not None:
            raise StoreError("the third session is refused")

    with asleep(store) as memory:
        store.fault = refuse
        with pytest.raises(StoreError, match="the third session is refused"):
            memory.add_many(sessions(5))
        store.fault = lambda _: None
        assert sorted({str(row[1]) for row in rows(store, "turn")}) == ["s0000", "s0001"]
        report = memory.add_many(sessions(5))
        assert (report.added, report.known) == (6, 4)


def test_a_run_holds_no_more_than_a_batch_and_keeps_the_order() -> None:
    lengths = {"a": 3, "b": 2, "c": 6, "d": 1, "e": 4, "f": 1}
    items = {
        name: [prepare(admit(told(f"{n}", name)), IngestConfig()) for n in range(length)]
        for name, length in lengths.items()
    }
    assert list(runs(items, 5)) == [["a", "b"], ["c"], ["d", "e"], ["f"]]
    assert list(runs({}, 5)) == []
