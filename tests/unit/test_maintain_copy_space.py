"""A copied space is the same row for row; a copy goes on where it stopped and gives nothing up unasked."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from shutil import copytree
from typing import TypeVar

import pytest

from clew.errors import ConflictError, InputError, NotFoundError, StoreError
from clew.maintain.copy_space import copy_space, space_digest
from clew.memory import Memory
from clew.store.memory import MemoryStore
from clew.store.protocol import Store, Transaction
from clew.store.sqlite import SqliteStore
from clew.testing import FrozenClock, HashEmbedder
from clew.types import Part, Turn
from tests.support.index_stores import Wrapped, as_store

T = TypeVar("T")
NOON = datetime(2025, 4, 1, 12, tzinfo=UTC)


def open_memory(store: Store, space: str = "default") -> Memory:
    return Memory.open(store, space=space, embedder=HashEmbedder(), config={}, clock=FrozenClock(NOON))


def fill(store: Store, count: int = 12, space: str = "default") -> None:
    """Turns with vectors, an original, packed segments, receipts and a forgotten turn."""
    memory = open_memory(store, space)
    memory.add_many(
        Turn(role="user", content=f"The launch number {n} is on day {n}.", session=f"plan-{n % 2}", speaker="Ann")
        for n in range(count)
    )
    memory.add(Turn(role="user", content=(Part(type="image", data=b"\x89PNG" * 9),), session="plan-0"))
    memory.recall("which launch?")
    memory.drain(None)
    memory.forget(turn_ids=["plan-1:turn:1"])
    memory.recall("which launch?")
    memory.drain(None)
    memory.rebuild()
    memory.parts.worker.stop()  # the store stays open


def digest(store: Store, space: str = "default") -> str:
    with store.snapshot() as reader:
        return space_digest(reader, space)


@pytest.fixture(params=["memory", "sqlite"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store: Store = MemoryStore() if request.param == "memory" else SqliteStore.open(tmp_path / "target")
    yield store
    store.close()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that each test copies."""
    place = tmp_path_factory.mktemp("filled")
    with closing(SqliteStore.open(place)) as store:
        fill(store)
    return place


@pytest.fixture
def source(filled: Path, tmp_path: Path) -> Iterator[Store]:
    store = SqliteStore.open(copytree(filled, tmp_path / "source"))
    yield store
    store.close()


@pytest.mark.requirement("S-COPY-01")
def test_a_copy_is_equal_and_answers_alike(source: Store, target: Store) -> None:
    seen: list[int] = []
    report = copy_space(source, target, "default", on_progress=seen.append)
    assert report.digest == digest(source) == digest(target)
    assert (report.rows["turn"], report.rows["blob"], report.rows["tombstone"]) == (12, 1, 1)
    assert (report.written, report.removed) == (sum(report.rows.values()), 0)
    assert seen == sorted(seen)
    first, second = open_memory(source), open_memory(target)
    assert second.verify().problems == ()
    found = [(hit.turn.id, hit.score) for hit in second.search("launch number 7")]
    assert found == [(hit.turn.id, hit.score) for hit in first.search("launch number 7")]
    assert found
    second.parts.worker.stop()
    first.parts.worker.stop()


@pytest.mark.requirement("S-COPY-01")
def test_a_copy_leads_back_to_the_same_rows(source: Store, target: Store, tmp_path: Path) -> None:
    copy_space(source, target, "default")
    third = SqliteStore.open(tmp_path / "third")
    assert copy_space(target, third, "default").digest == digest(source)
    third.close()


@pytest.mark.requirement("S-COPY-01")
def test_other_spaces_and_leases_stay_as_they_are(source: Store, target: Store) -> None:
    fill(target, 3, space="other")
    before = digest(target, "other")
    assert source.lease("default", "worker", "me", now=0, until=10) is not None
    copy_space(source, target, "default")
    assert digest(target, "other") == before
    with target.snapshot() as reader:
        assert reader.get("lease", ("default", "worker")) is None


@pytest.mark.requirement("S-COPY-01")
def test_stretches_neither_skip_nor_repeat_rows(tmp_path: Path) -> None:
    first, second = MemoryStore(), SqliteStore.open(tmp_path / "second")
    names = [f"{n:05}" for n in range(1003)] + ["a", "a\x01", "a\x01\x01", "ab", "é", "\U0001f600"]

    def write(tx: Transaction) -> None:
        tx.put("space", [("s", 0, 0, b"salt", 0)])
        tx.put("receipt", [("s", name, 0, b"{}") for name in names])
        tx.put("tombstone", [("s", bytes([n]), 5, b"d", None, None, b"b", None, 0) for n in range(256)])
        for n in range(9):
            tx.put_blob("s", f"{n:064}", bytes([n]))

    first.transaction(write)
    report = copy_space(first, second, "s")
    assert (report.rows["receipt"], report.rows["tombstone"], report.rows["blob"]) == (len(names), 256, 9)
    second.close()


