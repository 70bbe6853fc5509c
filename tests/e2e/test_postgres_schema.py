"""The installation on a server: what its tables are, who may open it, and what scrubbing and checking find."""

import itertools
import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from clew.errors import SchemaError, StoreError, StoreLocked, StoreReadOnly
from clew.store.postgres import PostgresStore
from clew.store.postgres_access import LANES
from clew.store.postgres_schema import migrate, schema_number
from clew.store.statements import Statements, migrations
from clew.store.tables import TABLES, Table
from clew.store.values import Value
from tests.support.postgres_servers import Server, own
from tests.support.store_rows import everything, put, seen, session, turn

KINDS = {
    "text": "text",
    "bigint": "int",
    "double precision": "real",
    "bytea": "bytes",
    "timestamp with time zone": "time",
}


@pytest.fixture
def admin(server: Server, store: PostgresStore) -> "Iterator[psycopg.Connection[Any]]":
    """A connection of someone else, who looks at the tables of `store`."""
    with psycopg.connect(server.url(options=f"-c search_path={store._schema}"), autocommit=True) as connection:
        yield connection


def _as_good(table: Table, index: str | None) -> list[str]:
    """An index, and all that hold the same columns in another order: with so few rows the planner may take either."""
    columns = set(table.order(index))
    return [f"{table.name}_{each or 'pkey'}" for each in (None, *table.indexes) if set(table.order(each)) == columns]


def fetch(connection: "psycopg.Connection[Any]", query: str, *values: object) -> list[tuple[Any, ...]]:
    return connection.execute(query, values).fetchall()


@pytest.mark.requirement("S-POSTGRES-05")
def test_the_schema_is_what_is_declared(admin: "psycopg.Connection[Any]", store: PostgresStore) -> None:
    columns = fetch(
        admin,
        "SELECT table_name, column_name, data_type, collation_name FROM information_schema.columns "
        "WHERE table_schema = %s ORDER BY ordinal_position",
        store._schema,
    )
    found: dict[str, dict[str, str]] = {}
    for table, column, kind, collation in columns:
        found.setdefault(table, {})[column] = KINDS[kind]
        assert collation == ("C" if kind == "text" else None), (table, column)
    assert found.pop("installation") == {"schema_number": "int"}
    assert found.pop("lane") == {"lane": "int", "changes": "int"}
    assert found.pop("writer") == {"writer": "text", "number": "int", "seen": "time"}
    assert found == {name: dict(table.columns) for name, table in TABLES.items()}
    assert [list(found[name]) for name in TABLES] == [list(table.columns) for table in TABLES.values()]
    indexes = dict(fetch(admin, "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = %s", store._schema))
    for table in TABLES.values():
        for index in (None, *table.indexes):
            ordered = ", ".join(table.order(index)).replace("text", '"text"')
            assert f"({ordered})" in indexes.pop(f"{table.name}_{index or 'pkey'}")
    assert set(indexes) == {"installation_pkey", "lane_pkey", "writer_pkey"}
    assert fetch(admin, "SELECT count(*), min(lane), max(lane) FROM lane") == [(LANES, 0, LANES - 1)]


@pytest.mark.requirement("S-POSTGRES-06")
def test_the_planner_keeps_no_samples_of_what_people_said(
    admin: "psycopg.Connection[Any]", store: PostgresStore
) -> None:
    put(store, "turn", *(turn("private", seq, seq, text=f"secret {seq % 3}", external_id="x") for seq in range(99)))
    admin.execute("ANALYZE")
    sampled = fetch(admin, "SELECT tablename, attname FROM pg_stats WHERE schemaname = %s", store._schema)
    kinds = {TABLES[table].columns[column] for table, column in sampled if table in TABLES}
    assert kinds <= {"int", "real"}
    assert ("turn", "seq") in sampled, "the numbers do have statistics, so the look was at the right place"


