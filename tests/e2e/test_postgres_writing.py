"""Many writers on one server: turns in each space, shared commits, second attempts, and commits of others seen."""

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, cast

import psycopg
import pytest

from clew.errors import ClosedError, StoreError, StoreLocked
from clew.store.postgres import PostgresStore
from clew.store.postgres_access import LANES, lane_of
from clew.store.postgres_pool import Pool
from clew.store.postgres_watch import FRESH, Watch
from clew.store.postgres_writer import ATTEMPTS, Limits
from clew.store.protocol import Transaction
from tests.support.postgres_servers import Server
from tests.support.store_rows import everything, put, seen, session


def together(*works: Callable[[], object]) -> None:
    """Runs all at once and raises the first error."""
    with ThreadPoolExecutor(len(works)) as pool:
        for running in [pool.submit(work) for work in works]:
            running.result()


def counting(space: str) -> Callable[[Transaction], None]:
    def work(tx: Transaction) -> None:
        row = tx.get("session", (space, "s"))
        tx.put("session", [session("s", (int(str(row[2])) if row else 0) + 1, space=space)])

    return work


def add(store: PostgresStore, times: int = 20) -> None:
    for _ in range(times):
        store.transaction(counting("a"))


def counted(store: PostgresStore, space: str) -> object:
    return seen(store, lambda reader: reader.get("session", (space, "s")))[2]  # type: ignore[index]  # it was put


def changes(store: PostgresStore) -> int:
    """Commits so far."""
    return store._watch._ask()[0]


# ---------------------------------------------------------------------------------------------------------------- turns


@pytest.mark.requirement("S-POSTGRES-09")
def test_nothing_is_lost_among_threads_of_several_stores(store: PostgresStore, url: str) -> None:
    other = PostgresStore.open(url)

    def add(to: PostgresStore) -> Callable[[], object]:
        return lambda: [to.transaction(counting("a"), durable=n % 2 == 0) for n in range(15)]

    together(*(add(to) for to in (store, other) for _ in range(5)))
    assert counted(store, "a") == 150
    other.close()


@pytest.mark.requirement("S-POSTGRES-10")
def test_transactions_that_wait_share_a_commit(url: str) -> None:
    store = PostgresStore.open(url, limits=Limits(threads=1, gather=60))
    put(store, "session", session("s", 0))
    before, inside = changes(store), threading.Event()

    def hold(_: Transaction) -> None:
        inside.set()
        while len(store._writer._waiting) < 40:
            threading.Event().wait(0.001)

    def add_behind() -> None:
        assert inside.wait(60)
        store.transaction(counting("a"))

    together(lambda: store.transaction(hold), *[add_behind] * 40)
    assert counted(store, "a") == 40
    assert changes(store) - before <= 3, "of 40 alone each would have been a commit"
    store.close()


def quietly(tx: Transaction) -> None:
    """Fails before anything of it is sent."""
    tx.put("session", [session("gone")])
    raise ZeroDivisionError


def loudly(tx: Transaction) -> None:
    """Fails after something of it was sent."""
    tx.put("session", [session("gone")])
    assert tx.get("session", ("a", "gone")) is not None
    raise ZeroDivisionError


def wrongly(tx: Transaction) -> None:
    """Fails by what cannot be kept, before it is sent."""
    tx.put("session", [session("gone"), ("a", "wrong", "number", None, "{}", 1)])


def too_long(tx: Transaction) -> None:
    """Fails by what the server refuses, with whatever is sent next."""
    tx.put("session", [session("gone"), session(os.urandom(4_000).hex())])


def swallowing(tx: Transaction) -> None:
    """The same, and goes on as if nothing were the matter."""
    with suppress(StoreError):  # what this work does wrong on purpose
        too_long(tx)
        tx.get("session", ("a", "gone"))


@pytest.mark.requirement("S-POSTGRES-10")
@pytest.mark.parametrize("work", [quietly, loudly, wrongly, too_long, swallowing])
@pytest.mark.parametrize("place", [0, 1, 4])
def test_a_failing_transaction_of_a_shared_commit_fails_alone(
    url: str, work: Callable[[Transaction], object], place: int
) -> None:
    store = PostgresStore.open(url, limits=Limits(threads=1, gather=60))
    inside, go_on = threading.Event(), threading.Event()

    def hold(tx: Transaction) -> None:
        tx.put("session", [session("first")])
        inside.set()
        assert go_on.wait(60)

    works: list[Callable[[Transaction], object]] = [counting("a") for _ in range(4)]
    works.insert(place, work)
    with ThreadPoolExecutor(6) as pool:
        holding = pool.submit(store.transaction, hold)
        assert inside.wait(60)
        waiting = []
        for each in works:  # one behind the other
            waiting.append(pool.submit(store.transaction, each))
            while len(store._writer._waiting) < len(waiting):
                go_on.wait(0.001)
        go_on.set()
        holding.result()
        errors = [done.exception() for done in waiting]
    assert [type(error) for error in errors if error is not None] in ([ZeroDivisionError], [StoreError])
    assert errors[place] is not None
    assert [row[1:3] for row in everything(store, "session")] == [("first", 0), ("s", 4)]
    store.close()


