"""After any sequence of changes a store has the contents of a dictionary, after every step and for every reader."""

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from clew.store.protocol import Reader, Store, Transaction
from clew.store.tables import TABLES, Table
from clew.store.values import Key, Row, Value
from tests.contract.backends import PARAMETERS, open_backend
from tests.support.effort import examples

STORY_TABLES = ("session", "turn", "annotation", "vector", "tombstone", "job")
Model = dict[str, dict[Key, Row]]

few_texts = st.sampled_from(["", "a", "A", "é", "a\u0001b", "🧶", "漢", "\uffff", "pending"])
VALUES: dict[str, tuple[st.SearchStrategy[Value], st.SearchStrategy[Value]]] = {
    "text": (few_texts, st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20) | few_texts),
    "int": (st.integers(-2, 3), st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 3)),
    "real": (st.just(0.5), st.floats(allow_nan=False)),
    "bytes": (st.sampled_from([b"", b"\x00", b"\xff"]), st.binary(max_size=20)),
}
"""By kind: what keys and bounds are drawn from, so that they meet, and what other columns are."""
spaces = st.sampled_from(["s", "t"])


@st.composite
def rows(draw: st.DrawFn, table: Table) -> Row:
    values: list[Value] = [draw(spaces)]
    indexed = {column for columns in table.indexes.values() for column in columns}
    for place, (name, kind) in enumerate(list(table.columns.items())[1:], 1):
        narrow, wide = VALUES[kind]
        chosen = narrow if place < table.key else (narrow if name in indexed else wide) | st.none()
        values.append(draw(chosen))
    return tuple(values)


@st.composite
def bounds(draw: st.DrawFn, table: Table, index: str | None = None) -> tuple[Key, Key]:
    space, order = draw(spaces), table.order(index)

    def bound() -> Key:
        length = draw(st.integers(0, len(order) - 1))
        return (space, *(draw(VALUES[table.columns[name]][0]) for name in order[1 : length + 1]))

    low = bound()
    return low, draw(st.just(low) | st.builds(bound))


def expected(model: Model, table: Table, index: str | None, low: Key, high: Key) -> list[Row]:
    """The expected result of a scan, found by looking at every row."""
    order = [table.names.index(name) for name in table.order(index)]

    def entry(row: Row) -> tuple[Any, ...]:
        return tuple(row[place] for place in order)

    inside = [row for row in model[table.name].values() if None not in entry(row)]
    inside = [row for row in inside if low <= entry(row)[: len(low)] and entry(row)[: len(high)] <= high]
    return sorted(inside, key=entry)


@st.composite
def changes(draw: st.DrawFn) -> list[tuple[str, Table, Any]]:
    """Some changes for one transaction: name, table, what it needs."""
    chosen: list[tuple[str, Table, Any]] = []
    for name in draw(st.lists(st.sampled_from(STORY_TABLES), min_size=1, max_size=5)):
        table, kind = TABLES[name], draw(st.sampled_from(["put", "put", "put", "delete", "set"]))
        if kind == "put":
            chosen.append((kind, table, draw(st.lists(rows(table), max_size=4))))
        elif kind == "delete":
            chosen.append((kind, table, draw(bounds(table))))
        else:
            column = draw(st.sampled_from(table.names[table.key :]))
            value = VALUES[table.columns[column]][0] | st.none()
            chosen.append((kind, table, (draw(rows(table))[: table.key], column, draw(value), draw(value))))
    return chosen


def apply_to_model(model: Model, kind: str, table: Table, what: Any) -> object:
    held = model[table.name]
    if kind == "put":
        held.update({row[: table.key]: row for row in what})
        return None
    if kind == "delete":
        gone = expected(model, table, None, *what)
        for row in gone:
            del held[row[: table.key]]
        return len(gone)
    key, column, old, new = what
    place = table.names.index(column)
    if key not in held or held[key][place] != old:
        return False
    held[key] = (*held[key][:place], new, *held[key][place + 1 :])
    return True


def apply_to_store(tx: Transaction, kind: str, table: Table, what: Any) -> object:
    if kind == "put":
        return tx.put(table.name, what)  # type: ignore[func-returns-value]  # None, as the model says
    if kind == "delete":
        return tx.delete(table.name, *what)
    return tx.compare_and_set(table.name, *what)


class Undone(Exception):
    """Rolls a transaction back."""


