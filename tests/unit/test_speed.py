"""How much work is done, counted: statements, rows read, turns held. Times are measured by `clew bench speed`."""

import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.assemble.packing import CandidateRendering, PackingCandidate, _Packing
from clew.background.tasks import ReceiptWriting
from clew.config import IngestConfig, RecallConfig
from clew.errors import ModelUnavailable
from clew.index.entry import PieceTerms, TurnEntry
from clew.index.incremental_cache import IncrementalCache
from clew.index.term_directory import TermDirectory
from clew.index.view import IndexView
from clew.memory import Memory
from clew.rank.frame import make_frame
from clew.rank.intent import Intent
from clew.rank.search import rank
from clew.rows.receipts import GATHER_SECONDS, PendingReceipt, ReceiptBook
from clew.store.protocol import Store
from clew.store.sqlite import SqliteStore
from clew.testing import HashEmbedder
from clew.types import Receipt, Turn
from clew.write.append import Appender
from clew.write.prepare import derive, prepare
from clew.write.session_writes import Fate
from clew.write.stream_alignment import StreamAlignment
from tests.support.calls import Call, observed
from tests.support.index_stores import Wrapped, as_store
from tests.support.memories import NOON, at, empty_store, history, quiet, rows, told


@pytest.mark.requirement("F-SPEED-01")
@pytest.mark.parametrize("external_id", [None, "e"])
def test_an_add_takes_ten_statements_from_begin_to_commit(tmp_path: Path, external_id: str | None) -> None:
    store = SqliteStore.open(tmp_path / "home")
    seen: list[str] = []

    def trace(_: Any, sql: str, __: Any) -> bool:
        seen.append(sql)
        return True

    with quiet(store) as memory:
        memory.add(told("the first of its session"))
        assert memory.drain(None)  # whose derived rows are written by transactions of their own
        store._writer._connection.exec_trace = trace
        memory.add(told("the second", external_id=external_id))
        store._writer._connection.exec_trace = None
    store.close()
    first = next(place for place, sql in enumerate(seen) if sql.startswith("BEGIN"))
    assert seen.index("COMMIT", first) + 1 - first == 10 + (external_id is not None)


@pytest.mark.requirement("F-SPEED-02")
def test_a_long_session_reads_each_of_its_turns_once_however_many_stretches() -> None:
    store = Wrapped(empty_store())
    turns = [told(f"turn {n % 7}", external_id=f"{n}" if n % 3 else None) for n in range(400)]
    with quiet(as_store(store), config={"ingest": {"gather_turns": 10}}) as memory:
        memory.parts.worker.stop()  # what it reads is not counted
        memory.add_many(turns)
        new = store.rows_read
        assert new < len(turns)
        assert memory.add_many(turns).known == len(turns)
        assert store.rows_read - new < 6 * len(turns)  # lined up anew in each of 40 stretches it would be 40


class Anew(StreamAlignment):
    """Always has the whole sequence lined up again."""

    def places(self, *_: Any) -> None:
        """Tells nothing."""


def told_in_stretches(
    stream: StreamAlignment, stored: list[list[Turn]], sent: list[Turn], size: int
) -> tuple[Any, Any]:
    """What became of each turn, and every row, after some histories and one that comes in stretches."""
    store = empty_store()
    appender = Appender(store, "default", 3)
    for turns in stored:
        appender.add_sequence([prepare(turn, IngestConfig()) for turn in turns], NOON, lambda _: None)
    fates: list[Fate] = []
    for start in range(0, len(sent), size):
        items = [prepare(turn, IngestConfig()) for turn in sent[start : start + size]]
        fates += appender.add_sequence(items, NOON, lambda _: None, stream)
    return fates, [rows(store, table) for table in ("turn", "session", "tail", "weighing")]


letters = st.text("ab", min_size=1, max_size=9)


