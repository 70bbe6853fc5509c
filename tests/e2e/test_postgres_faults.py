"""A server that is wrong, refuses, goes away or is full: told as such, nothing half done, no password shown."""

import logging
import os
import subprocess
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

import clew
from clew.errors import StoreError, StoreFull, StoreReadOnly
from clew.store.postgres import PostgresStore
from clew.store.protocol import Transaction
from tests.support.postgres_proxy import Pooler, Wire
from tests.support.postgres_servers import PASSWORD, Server, own
from tests.support.store_rows import everything, put, session

pytestmark = pytest.mark.slow  # servers go away and come back


@pytest.fixture
def wire(server: Server) -> Iterator[Wire]:
    made = Wire(server.port)
    yield made
    made.close()


@pytest.fixture
def wired(server: Server, wire: Wire, url: str) -> Iterator[PostgresStore]:
    """A store whose connections go over the wire."""
    schema = url.rpartition("=")[2]
    opened = PostgresStore.open(
        server.url(password=PASSWORD, schema=schema).replace(f":{server.port}/", f":{wire.port}/"), patience=1
    )
    yield opened
    wire.is_down = False
    opened.close()


# -------------------------------------------------------------------------------------------------------------- refused


@pytest.mark.requirement("S-POSTGRES-02", "S-POSTGRES-03")
def test_what_is_wrong_with_an_address_is_told_without_its_password(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    right = server.url(password=PASSWORD)
    wrong = {
        "role or its password": server.url(password="wrong " + PASSWORD),
        "no such database": server.url(password=PASSWORD, database="nowhere"),
        "cannot be reached": right.replace(f":{server.port}/", ":1/"),
        "cannot be read": right.replace(f":{server.port}/", ":x/"),
        "refused the connection": right + "?sslmode=require",
    }
    for words, address in wrong.items():
        with pytest.raises(clew.ClewError, match=words) as caught:
            clew.Memory.open(address, embedder="none")
        said = "".join(traceback.format_exception(caught.value)) + caplog.text
        assert "needle" not in said
        assert "thread%20" not in said


@pytest.mark.requirement("S-POSTGRES-02")
def test_an_open_store_shows_no_password(server: Server, url: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with clew.Memory.open(server.url(password=PASSWORD, schema=url.rpartition("=")[2]), embedder="none") as memory:
        memory.add(clew.Turn(role="user", content="hello"))
        store = memory.reads.store
        shown = f"{store.url} {store!r} {vars(store)!r} {memory.stats()!r} {memory!r} {caplog.text}"
        assert "clew@127.0.0.1" in shown
        assert "needle" not in shown
        with psycopg.connect(server.url(), autocommit=True) as admin:
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")


@pytest.mark.requirement("S-POSTGRES-03")
def test_a_server_without_a_free_connection_is_told(server: Server) -> None:
    with psycopg.connect(server.url(), autocommit=True) as admin:
        admin.execute("DROP ROLE IF EXISTS crowd")
        admin.execute("CREATE ROLE crowd LOGIN CONNECTION LIMIT 0")
    with pytest.raises(StoreError, match=r"no connection left.*max_connections"):
        PostgresStore.open(server.url().replace("clew@", "crowd@"))


@pytest.mark.requirement("S-POSTGRES-03")
def test_a_server_that_takes_no_writes_is_told(store: PostgresStore, url: str) -> None:
    put(store, "session", session("s"))
    reading = PostgresStore.open(f"{url}&options=-c%20default_transaction_read_only%3Don")
    assert everything(reading, "session") == [session("s")]
    with pytest.raises(StoreReadOnly, match="standby"):
        put(reading, "session", session("t"))
    reading.close()


@pytest.mark.requirement("S-POSTGRES-03")
def test_a_name_too_long_for_an_index_is_told(store: PostgresStore) -> None:
    long = os.urandom(4_000).hex()
    with pytest.raises(StoreError, match="2,700 bytes"):
        put(store, "session", session("fine"), session(long))
    assert everything(store, "session") == []
    put(store, "session", session("fine", title=long))


@contextmanager
def small_disk(server: Server) -> Iterator[Path]:
    """A file system of 4 MB that the server may use; making one takes rights that not every machine gives."""
    place = server.place / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size=4m,uid={server.user}", "tmpfs", str(place)]
    if server.user is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no small file system can be mounted here")
    try:
        yield place
    finally:
        server.stop()
        subprocess.run(["umount", str(place)], check=True)


def fill(store: PostgresStore) -> None:
    for number in range(100):
        put(store, "blob", ("a", f"{number:02}", None, os.urandom(100_000)))


@pytest.mark.requirement("S-POSTGRES-03")
def test_a_full_disk_is_told_and_survived(server_name: str) -> None:
    with own(server_name) as server, small_disk(server) as disk:
        with psycopg.connect(server.url(), autocommit=True) as admin:
            admin.execute(f"CREATE TABLESPACE small LOCATION '{disk}'")
        store = PostgresStore.open(server.url(options="-c default_tablespace=small"))
        put(store, "session", session("before"))
        other = disk / "something else"
        other.write_bytes(bytes(1_000_000))
        with pytest.raises(StoreFull, match="Free space"):
            fill(store)
        kept = [row[1] for row in everything(store, "blob")]
        assert kept == [f"{number:02}" for number in range(len(kept))], "what was acknowledged, and nothing else"
        other.unlink()
        put(store, "session", session("after"))
        assert everything(store, "session") == [session("after"), session("before")]
        store.close()


# ------------------------------------------------------------------------------------------------------------ gone away


@pytest.mark.requirement("S-POSTGRES-14")
def test_a_restart_between_two_calls_is_not_noticed(server_name: str) -> None:
    with own(server_name) as server:
        store = PostgresStore.open(server.url())
        for end in (server.stop, server.kill):
            put(store, "session", session(end.__name__))
            together_open(store)
            before = store.version()
            end()
            with pytest.raises(StoreError, match=r"cannot be reached|connection to the server was lost"):
                everything(store, "session")
            with pytest.raises(StoreError, match=r"cannot be reached|connection to the server was lost"):
                put(store, "session", session("during"))
            server.start()
            assert store.version() != before, "a crash may have taken something back"
            put(store, "session", session(f"after {end.__name__}"))
        assert [row[1] for row in everything(store, "session")] == ["after kill", "after stop", "kill", "stop"]
        store.close()


def together_open(store: PostgresStore) -> None:
    """Leaves several idle connections behind."""
    barrier = threading.Barrier(4)

    def look() -> None:
        with store.snapshot() as reader:
            barrier.wait(60)
            reader.count("session", ("a",), ("a",))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.requirement("S-POSTGRES-14")
@pytest.mark.parametrize("how", ["stop", "kill"])
def test_a_server_that_goes_away_in_the_middle_leaves_nothing_half_done(server_name: str, how: str) -> None:
    with own(server_name) as server:
        store = PostgresStore.open(server.url())
        put(store, "session", session("before"))

        def work(tx: Transaction) -> None:
            tx.put("session", [session("first")])
            assert tx.count("session", ("a",), ("a",)) == 2
            getattr(server, how)()
            tx.put("session", [session("second")])

        # the last write may be on its way when the loss is noticed, and nobody is there to be asked
        told = r"nothing of an unfinished transaction was kept\. Try again|it cannot be asked whether it did"
        with pytest.raises(StoreError, match=told):
            store.transaction(work)
        server.start()
        with store.snapshot() as reader:
            assert reader.count("session", ("a",), ("a",)) == 1
            getattr(server, how)()
            with pytest.raises(StoreError, match=r"connection to the server was lost|stopping"):
                reader.count("session", ("a",), ("a",))
        server.start()
        assert everything(store, "session") == [session("before")]
        store.close()


@pytest.mark.requirement("S-POSTGRES-15")
@pytest.mark.parametrize("is_made", [True, False])
def test_a_commit_without_an_answer_is_asked_about(wired: PostgresStore, wire: Wire, is_made: bool) -> None:
    put(wired, "session", session("before"))
    wire.cut_at, wire.cuts_answers = b"COMMIT\0", is_made
    if is_made:
        put(wired, "session", session("during"))
        assert everything(wired, "session") == [session("before"), session("during")]
    else:
        with pytest.raises(StoreError, match="nothing of an unfinished transaction was kept"):
            put(wired, "session", session("during"))
        assert everything(wired, "session") == [session("before")]
    assert wire.cuts == 1


@pytest.mark.requirement("S-POSTGRES-15")
def test_a_commit_that_nobody_can_be_asked_about_is_told_as_such(wired: PostgresStore, wire: Wire) -> None:
    put(wired, "session", session("before"))
    wire.cut_at, wire.cuts_answers, wire.is_down = b"COMMIT\0", True, True
    with pytest.raises(StoreError, match="look for what was written"):
        put(wired, "session", session("during"))
    wire.is_down = False
    assert everything(wired, "session") == [session("before"), session("during")]


@pytest.mark.requirement("S-POSTGRES-14")
def test_one_cut_connection_fails_those_who_shared_it_and_no_others(wired: PostgresStore, wire: Wire) -> None:
    wire.cut_at = b"fatal name"
    with pytest.raises(StoreError, match="connection to the server was lost"):
        put(wired, "session", session("fatal name"))
    put(wired, "session", session("s"))
    assert everything(wired, "session") == [session("s")]


@pytest.mark.requirement("S-POSTGRES-14")
@pytest.mark.parametrize("how", [pytest.param("stop", marks=pytest.mark.slow), "kill"])
def test_a_memory_whose_server_goes_away_says_so_and_goes_on_when_it_is_back(
    server_name: str, how: str, tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    lines = [
        f'{{"role": "user", "content": "line {n} of the log about redis", "session": "l"}}\n' for n in range(1_200)
    ]
    log.write_text("".join(lines), encoding="utf-8")
    with own(server_name) as server, clew.Memory.open(server.url(), embedder="none") as memory:
        memory.add(clew.Turn(role="user", content="kubernetes and redis"))
        calls: list[Callable[[], object]] = [
            lambda: memory.recall("redis"),
            lambda: memory.search("redis"),
            lambda: memory.add(clew.Turn(role="user", content="during")),
            lambda: memory.import_path(log, on_progress=lambda *_: getattr(server, how)()),
        ]
        for call in calls:
            if call is not calls[-1]:  # which ends the server itself, in the middle
                getattr(server, how)()
            with pytest.raises(StoreError, match=r"cannot be reached|connection to the server was lost|stopping"):
                call()
            server.start()
            assert [hit.turn.text for hit in memory.search("kubernetes", limit=1)] == ["kubernetes and redis"]
        report = memory.import_path(log)
        assert report.added + report.known == len(lines)
        assert memory.stats().turns == 1 + len(lines)
        assert memory.verify().ok


# -------------------------------------------------------------------------------------------------------------- pooling


def ask_often(store: PostgresStore) -> None:
    """Until the driver has the server prepare the statement."""
    for _ in range(8):
        everything(store, "session")


@pytest.mark.requirement("S-POSTGRES-25")
def test_a_pooler_of_transactions_is_told(server: Server, url: str) -> None:
    pooler = Pooler(f"{server.place}/.s.PGSQL.{server.port}")
    address = f"postgresql://clew:{PASSWORD.split()[0]}@127.0.0.1:{pooler.port}/postgres?{url.rpartition('&')[2]}"
    with pytest.raises(StoreError, match="pool sessions, or name the server itself") as caught:
        PostgresStore.open(address)
    assert PASSWORD.split()[0] not in str(caught.value)
    pooler.switches = False  # as one that has nobody else to serve, or pools sessions
    store = PostgresStore.open(address)
    for number in range(8):
        put(store, "session", session(f"{number}"))
        assert len(everything(store, "session")) == number + 1
    pooler.switches = True
    with pytest.raises(StoreError, match="pool sessions, or name the server itself"):
        ask_often(store)
    pooler.switches = False
    store.close()
    pooler.close()
