"""Derived rows that cannot be read are told as damage, with what mends them."""

from collections.abc import Callable

import pytest

from clew.errors import StoreCorrupt
from clew.memory import Memory
from clew.store.memory import MemoryStore
from clew.store.tables import TABLES
from clew.types import Turn

READ: dict[tuple[str, str, str], Callable[[Memory], object]] = {
    ("weighing", "value", "annotations"): lambda memory: memory.annotations("s:turn:0"),
    ("analysis", "value", "annotations"): lambda memory: memory.annotations("s:turn:0"),
    ("analysis", "value", "recap"): lambda memory: memory.recap("s"),
    ("fact", "data", "facts"): lambda memory: memory.facts(),
    ("statement", "data", "history"): lambda memory: memory.history("Ann"),
    ("extraction_run", "state", "one"): lambda memory: memory.extractions("s"),
    ("extraction_run", "telemetry", "all"): lambda memory: memory.extractions(),
}


@pytest.mark.requirement("S-DOCTOR-02")
@pytest.mark.parametrize("place", READ)
def test_a_derived_row_that_cannot_be_read_is_told_as_damage(place: tuple[str, str, str]) -> None:
    table, column, _ = place
    store = MemoryStore()
    with Memory.open(store, embedder="none", config={}) as memory:
        for number in range(6):
            memory.add(Turn(role="user", content=f"Ann moved to Paris and works at Acme {number}.", session="s"))
        assert memory.drain(200)
        memory.extract("s")
        assert READ[place](memory)
        at = TABLES[table].names.index(column)
        with store.snapshot() as reader:
            rows = reader.scan(table, ("default",), ("default",))
        odd = [(*row[:at], b"\xff{" if isinstance(row[at], bytes) else "{", *row[at + 1 :]) for row in rows]
        store.transaction(lambda tx: tx.put(table, odd))
        with pytest.raises(StoreCorrupt, match="`clew doctor --repair` makes again what it can"):
            READ[place](memory)
        store.transaction(lambda tx: tx.put(table, rows))