@st.composite
def sequences(draw: st.DrawFn) -> list[Turn]:
    turns = []
    for n, letter in enumerate(draw(letters)):
        name = draw(st.sampled_from([None, f"{n}"]))
        branch = draw(st.sampled_from(["", "", "", "", "b"]))
        turns.append(told(letter, external_id=name, branch=branch, at=draw(st.sampled_from([None, at(n), at(n % 2)]))))
    return turns


@pytest.mark.requirement("F-SPEED-02")
@given(st.lists(sequences() | letters.map(history), max_size=2), sequences() | letters.map(history), st.integers(1, 4))
def test_stretches_go_where_lining_up_the_whole_puts_them(
    stored: list[list[Turn]], sent: list[Turn], size: int
) -> None:
    for resent in ([], stored[0] if stored else []):
        quick = told_in_stretches(StreamAlignment(), stored, resent + sent, size)
        assert quick == told_in_stretches(Anew(), stored, resent + sent, size)


@pytest.mark.requirement("F-SPEED-02")
@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_what_follows_a_repeated_id_is_aligned_as_in_one(size: int) -> None:
    sent = [told("a"), told("a", external_id="1"), told("a")]
    whole = told_in_stretches(Anew(), [sent], sent + sent, size)
    assert told_in_stretches(StreamAlignment(), [sent], sent + sent, size) == whole


@pytest.mark.requirement("F-SPEED-02")
@pytest.mark.parametrize("size", [1, 2, 3])
def test_an_id_that_comes_again_is_met_in_stretches_as_in_one(size: int) -> None:
    sent = [told(text, external_id=name) for text, name in zip("abcacbd", "0.1.00.", strict=True)]
    sent = [turn if turn.external_id != "." else told(turn.text) for turn in sent]
    assert told_in_stretches(StreamAlignment(), [], sent, size) == told_in_stretches(
        StreamAlignment(), [], sent, len(sent)
    )


@pytest.mark.requirement("F-SPEED-03")
def test_huge_turns_are_written_before_many_of_them_are_held() -> None:
    settled = [0]
    behind: list[int] = []

    def source() -> Iterator[Turn]:
        for n in range(20):
            behind.append(n - settled[0])
            yield told(f"{n:030}")

    with quiet(config={"ingest": {"gather_chars": 100}}) as memory:
        memory.add_many(source(), lambda count: settled.__setitem__(0, count))
    assert max(behind) == 3
    assert settled == [20]