class Story(RuleBasedStateMachine):
    """The rules; `make` gives the store."""

    make: Callable[[Path], Store]

    @initialize()
    def open(self) -> None:
        self.place = tempfile.TemporaryDirectory()
        self.store = type(self).make(Path(self.place.name))
        self.model: Model = {name: {} for name in STORY_TABLES}

    @rule(work=changes(), undo=st.booleans())
    def transact(self, work: list[tuple[str, Table, Any]], undo: bool) -> None:
        model = {name: dict(held) for name, held in self.model.items()}
        wanted = [apply_to_model(model, *change) for change in work]

        def run(tx: Transaction) -> list[object]:
            results = [apply_to_store(tx, *change) for change in work]
            assert {name: set(all_rows(tx, name)) for name in STORY_TABLES} == {
                name: set(held.values()) for name, held in model.items()
            }
            if undo:
                raise Undone
            return results

        if undo:
            with pytest.raises(Undone):
                self.store.transaction(run)
        else:
            assert self.store.transaction(run) == wanted
            self.model = model

    @rule(data=st.data(), name=st.sampled_from(STORY_TABLES))
    def scan(self, data: st.DataObject, name: str) -> None:
        table = TABLES[name]
        index = data.draw(st.sampled_from([None, *table.indexes]))
        low, high = data.draw(bounds(table, index))
        limit = data.draw(st.none() | st.integers(0, 4))
        reverse = data.draw(st.booleans())
        columns = data.draw(st.none() | st.lists(st.sampled_from(table.names), min_size=1, max_size=3))
        wanted = expected(self.model, table, index, low, high)
        with self.store.snapshot() as reader:
            assert reader.count(name, low, high, index=index) == len(wanted)
            found = reader.scan(name, low, high, index=index, columns=columns, limit=limit, reverse=reverse)
        wanted = wanted[::-1] if reverse else wanted
        if columns is not None:
            places = [table.names.index(column) for column in columns]
            wanted = [tuple(row[place] for place in places) for row in wanted]
        assert found == wanted[:limit]
        assert [[type(value) for value in row] for row in found] == [
            [type(value) for value in row] for row in wanted[:limit]
        ]

    @rule(data=st.data(), name=st.sampled_from(STORY_TABLES))
    def get_many(self, data: st.DataObject, name: str) -> None:
        table, held = TABLES[name], self.model[name]
        space = data.draw(st.sampled_from(sorted({key[0] for key in held} | {"a"}, key=str)))
        here = sorted(key for key in held if key[0] == space)
        nowhere: dict[str, Value] = {"text": "nowhere", "int": 77, "bytes": b"nowhere"}
        absent = (space, *(nowhere[table.columns[column]] for column in table.key_names[1:]))
        keys = data.draw(st.lists(st.sampled_from([*here, absent]), max_size=6))
        wanted = [held.get(key) for key in keys]
        with self.store.snapshot() as reader:
            assert reader.get_many(name, keys) == wanted
            assert reader.get_many(name, keys, columns=table.names[-1:]) == [row and row[-1:] for row in wanted]

    @rule(work=changes(), data=st.data(), name=st.sampled_from(STORY_TABLES))
    def change_under_a_snapshot(self, work: list[tuple[str, Table, Any]], data: st.DataObject, name: str) -> None:
        low, high = data.draw(bounds(TABLES[name]))
        before = expected(self.model, TABLES[name], None, low, high)
        with self.store.snapshot() as reader:
            self.transact(work, undo=False)
            assert reader.scan(name, low, high) == before

    @invariant()
    def all_is_as_in_the_model(self) -> None:
        with self.store.snapshot() as reader:
            for name, held in self.model.items():
                assert set(all_rows(reader, name)) == set(held.values())
                for key, row in held.items():
                    assert reader.get(name, key) == row
        assert self.store.spaces() == sorted({str(key[0]) for held in self.model.values() for key in held})

    def teardown(self) -> None:
        self.store.close()
        self.place.cleanup()


def all_rows(reader: Reader, table: str) -> list[Row]:
    return [row for space in ("s", "t") for row in reader.scan(table, (space,), (space,))]


@pytest.mark.thorough
@pytest.mark.requirement("F-STORE-19")
@pytest.mark.parametrize("backend", PARAMETERS)
def test_every_sequence_of_changes_agrees_with_a_dictionary(backend: str) -> None:
    machine = type(f"{backend.title()}Story", (Story,), {"make": staticmethod(partial(open_backend, backend))})
    tries = settings(max_examples=examples(6, 30), stateful_step_count=12)
    run_state_machine_as_test(machine, settings=tries)
