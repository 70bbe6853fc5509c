"""The work behind the acknowledgement: vectors, packing, receipts, with models and processes that fail."""

import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.background import worker
from clew.background.worker import LEASE, LEASE_US
from clew.derive.embedding import embed_batch, embedding_text
from clew.errors import ClewError, ConflictError, ModelError, NotFoundError, StoreError, StoreLocked
from clew.index.vectors import has_vector
from clew.memory import Memory
from clew.models.protocol import Matrix
from clew.rows.receipts import ReceiptBook
from clew.store.memory import MemoryStore
from clew.store.protocol import Lease, Store, Transaction
from clew.testing import FrozenClock, HashEmbedder
from clew.types import Part, Receipt, Turn
from tests.support.memories import NOON, empty_store, history, quiet, rows, told

MODEL = HashEmbedder().name
ALL_JOBS = ("job", ("default",), ("default",))
FAR = 4_000_000_000_000_000
"""A time in the year 2096, in microseconds since 1970."""


class Odd(HashEmbedder):
    """Fails for texts with "poison" in the way it is told to, and counts what it was asked."""

    def __init__(self, fail: Callable[[Matrix], object]) -> None:
        super().__init__()
        self.fail = fail
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Matrix:
        self.asked.append(list(texts))
        matrix = super().embed(texts)
        if any("poison" in text for text in texts):
            self.fail(matrix)
        return matrix


def raising(error: Exception) -> Callable[[Matrix], object]:
    def fail(_: Matrix) -> None:
        raise error

    return fail


FAILURES: dict[str, Callable[[Matrix], object]] = {
    "a model's error": raising(ModelError("too odd")),
    "any other error": raising(ValueError("too odd")),
    "no number": lambda matrix: matrix.fill(np.nan),
    "no end": lambda matrix: matrix.fill(np.inf),
}


def embedded(memory: Memory) -> list[str]:
    """The turns that have a vector of the memory's model, by their text."""
    view = memory.reads.live.view()
    assert memory.embedder is not None
    held = has_vector(view, memory.embedder.name)
    places = [(view.sessions[int(view.turns.session[n])], int(view.turns.seq[n])) for n in range(len(held)) if held[n]]
    return [memory.get(f"{session}:turn:{seq}").text for session, seq in places]


@pytest.mark.requirement("F-PIPELINE-14")
def test_what_lacks_a_vector_gets_one() -> None:
    with quiet(embedder=HashEmbedder()) as memory:
        memory.add_many(history([f"turn {n}" for n in range(150)]))
        memory.add(Turn(role="user", content=(Part(type="image", data=b"x"),), session="s"))
        memory.add(Turn(role="user", content=(Part(type="injected", text="quoted"),), session="s"))
        assert memory.drain(None)
        assert len(embedded(memory)) == 150
        assert memory.stats().vectors == 150
        assert memory.stats().pending == {}
        memory.add(told("one more"))
        assert memory.stats().pending.get("embed", 0) in (0, 1)
        assert memory.drain(None)
        assert len(embedded(memory)) == 151


@pytest.mark.requirement("F-PIPELINE-14")
def test_a_turn_stands_with_its_speaker_s_name() -> None:
    model = Odd(raising(ModelError()))
    with quiet(embedder=model) as memory:
        memory.add_many([told("hello", speaker="Ann"), told("hello"), told("hello", speaker="user")])
        assert memory.drain(None)
        assert [text for batch in model.asked for text in batch][:3] == ["Ann: hello", "hello", "hello"]
        assert embedding_text(told("x", speaker="user")) == "x"


@pytest.mark.requirement("F-PIPELINE-14")
def test_what_was_stored_without_a_model_is_embedded_once_there_is_one(tmp_path: Path) -> None:
    with quiet(tmp_path) as memory:
        memory.add_many(history(["one", "two", "three"]))
        assert (memory.drain(None), memory.stats().vectors) == (True, 0)
    with quiet(tmp_path, embedder=HashEmbedder()) as memory:
        assert memory.drain(None)
        assert embedded(memory) == ["one", "two", "three"]
        assert "dense" in memory.search("three")[0].signals


