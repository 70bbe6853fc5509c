"""SQL comes from `sql/`: templates shared by the engines, filled in from the declared tables, and numbered migrations.

Borders: makes text, runs nothing. What is filled in are declared names, never a caller's value.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from clew.store.tables import Table

_HEAD: Final = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
_COMMENT: Final = re.compile(r"^--.*$\n?", re.MULTILINE)

_ARRAYS: Final = {"text": "text[]", "int": "bigint[]", "bytes": "bytea[]", "real": "double precision[]"}


@cache
def templates(file: str = "rows", package: str = "clew.store") -> Mapping[str, str]:
    """The named templates of `sql/<file>.sql` in a package, comments left out."""
    pieces = _HEAD.split((files(package) / "sql" / f"{file}.sql").read_text(encoding="utf-8"))
    return {name: _COMMENT.sub("", body).strip() for name, body in zip(pieces[1::2], pieces[2::2], strict=True)}


@cache
def migrations(engine: str) -> Sequence[str]:
    """The engine's migrations in order; number 1 stands first."""
    steps = sorted((files("clew.store") / "sql" / engine).iterdir(), key=lambda step: step.name)
    return tuple(step.read_text(encoding="utf-8") for step in steps if step.name.endswith(".sql"))


class Statements:
    """The statements of one dialect.

    Args:
        mark: what stands for a value: `?` in SQLite.
        hint: how to insist on an index, with `{index}` in it: without statistics SQLite may walk a whole space in the
            order asked for instead; empty for engines that know no such clause.
        schema: what the tables' names are qualified with; None for engines without schemas.

    Attributes:
        made: statements by everything that shapes their text; a handful for each place in the program that asks.
    """

    def __init__(self, mark: str = "?", hint: str = "INDEXED BY {index}", schema: str | None = None) -> None:
        self._mark = mark
        self._hint = hint
        self._prefix = "" if schema is None else f'"{schema}".'
        self.made: dict[tuple[object, ...], str] = {}

    def get(self, table: Table, columns: Sequence[str] | None = None) -> str:
        """Values: the key."""
        return self._fill("get", table, columns=_names(columns or table.names), where=self._equal(table.key_names))

    def get_many(self, table: Table, columns: Sequence[str]) -> str:
        """Values: each of the key's columns as an array, then the space; a key without a row gives a row of nulls."""
        return self._joined(table, table.key_names, columns)

    def scan_many(self, table: Table, index: str | None, width: int, columns: Sequence[str]) -> str:
        """Values: each of the prefixes' columns as an array, then the space; the first value of a row is its space.

        A prefix without a row gives a row of nulls.

        Args:
            width: how many values a prefix has.
        """
        return self._joined(table, table.order(index)[:width], ("space", *columns), self._present(table, index))

    def _joined(self, table: Table, names: Sequence[str], columns: Sequence[str], present: Sequence[str] = ()) -> str:
        equal = [f'kept."space" = {self._mark}', *(f'kept."{name}" = wanted."{name}"' for name in names[1:])]
        return templates("postgres")["get_many"].format(
            table=f'{self._prefix}"{table.name}"',
            key=_names(names),
            arrays=", ".join(f"{self._mark}::{_ARRAYS[table.columns[name]]}" for name in names),
            columns=", ".join(f'kept."{name}"' for name in columns),
            where=" AND ".join((*equal, *(f"kept.{column}" for column in present))),
        )

    def scan(
        self,
        table: Table,
        index: str | None,
        shape: tuple[int, int, int],
        columns: Sequence[str] | None,
        ends: tuple[bool, bool],
    ) -> str:
        """Values: `low`, then what `high` has beyond the shared beginning, then the limit if there is one.

        Args:
            shape: how many values the two bounds share at their beginning, then the lengths of low and high.
            ends: whether there is a limit, and whether the order is reversed.
        """
        limited, reverse = ends
        return self._fill(
            "scan",
            table,
            columns=_names(columns or table.names),
            hint=self._insist(table, index),
            where=self._between(table, index, shape),
            order=", ".join(f'"{name}"' + " DESC" * reverse for name in table.order(index)),
            limit=f"LIMIT {self._mark}" if limited else "",
        ).rstrip()

    def count(self, table: Table, index: str | None, shape: tuple[int, int, int]) -> str:
        """Values as in `scan`, without the limit."""
        hint, where = self._insist(table, index), self._between(table, index, shape)
        return self._fill("count", table, hint=hint, where=where)

    def put(self, table: Table) -> str:
        """Values: a whole row."""
        if table.key == len(table.names):
            return self.keep(table)  # a row is its key: there is nothing to replace
        replaced = ", ".join(f'"{name}" = excluded."{name}"' for name in table.names[table.key :])
        return self._fill("put", table, replaced=replaced, **self._row(table))

    def keep(self, table: Table) -> str:
        """Values: a whole row."""
        return self._fill("keep", table, **self._row(table))

    def delete(self, table: Table, shape: tuple[int, int, int]) -> str:
        """Values as in `scan`, without the limit."""
        return self._fill("delete", table, where=self._between(table, None, shape))

    def set(self, table: Table, column: str) -> str:
        """Values: the new value, the key, the expected value."""
        return self._fill("set", table, column=f'"{column}"', value=self._mark, where=self._equal(table.key_names))

    def spaces(self, tables: Iterable[Table]) -> str:
        """No values; returns one column, each name once."""
        return "\nUNION\n".join(self._fill("spaces", table) for table in tables)

    def _fill(self, template: str, table: Table, **parts: str) -> str:
        return templates()[template].format(table=f'{self._prefix}"{table.name}"', **parts)

    def _row(self, table: Table) -> dict[str, str]:
        marks = ", ".join([self._mark] * len(table.names))
        return {"columns": _names(table.names), "values": marks, "key": _names(table.key_names)}

    def _insist(self, table: Table, index: str | None) -> str:
        return "" if index is None else self._hint.format(index=f'"{table.name}_{index}"')

    def _equal(self, names: Sequence[str]) -> str:
        return " AND ".join(f'"{name}" = {self._mark}' for name in names)

    def _between(self, table: Table, index: str | None, shape: tuple[int, int, int]) -> str:
        """What both bounds share is an equation, the rest compares rows of values; None keeps a row out of an index."""
        shared, low, high = shape
        order = table.order(index)
        parts = [self._equal(order[:shared])]
        for upto, sign in ((low, ">="), (high, "<=")):
            if upto > shared:
                marks = ", ".join([self._mark] * (upto - shared))
                parts.append(f"({_names(order[shared:upto])}) {sign} ({marks})")
        return " AND ".join((*parts, *self._present(table, index)))

    def _present(self, table: Table, index: str | None) -> list[str]:
        """What keeps rows out that an index has not: those with a null in it."""
        columns = table.indexes.get(index or "", ())
        return [f'"{name}" IS NOT NULL' for name in columns if name not in table.key_names]


def _names(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
