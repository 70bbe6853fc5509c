"""What every backend promises about transactions, snapshots and the store as a whole (clew.store.protocol)."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.errors import ClosedError, StoreError
from clew.store.protocol import Reader, Store, Transaction
from clew.store.sqlite import DATABASE
from clew.store.tables import TABLES
from clew.store.values import Row, Value
from tests.contract.backends import open_backup
from tests.support.store_rows import everything, put, seen, session, turn

# --------------------------------------------------------------------------------------------------------- transactions


class Refused(Exception):
    """Raised by the work of a test."""


@pytest.mark.requirement("F-STORE-08")
def test_an_exception_takes_its_transaction_back_and_reaches_the_caller(store: Store) -> None:
    put(store, "turn", turn("s", 1, 1), turn("s", 2, 2))
    before, refused = everything(store, "turn"), Refused("no")

    def work(tx: Transaction) -> None:
        tx.put("turn", [turn("s", 1, 9, text="changed"), turn("s", 3, 3)])
        tx.delete("turn", ("a", "s", 2), ("a", "s", 2))
        tx.compare_and_set("turn", ("a", "s", 3), "text", "hello", "changed")
        tx.put_blob("a", "sha", b"data")
        raise refused

    with pytest.raises(Refused) as caught:
        store.transaction(work)
    assert caught.value is refused
    assert everything(store, "turn") == before
    assert seen(store, lambda reader: reader.scan("turn", ("a",), ("a",), index="ordinal")) == before
    assert seen(store, lambda reader: reader.get_blob("a", "sha")) is None


@pytest.mark.requirement("F-STORE-08")
def test_an_exception_takes_back_its_own_transaction_alone(store: Store) -> None:
    failed: list[int] = []

    def add(number: int) -> None:
        def work(tx: Transaction) -> None:
            tx.put("tail", [("a", number, b"")])
            if number % 3 == 0:
                raise Refused

        try:
            store.transaction(work)
        except Refused:
            failed.append(number)

    threads = [threading.Thread(target=add, args=(number,)) for number in range(60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(failed) == list(range(0, 60, 3))
    assert [row[1] for row in everything(store, "tail")] == [number for number in range(60) if number % 3]


@pytest.mark.requirement("F-STORE-08")
def test_a_swallowed_error_still_takes_the_transaction_back(store: Store) -> None:
    def rows() -> list[Row]:
        return [session("first"), ("a", "second", "wrong", None, "{}", 1)]

    def work(tx: Transaction) -> str:
        with pytest.raises(StoreError, match="next_seq"):
            tx.put("session", iter(rows()))
        return "all is well"

    with pytest.raises(StoreError, match="next_seq"):
        store.transaction(work)
    assert everything(store, "session") == []


@pytest.mark.requirement("F-STORE-08")
def test_the_result_of_the_work_is_returned(store: Store) -> None:
    marker = object()
    assert store.transaction(lambda _: marker) is marker
    assert store.transaction(lambda _: None, durable=False) is None


@pytest.mark.requirement("P-BYTE-02")
def test_what_is_committed_is_seen_before_it_is_durable(store: Store) -> None:
    done = store.committed(_stored)
    assert done.result == "result"
    assert everything(store, "session") == [session("s")]
    done.wait_for_disk()
    done.wait_for_disk()
    with pytest.raises(Refused):
        store.committed(_refuse)
    assert everything(store, "session") == [session("s")]


def _stored(tx: Transaction) -> str:
    tx.put("session", [session("s")])
    return "result"


def _refuse(tx: Transaction) -> None:
    tx.put("session", [session("other")])
    raise Refused


@pytest.mark.requirement("F-STORE-09")
def test_what_has_ended_cannot_be_used(store: Store) -> None:
    kept: list[Reader] = []
    store.transaction(kept.append)
    with store.snapshot() as reader:
        kept.append(reader)
    for ended in kept:
        with pytest.raises(ClosedError):
            ended.get("session", ("a", "s"))
        with pytest.raises(ClosedError):
            ended.scan("session", ("a",), ("a",))


@pytest.mark.requirement("F-STORE-09")
def test_nothing_is_opened_inside_a_transaction(store: Store) -> None:
    with pytest.raises(StoreError, match="inside a transaction"):
        store.transaction(lambda _: store.transaction(lambda _: None))

    def look(_: Transaction) -> None:
        with store.snapshot():
            raise AssertionError("a snapshot was opened")

    with store.snapshot(), pytest.raises(StoreError, match="inside a transaction"):
        store.transaction(look)
    with pytest.raises(StoreError, match="inside a transaction"):
        store.transaction(look)
    put(store, "session", session("s"))
    assert everything(store, "session") == [session("s")]


@pytest.mark.requirement("F-STORE-10")
def test_nothing_is_lost_among_threads(store: Store) -> None:
    put(store, "session", session("s", 0))

    def work(tx: Transaction) -> None:
        row = tx.get("session", ("a", "s"))
        assert row is not None
        assert isinstance(row[2], int)
        tx.put("session", [session("s", row[2] + 1)])

    def add() -> None:
        for turned in range(25):
            store.transaction(work, durable=turned % 2 == 0)

    threads = [threading.Thread(target=add) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert everything(store, "session") == [session("s", 200)]


# ------------------------------------------------------------------------------------------------ snapshots and version


@pytest.mark.requirement("F-STORE-11")
def test_a_snapshot_stays_as_it_was_on_entering(store: Store) -> None:
    put(store, "turn", turn("s", 1, 1))
    with store.snapshot() as reader:
        put(store, "turn", turn("s", 1, 2, text="changed"), turn("s", 2, 3))
        store.transaction(lambda tx: tx.delete("turn", ("a", "s", 1), ("a", "s", 1)))
        assert reader.scan("turn", ("a",), ("a",)) == [turn("s", 1, 1)]
        assert reader.get("turn", ("a", "s", 2)) is None
        with store.snapshot() as inner:
            assert inner.scan("turn", ("a",), ("a",)) == [turn("s", 1, 1)], "a snapshot inside shows the same"
        assert reader.count("turn", ("a",), ("a",)) == 1
    assert everything(store, "turn") == [turn("s", 2, 3)]


@pytest.mark.requirement("F-STORE-11")
def test_a_snapshot_never_shows_half_a_transaction(store: Store) -> None:
    put(store, "session", session("x", 0), session("y", 0))
    stop = threading.Event()
    torn: list[list[Row]] = []

    def watch() -> None:
        while not stop.is_set():
            with store.snapshot() as reader:
                rows = reader.scan("session", ("a",), ("a",), columns=("next_seq",))
                if len(set(rows)) != 1:
                    torn.append(rows)

    threads = [threading.Thread(target=watch) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(1, 100):
        put(store, "session", session("x", number), session("y", number))
    stop.set()
    for thread in threads:
        thread.join()
    assert torn == []


@pytest.mark.requirement("F-STORE-11")
def test_an_exception_leaves_a_snapshot_as_it_is(store: Store) -> None:
    with pytest.raises(Refused), store.snapshot():
        raise Refused
    with store.snapshot() as reader:
        with pytest.raises(StoreError):
            reader.scan("none", ("a",), ("a",))
        assert reader.count("session", ("a",), ("a",)) == 0, "a refused request does not end a snapshot"
    put(store, "session", session("s"))
    assert everything(store, "session") == [session("s")]


def refuse(tx: Transaction) -> None:
    tx.put("tail", [("a", 9, b"")])
    raise Refused


@pytest.mark.requirement("F-STORE-12")
def test_the_version_differs_after_every_commit_and_only_then(store: Store) -> None:
    versions = [store.version()]
    for number in range(5):
        put(store, "tail", ("a", number, b""))
        versions.append(store.version())
    assert len(set(versions)) == 6
    everything(store, "tail")
    with pytest.raises(Refused):
        store.transaction(refuse)
    store.transaction(lambda tx: tx.count("tail", ("a",), ("a",)))
    assert store.version() == versions[-1]


@pytest.mark.requirement("F-STORE-13")
def test_spaces_are_named_once_in_order(store: Store) -> None:
    assert store.spaces() == []
    put(store, "meta", ("", "schema", "1"))
    put(store, "tail", ("b", 1, b""), ("é", 1, b""), ("b", 2, b""))
    put(store, "receipt", ("A", "r", 1, b"{}"), ("b", "r", 1, b"{}"))
    assert store.spaces() == ["A", "b", "é"]
    store.transaction(lambda tx: tx.delete("tail", ("é",), ("é",)))
    assert store.spaces() == ["A", "b"]


# ------------------------------------------------------------------------------------------------------------ the whole


@pytest.mark.requirement("F-STORE-14")
def test_a_backup_is_a_complete_home(store: Store, tmp_path: Path) -> None:
    rows = [turn("s", seq, seq) for seq in range(50)]
    put(store, "turn", *rows)
    place = tmp_path / "restored"
    place.mkdir()
    store.backup(place / DATABASE)
    put(store, "turn", turn("later", 1, 99))
    assert [entry.name for entry in place.iterdir()] == [DATABASE]
    copy = open_backup(store, place)
    assert everything(copy, "turn") == rows
    assert copy.check() == []
    copy.close()


@pytest.mark.requirement("F-STORE-14")
def test_a_backup_holds_every_table_of_every_space(store: Store, tmp_path: Path) -> None:
    value: dict[str, Value] = {"text": "x", "int": 3, "real": 0.5, "bytes": b"\x00y"}
    kept = {
        (name, space): (space, *(value[kind] for kind in list(table.columns.values())[1:]))
        for name, table in TABLES.items()
        for space in ("", "a", "é")
    }
    for (name, _), row in kept.items():
        put(store, name, row)
    store.backup(tmp_path / DATABASE)
    copy = open_backup(store, tmp_path)
    assert {place: everything(copy, *place) for place in kept} == {place: [row] for place, row in kept.items()}
    copy.close()


@pytest.mark.requirement("F-STORE-14")
def test_a_backup_overwrites_nothing(store: Store, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine", encoding="utf-8")
    with pytest.raises(StoreError, match=r"precious.*exists"):
        store.backup(tmp_path / "precious")
    assert (tmp_path / "precious").read_text(encoding="utf-8") == "mine"
    with pytest.raises(StoreError):
        store.backup(tmp_path / "no such directory" / "copy")


@pytest.mark.requirement("F-STORE-15")
def test_a_sound_store_says_so_and_keeps_its_rows_when_scrubbed(store: Store) -> None:
    put(store, "turn", turn("s", 1, 1))
    store.scrub()
    assert store.check() == []
    assert store.size() >= 0
    assert store.migrate() == store.migrate()
    assert everything(store, "turn") == [turn("s", 1, 1)]


@pytest.mark.requirement("F-STORE-16")
def test_a_closed_store_says_so(store: Store, tmp_path: Path) -> None:
    store.close()
    store.close()
    calls: list[Callable[[], object]] = [
        lambda: put(store, "session", session("s")),
        lambda: everything(store, "session"),
        store.version,
        store.spaces,
        store.migrate,
        lambda: store.backup(tmp_path / "copy"),
        store.scrub,
        store.check,
        store.size,
        lambda: store.lease("a", "n", "me", now=1, until=2),
        lambda: store.claim_jobs("a", "k", holder="me", now=1, until=2, limit=1),
    ]
    for call in calls:
        with pytest.raises(ClosedError):
            call()


@pytest.mark.requirement("F-STORE-16")
def test_closing_waits_for_what_was_accepted(store: Store) -> None:
    inside, go_on = threading.Event(), threading.Event()
    done: list[str] = []

    def work(tx: Transaction) -> None:
        inside.set()
        go_on.wait(60)
        tx.put("session", [session("s")])

    def add() -> None:
        store.transaction(work)
        done.append("added")

    def close() -> None:
        store.close()
        done.append("closed")

    adding, closing = threading.Thread(target=add), threading.Thread(target=close)
    adding.start()
    inside.wait(60)
    closing.start()
    closing.join(0.05)
    assert closing.is_alive()
    go_on.set()
    adding.join()
    closing.join()
    assert sorted(done) == ["added", "closed"]