@pytest.mark.requirement("F-PIPELINE-14")
def test_vectors_of_two_models_are_never_mixed(tmp_path: Path) -> None:
    """Cosines of one model with the other's vectors would be noise: the first model finds what it alone embedded."""
    with quiet(tmp_path, embedder=HashEmbedder(64)) as memory:
        memory.add_many(history(["green tea", "black coffee"]))
        assert memory.drain(None)
        scores = [hit.signals["dense"] for hit in memory.search("green tea")]
    with quiet(tmp_path, embedder=HashEmbedder(32)) as memory:
        hits = memory.search("green tea")
        assert memory.drain(None)
        assert all(len(codes) == 32 for *_, codes in rows(memory.reads.store, "vector") if isinstance(codes, bytes))
        assert embedded(memory) == ["green tea", "black coffee"]
        assert all(hit.signals.get("dense") is None or len(hits) == 2 for hit in hits)
    with quiet(tmp_path, embedder=HashEmbedder(64)) as memory:
        assert memory.drain(None)
        assert [hit.signals["dense"] for hit in memory.search("green tea")] == scores


@pytest.mark.requirement("F-PIPELINE-15")
@pytest.mark.parametrize("kind", FAILURES)
@pytest.mark.parametrize("alone", [False, True])
def test_a_turn_that_the_model_cannot_do_costs_only_itself(kind: str, alone: bool) -> None:
    model = Odd(FAILURES[kind])
    with quiet(embedder=model) as memory:
        if alone:
            memory.add_many(history(["one", "two"]))
            assert memory.drain(None)
            memory.add(told("poison"))
        else:
            memory.add_many(history(["one", "poison", "two"]))
        assert memory.drain(None)
        assert sorted(embedded(memory)) == ["one", "two"]
        assert memory.stats().details["embed_failed"] == 1
        assert memory.stats().pending == {"embed": 1}, "it will be tried again, and nobody waits for that"
        asked = len(model.asked)
        memory.add(told("three"))
        assert memory.drain(None)
        assert model.asked[asked:] == [["three"]], "the turn that was put aside was tried again"
        assert memory.search("poison")[0].turn.text == "poison"


def jobs(memory: Memory) -> list[tuple[Any, ...]]:
    """State, attempts and reason of each job."""
    return [(row[1], row[3], row[5], row[6]) for row in rows(memory.reads.store, "job")]


@pytest.mark.requirement("F-HOLD-12")
def test_a_turn_that_failed_is_tried_again_later_and_put_aside_after_three_attempts(tmp_path: Path) -> None:
    """All of it survives the process: the next one neither begins anew nor forgets the turn."""
    clock, model = FrozenClock(NOON), Odd(raising(ModelError("too odd")))
    with quiet(tmp_path, embedder=model, clock=clock) as memory:
        memory.add_many(history(["one", "poison"]))
        assert memory.drain(None)
        assert jobs(memory) == [("embed:s:turn:1", "pending", 1, "too odd")]
    for attempt, seconds in ((2, 61), (3, 601)):
        with quiet(tmp_path, embedder=model, clock=clock) as memory:
            asked = len(model.asked)
            assert memory.drain(None)
            assert model.asked[asked:] == [], "it rests"
            clock.advance(seconds)
            assert memory.drain(None)
            assert ["poison"] in model.asked[asked:]
            assert [job[1:3] for job in jobs(memory)] == [("pending" if attempt < 3 else "deferred", attempt)]
    clock.advance(10**6)
    with quiet(tmp_path, embedder=model, clock=clock) as memory:
        asked = len(model.asked)
        memory.add(told("three"))
        assert memory.drain(None)
        assert model.asked[asked:] == [["three"]]
        stats = memory.stats()
        assert (stats.pending, stats.details["deferred"], stats.details["embed_failed"]) == ({}, 1, 1)
        assert memory.verify().ok
        assert memory.forget(turn_ids=["s:turn:1"]).turns == 1
        assert (jobs(memory), memory.stats().details["embed_failed"]) == ([], 0)


@pytest.mark.requirement("F-HOLD-12")
@pytest.mark.parametrize("way", ["asked", "another model"])
def test_what_was_put_aside_is_tried_again_when_asked_and_by_another_model(tmp_path: Path, way: str) -> None:
    with quiet(tmp_path, embedder=Odd(raising(ModelError("too odd")))) as memory:
        memory.add_many(history(["one", "poison"]))
        assert memory.drain(None)
        memory.reads.store.transaction(
            lambda tx: tx.put("job", [(*row[:3], "deferred", row[4], 3, *row[6:]) for row in tx.scan(*ALL_JOBS)])
        )
    with quiet(tmp_path, embedder=HashEmbedder(64 if way == "asked" else 32)) as memory:
        if way == "asked":
            assert memory.drain(None)
            assert embedded(memory) == ["one"]
            assert memory.retry() == 1
        assert memory.drain(None)
        assert embedded(memory) == ["one", "poison"]
        assert jobs(memory) == []
        assert memory.stats().vectors == 2
        assert memory.retry() == 0


