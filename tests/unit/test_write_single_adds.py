"""Single turns that threads add at the same time: one transaction for all that wait, and each with its own outcome."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from clew.config import IngestConfig
from clew.errors import ClewError, InputError, StoreLocked
from clew.store.memory import MemoryStore
from clew.store.protocol import Transaction
from clew.store.row_types import TurnRow
from clew.store.tables import TURN
from clew.types import Turn
from clew.write.prepare import prepare
from clew.write.session_writes import Fate
from clew.write.single_adds import SingleAdds
from tests.support.memories import at, rows, told

pytestmark = pytest.mark.requirement("F-PIPELINE-22")


class Gated(MemoryStore):
    """A store whose first transaction waits until somebody opens the gate.

    Attributes:
        transactions: how many were begun.
        fails: raised instead of the first transaction.
    """

    def __init__(self) -> None:
        super().__init__()
        self.migrate()
        self.gate = threading.Event()
        self.transactions = 0
        self.fails: Exception | None = None
        self._counting = threading.Lock()

    def transaction(self, work: Callable[[Transaction], Any], *, durable: bool = True) -> Any:
        with self._counting:
            self.transactions += 1
            is_first = self.transactions == 1
        if is_first:
            self.gate.wait()
            if self.fails is not None:
                raise self.fails
        return super().transaction(work, durable=durable)


def added_together(store: Gated, turns: Sequence[Turn]) -> list[Fate | ClewError]:
    """The outcome of each turn; all of them wait before the first transaction writes."""
    adds = SingleAdds(store, "default")
    outcomes: list[Any] = [None] * len(turns)

    def add(place: int) -> None:
        try:
            outcomes[place] = adds.add(prepare(turns[place], IngestConfig()), at(place))
        except ClewError as error:
            outcomes[place] = error

    threads = [threading.Thread(target=add, args=(place,)) for place in range(len(turns))]
    for count, thread in enumerate(threads, 1):
        thread.start()
        while len(adds._waiting) < count:
            time.sleep(0.001)
    store.gate.set()
    for thread in threads:
        thread.join()
    return outcomes


def stored(store: Gated) -> list[TurnRow]:
    """The turns, by session and place."""
    with store.snapshot() as reader:
        return TURN.scan(reader, ("default",), ("default",))


def test_turns_that_wait_share_a_transaction_and_each_gets_its_id() -> None:
    store = Gated()
    turns = [told(f"note {n}", "even" if n % 2 == 0 else "odd") for n in range(8)]
    fates = added_together(store, turns)
    assert store.transactions == 1
    assert fates == [Fate(added=f"{turn.session}:turn:{n // 2}") for n, turn in enumerate(turns)]
    assert [(row.session, row.seq, row.text) for row in stored(store)] == [
        *(("even", n, f"note {2 * n}") for n in range(4)),
        *(("odd", n, f"note {2 * n + 1}") for n in range(4)),
    ]
    assert sorted(row.ordinal for row in stored(store)) == list(range(8))
    assert len(rows(store, "tail")) == 8


def test_the_same_id_twice_is_one_turn_and_other_content_a_conflict() -> None:
    store = Gated()
    turns = [told("one", external_id="e"), told("one", external_id="e"), told("two", external_id="e"), told("three")]
    fates = added_together(store, turns)
    assert store.transactions == 1
    assert fates[:3] == [Fate(added="s:turn:0"), Fate(known="s:turn:0"), Fate(conflict="s:turn:0")]
    assert fates[3] == Fate(added="s:turn:1")
    assert [row.text for row in stored(store)] == ["one", "three"]


def test_a_turn_that_answers_another_one_of_the_same_moment_names_it() -> None:
    store = Gated()
    added_together(store, [told("asked", external_id="q"), told("answered", parent="q")])
    assert [row.parent for row in stored(store)] == [None, "s:turn:0"]


def test_what_one_turn_fails_with_is_its_own() -> None:
    store = Gated()
    store.fails = InputError("a turn of the group cannot be encoded")
    fates = added_together(store, [told(f"note {n}") for n in range(4)])
    assert sorted(str(fate.added) for fate in fates if isinstance(fate, Fate)) == [f"s:turn:{n}" for n in range(4)]
    assert store.transactions == 1 + 4, "each was written by itself"
    assert len(stored(store)) == 4


def test_a_home_that_others_hold_is_told_to_all_at_once() -> None:
    store = Gated()
    store.fails = StoreLocked("others hold it")
    errors = added_together(store, [told(f"note {n}") for n in range(3)])
    assert all(isinstance(error, StoreLocked) for error in errors)
    assert len({id(error) for error in errors}) == 3
    assert (store.transactions, stored(store)) == (1, [])


def test_the_only_one_that_waits_gets_the_error_as_it_is() -> None:
    store = Gated()
    store.fails = InputError("it cannot be encoded")
    assert added_together(store, [told("note")]) == [store.fails]


def test_the_main_thread_leads_nobody() -> None:
    store = Gated()
    store.gate.set()
    adds = SingleAdds(store, "default")
    assert adds.add(prepare(told("note"), IngestConfig()), at(0)) == Fate(added="s:turn:0")
    assert not adds._is_led
