"""Terms are found in all segments at once, and small segments are gathered in memory; answers stay the same."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from clew.index.bm25 import NeighbourWindow, bm25f
from clew.index.entry import PieceTerms, TurnEntry, name_head, name_mark
from clew.index.gathering import regrouped
from clew.index.live import SETTLED, LiveIndex
from clew.index.segment import Segment, build
from clew.index.string_table import StringTable, sections, to_bytes
from clew.index.term_directory import TermDirectory
from clew.index.vector_segment import VectorBlock
from clew.index.vectors import cosine
from clew.index.view import COUNTED, IndexView
from clew.memory import Memory
from clew.store.selections import SegmentKey
from clew.testing import HashEmbedder
from clew.types import Turn

TABLES: tuple[list[str], ...] = (
    ["a", "ab", "abcdefg", "abcdefgh", "abcdefghi", "abcdefgi", "tea"],
    ["ab\0", "abcdefgh", "abcdefghj", "été", "\ud800x"],
    [],
    [f"https://example.org/{n:03}" for n in range(40)],
)


def table(strings: Sequence[str]) -> StringTable:
    return StringTable(*sections(sorted(map(to_bytes, strings))))


@pytest.mark.requirement("F-SPEED-35")
@pytest.mark.parametrize("tables", [TABLES, TABLES[:1], TABLES[2:], ()])
def test_the_directory_finds_what_each_table_finds(tables: Sequence[Sequence[str]]) -> None:
    made = [table(strings) for strings in tables]
    directory = TermDirectory(made)
    for term in {*(word for words in TABLES for word in words), "", "b", "abcdefg\0", "https://example.org/", "zz"}:
        alone = [(number, each.find(to_bytes(term))) for number, each in enumerate(made)]
        assert directory.find(term) == [(number, code) for number, code in alone if code >= 0]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home", embedder="none", config={"index": {"pack_minimum": 4}}) as opened:
        yield opened


def add(memory: Memory, first: int, count: int) -> None:
    said = [f"tea number {n} of word{n % 5}" for n in range(first, first + count)]
    memory.add_many(Turn(session="s", role="user", content=text) for text in said)
    assert memory.drain()


@pytest.mark.requirement("F-SPEED-35")
def test_small_segments_are_gathered_once_a_space_is_asked_often(memory: Memory) -> None:
    for first in range(0, 40, 8):
        add(memory, first, 8)
    live = LiveIndex(memory.reads.store, memory.space)
    before = live.view()
    assert len(before.segments) > 2
    found = {term: before.lookup(term) for term in ("tea", "word3", "40", "nothing")}
    for _ in range(SETTLED):
        after = live.view()
    assert len(after.segments) < len(before.segments)
    for term, postings in found.items():
        again = after.lookup(term)
        assert (again.pieces.tolist(), again.body.tolist(), again.extra.tolist(), again.df) == (
            postings.pieces.tolist(),
            postings.body.tolist(),
            postings.extra.tolist(),
            postings.df,
        )
    add(memory, 40, 8)
    assert len(live.view().lookup("tea").pieces) == 48
    fresh = LiveIndex(memory.reads.store, memory.space).view()
    assert live.view().lookup("word3").pieces.tolist() == fresh.lookup("word3").pieces.tolist()


@pytest.mark.requirement("F-SPEED-35")
def test_a_forgotten_turn_is_in_no_gathered_segment(memory: Memory) -> None:
    for first in range(0, 40, 8):
        add(memory, first, 8)
    memory.add(Turn(session="s", role="user", content="the code word is xylophone"))
    add(memory, 40, 8)
    for _ in range(SETTLED + 1):
        assert memory.search("xylophone")
    memory.forget(match="xylophone")
    assert memory.drain()
    assert not len(memory.reads.live.view().lookup("xylophon").pieces)


def key(number: int) -> SegmentKey:
    return SegmentKey("terms", number, number, 0, 1)


@pytest.mark.requirement("F-SPEED-35")
def test_stored_segments_stay_in_their_group_while_all_of_it_is_stored() -> None:
    one, two, three, four = map(key, range(4))
    assert regrouped([one, two, three], []) == [(one,), (two,), (three,)]
    assert regrouped([one, two, three, four], [(one, two), (three,)]) == [(one, two), (three,), (four,)]
    assert regrouped([one, three, four], [(one, two), (three,)]) == [(one,), (three,), (four,)]


@pytest.mark.requirement("F-SPEED-43")
def test_a_frequent_word_is_counted_once_for_several_questions(memory: Memory) -> None:
    add(memory, 0, 60)
    view, window = memory.reads.live.view(), NeighbourWindow()
    first = bm25f(view, ["tea", "word1"])
    kept = [view.windowed.kept((term, window)) for term in ("tea", "word1")]
    assert [(len(each), each.dtype.name) for each in kept if each is not None] == [(60, "uint8")] * 2, (
        "both are frequent"
    )
    assert bm25f(view, ["tea", "word1"]).tobytes() == first.tobytes()
    add(memory, 60, 4)
    newer = memory.reads.live.view()
    newer.windowed.keep(("tea", window), np.zeros(64, dtype=np.uint16))
    assert not bm25f(newer, ["tea"]).any(), "the counts of this view that are kept are those that count"
    assert bm25f(newer, ["tea"], NeighbourWindow.none()).all(), "another window counts otherwise"


@pytest.mark.requirement("F-SPEED-43")
def test_frequent_words_of_the_last_questions_are_counted_before_the_next_one(memory: Memory) -> None:
    add(memory, 0, 60)
    window, words = NeighbourWindow(), ["tea", "number", "word1", "word2", "word3"]
    for word in words:
        bm25f(memory.reads.live.view(), [word])
    for last in ("word3", "tea"):
        add(memory, len(memory.reads.live.view().turns.seq), 4)
        memory.reads.refresh()
        view = memory.reads.live.view()
        counted = [word for word in words if view.windowed.kept((word, window)) is not None]
        assert len(counted) == COUNTED
        assert last in counted
        fresh = LiveIndex(memory.reads.store, memory.space).view()
        assert bm25f(view, words).tobytes() == bm25f(fresh, words).tobytes()
        bm25f(view, ["tea"])


@pytest.mark.requirement("F-SPEED-43")
def test_counts_of_a_word_that_do_not_fit_a_byte_are_kept_whole(memory: Memory) -> None:
    memory.add_many(
        [Turn(role="user", content="tea " * 30, session="s"), Turn(role="user", content="tea", session="s")]
    )
    view, window = memory.reads.live.view(), NeighbourWindow()
    found = bm25f(view, ["tea"])
    counts = view.windowed.kept(("tea", window))
    assert counts is not None
    assert counts.tolist() == [30 * 20 + 6, 20 + 30 * 12]
    assert np.allclose(found, bm25f(view, ["tea"], NeighbourWindow((0.6, 0.4, 0.2 + 1e-12), (0.3, 0.15))))


@pytest.mark.requirement("F-SPEED-59")
@pytest.mark.parametrize("packed", [False, True])
def test_whether_somebody_may_be_called_by_a_name_is_known_of_all_turns(packed: bool) -> None:
    heads = [name_head("listener"), name_head("speaker"), "@day="]
    for extra, expected in (({}, []), ({name_mark("Kate", "listener"): 1, "@dated": 1}, heads[:1])):
        piece = PieceTerms(chars=9, body={"tea": 1, "speaker": 1}, extra=extra)
        entries = [TurnEntry(n, "s", n, "", None, "user", n, 9, (piece,)) for n in range(3)]
        view = IndexView.of([Segment.load(build(entries))]) if packed else IndexView.of(tail=entries)
        assert [head for head in heads if view.may_have_marks(head)] == expected
    assert not TermDirectory([]).may_begin("@")


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "home", embedder=HashEmbedder(), config={"index": {"pack_minimum": 4}}) as opened:
        yield opened


def cosines(live: LiveIndex) -> list[list[float]]:
    embedder = HashEmbedder()
    found: list[list[float]] = cosine(live.view(), embedder.name, embedder.embed(["tea of word3", "40"])).tolist()
    return found


def blocks(live: LiveIndex) -> Sequence[VectorBlock]:
    return live.view().vectors[HashEmbedder().name]


@pytest.mark.requirement("F-SPEED-35")
def test_small_segments_of_vectors_are_joined_and_give_the_same_cosines(embedded: Memory) -> None:
    for first in range(0, 40, 8):
        add(embedded, first, 8)
    live = LiveIndex(embedded.reads.store, embedded.space)
    before, count = cosines(live), len(blocks(live))
    assert count > 2
    for _ in range(SETTLED):
        live.view()
    assert len(blocks(live)) < count
    assert cosines(live) == before
    add(embedded, 40, 8)
    assert cosines(live) == cosines(LiveIndex(embedded.reads.store, embedded.space))


@pytest.mark.requirement("F-SPEED-35")
def test_no_block_keeps_the_vector_of_a_forgotten_turn(embedded: Memory) -> None:
    for first in range(0, 40, 8):
        add(embedded, first, 8)
    live = LiveIndex(embedded.reads.store, embedded.space)
    for _ in range(SETTLED + 1):
        live.view()
    embedded.forget(match="number 17")
    assert embedded.drain()
    live.view()
    for block in blocks(live):
        held = block.raised if block.raised.base is None else block.raised.base
        assert len(held) == len(block.raised)
    assert sum(len(block.positions) for block in blocks(live)) == 39