@pytest.mark.requirement("S-POSTGRES-09")
def test_long_work_in_one_space_keeps_no_other_waiting(store: PostgresStore) -> None:
    inside, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def hold(tx: Transaction) -> None:
        tx.put("session", [session("s")])
        inside.set()
        assert go_on.wait(60)

    def add() -> None:
        inside.wait(60)
        put(store, "session", session("s", space="b"))
        done.set()

    def watch() -> None:
        arrived = done.wait(60)
        go_on.set()
        assert arrived, "the other space had to wait"

    together(lambda: store.transaction(hold), add, watch)


@pytest.mark.requirement("S-POSTGRES-09")
def test_transactions_over_two_spaces_never_wait_in_a_ring(url: str) -> None:
    patient = f"{url}&options=-c%20deadlock_timeout%3D600s"  # the server notices no ring in time
    first, second = (PostgresStore.open(patient, patience=45) for _ in range(2))

    def both(one: str, two: str) -> Callable[[Transaction], object]:
        return lambda tx: (counting(one)(tx), counting(two)(tx))

    together(
        lambda: [first.transaction(both("a", "b")) for _ in range(10)],
        lambda: [first.transaction(counting("a")) for _ in range(10)],
        lambda: [second.transaction(both("b", "a")) for _ in range(10)],
        lambda: [second.transaction(counting("b")) for _ in range(10)],
    )
    assert (counted(first, "a"), counted(first, "b")) == (30, 30)
    first.close()
    second.close()


@pytest.mark.requirement("S-POSTGRES-09")
def test_lanes_are_spread_and_stay_the_same() -> None:
    assert [lane_of(space) for space in ("", "default", "é")] == [0, 223, 62]
    assert len({lane_of(f"user-{number}") for number in range(5_000)}) == LANES


@pytest.mark.requirement("S-POSTGRES-11")
def test_under_stricter_isolation_transactions_are_tried_again(server: Server, url: str) -> None:
    strict = f"{url}&options=-c%20default_transaction_isolation%3Dserializable"
    stores = [PostgresStore.open(strict) for _ in range(2)]
    together(*(partial(add, to) for to in stores))
    assert counted(stores[0], "a") == 40
    for store in stores:
        store.close()


REFUSE_TWICE = """
CREATE SEQUENCE tries;
CREATE FUNCTION refuse_twice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF nextval('tries') < 3 THEN
        RAISE EXCEPTION 'others were faster' USING ERRCODE = 'serialization_failure';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER refuse_twice AFTER INSERT ON receipt DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION refuse_twice()
"""


@pytest.mark.slow
@pytest.mark.requirement("S-POSTGRES-11")
def test_a_commit_that_is_refused_for_others_is_tried_again(server: Server, store: PostgresStore) -> None:
    with psycopg.connect(server.url(options=f"-c search_path={store._schema}"), autocommit=True) as admin:
        admin.execute(REFUSE_TWICE)
        runs: list[int] = []

        def work(tx: Transaction) -> None:
            runs.append(1)
            tx.put("receipt", [("a", f"r{len(runs)}", 1, b"{}")])

        admin.execute("ALTER FUNCTION refuse_twice SET search_path FROM CURRENT")
        store.transaction(work)
        assert len(runs) == 3
        admin.execute("ALTER SEQUENCE tries MINVALUE -1000 RESTART WITH -1000")
        with pytest.raises(StoreLocked, match="others wrote"):
            store.transaction(work)
    assert len(runs) == 3 + ATTEMPTS
    assert [row[1] for row in everything(store, "receipt")] == ["r3"]


@pytest.mark.requirement("S-POSTGRES-11")
def test_a_deadlock_with_someone_else_is_survived(server: Server, store: PostgresStore) -> None:
    put(store, "session", session("s", 0), session("t", 0))
    inside = threading.Event()
    runs: list[int] = []

    def work(tx: Transaction) -> None:
        runs.append(1)
        tx.get("session", ("a", "s"))
        inside.set()
        tx.put("session", [session("t", 1)])
        tx.get("session", ("a", "t"))

    with psycopg.connect(server.url(options=f"-c search_path={store._schema} -c deadlock_timeout=20s")) as other:
        other.execute("UPDATE session SET next_seq = 9 WHERE session = 't'")
        writer = threading.Thread(target=store.transaction, args=(work,))
        writer.start()
        inside.wait(60)
        other.execute("SELECT 1 FROM lane WHERE lane = %s FOR UPDATE", (lane_of("a"),))
        other.commit()
        writer.join()
    assert len(runs) >= 2, "the server took the first attempt back"
    assert counted(store, "a") == 0
    assert seen(store, lambda reader: reader.get("session", ("a", "t"))) == session("t", 1)


