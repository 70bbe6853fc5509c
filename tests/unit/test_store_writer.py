"""Group commit, its bounds, the ticket, the pool of readers, and forks."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from clew.errors import StoreError, StoreLocked
from clew.store.protocol import Transaction
from clew.store.readers import KEPT
from clew.store.sqlite import DATABASE, SqliteStore
from clew.store.ticket import Ticket
from clew.store.writer import Limits
from tests.support.disk_faults import FaultyDisk
from tests.support.store_rows import everything, put, session


@pytest.fixture
def disk() -> Iterator[FaultyDisk]:
    made = FaultyDisk()
    yield made
    made.unregister()


@pytest.fixture
def store(disk: FaultyDisk, tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore.open(tmp_path / "home", vfs=disk.name)
    yield opened
    opened.close()


def until(condition: Callable[[], bool]) -> None:
    while not condition():
        threading.Event().wait(0.01)


def in_threads(works: list[Callable[[], object]]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def adder(store: SqliteStore, name: str, *, durable: bool = True) -> Callable[[], object]:
    return lambda: store.transaction(lambda tx: tx.put("session", [session(name)]), durable=durable)


def all_at_once(store: SqliteStore, works: list[Callable[[], object]]) -> None:
    """Lets the works pile up behind a first transaction, which holds the writer before any of them begins."""
    held = threading.Event()

    def hold(_: Transaction) -> None:
        held.set()
        until(lambda: len(store._writer._waiting) >= len(works))

    def after(work: Callable[[], object]) -> Callable[[], object]:
        return lambda: held.wait(60) and work()

    in_threads([lambda: store.transaction(hold), *map(after, works)])


@pytest.mark.requirement("F-STORE-30")
def test_transactions_that_wait_together_share_commits(disk: FaultyDisk, tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "together", vfs=disk.name, limits=Limits(gather=60))
    before = disk.done["sync", "wal"]
    all_at_once(store, [adder(store, str(number)) for number in range(40)])
    assert len(everything(store, "session")) == 40
    assert disk.done["sync", "wal"] - before <= 5, "of 40 commits alone each would have synced"
    store.close()


@pytest.mark.requirement("F-STORE-30")
@pytest.mark.parametrize("limits", [Limits(most=4), Limits(gather=0.0)])
def test_a_batch_is_bounded(disk: FaultyDisk, tmp_path: Path, limits: Limits) -> None:
    store = SqliteStore.open(tmp_path / "bounded", vfs=disk.name, limits=limits)
    before = disk.done["sync", "wal"]
    all_at_once(store, [adder(store, str(number)) for number in range(40)])
    assert disk.done["sync", "wal"] - before >= 10
    assert len(everything(store, "session")) == 40
    store.close()


@pytest.mark.requirement("F-STORE-30")
def test_what_need_not_be_durable_does_not_wait_for_the_disk(disk: FaultyDisk, store: SqliteStore) -> None:
    before = disk.done["sync", "wal"]
    adder(store, "derived", durable=False)()
    assert disk.done["sync", "wal"] == before
    adder(store, "turn")()
    assert disk.done["sync", "wal"] > before, "and the next durable one takes it along"


@pytest.mark.requirement("F-STORE-30")
def test_a_durable_transaction_never_rides_on_a_batch_that_is_not(disk: FaultyDisk, tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "patient", vfs=disk.name, limits=Limits(gather=10))
    started, go_on = threading.Event(), threading.Event()
    synced: list[int] = []

    def derived(tx: Transaction) -> None:
        started.set()
        go_on.wait(60)
        tx.put("session", [session("derived")])

    def durable() -> None:
        started.wait(60)
        before = disk.done["sync", "wal"]
        threading.Thread(target=go_on_once_both_wait).start()
        adder(store, "durable")()
        synced.append(disk.done["sync", "wal"] - before)

    def go_on_once_both_wait() -> None:
        until(lambda: bool(store._writer._waiting))
        go_on.set()

    in_threads([lambda: store.transaction(derived, durable=False), durable])
    store.close()
    assert synced[0] > 0


def thread_of(store: SqliteStore, *, durable: bool) -> tuple[int, int]:
    """The threads that asked for a transaction, and that ran it."""
    found: list[int] = []

    def work() -> None:
        found.append(threading.get_ident())
        store.transaction(lambda _: found.append(threading.get_ident()), durable=durable)

    in_threads([work])
    return found[0], found[1]


@pytest.mark.requirement("F-STORE-43")
def test_what_nobody_shares_is_written_by_the_thread_that_asks(store: SqliteStore) -> None:
    asked, ran = thread_of(store, durable=False)
    assert ran == asked
    asked, ran = thread_of(store, durable=True)
    assert ran != asked, "a durable one shares its wait for the disk with others"
    own = threading.get_ident()
    assert store.transaction(lambda _: threading.get_ident(), durable=False) != own, "Ctrl-C would break it off"


@pytest.mark.requirement("F-STORE-43")
def test_a_thread_that_writes_itself_is_held_to_the_same_rules(disk: FaultyDisk, store: SqliteStore) -> None:
    failed: list[BaseException] = []

    def failing(work: Callable[[Transaction], object]) -> Callable[[], None]:
        def run() -> None:
            with pytest.raises((StoreError, LookupError)) as error:
                store.transaction(work, durable=False)
            failed.append(error.value)

        return run

    def breaks(tx: Transaction) -> None:
        tx.put("session", [session("broken")])
        raise LookupError

    in_threads([failing(lambda _: store.transaction(lambda _: None))])
    assert "inside a transaction" in str(failed[0])
    in_threads([failing(breaks)])

    def full(operation: str, name: str) -> None:
        if operation == "write" and name.endswith("-wal"):
            raise apsw.FullError

    disk.fault = full
    in_threads([failing(lambda tx: tx.put("session", [session("lost")]))])
    disk.fault = lambda _operation, _name: None
    assert isinstance(failed[2], StoreError)
    in_threads([adder(store, "kept", durable=False)])
    assert [row[1] for row in everything(store, "session")] == ["kept"]


@pytest.mark.requirement("F-STORE-43")
def test_a_thread_that_writes_itself_leaves_what_takes_long_to_the_writer(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "long", limits=Limits(checkpoint=1))
    in_threads([adder(store, "first", durable=False)])
    until(lambda: store._writer._copied > 0)  # the log was copied, by the writer's thread
    with store._writer._turn:
        waiting = threading.Thread(target=adder(store, "second", durable=False))
        waiting.start()
        until(lambda: bool(store._writer._waiting))
    waiting.join()
    assert len(everything(store, "session")) == 2
    store.close()


@pytest.mark.requirement("F-STORE-08")
def test_nothing_to_keep_writes_nothing(disk: FaultyDisk, store: SqliteStore) -> None:
    before = disk.done["write", "wal"]

    def work(tx: Transaction) -> None:
        tx.put("session", [session("s")])
        raise LookupError

    with pytest.raises(LookupError):
        store.transaction(work)
    assert disk.done["write", "wal"] == before


@pytest.mark.slow
@pytest.mark.requirement("F-STORE-31")
def test_the_log_stays_bounded_under_readers_without_a_gap(tmp_path: Path) -> None:
    """Two readers overlap all the time, so that no checkpoint alone could let the log begin anew."""
    store = SqliteStore.open(tmp_path / "home", limits=Limits(checkpoint=100, too_long=400))
    stop, log = threading.Event(), tmp_path / "home" / f"{DATABASE}-wal"
    largest = 0

    def read(turns: list[threading.Semaphore], mine: int) -> None:
        while not stop.is_set():
            turns[mine].acquire(timeout=1)
            with store.snapshot() as reader:
                turns[1 - mine].release()
                reader.count("blob", ("a",), ("a",))
                stop.wait(0.002)

    turns = [threading.Semaphore(1), threading.Semaphore(0)]
    readers = [threading.Thread(target=read, args=(turns, mine)) for mine in (0, 1)]
    for thread in readers:
        thread.start()
    for number in range(120):
        put(store, "blob", ("a", f"{number:04}", None, bytes(100_000)))
        largest = max(largest, log.stat().st_size)
    stop.set()
    for thread in readers:
        thread.join()
    assert largest < 9_000_000, "120 blobs are 12 MB of log; how soon a gap is found depends on the machine"
    assert len(everything(store, "blob")) == 120
    store.close()


@pytest.mark.requirement("F-STORE-11")
def test_idle_readers_are_kept_up_to_a_limit(store: SqliteStore) -> None:
    together = threading.Barrier(KEPT + 4)

    def look() -> None:
        with store.snapshot() as reader:
            together.wait(60)
            reader.count("session", ("a",), ("a",))

    in_threads([look] * (KEPT + 4))
    assert len(store._readers._idle) == KEPT


# -------------------------------------------------------------------------------------------------------------- tickets


@pytest.mark.requirement("F-STORE-21")
def test_a_process_has_one_ticket_for_a_file(tmp_path: Path) -> None:
    first, second = Ticket.of(tmp_path / "lock"), Ticket.of(tmp_path / "lock")
    assert first is second
    first.close()
    with second.turn(1):
        pass
    second.close()
    third = Ticket.of(tmp_path / "lock")
    assert third is not first
    third.close()


WAITER = """
import sys
from pathlib import Path
from clew.store.ticket import Ticket
from clew.store.writer import Limits
ticket = Ticket.of(Path(sys.argv[1]))
with ticket.turn(60):
    with open(sys.argv[2], "a") as log:
        print(sys.argv[3], file=log)
    sys.stdin.readline()
