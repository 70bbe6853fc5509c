"""Typed rows and columns agree with the declared tables."""

from typing import get_args

import pytest

from clew.store import selections, turn_selections
from clew.store.memory import MemoryStore
from clew.store.row_types import MetaRow
from clew.store.selections import META_ENTRIES, META_VALUE, MetaEntry
from clew.store.table_columns import Column, Columns
from clew.store.tables import META, TABLES, Table

SELECTIONS = {
    name: made
    for module in (selections, turn_selections)
    for name, made in vars(module).items()
    if isinstance(made, Column | Columns)
}


@pytest.mark.parametrize("name", sorted(SELECTIONS))
def test_a_selection_names_columns_of_its_table_with_their_types(name: str) -> None:
    selection = SELECTIONS[name]
    declared = TABLES[selection.table.name].row.__annotations__
    if isinstance(selection, Columns):
        assert selection.row.__annotations__ == {column: declared[column] for column in selection.names}
    else:
        (chosen,) = get_args(vars(selection)["__orig_class__"])  # set by typing
        assert chosen == declared[selection.name]


@pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
def test_no_column_of_a_primary_key_may_be_none(table: Table) -> None:
    key = [table.row.__annotations__[name] for name in table.key_names]
    assert all(kind in {str, int, bytes} for kind in key)


def test_rows_and_columns_are_read_as_objects_and_values() -> None:
    store = MemoryStore()
    row = MetaRow("a", "colour", "blue")
    store.transaction(lambda tx: META.put(tx, [row, MetaRow("a", "size", "7")]))
    with store.snapshot() as reader:
        found = META.get(reader, ("a", "colour"))
        assert found == row
        assert isinstance(found, MetaRow)
        assert [each.value for each in META.scan(reader, ("a",), ("a",))] == ["blue", "7"]
        assert META.get_many(reader, [("a", "size"), ("a", "none")])[1] is None
        assert META_VALUE.get(reader, ("a", "size")) == "7"
        assert META_VALUE.get(reader, ("a", "none")) is None
        assert META_VALUE.first(reader, ("a",), ("a",), reverse=True) == "7"
        assert META_VALUE.first(reader, ("b",), ("b",)) is None
        assert META_ENTRIES.scan(reader, ("a",), ("a",), limit=1) == [MetaEntry("colour", "blue")]
        assert META_ENTRIES.get_many(reader, [("a", "none"), ("a", "size")]) == [None, MetaEntry("size", "7")]