@pytest.mark.requirement("S-POSTGRES-11")
def test_who_waits_for_too_long_is_told(server: Server, url: str) -> None:
    store = PostgresStore.open(url, patience=0.2)
    with psycopg.connect(server.url(options=f"-c search_path={store._schema}")) as other:
        other.execute("SELECT 1 FROM lane WHERE lane = %s FOR UPDATE", (lane_of("a"),))
        with pytest.raises(StoreLocked, match="waiting time; try again"):
            put(store, "session", session("s"))
        put(store, "session", session("s", space="b"))
    put(store, "session", session("s"))
    assert everything(store, "session") == [session("s")]
    store.close()


@pytest.mark.requirement("S-POSTGRES-20")
def test_commits_wait_for_the_disk_unless_they_need_not(url: str) -> None:
    careless = PostgresStore.open(f"{url}&options=-c%20synchronous_commit%3Doff")
    strict = PostgresStore.open(f"{url}&options=-c%20synchronous_commit%3Dremote_apply")
    for store, first, durable in (
        (careless, "begin", "on"),
        (careless, "begin_loosely", "off"),
        (strict, "begin", "remote_apply"),
        (strict, "begin_loosely", "off"),
    ):
        with store._pool.begun(store._engine[first]) as cursor:
            assert cursor.connection.execute("SHOW synchronous_commit").fetchall() == [(durable,)]
            stalled = cursor.connection.execute("SHOW idle_in_transaction_session_timeout").fetchall()
            assert stalled == [("1min",)], "a client that stands still does not hold its lane for ever"
    careless.close()
    strict.close()


# -------------------------------------------------------------------------------------------------------------- version


@pytest.mark.requirement("S-POSTGRES-12")
def test_a_commit_of_another_process_is_seen_soon_and_one_s_own_at_once(store: PostgresStore, url: str) -> None:
    other = PostgresStore.open(url)
    version = store.version()
    for number in range(5):
        put(other, "tail", ("a", number, b""))
        committed = time.monotonic()
        while store.version() == version:
            assert time.monotonic() < committed + 60, "it is never seen"
        version = store.version()
        put(store, "tail", ("b", number, b""))
        assert store.version() != version
        version = store.version()
    other.close()


class Counting:
    """A pool that counts how often it is asked, over a real one."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.losses = 0
        self.asked = 0

    def ask(self, statement: str) -> Any:
        self.asked += 1
        return self.pool.ask(statement)


@pytest.mark.requirement("S-POSTGRES-12")
def test_asking_often_asks_the_server_seldom_unless_there_is_a_reason(store: PostgresStore) -> None:
    pool = Counting(store._pool)
    watch = Watch(cast(Pool, pool), store._engine["changes"])
    started = time.monotonic()
    first = watch.version()
    assert [watch.version() for _ in range(2_000)] == [first] * 2_000
    assert pool.asked <= (time.monotonic() - started) / FRESH + 1
    asked = pool.asked
    watch.has_committed()
    watch.version()
    assert pool.asked == asked + 1
    pool.losses += 1
    assert watch.version() != first, "after a lost connection nothing is taken for granted"


# ------------------------------------------------------------------------------------------------------ opening, ending


@pytest.mark.requirement("S-POSTGRES-13")
def test_closed_and_killed_stores_leave_no_names_behind(server: Server, store: PostgresStore, url: str) -> None:
    put(store, "session", session("s"))
    with psycopg.connect(server.url(options=f"-c search_path={store._schema}"), autocommit=True) as admin:
        admin.execute("INSERT INTO writer VALUES ('killed', 1, now() - interval '2 days')")
        names = "SELECT count(*) FROM writer"
        assert admin.execute(names).fetchall() == [(2,)]
        other = PostgresStore.open(url)
        put(other, "session", session("t"))
        other.close()
        assert admin.execute(names).fetchall() == [(1,)], "the one that is still open"


@pytest.mark.requirement("S-POSTGRES-13")
def test_an_abandoned_store_leaves_no_connection(server: Server, url: str) -> None:
    marked = f"{url}&application_name=abandoned"
    store = PostgresStore.open(marked)
    put(store, "session", session("s"))
    everything(store, "session")
    with psycopg.connect(server.url(), autocommit=True) as admin:
        asked = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'abandoned'"

        def connections() -> Any:
            return admin.execute(asked).fetchall()[0][0]

        assert connections() > 0
        del store
        for _ in range(1_200):
            if connections() == 0:
                return
            threading.Event().wait(0.05)
        raise AssertionError("its connections are still there")


@pytest.mark.requirement("S-POSTGRES-13")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_cannot_use_the_store_nor_harm_it(store: PostgresStore) -> None:
    put(store, "session", session("s"))
    child = os.fork()
    if child == 0:
        status = 1
        try:
            store.version()
        except ClosedError as error:
            status = 0 if "open it again in this process" in str(error) else 2
        store.close()
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    put(store, "session", session("t"))
    assert len(everything(store, "session")) == 2