@pytest.mark.requirement("S-POSTGRES-05")
def test_every_scan_walks_its_index_and_sorts_nothing(admin: "psycopg.Connection[Any]", store: PostgresStore) -> None:
    value: dict[str, Value] = {"text": "x", "int": 1, "real": 0.5, "bytes": b"x"}
    for table in TABLES.values():
        put(store, table.name, tuple(value[kind] for kind in table.columns.values()))
    admin.execute("ANALYZE")  # with one row in it, a table would rather be read as a whole
    statements = Statements(mark="%s", hint="", schema=store._schema)
    with store._pool.begun("SELECT 1") as cursor:
        for table in TABLES.values():
            for index, order, shape in _scans(table):
                names = order[: shape[1]] + order[shape[0] : shape[2]]
                sql = statements.scan(table, index, shape, None, (False, shape[1] > shape[2]))
                values = [value[table.columns[name]] for name in names]
                lines = cursor.connection.execute(f"EXPLAIN {sql}", values).fetchall()
                plan = " ".join(str(line) for (line,) in lines)
                assert "Sort" not in plan, (sql, plan)
                assert "Seq Scan" not in plan, (sql, plan)
                assert any(name in plan for name in _as_good(table, index)), (sql, plan)


def _scans(table: Table) -> Iterator[tuple[str | None, tuple[str, ...], tuple[int, int, int]]]:
    """Each index of a table with its columns, and what a scan may know of them: the same, at least, at most."""
    for index in (None, *table.indexes):
        order = table.order(index)
        for low in range(1, len(order) + 1):
            for high in range(1, len(order) + 1):
                yield index, order, (min(low, high) - (low > 1 and high > 1), low, high)


@pytest.mark.requirement("S-POSTGRES-05")
@pytest.mark.parametrize("held", [1, 1_000])
def test_many_rows_are_looked_up_one_by_one_by_their_key(
    admin: "psycopg.Connection[Any]", store: PostgresStore, held: int
) -> None:
    for table in TABLES.values():
        blank = (None,) * (len(table.names) - table.key)
        put(store, table.name, *(_key(table, number) + blank for number in range(held)))
    admin.execute("ANALYZE")
    statements = Statements(mark="%s", hint="", schema=store._schema)
    for table, count in itertools.product(TABLES.values(), (1, 64)):
        sql = statements.get_many(table, table.names)
        values = [*map(list, zip(*(_key(table, number) for number in range(count)), strict=True)), "a"]
        with store._pool.begun("SET plan_cache_mode = force_generic_plan") as cursor:
            lines = cursor.connection.execute(f"EXPLAIN {sql}", values, prepare=True).fetchall()
        plan = " ".join(str(line) for (line,) in lines)
        assert "Nested Loop Left Join" in plan, plan
        assert any(name in plan for name in _as_good(table, None)), plan
        assert "Seq Scan" not in plan, plan
        conditions = plan.partition("Index Cond")[2]
        if held > 1:  # for one row it makes no difference
            assert all(f"{name} = " in conditions or f'"{name}" = ' in conditions for name in table.key_names), plan


def _key(table: Table, number: int) -> tuple[Value, ...]:
    last: dict[str, Value] = {"text": f"x{number}", "int": number, "real": float(number), "bytes": b"x%d" % number}
    return tuple("a" if name == "space" else last[table.columns[name]] for name in table.key_names)


# -------------------------------------------------------------------------------------------------------------- opening


@pytest.mark.requirement("S-POSTGRES-07")
def test_many_may_open_a_new_installation_at_once(url: str) -> None:
    opened: list[PostgresStore | StoreError] = []

    def open_it() -> None:
        try:
            opened.append(PostgresStore.open(url))
        except StoreError as error:
            opened.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stores = [store for store in opened if isinstance(store, PostgresStore)]
    assert len(stores) == 6, opened
    put(stores[0], "session", session("s"))
    assert all(everything(store, "session") == [session("s")] for store in stores)
    for store in stores:
        store.close()