@pytest.mark.requirement("F-HOLD-12")
def test_failures_of_another_model_are_not_counted(tmp_path: Path) -> None:
    with quiet(tmp_path, embedder=Odd(raising(ModelError("too odd")))) as memory:
        memory.add_many(history(["one", "poison"]))
        assert memory.drain(None)
        payload = str(rows(memory.reads.store, "job")[0][4]).replace(MODEL, "older")
        memory.reads.store.transaction(
            lambda tx: tx.put("job", [(*row[:3], "deferred", payload, 3, *row[6:]) for row in tx.scan(*ALL_JOBS)])
        )
        assert memory.drain(None)
        assert jobs(memory) == [("embed:s:turn:1", "pending", 1, "too odd")]


class Dead(HashEmbedder):
    """A model that does nothing but fail, until it is mended."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error: Exception | None = error
        self.asked = 0

    def embed(self, texts: Sequence[str]) -> Matrix:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return super().embed(texts)


@pytest.mark.requirement("F-PIPELINE-16")
@pytest.mark.parametrize("error", [ModelError("no answer"), OSError("no answer")])
def test_a_model_that_fails_blocks_nothing_and_is_reported(error: Exception) -> None:
    model = Dead(error)
    with quiet(embedder=model, config={"index": {"pack_minimum": 4}}) as memory:
        memory.add_many(history([f"tea {n}" for n in range(10)]))
        assert memory.drain(0) is False
        assert memory.drain(0.01) is False
        assert memory.drain(None) is False, "it gives up"
        assert memory.stats().pending == {"analyse": 10, "embed": 10, "entities": 10, "facts": 10, "mentions": 10}
        assert "no answer" in memory.stats().details["worker_failure"]
        assert memory.stats().segments == 1, "packing needs no model"
        assert len(memory.search("tea", limit=20)) == 10
        memory.add(told("more tea"))
        model.error = None
        assert memory.drain(None)
        assert memory.stats().details["worker_failure"] is None
        assert len(embedded(memory)) == 11


@pytest.mark.requirement("F-PIPELINE-16")
def test_drain_waits_no_longer_than_it_was_asked_to() -> None:
    begun, go_on = threading.Event(), threading.Event()

    class Slow(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Matrix:
            begun.set()
            assert go_on.wait(100)
            return super().embed(texts)

    with quiet(embedder=Slow()) as memory:
        memory.add(told("tea"))
        assert begun.wait(60)
        assert memory.drain(0.05) is False  # while the model is still at work
        go_on.set()
        assert memory.drain(None)


@pytest.mark.requirement("F-PIPELINE-16")
@pytest.mark.parametrize("error", [ConflictError("the space changed"), StoreLocked("others hold the database")])
def test_what_another_changed_or_held_meanwhile_alarms_nobody_at_first(
    error: ClewError, caplog: pytest.LogCaptureFixture
) -> None:
    class Contested(MemoryStore):
        contested = False

        def transaction(self, work: Callable[[Transaction], Any], *, durable: bool = True) -> Any:
            if self.contested:
                raise error
            return super().transaction(work, durable=durable)

    store = Contested()
    store.migrate()
    with quiet(store) as memory:
        memory.parts.worker.stop()
        memory.add(told("tea"))
        store.contested = True
        for _ in worker.REST_SECONDS:
            assert not memory.parts.worker.step()
        assert caplog.messages == []
        assert not memory.parts.worker.step()
        assert str(error) in caplog.text


@pytest.mark.requirement("F-PIPELINE-19")
def test_drain_lets_no_turns_gather() -> None:
    with quiet(embedder=HashEmbedder(), config={"gather_seconds": 1_000}) as memory:
        for n in range(3):
            memory.add(told(f"tea {n}"))
            assert memory.drain(200)
        assert memory.stats().vectors == 3


@pytest.mark.requirement("F-PIPELINE-20")
def test_a_memory_whose_database_is_gone_can_be_closed() -> None:
    class Gone(MemoryStore):
        def release(self, lease: Lease) -> None:
            raise StoreError(f"the server cannot be reached for {lease}")

    store = Gone()
    with quiet(store, embedder=HashEmbedder()) as memory:
        memory.add(told("tea"))
        assert memory.drain(None)
    with store.snapshot() as reader:
        assert reader.get("lease", ("default", LEASE)) is not None, "it was held, and runs out by itself"


@pytest.mark.requirement("F-PIPELINE-16")
def test_a_model_whose_vectors_change_their_length_is_refused_and_harms_nothing(tmp_path: Path) -> None:
    class Changing(HashEmbedder):
        def __init__(self, dim: int) -> None:
            super().__init__(dim)
            self.name = "changing@1"

    with quiet(tmp_path, embedder=Changing(16)) as memory:
        memory.add_many(history(["tea", "coffee"]))
        assert memory.drain(None)
    with quiet(tmp_path, embedder=Changing(8)) as memory:
        memory.add(told("more tea"))
        assert memory.drain(None) is False
        assert "has vectors of 16 numbers in this space and gives 8 now" in memory.stats().details["worker_failure"]
        assert {"tea", "more tea"} <= {hit.turn.text for hit in memory.search("tea")}
        assert memory.verify().ok


@pytest.mark.requirement("F-PIPELINE-16")
def test_an_embedder_that_gives_another_shape_is_an_error_of_the_model() -> None:
    class Short(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Matrix:
            return super().embed(texts)[:-1]

    store = empty_store()
    with quiet(store) as memory:
        memory.add(told("tea"))
    with pytest.raises(ModelError, match=r"returned the shape \(0, 64\); expected \(1, 64\)"):
        embed_batch(store, "default", Short(), [0], now=0)
    assert embed_batch(store, "default", Dead(OSError()), [17], now=0) == []  # forgotten since it was listed


@pytest.mark.requirement("F-PIPELINE-17")
def test_of_two_memories_on_one_home_one_works(tmp_path: Path) -> None:
    first_model, second_model = Odd(raising(ModelError())), Odd(raising(ModelError()))
    with quiet(tmp_path, embedder=first_model) as first, quiet(tmp_path, embedder=second_model) as second:
        for n in range(5):
            first.add(told(f"mine {n}"))
            second.add(told(f"yours {n}"))
        assert first.drain(None)
        assert second.drain(None)
        assert len(embedded(first)) == len(embedded(second)) == 10
        assert min(len(first_model.asked), len(second_model.asked)) == 0
        (lease,) = rows(first.reads.store, "lease")
        worker, waiting = (first, second) if first_model.asked else (second, first)
        assert lease[2] == worker.parts.worker._loop._lease.holder
        worker.close()
        waiting.add(told("after it was closed"))
        assert waiting.drain(None)
        assert len(embedded(waiting)) == 11


@pytest.mark.requirement("F-PIPELINE-17")
def test_a_worker_waits_while_the_lease_is_another_s_and_goes_on_when_it_was_lost(tmp_path: Path) -> None:
    """A process that was killed gives nothing back: its lease runs out."""
    with quiet(tmp_path) as memory:
        memory.reads.store.transaction(lambda tx: tx.put("lease", [("default", LEASE, "another", 7, FAR)]))
        memory.add_many(history(["one", "two"]))  # only now, or the worker of this memory may be faster
        with quiet(tmp_path, embedder=HashEmbedder()) as other:
            assert other.drain(0.2) is False
            assert other.stats().pending == {"analyse": 2, "embed": 2, "entities": 2, "facts": 2, "mentions": 2}
            memory.reads.store.transaction(lambda tx: tx.put("lease", [("default", LEASE, "another", 7, 1)]))
            assert other.drain(None)
            (lease,) = rows(memory.reads.store, "lease")
            assert (lease[2], lease[3]) == (other.parts.worker._loop._lease.holder, 8)
        assert rows(memory.reads.store, "lease")[0][2] != "another"


@pytest.mark.requirement("F-PIPELINE-17")
def test_leases_follow_real_time_under_any_clock(tmp_path: Path) -> None:
    for years in (-40, 0, 60):
        clock = FrozenClock(NOON + timedelta(days=365 * years))
        with quiet(tmp_path, embedder=HashEmbedder(), clock=clock) as memory:
            memory.add(told(f"tea {years}"))
            assert memory.drain(None)
            (lease,) = rows(memory.reads.store, "lease")
            assert abs(int(lease[4] or 0) - FAR) > 10 * LEASE_US
            assert int(lease[4] or 0) > NOON.timestamp() * 1_000_000


@pytest.fixture
def store() -> Store:
    return empty_store()


def receipt(n: int) -> Receipt:
    made = NOON + timedelta(seconds=n)
    fields: dict[str, Any] = {"kind": "recall", "settings": {}, "understood": {}, "considered": 0, "tokens": 0}
    return Receipt(id=f"r{n:03}", query=f"q{n}", created_at=made, chosen=(), omitted=(), **fields)


@pytest.mark.requirement("F-PIPELINE-18")
def test_a_receipt_is_there_at_once_and_after_the_process(tmp_path: Path) -> None:
    with quiet(tmp_path) as memory:
        memory.add(told("tea"))
        name = memory.recall("tea").receipt_id
        shown = memory.explain(name)
        assert memory.explain() == shown
    with quiet(tmp_path) as memory:
        assert memory.explain(name) == memory.explain() == shown


@pytest.mark.requirement("F-PIPELINE-18")
def test_the_newest_receipts_are_kept(store: Store) -> None:
    book = ReceiptBook(store, "default", 20)
    for n in range(50):
        book.keep(receipt(n))
        book.flush()
        held = [row[1] for row in rows(store, "receipt")]
        assert held == [f"r{each:03}" for each in range(n - len(held) + 1, n + 1)]
        assert min(n + 1, 20) <= len(held) <= 22
    assert book.newest() == receipt(49)
    book.keep(receipt(7))
    assert book.newest() == receipt(7)  # the clock was set back
    book.flush()
    assert ReceiptBook(store, "default", 20).newest() == receipt(7)  # another process knows the one written last
    assert book.get("r007") == receipt(7)
    with pytest.raises(NotFoundError, match=r"no receipt 'r001' in this space; .* the last 20 are kept"):
        book.get("r001")


@pytest.mark.requirement("F-PIPELINE-18")
def test_no_receipts_are_kept_when_none_are_wanted(tmp_path: Path) -> None:
    with quiet(tmp_path, config={"receipts": 0}) as memory:
        memory.add(told("tea"))
        context = memory.recall("tea")
        assert context.items
        assert "receipts" not in memory.stats().pending
        with pytest.raises(NotFoundError, match="no receipt"):
            memory.explain(context.receipt_id)


@pytest.mark.requirement("F-PIPELINE-18")
def test_receipts_that_wait_are_dropped_with_those_that_are_written(store: Store) -> None:
    book = ReceiptBook(store, "default", 20)
    book.keep(receipt(1))
    assert book.flush() == 1
    book.keep(receipt(2))
    flushed: list[int] = []
    thread = threading.Thread(target=lambda: flushed.append(book.flush()))
    with book.held():
        thread.start()
        store.transaction(lambda tx: tx.delete("receipt", ("default",), ("default",)))
        assert flushed == []
        book.drop()
    thread.join()
    assert (flushed, rows(store, "receipt"), book.waiting) == ([0], [], 0)


@pytest.mark.requirement("F-HOLD-14")
def test_a_clock_that_is_set_back_loses_nothing_and_brings_nothing_back(tmp_path: Path) -> None:
    clock, old = FrozenClock(NOON), told("an old word", at=NOON - timedelta(days=5))
    with quiet(tmp_path, embedder=HashEmbedder(), clock=clock, config={"keep_days": 30}) as memory:
        memory.add_many([old, told("tea", at=NOON)])
        assert memory.drain(None)
        first = memory.recall("tea").receipt_id
        assert memory.forget(match="old").turns == 1
        assert (first, memory.add(told("more tea"))) == (first, "s:turn:2")
        clock.advance(-400 * 86_400)
        second = memory.recall("which tea?").receipt_id
        assert memory.explain(second).query == "which tea?"
        assert memory.add_many([old]).added == 0, "what was forgotten stays so"
        assert memory.forget_expired().turns == 0
        assert memory.add(told("tea before its time")) == "s:turn:3"
        assert memory.drain(None)
        assert len(memory.search("tea")) == 3
        assert memory.verify().ok
        clock.advance(440 * 86_400)
        assert memory.forget_expired().turns == 3
