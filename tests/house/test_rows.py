"""Rows are typed: outside `store/` and `rows/` nothing reads a plain row, or a column by its place in one."""

import ast
from collections.abc import Iterator

import pytest

from clew.store.tables import TABLES
from tests.house.tree import findings, label, python_files

READS = ("get", "get_many", "scan", "scan_many")
OWN = ("src/clew/store", "src/clew/rows")

CASTS_BEFORE = 347
"""Calls of `cast` below src/clew when rows were plain tuples; 122 columns were named by their place then."""


def plain_rows(source: str) -> list[str]:
    """Reads of plain rows, casts of a value that stands at a place of a row, and columns named by their place."""
    if "clew.store" not in source:
        return []
    return [f"line {line}: {what}" for line, what in sorted(_plain(ast.parse(source)))]


def _plain(module: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Attribute(attr=read), args=[ast.Constant(value=str(table)), _, *_]) if (
                read in READS and table in TABLES
            ):
                yield node.lineno, f"{read} gives plain rows of {table!r}; use clew.store.tables or selections"
            case ast.Call(func=ast.Name("cast"), args=[_, ast.Subscript(slice=place)]) if _is_place(place):
                yield node.lineno, "cast of a value by its place; read a typed row"
            case ast.Subscript(value=ast.Name(name), slice=place) if name == "row" and _is_place(place):
                yield node.lineno, "column by its place; name the field"


def _is_place(node: ast.expr) -> bool:
    """Whether an index is a number, or the name of a constant."""
    match node:
        case ast.Constant(value=int()) | ast.UnaryOp(operand=ast.Constant(value=int())):
            return True
        case ast.Name(name):
            return name.isupper()
    return False


@pytest.mark.requirement("F-HOUSE-23")
def test_rows_are_read_as_typed_objects() -> None:
    found = findings(plain_rows, "src/clew")
    assert {file: what for file, what in found.items() if not file.startswith(OWN)} == {}


@pytest.mark.requirement("F-HOUSE-23")
def test_casts_stay_less_than_half_of_what_they_were() -> None:
    casts = {label(path): path.read_text(encoding="utf-8").count("cast(") for path in python_files("src/clew")}
    assert sum(casts.values()) < CASTS_BEFORE / 2, {file: count for file, count in casts.items() if count}


@pytest.mark.requirement("F-HOUSE-23")
@pytest.mark.parametrize(
    "line",
    [
        'row = reader.get("turn", ("a", "s", 0))',
        "value = cast(str, row[2])",
        "seq = row[_SEQ]",
        "last = cast(int, rows[-1][0])",
    ],
)
def test_a_plain_row_is_noticed(line: str) -> None:
    assert len(plain_rows(f"from clew.store.protocol import Reader\n{line}\n")) >= 1


@pytest.mark.parametrize(
    "line", ['name = job.get("turn")', "first = found[0]", 'row = TURN.get(reader, ("a", "s", 0))']
)
def test_other_code_is_not(line: str) -> None:
    assert plain_rows(f"from clew.store.protocol import Reader\n{line}\n") == []
