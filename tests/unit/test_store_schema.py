"""Schema and declared tables say the same; scans walk an index; migrations go forward or not at all."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from clew.errors import SchemaError
from clew.store.access import _STATEMENTS, SqliteReader
from clew.store.migrate import APPLICATION, migrate, schema_number
from clew.store.sqlite import DATABASE, SqliteStore, _bring_up
from clew.store.statements import migrations, templates
from clew.store.tables import TABLES, Table
from clew.store.values import Value
from tests.support.store_rows import everything, put, session

KINDS = {"TEXT": "text", "INTEGER": "int", "REAL": "real", "BLOB": "bytes"}


@pytest.fixture
def schema() -> Iterator[apsw.Connection]:
    connection = apsw.Connection(":memory:")
    migrate(connection, migrations("sqlite"), refuse_to_save)
    yield connection
    connection.close()


def refuse_to_save(number: int) -> None:
    raise AssertionError(f"an empty database was saved as schema {number}")


@pytest.mark.requirement("F-STORE-28")
def test_the_schema_holds_the_declared_tables_and_no_others(schema: apsw.Connection) -> None:
    names = schema.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    assert {str(name) for (name,) in names} == set(TABLES)


@pytest.mark.requirement("F-STORE-28")
@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_a_table_has_the_declared_columns_key_and_indexes(schema: apsw.Connection, table: Table) -> None:
    found = [(name, KINDS[kind]) for _, name, kind, *_ in rows_of(schema, "table_info", table.name)]
    assert found == list(table.columns.items())
    key = [name for _, name, _, needed, _, place in rows_of(schema, "table_info", table.name) if place and needed]
    assert tuple(key) == table.key_names
    made = {str(name): name for _, name, _, origin, _ in rows_of(schema, "index_list", table.name) if origin == "c"}
    assert set(made) == {f"{table.name}_{index}" for index in table.indexes}
    for index in table.indexes:
        order = [name for _, _, name in rows_of(schema, "index_info", f"{table.name}_{index}")]
        assert tuple(order) == table.order(index)


def rows_of(schema: apsw.Connection, pragma: str, name: str) -> list[tuple[Any, ...]]:
    return schema.execute(f"PRAGMA {pragma}({name})").fetchall()


def shapes(table: Table, index: str | None) -> list[tuple[int, int, int]]:
    """Every shape that two bounds can have."""
    longest = len(table.order(index))
    lengths = range(1, longest + 1)
    return [(shared, low, high) for low in lengths for high in lengths for shared in range(1, min(low, high) + 1)]


@pytest.mark.requirement("F-STORE-28")
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("table", TABLES.values(), ids=lambda table: table.name)
def test_every_scan_walks_its_index_and_sorts_nothing(schema: apsw.Connection, table: Table, reverse: bool) -> None:
    for index in (None, *table.indexes):
        for shape in shapes(table, index):
            shared, low, high = shape
            sql = _STATEMENTS.scan(table, index, shape, None, (False, reverse))
            values = (None,) * (low + high - shared)
            plan = [str(line) for *_, line in schema.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
            name = f"{table.name}_{index}" if index else None
            assert len(plan) == 1, plan
            assert plan[0].startswith(f"SEARCH {table.name} USING"), plan
            assert name is None or name in plan[0], plan
            assert plan[0].count("=?") + plan[0].count(">") + plan[0].count("<") >= shared, plan


@pytest.mark.requirement("F-STORE-28")
@pytest.mark.parametrize(("table", "index"), [(table, index) for table in TABLES.values() for index in table.indexes])
def test_a_scan_is_planned_once(tmp_path: Path, table: Table, index: str) -> None:
    """Without a stable plan SQLite looks at the values, and plans again whenever they change: four times the cost."""
    store = SqliteStore.open(tmp_path)
    planned: list[str | None] = []

    def note(_operation: int, first: str | None, *_: str | None) -> int:
        planned.append(first)
        return apsw.SQLITE_OK

    with store.snapshot() as reader:
        assert isinstance(reader, SqliteReader)
        reader._connection.authorizer = note  # asked whenever a statement is planned
        value: dict[str, tuple[Value, ...]] = {
            "text": ("a", "b", "c"),
            "int": (1, 2, 3),
            "real": (0.1, 0.2, 0.3),
            "bytes": (b"a", b"b", b"c"),
        }
        for turn in range(3):
            key = ("a", *(value[table.columns[name]][turn] for name in table.order(index)[1:]))
            for length in range(1, len(key) + 1):
                reader.scan(table.name, key[:length], key[:length], index=index)
                reader.scan(table.name, key[:length], ("a",), index=index)
            assert bool(planned) == (turn == 0)
            planned.clear()
        reader._connection.authorizer = None
    store.close()


@pytest.mark.requirement("F-STORE-28")
def test_templates_say_what_they_are() -> None:
    assert set(templates()) == {"get", "scan", "count", "put", "keep", "delete", "set", "spaces"}
    assert not any("--" in body for body in templates().values())


# ----------------------------------------------------------------------------------------------------------- migrations

STEPS = (
    "CREATE TABLE first (a TEXT) STRICT; INSERT INTO first VALUES ('kept');",
    "CREATE TABLE second (b TEXT) STRICT;",
    "INSERT INTO second SELECT a FROM first; DROP TABLE first;",
)


@pytest.mark.requirement("F-STORE-23")
def test_steps_that_are_missing_are_applied_in_order_after_one_copy() -> None:
    connection = apsw.Connection(":memory:")
    saved: list[int] = []
    assert migrate(connection, STEPS[:1], saved.append) == 1
    assert saved == []
    assert migrate(connection, STEPS, saved.append) == 3
    assert saved == [1]
    assert connection.execute("SELECT b FROM second").fetchall() == [("kept",)]
    assert migrate(connection, STEPS, saved.append) == 3
    assert saved == [1]
    connection.close()


@pytest.mark.requirement("F-STORE-23")
def test_a_step_that_fails_leaves_the_schema_before_it() -> None:
    connection = apsw.Connection(":memory:")
    with pytest.raises(apsw.SQLError, match="nowhere"):
        migrate(connection, (*STEPS[:2], "DROP TABLE first; INSERT INTO nowhere VALUES (1)"), lambda _: None)
    assert schema_number(connection) == 2
    assert connection.execute("SELECT a FROM first").fetchall() == [("kept",)]
    assert not connection.in_transaction
    connection.close()


@pytest.mark.requirement("F-STORE-23")
def test_nothing_is_changed_when_the_copy_fails() -> None:
    def fail(_: int) -> None:
        raise OSError("no space left")

    connection = apsw.Connection(":memory:")
    migrate(connection, STEPS[:1], fail)
    with pytest.raises(OSError, match="no space left"):
        migrate(connection, STEPS, fail)
    assert schema_number(connection) == 1
    connection.close()


@pytest.mark.requirement("F-STORE-23")
def test_an_older_home_is_copied_before_it_changes(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    put(store, "session", session("s"))
    store.close()
    latest = len(migrations("sqlite"))
    later = (*migrations("sqlite"), "DROP TABLE session; CREATE TABLE session (space TEXT) STRICT;")
    connection = apsw.Connection(str(tmp_path / DATABASE))
    _bring_up(connection, tmp_path / DATABASE, later, has_log=False)
    assert schema_number(connection) == latest + 1
    connection.close()
    copy = tmp_path / "restored"
    copy.mkdir()
    (tmp_path / f"{DATABASE}.schema-{latest}.backup").replace(copy / DATABASE)
    restored = SqliteStore.open(copy)
    assert everything(restored, "session") == [session("s")]
    assert restored.migrate() == latest
    restored.close()


@pytest.mark.requirement("F-STORE-23")
@pytest.mark.parametrize("with_log", [False, True])
def test_a_newer_home_is_refused_untouched(tmp_path: Path, with_log: bool) -> None:
    """Also when a newer Clew was killed and its log still holds what it wrote."""
    store = SqliteStore.open(tmp_path / "home")
    put(store, "session", session("s"))
    store.close()
    newer = apsw.Connection(str(tmp_path / "home" / DATABASE))
    newer.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, int(with_log))
    newer.execute("PRAGMA user_version = 99").fetchall()
    newer.close()
    before = digests(tmp_path / "home")
    assert (f"{DATABASE}-wal" in before) == with_log
    for _ in range(2):
        with pytest.raises(SchemaError, match=rf"schema 99.*schemas up to {len(migrations('sqlite'))}\b.*Upgrade Clew"):
            SqliteStore.open(tmp_path / "home")
    assert digests(tmp_path / "home") == before


def digests(home: Path) -> dict[str, str]:
    """What each file that holds data contains; the log's index (shm) and the lock hold none."""
    files = [file for file in home.iterdir() if not file.name.endswith(("-shm", ".lock"))]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.mark.requirement("F-STORE-23")
def test_an_open_store_sees_that_a_newer_clew_went_further(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path)
    assert store.migrate() == len(migrations("sqlite"))
    newer = apsw.Connection(str(tmp_path / DATABASE))
    newer.execute("PRAGMA user_version = 99").fetchall()
    newer.close()
    with pytest.raises(SchemaError):
        store.migrate()
    store.close()


@pytest.mark.requirement("F-STORE-23")
@pytest.mark.parametrize("mark", ["CREATE TABLE theirs (a)", "PRAGMA application_id = 7", "PRAGMA user_version = 1"])
def test_another_programs_database_is_refused_untouched(tmp_path: Path, mark: str) -> None:
    theirs = apsw.Connection(str(tmp_path / DATABASE))
    theirs.execute(mark).fetchall()
    theirs.close()
    before = digests(tmp_path)
    with pytest.raises(SchemaError, match="another program"):
        SqliteStore.open(tmp_path)
    assert digests(tmp_path) == before


@pytest.mark.requirement("F-STORE-23")
def test_a_database_of_clew_says_whose_it_is(schema: apsw.Connection) -> None:
    assert schema.pragma("application_id") == APPLICATION == int.from_bytes(b"Clew")