class Breaking(Wrapped):
    """A store whose transactions fail after so many."""

    def __init__(self, store: Store, after: int) -> None:
        super().__init__(store)
        self.left = after

    def transaction(self, work: Callable[[Transaction], T], *, durable: bool = True) -> T:
        self.left -= 1
        if self.left < 0:
            raise StoreError("the disk is gone")
        return super().transaction(work, durable=durable)


@pytest.mark.requirement("S-COPY-02")
@pytest.mark.parametrize("after", range(12))
def test_a_broken_copy_goes_on_where_it_stopped(source: Store, target: Store, after: int) -> None:
    with pytest.raises(StoreError, match="the disk is gone"):
        copy_space(source, as_store(Breaking(target, after)), "default")
    with target.snapshot() as reader:
        assert reader.get("space", ("default",)) is None, "half a copy is no space"
    held = sum(report_rows(target).values())
    report = copy_space(source, target, "default")
    assert report.written == sum(report.rows.values()) - held
    assert report.digest == digest(target)


def report_rows(store: Store) -> dict[str, int]:
    said = ("weighing", "analysis")
    names = ("session", "turn", "blob", *said, "vector", "tail", "segment", "receipt", "tombstone", "meta")
    with store.snapshot() as reader:
        return {name: reader.count(name, ("default",), ("default",)) for name in names}


@pytest.mark.requirement("S-COPY-02")
def test_a_second_copy_writes_only_what_is_new(source: Store, target: Store) -> None:
    copy_space(source, target, "default")
    assert copy_space(source, target, "default").written == 0
    memory = open_memory(source)
    memory.add(Turn(role="user", content="One more launch.", session="plan-0"))
    memory.parts.worker.stop()
    report = copy_space(source, target, "default")
    assert 0 < report.written < sum(report.rows.values()) / 2
    assert report.digest == digest(target)


@pytest.mark.requirement("S-COPY-03")
def test_a_target_with_turns_of_its_own_is_left_alone(source: Store, target: Store) -> None:
    fill(target, 4)
    before = digest(target)
    with pytest.raises(ConflictError, match=r"holds 1 turn and has forgotten 1 .*merge"):
        copy_space(source, target, "default")
    assert digest(target) == before
    report = copy_space(source, target, "default", overwrite=True)
    assert (report.digest, report.removed > 0) == (digest(source), True)
    memory = open_memory(target)
    assert memory.verify().problems == ()
    memory.parts.worker.stop()


@pytest.mark.requirement("S-COPY-03")
def test_a_copy_brings_nothing_back_that_the_target_forgot(source: Store, target: Store) -> None:
    copy_space(source, target, "default")
    memory = open_memory(target)
    memory.forget(turn_ids=["plan-0:turn:2"])
    memory.parts.worker.stop()
    with pytest.raises(ConflictError, match="holds 0 turns and has forgotten 1"):
        copy_space(source, target, "default")


@pytest.mark.requirement("S-COPY-04")
def test_what_the_source_forgot_is_forgotten_in_the_copy(source: Store, tmp_path: Path) -> None:
    target = SqliteStore.open(tmp_path / "target")
    copy_space(source, target, "default")
    memory = open_memory(source)
    memory.forget(match="launch number 6")
    memory.parts.worker.stop()
    assert copy_space(source, target, "default").removed > 0
    target.close()
    held = b"".join(file.read_bytes() for file in (tmp_path / "target").iterdir())
    assert b"launch number 6" not in held
    assert b"launch number 8" in held


@pytest.mark.requirement("S-COPY-05")
def test_a_writer_in_between_is_noticed(source: Store, target: Store) -> None:
    wrapped = Wrapped(target)
    last = ("default", "meddler", "kind", "value", "rule", 1)

    def meddle() -> None:
        wrapped.before = meddle
        target.transaction(lambda tx: tx.put("annotation", [last]))

    wrapped.before = meddle
    with pytest.raises(ConflictError, match="somebody wrote"):
        copy_space(source, as_store(wrapped), "default")


@pytest.mark.requirement("S-COPY-05")
def test_what_cannot_be_meant_is_refused(source: Store, target: Store) -> None:
    with pytest.raises(NotFoundError, match=r"no space 'alice' at .*'default'"):
        copy_space(source, target, "alice")
    assert target.spaces() == []
    with pytest.raises(InputError, match="as source and as target"):
        copy_space(source, source, "default")