@pytest.mark.requirement("S-POSTGRES-07")
def test_a_newer_schema_is_refused_and_left_untouched(
    admin: "psycopg.Connection[Any]", store: PostgresStore, url: str
) -> None:
    latest = len(migrations("postgres"))
    assert store.migrate() == latest
    admin.execute("INSERT INTO installation VALUES (%s)", (latest + 1,))
    before = fetch(admin, "SELECT pg_current_wal_insert_lsn()")
    for attempt in (lambda: PostgresStore.open(url), store.migrate):
        with pytest.raises(SchemaError, match=rf"number {latest + 1}.*up to {latest}.*Upgrade Clew"):
            attempt()
    assert fetch(admin, "SELECT pg_current_wal_insert_lsn()") == before


@pytest.mark.requirement("S-POSTGRES-07")
def test_of_two_versions_the_older_goes_on_and_is_refused_when_it_opens_again(store: PostgresStore, url: str) -> None:
    put(store, "session", session("older"))
    newer = [*migrations("postgres"), 'CREATE TABLE "later" (space text PRIMARY KEY)']
    with store._pool.begun("SELECT 1") as cursor:
        assert migrate(cursor.connection, store._schema, newer, store._engine) == len(newer)
    put(store, "session", session("older still"))
    assert everything(store, "session") == [session("older"), session("older still")]
    with pytest.raises(SchemaError, match="Upgrade Clew"):
        PostgresStore.open(url)


@pytest.mark.requirement("S-POSTGRES-07")
def test_a_schema_of_another_program_is_left_untouched(server: Server, url: str) -> None:
    name = url.rpartition("=")[2]
    with psycopg.connect(server.url(), autocommit=True) as other:
        other.execute(f'CREATE SCHEMA "{name}"')
        other.execute(f'CREATE TABLE "{name}".turn (mine int)')
        with pytest.raises(SchemaError, match=rf"{name}.*another program.*\?schema="):
            PostgresStore.open(url)
        other.execute(f'DROP TABLE "{name}".turn')
    PostgresStore.open(url).close()


@pytest.mark.requirement("S-POSTGRES-07")
def test_a_step_that_fails_leaves_the_schema_as_it_was(store: PostgresStore) -> None:
    steps = [*migrations("postgres"), "CREATE TABLE extra (x int); SELECT 1 / 0"]
    with store._pool.begun("SELECT 1") as cursor:
        with pytest.raises(StoreError, match="division"):
            migrate(cursor.connection, store._schema, steps, store._engine)
        assert schema_number(cursor.connection, store._schema, store._engine) == len(steps) - 1
        steps[-1] = "CREATE TABLE extra (x int)"
        assert migrate(cursor.connection, store._schema, steps, store._engine) == len(steps)