"""


@pytest.fixture
def waiter(tmp_path: Path) -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Starts a process that takes the turn of `lock`, writes its name to `log`, and holds the turn until it is told."""
    started: list[subprocess.Popen[str]] = []

    def start(name: str) -> subprocess.Popen[str]:
        before = drawn_by_others(tmp_path / "lock")
        words = [sys.executable, "-c", WAITER, str(tmp_path / "lock"), str(tmp_path / "log"), name]
        started.append(subprocess.Popen(words, stdin=subprocess.PIPE, text=True))
        until(lambda: drawn_by_others(tmp_path / "lock") != before)
        return started[-1]

    (tmp_path / "lock").touch()
    (tmp_path / "log").touch()
    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.requirement("F-STORE-21")
def test_turns_come_in_the_order_of_drawing_and_death_frees_them(
    tmp_path: Path, waiter: Callable[[str], subprocess.Popen[str]]
) -> None:
    log = tmp_path / "log"
    first, second, third, _ = [waiter(name) for name in ("first", "second", "third", "fourth")]
    until(lambda: log.read_text() == "first\n")
    first.kill()
    until(lambda: log.read_text() == "first\nsecond\n")
    second.communicate("done\n")
    until(lambda: log.read_text() == "first\nsecond\nthird\n")
    third.communicate("done\n")
    until(lambda: log.read_text() == "first\nsecond\nthird\nfourth\n")