class Watched(Wrapped):
    """Counts snapshots too, and of the thread that made it alone: the background thread reads as it likes."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.snapshots = 0
        self._thread = threading.get_ident()

    @contextmanager
    def snapshot(self) -> Any:
        if threading.get_ident() != self._thread:
            with self.store.snapshot() as reader:
                yield reader
            return
        self.snapshots += 1
        with super().snapshot() as reader:
            yield reader


@pytest.mark.requirement("F-SPEED-04")
def test_a_recall_opens_one_snapshot_and_reads_each_turn_that_may_fit_once() -> None:
    store = Watched(empty_store())
    with quiet(as_store(store), config={"receipts": 0}) as memory:  # none that is written meanwhile
        memory.add_many(told(f"tea number {n}", at=at(n)) for n in range(60))
        assert memory.drain(None)
        memory.parts.worker.stop()  # whatever it writes has the next question look at the store anew
        memory.recall("coffee")  # the index takes up what is new
        snapshots, read = store.snapshots, store.rows_read
        context = memory.recall("tea", budget=4000)
        assert len(context.items) == 60
        assert store.snapshots - snapshots == 1
        assert store.rows_read - read == 60  # pins and a pause were read when something was last written
        assert memory.recall("tea", budget=4000).text == context.text
        assert store.rows_read - read == 60, "the words of turns that were shown are kept"


@pytest.mark.requirement("F-SPEED-05")
def test_a_recall_counts_each_line_heading_and_block_once() -> None:
    counted: list[str] = []

    def words(text: str) -> int:
        counted.append(text)
        return len(text.split())

    with quiet() as memory:
        memory.add_many(told(f"tea number {n}", at=at(n)) for n in range(30))
        context = memory.recall("tea", budget=4000, counter=words)
    assert context.tokens == len(context.text.split())
    assert len(counted) == len(set(counted))
    days = {item.at.date() for item in context.items if item.at}
    assert len(counted) == 30 + len(days) + 3  # and the block, its opening, its closing


@pytest.mark.requirement("F-SPEED-07")
def test_a_recall_looks_each_of_its_words_up_once() -> None:
    asked: list[str] = []

    def note(call: Call) -> None:
        if call.function is TermDirectory.find.__code__:
            asked.append(call.arguments["term"])

    with quiet(config={"index": {"pack_minimum": 1}}) as memory:
        memory.add_many(told(f"green tea number {n} of the garden", at=at(n)) for n in range(60))
        assert memory.drain(None)
        memory.recall("nothing of this")  # what depends on the view alone is kept
        with observed(note):
            assert memory.recall("green tea garden").confidence
    words = [word for word in asked if word.isalpha()]  # and not the marks of other names
    joined = ["greentea", "greenteagarden", "teagarden"]  # a search of words alone may mean a name
    assert sorted(words) == sorted(["garden", "green", "tea", *joined])


@pytest.mark.requirement("F-SPEED-08")
def test_packing_lets_go_of_nothing_that_it_takes_back() -> None:
    dropped: list[int] = []

    def note(call: Call) -> None:
        if call.function is _Packing.drop.__code__:
            dropped.append(call.arguments["place"])

    small = [
        PackingCandidate([CandidateRendering(10.0 - place / 10, 10.0)], f"day {place % 3}", 4.0) for place in range(20)
    ]
    large = [PackingCandidate([CandidateRendering(11.0, 60.0)], "another day", 4.0) for _ in range(30)]
    packing = _Packing([*small, *large], 225.0)
    packing.grow()
    before = dict(packing.taken)
    with observed(note):
        packing.exchange()
    assert packing.taken == before
    assert dropped == []
    better = _Packing([*small, PackingCandidate([CandidateRendering(25.0, 20.0)], "day 0", 4.0)], 209.0)
    better._steps = [step for step in better._steps if step[1] < 20]  # as if it had been passed over
    better.grow()
    before = dict(better.taken)
    assert 20 not in before
    with observed(note):
        better.exchange()
    assert 20 in better.taken
    assert sorted(dropped) == sorted(before.keys() - better.taken.keys())
    assert dropped


@pytest.mark.requirement("F-SPEED-06")
def test_ranking_holds_few_arrays_of_the_size_of_the_space() -> None:
    size = 20_000
    piece = PieceTerms({"tea": 1}, {}, 9)
    view = IndexView.of(tail=[TurnEntry(n, "s", n, "", None, "user", n, 9, (piece,)) for n in range(size)])
    intent = Intent("tea", ("tea",), (), (), (), "tea")

    def ask() -> None:
        assert len(rank(make_frame(intent, view, RecallConfig(), None, with_assistant=False), limit=50)) == 50

    ask()  # what depends on the view alone is kept
    tracemalloc.start()
    ask()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 14 * 8 * size


@pytest.mark.requirement("F-SPEED-16")
@pytest.mark.parametrize("roles", [("user", "user"), ("user", "assistant")])
def test_the_question_after_an_add_makes_nothing_of_the_old_turns_anew(roles: tuple[str, str]) -> None:
    made: list[int] = []
    kept = {IncrementalCache.grown.__code__, IncrementalCache.folded.__code__}

    def note(call: Call) -> None:
        runs = [value for value in call.arguments.values() if isinstance(value, slice)]
        if call.caller in kept and runs:
            made.append(runs[0].stop - runs[0].start)

    with quiet(config={"receipts": 0}) as memory:
        memory.add_many(told(f"tea number {n}", role=roles[n % 2], at=at(n)) for n in range(60))
        assert memory.drain(None)
        memory.recall("tea")
        with observed(note):
            memory.recall("tea")
            assert made.count(0) == len(made), "a second question makes nothing"
            memory.add(told("more tea", at=at(61)))
            assert memory.recall("more tea").items[-1].text == "more tea"
    assert max(made) == 1, "one new turn, one value of each kind"
    assert made.count(1) >= 5


class WarmedUp(HashEmbedder):
    """An embedder that counts how often its model is loaded ahead, and may fail to load it."""

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__()
        self.loads = 0
        self.error = error

    def warm_up(self) -> None:
        self.loads += 1
        if self.error is not None:
            raise self.error


@pytest.mark.requirement("F-SPEED-30")
@pytest.mark.parametrize("error", [None, ModelUnavailable("no weights"), OSError("no file")])
def test_the_model_is_loaded_ahead_on_request_only(error: Exception | None) -> None:
    embedder = WarmedUp(error)
    with Memory.open(":memory:", embedder=embedder) as memory:
        memory.add(told("tea at four"))
        assert embedder.loads == 0
        memory.warm_up()
        assert embedder.loads == 1
        assert memory.recall("tea").text


@pytest.mark.requirement("F-SPEED-30")
def test_a_memory_without_a_model_or_with_a_plain_one_warms_up() -> None:
    for embedder in (None, HashEmbedder()):
        with Memory.open(":memory:", embedder=embedder or "none") as memory:
            memory.add(told("tea at four"))
            memory.warm_up()
            assert memory.recall("tea").text


@pytest.mark.requirement("F-SPEED-32")
def test_turns_that_are_stored_are_not_analysed_again() -> None:
    appender = Appender(empty_store(), "default", 3)
    turns = [told(f"turn {n}", external_id=f"{n}") for n in range(20)]
    made = 0

    def note(call: Call) -> None:
        nonlocal made
        made += call.function is derive.__code__

    for count, new in ((12, 12), (12, 0), (20, 8)):
        made = 0
        items = [prepare(turn, IngestConfig()) for turn in turns[:count]]
        with observed(note):
            appender.add_sequence(items, NOON, lambda _: None)
        assert made == new


@pytest.mark.requirement("F-SPEED-34")
def test_a_receipt_is_made_when_it_is_written_or_asked_for() -> None:
    made: list[int] = []
    told_by: dict[str, Any] = {
        "settings": {},
        "understood": {},
        "considered": 0,
        "tokens": 0,
        "chosen": (),
        "omitted": (),
    }
    kept = Receipt(id="r001", kind="recall", query="tea", created_at=NOON, **told_by)

    def make() -> Receipt:
        made.append(1)
        return kept

    with quiet() as memory:
        book = ReceiptBook(memory.reads.store, memory.space, 20)
        book.keep_pending(PendingReceipt("r001", kept.created_at, make))
        assert book.waiting == 1
        assert not made
        assert book.newest() == book.get("r001") == kept
        assert len(made) == 2
        assert book.flush() == 1
        assert book.get("r001") == kept
        assert len(made) == 3


@pytest.mark.requirement("F-SPEED-39")
def test_receipts_are_gathered_before_they_are_written_unless_somebody_waits() -> None:
    seconds = 100.0
    with quiet() as memory:
        memory.add(told("green tea"))
        kept = memory.explain(memory.recall("tea").receipt_id)
        book = ReceiptBook(memory.reads.store, memory.space, 20, lambda: seconds)
        writing = ReceiptWriting(book)
        book.keep(kept)
        seconds += GATHER_SECONDS / 2
        book.keep(replace(kept, id="r2"))
        assert not writing.is_due()
        assert not writing.step()
        assert (writing.pending(now=True), writing.pending(now=False)) == ({"receipts": 0}, {"receipts": 2})
        seconds += GATHER_SECONDS / 2
        assert writing.is_due()
        assert writing.step()
        assert not writing.is_due()
        book.keep(kept)
        assert not writing.is_due()
        book.hurry()
        assert writing.pending(now=True) == {"receipts": 1}
        assert writing.step()