@pytest.mark.requirement("S-POSTGRES-07")
def test_a_database_that_cannot_hold_every_text_is_refused(server: Server) -> None:
    with psycopg.connect(server.url(), autocommit=True) as other:
        other.execute("DROP DATABASE IF EXISTS latin")
        other.execute("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(StoreError, match=r"LATIN1.*CREATE DATABASE.*UTF8"):
        PostgresStore.open(server.url(database="latin"))


@pytest.mark.requirement("S-POSTGRES-03")
def test_a_role_with_few_rights_is_told_what_it_lacks(server: Server, store: PostgresStore, url: str) -> None:
    put(store, "session", session("s"))
    with psycopg.connect(server.url(), autocommit=True) as admin:
        admin.execute("DROP ROLE IF EXISTS reader")
        admin.execute("CREATE ROLE reader LOGIN")
        theirs = url.replace("clew@", "reader@")
        with pytest.raises(StoreReadOnly, match="grant"):
            PostgresStore.open(theirs.replace(store._schema, "test_none"))
        with pytest.raises(StoreReadOnly, match="grant"):
            PostgresStore.open(theirs)
        admin.execute(f"GRANT USAGE ON SCHEMA {store._schema} TO reader")
        admin.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {store._schema} TO reader")
        reading = PostgresStore.open(theirs)
        assert everything(reading, "session") == [session("s")]
        with pytest.raises(StoreReadOnly, match="grant"):
            put(reading, "session", session("t"))
        with pytest.raises(StoreError, match="owner"):
            reading.scrub()
        reading.close()
        admin.execute("DROP OWNED BY reader")
        admin.execute("DROP ROLE reader")


# ---------------------------------------------------------------------------------------------------- scrubbing, checks


@pytest.mark.requirement("S-POSTGRES-06")
def test_after_scrubbing_no_table_holds_what_was_deleted(server_name: str) -> None:
    with own(server_name) as server:
        store = PostgresStore.open(server.url())
        put(store, "turn", *(turn("s", seq, seq, text=f"labyrinth {seq}") for seq in range(50)))
        put(store, "blob", ("a", "sha", None, b"minotaur" * 2_000))
        store.transaction(lambda tx: (tx.delete("turn", ("a",), ("a",)), tx.delete_blob("a", "sha")))
        put(store, "turn", turn("s", 99, 99, text="thread"))

        def holds(word: bytes) -> bool:
            return any(word in file.read_bytes() for file in (server.data / "base").rglob("*") if file.is_file())

        with psycopg.connect(server.url(), autocommit=True) as admin:
            admin.execute("CHECKPOINT")
        assert holds(b"labyrinth"), "deleting alone leaves it there"
        store.scrub()
        assert not holds(b"labyrinth")
        assert not holds(b"minotaur" * 4)
        assert holds(b"thread")
        assert everything(store, "turn") == [turn("s", 99, 99, text="thread")]
        store.close()


@pytest.mark.requirement("S-POSTGRES-06")
def test_scrubbing_beside_an_older_snapshot_is_told(url: str) -> None:
    store, other = PostgresStore.open(url, patience=0.3), PostgresStore.open(url)
    put(store, "turn", turn("s", 1, 1))
    with other.snapshot() as reader:
        store.transaction(lambda tx: tx.delete("turn", ("a",), ("a",)))
        with pytest.raises(StoreLocked, match="try again"):
            store.scrub()
        assert reader.count("turn", ("a",), ("a",)) == 1
        with pytest.raises(StoreLocked, match="try again"):
            store.scrub()
    store.scrub()
    store.close()
    other.close()


@pytest.mark.requirement("S-POSTGRES-08")
def test_damage_is_found(server_name: str) -> None:
    with own(server_name) as server:
        store = PostgresStore.open(server.url())
        put(store, "turn", *(turn("s", seq, seq, text=f"text {seq} " * 20) for seq in range(200)))
        assert store.check() == []
        with psycopg.connect(server.url(), autocommit=True) as admin:
            path = server.data / fetch(admin, "SELECT pg_relation_filepath('clew.turn')")[0][0]
        store.close()
        server.stop()
        sound = path.read_bytes()
        path.write_bytes(sound[:8192] + b"\xa5" * 8192 + sound[16384:])
        server.start()
        store = PostgresStore.open(server.url())
        found = store.check()
        assert len(found) == 1
        assert found[0].startswith("table turn: ")
        with pytest.raises(StoreError, match=r"damaged|could not do its work"):
            everything(store, "turn")
        store.close()
        server.stop()
        path.write_bytes(sound[:8192])  # as if the rest had never reached the disk
        server.start()
        store = PostgresStore.open(server.url())
        assert [line for line in store.check() if line.startswith("table turn: ")]
        store.close()


@pytest.mark.requirement("S-POSTGRES-08")
def test_the_size_counts_what_lies_on_the_server(store: PostgresStore) -> None:
    before = store.size()
    put(store, "blob", ("a", "sha", None, bytes(range(256)) * 4_000))
    assert store.size() > before
    assert seen(store, lambda reader: reader.count("blob", ("a",), ("a",))) == 1