@pytest.mark.requirement("F-STORE-21")
def test_waiting_for_a_turn_ends(tmp_path: Path, waiter: Callable[[str], subprocess.Popen[str]]) -> None:
    holder = waiter("holder")
    ticket = Ticket.of(tmp_path / "lock")
    with pytest.raises(StoreLocked, match=r"lock' for more than 0.05 s; try again"), ticket.turn(0.05):
        raise AssertionError("two hold the turn")
    holder.communicate("done\n")
    with ticket.turn(60):
        pass
    ticket.close()


@pytest.mark.requirement("F-STORE-21")
def test_threads_of_a_process_take_turns_too(tmp_path: Path) -> None:
    ticket = Ticket.of(tmp_path / "lock")
    with ticket.turn(1):
        told: list[StoreLocked] = []

        def wait() -> None:
            with pytest.raises(StoreLocked) as caught, ticket.turn(0.01):
                raise AssertionError("two hold the turn")
            told.append(caught.value)

        in_threads([wait])
    assert len(told) == 1
    ticket.close()


def drawn_by_others(lock: Path) -> int:
    """The counter, read in another process: closing the file in this one would give its locks up."""
    code = "import sys; print(int.from_bytes(open(sys.argv[1], 'rb').read(8), 'little'))"
    return int(subprocess.run([sys.executable, "-c", code, str(lock)], capture_output=True, check=True).stdout)


# ---------------------------------------------------------------------------------------------------------------- forks


FORK = """
import os, sys
from pathlib import Path
from clew.errors import ClosedError
from clew.store.sqlite import SqliteStore
store = SqliteStore.open(Path(sys.argv[1]))
row = lambda name: ("a", name, 0, None, "{}", 1)
store.transaction(lambda tx: tx.put("session", [row("before")]))
child = os.fork()
if child == 0:
    refused = 0
    for use in (store.version, store.spaces, lambda: store.snapshot().__enter__(), lambda: store.transaction(print)):
        try:
            use()
        except ClosedError as error:
            refused += "open it again in this process" in str(error)
    store.close()
    own = SqliteStore.open(Path(sys.argv[1]))
    own.transaction(lambda tx: tx.put("session", [row("child")]))
    own.close()
    sys.exit(refused)
status = os.waitpid(child, 0)[1]
store.transaction(lambda tx: tx.put("session", [row("after")]))
with store.snapshot() as reader:
    names = [name for (name,) in reader.scan("session", ("a",), ("a",), columns=("session",))]
print(os.waitstatus_to_exitcode(status), names, store.check())
store.close()
"""


@pytest.mark.requirement("F-STORE-26")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_is_refused_and_harms_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK, str(tmp_path / "home")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout == "4 ['after', 'before', 'child'] []\n"


@pytest.mark.requirement("F-STORE-16")
def test_a_forgotten_store_is_closed_at_exit(tmp_path: Path) -> None:
    code = FORK.partition("child = os.fork()")[0]
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "home")], check=True)
    assert not (tmp_path / "home" / f"{DATABASE}-wal").exists()


@pytest.mark.requirement("F-STORE-03")
def test_scrubbing_or_closing_inside_a_transaction_is_refused(store: SqliteStore) -> None:
    with pytest.raises(StoreError, match="inside a transaction"):
        store.transaction(lambda _: store.scrub())
    with pytest.raises(StoreError, match="inside a transaction"):
        store.transaction(lambda _: store.close())
    adder(store, "s")()
