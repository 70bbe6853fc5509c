"""A disk that fails under the public operations: a clear error, nothing acknowledged lost, and a home that opens."""

from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

import apsw
import pytest

from clew.errors import StoreError
from clew.maintain.copy_space import copy_space
from clew.memory import Memory
from clew.store.sqlite import SqliteStore
from tests.support.disk_faults import FaultyDisk
from tests.support.memories import quiet, rows, told


def full() -> None:
    raise apsw.FullError("no room")


def broken() -> None:
    raise apsw.IOError("the disk is broken")


def locked() -> None:
    raise apsw.BusyError("somebody holds it")


def read_only() -> None:
    raise apsw.ReadOnlyError("it may not be written")


FAULTS: dict[str, tuple[str, Callable[[], int | None]]] = {
    "full": ("write", full),
    "error while writing": ("write", broken),
    "error while syncing": ("sync", broken),
    "error while reading": ("read", broken),
    "short write": ("write", lambda: 7),
    "read only": ("write", read_only),
    "locked": ("write", locked),
}


def copied(memory: Memory, place: Path) -> None:
    target = SqliteStore.open(place / "copy")
    try:
        copy_space(memory.reads.store, target, "default")
    finally:
        target.close()


OPERATIONS: dict[str, Callable[[Memory, Path], object]] = {
    "add": lambda memory, _: memory.add(told("one more", "new")),
    "import": lambda memory, place: memory.import_path(place / "talk.jsonl"),
    "recall": lambda memory, _: memory.recall("green tea"),
    "forget": lambda memory, _: memory.forget(match="number 7"),
    "rebuild": lambda memory, _: memory.rebuild(),
    "copy": copied,
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    with quiet(tmp_path / "home") as memory:
        memory.add_many(told(f"green tea number {n} of the day") for n in range(40))
    lines = "\n".join(f'{{"role": "user", "content": "line {n}"}}' for n in range(30))
    (tmp_path / "talk.jsonl").write_text(lines, encoding="utf-8")
    return tmp_path


def run_on(
    disk: FaultyDisk, place: Path, operation: str, fault: Callable[[str, str], int | None]
) -> BaseException | None:
    """What an operation raised that met the fault from its beginning on."""
    store = SqliteStore.open(place / "home", vfs=disk.name, busy_timeout=0.2)
    raised: BaseException | None = None
    with quiet(store) as memory:
        disk.fault = fault
        try:
            OPERATIONS[operation](memory, place)
        except StoreError as error:
            raised = error
        disk.fault = lambda _operation, _name: None
    with suppress(StoreError):  # a store that has met such an error may close with it
        store.close()
    return raised


@pytest.mark.slow
@pytest.mark.requirement("F-HOLD-09")
@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_on_a_failing_disk_loses_nothing(place: Path, operation: str, kind: str) -> None:
    wanted, fail = FAULTS[kind]
    for passed in (0, 3):
        disk, seen = FaultyDisk(), count()

        def fault(doing: str, _name: str, seen: "count[int]" = seen, passed: int = passed) -> int | None:
            return fail() if doing == wanted and next(seen) >= passed else None

        error = run_on(disk, place, operation, fault)
        if error is not None:
            assert len(str(error)) > 30, "it says what happened and what to do"
        with quiet(place / "home") as memory:
            kept = {row[-1] for row in rows(memory.reads.store, "turn")}
            assert {f"green tea number {n} of the day" for n in range(40) if n != 7} <= kept
            assert memory.verify().problems == ()
    with quiet(place / "home") as memory:
        OPERATIONS[operation](memory, place)
        assert memory.verify().problems == ()


@pytest.mark.requirement("F-HOLD-09")
def test_adding_to_a_full_disk_is_told_and_adds_nothing(place: Path) -> None:
    disk = FaultyDisk()

    def fault(doing: str, _name: str) -> int | None:
        if doing == "write":
            full()
        return None

    assert run_on(disk, place, "add", fault) is not None
    with quiet(place / "home") as memory:
        assert memory.stats().turns == 40
