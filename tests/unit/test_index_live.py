"""The live index: current to the last commit, whoever made it, reading only what is new."""

import threading
from pathlib import Path

import numpy as np
import pytest

from clew.errors import InputError, StoreCorrupt
from clew.index.bm25 import NeighbourWindow, bm25f
from clew.index.entry import PieceTerms, TurnEntry, encode
from clew.index.incremental_cache import CacheKey
from clew.index.live import LiveIndex
from clew.index.packer import pack
from clew.index.staged_rebuild import rebuild
from clew.index.vectors import cosine, likeness, vectors_at
from clew.index.view import IndexView
from clew.store.sqlite import SqliteStore
from tests.support.index_stores import (
    MODEL,
    SPACE,
    Wrapped,
    add,
    as_store,
    embed,
    forget,
    listed,
    memory_store,
    new_space,
    vector_of,
)
from tests.support.memories import quiet


def turns(first: int, after: int, session: str = "main") -> list[TurnEntry]:
    return [
        TurnEntry(n, session, n, "", "Ann", "user", n, 9, (PieceTerms({"word": 1, f"w{n % 7}": 1}, {"ann": 1}, 9),))
        for n in range(first, after)
    ]


@pytest.mark.requirement("F-INDEX-08")
def test_a_space_without_turns_has_an_empty_view() -> None:
    view = LiveIndex(memory_store(), "nowhere").view()
    assert len(view.turns.ordinal) == 0
    assert bm25f(view, ["word"]).tolist() == []
    assert cosine(view, MODEL, vector_of(0)[None]).shape == (1, 0)
    assert view.mask(session="main") is not None
    assert view.position("main", 0) is None


@pytest.mark.requirement("F-SURE-08")
def test_how_alike_turns_are_is_found_from_a_part_of_them() -> None:
    store = memory_store()
    new_space(store)
    live = LiveIndex(store, SPACE)
    assert likeness(live.view(), MODEL) == 0
    add(store, turns(0, 20))
    assert likeness(live.view(), MODEL) == 0, "without vectors"
    embed(store, range(20))

    def by_hand(count: int) -> float:
        found = vectors_at(live.view(), MODEL, range(count))
        vectors = np.stack([found[place] for place in range(count)])
        return max(0.0, float((vectors @ vectors.T)[~np.eye(count, dtype=bool)].mean()))

    assert likeness(live.view(), MODEL) == pytest.approx(by_hand(16), abs=1e-3), "the first 2^n of 20"
    assert likeness(live.view(), "another") == 0
    before = likeness(live.view(), MODEL)
    add(store, turns(20, 31))
    assert likeness(live.view(), MODEL) == before
    add(store, turns(31, 32))
    embed(store, range(20, 32))
    assert likeness(live.view(), MODEL) == pytest.approx(by_hand(32), abs=1e-3)


@pytest.mark.requirement("F-INDEX-08")
def test_another_process_s_turns_are_seen(tmp_path: Path) -> None:
    mine, theirs = SqliteStore.open(tmp_path), SqliteStore.open(tmp_path)
    new_space(mine)
    live = LiveIndex(mine, SPACE)
    for step in range(1, 4):
        add(theirs, turns(step * 10 - 10, step * 10))
        assert live.view().document_frequency("word") == step * 10
        pack(theirs, SPACE, minimum=5)
        assert live.view().document_frequency("word") == step * 10
    embed(theirs, [3])
    assert np.isfinite(cosine(live.view(), MODEL, vector_of(3)[None])[0]).nonzero()[0].tolist() == [3]
    forget(theirs, range(10))
    assert live.view().document_frequency("word") == 20
    mine.close()
    theirs.close()


@pytest.mark.requirement("F-INDEX-08")
def test_a_commit_in_another_space_leaves_the_view_as_it_is() -> None:
    store = memory_store()
    new_space(store, "other")
    add(store, turns(0, 3))
    live = LiveIndex(store, SPACE)
    view = live.view()
    add(store, turns(0, 3), space="other")
    assert live.view() is view


@pytest.mark.requirement("F-INDEX-14")
@pytest.mark.parametrize("size", [100, 3000])
def test_a_refresh_reads_what_is_new(size: int) -> None:
    store = Wrapped(memory_store())
    add(as_store(store), turns(0, size))
    pack(as_store(store), SPACE, minimum=64)
    embed(as_store(store), range(20))
    live = LiveIndex(as_store(store), SPACE)
    live.view()
    store.rows_read = 0
    live.view()
    assert store.rows_read == 0
    add(as_store(store), turns(size, size + 2))
    live.view()
    assert store.rows_read <= 5  # two turns, the space's row, and one look for models
    store.rows_read = 0
    embed(as_store(store), [size])
    assert np.isfinite(cosine(live.view(), MODEL, vector_of(size)[None])[0, size])
    assert store.rows_read <= 5


@pytest.mark.requirement("F-COST-01")
def test_an_opened_index_has_no_room_to_spare() -> None:
    store = memory_store()
    add(store, turns(0, 300))
    pack(store, SPACE, minimum=64)
    add(store, turns(300, 330))
    assert 330 < len(LiveIndex(store, SPACE).view().links[0]) < 340


@pytest.mark.requirement("F-INDEX-07", "F-INDEX-08")
def test_packing_changes_no_view_that_is_held() -> None:
    store = memory_store()
    add(store, turns(0, 50))
    embed(store, range(50))
    live = LiveIndex(store, SPACE)
    before = live.view()
    known = bm25f(before, ["w3", "ann"]).tobytes(), cosine(before, MODEL, vector_of(9)[None]).tobytes()
    pack(store, SPACE, minimum=10)
    add(store, turns(50, 60))
    after = live.view()
    forget(store, range(0, 60, 2))
    live.view()
    assert (bm25f(before, ["w3", "ann"]).tobytes(), cosine(before, MODEL, vector_of(9)[None]).tobytes()) == known
    assert len(after.turns.ordinal) == 60
    assert after.neighbours(49, 1, 1) == [48, 49, 50]
    assert before.neighbours(49, 1, 1) == [48, 49]


@pytest.mark.requirement("F-INDEX-07")
def test_a_window_s_lengths_are_carried_on_to_the_next_view() -> None:
    store = memory_store()
    add(store, turns(0, 5))
    live = LiveIndex(store, SPACE)
    bm25f(live.view(), ["word"])
    add(store, turns(5, 6))
    live.view()  # one view in between asks for nothing
    add(store, turns(6, 7))
    assert live.view().inherited.keys() == {NeighbourWindow()}
    assert bm25f(live.view(), ["word"]).tobytes() == bm25f(LiveIndex(store, SPACE).view(), ["word"]).tobytes()


@pytest.mark.requirement("F-INDEX-10")
def test_turns_indexed_anew_are_seen_although_their_ordinals_are_the_same() -> None:
    store = memory_store()
    add(store, turns(0, 5))
    live = LiveIndex(store, SPACE)
    live.view()
    pieces = (PieceTerms({"better": 2}, {}, 9), PieceTerms({"words": 1}, {}, 3))
    anew = [TurnEntry(each.ordinal, "main", each.seq, "", None, "user", 0, 9, pieces) for each in turns(0, 5)]
    rebuild(store, SPACE, listed(anew))
    view = live.view()
    assert (view.document_frequency("word"), view.document_frequency("better")) == (0, 5)
    assert view.pieces.body.tolist() == [2, 1] * 5


@pytest.mark.requirement("F-INDEX-02")
def test_damage_is_named_and_does_not_stick() -> None:
    store = memory_store()
    add(store, turns(0, 5))
    live = LiveIndex(store, SPACE)
    live.view()
    add(store, turns(5, 6))
    store.transaction(lambda tx: tx.put("tail", [(SPACE, 6, b"\1 no entry")]))
    for _ in range(2):
        with pytest.raises(StoreCorrupt, match="clew rebuild"):
            live.view()
    store.transaction(lambda tx: tx.put("tail", [(SPACE, 6, encode(turns(6, 7)[0]))]))
    assert live.view().turns.ordinal.tolist() == list(range(7))


@pytest.mark.requirement("F-INDEX-02")
def test_segments_that_overlap_are_refused() -> None:
    store = memory_store()
    add(store, turns(0, 4))
    pack(store, SPACE, minimum=1)
    add(store, turns(2, 3))
    store.transaction(
        lambda tx: tx.put("segment", [(*row[:2], 2, *row[3:]) for row in tx.scan("segment", (SPACE,), (SPACE,))])
    )
    store.transaction(lambda tx: tx.compare_and_set("space", (SPACE,), "generation", 1, 2))
    with pytest.raises(StoreCorrupt, match="out of order"):
        LiveIndex(store, SPACE).view()


@pytest.mark.requirement("F-INDEX-13")
def test_vectors_of_different_length_are_not_compared() -> None:
    store = memory_store()
    add(store, turns(0, 2))
    embed(store, [0])
    live = LiveIndex(store, SPACE)
    with pytest.raises(InputError, match="queries have length 5"):
        cosine(live.view(), MODEL, np.ones((1, 5), dtype=np.float32))
    store.transaction(lambda tx: tx.put("vector", [(SPACE, MODEL, 1, 0.5, b"\1\2")]))
    with pytest.raises(StoreCorrupt, match="differ in length"):
        live.view()


@pytest.mark.requirement("F-INDEX-13")
def test_models_are_never_mixed() -> None:
    store = memory_store()
    add(store, turns(0, 3))
    embed(store, [0, 1], model="old")
    embed(store, [1, 2], model="new")
    pack(store, SPACE, minimum=2)
    embed(store, [2], model="old")
    view = LiveIndex(store, SPACE).view()
    for model, known in (("old", [0, 1, 2]), ("new", [1, 2]), ("none", [])):
        assert np.isfinite(cosine(view, model, vector_of(1)[None])[0]).nonzero()[0].tolist() == known


@pytest.mark.requirement("F-INDEX-08", "F-INDEX-09")
def test_threads_see_whole_states_while_others_add_and_pack() -> None:
    store = memory_store()
    live = LiveIndex(store, SPACE)
    stop, wrong = threading.Event(), []

    def read() -> None:
        seen = 0
        while not stop.is_set():
            view = live.view()
            size = len(view.turns.ordinal)
            scores = bm25f(view, ["word", "ann", "w3"])
            if size < seen or view.document_frequency("word") != size or len(scores) != size or not scores.all():
                wrong.append((seen, size))
            seen = size

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for step in range(40):
        add(store, turns(step * 10, step * 10 + 10, f"session{step % 3}"))
        if step % 4 == 3:
            pack(store, SPACE, minimum=16, fan_out=2)
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert live.view().turns.ordinal.tolist() == list(range(400))


@pytest.mark.requirement("F-MENDED-13")
def test_an_outline_has_the_columns_and_vectors_and_holds_no_postings(tmp_path: Path) -> None:
    mine, theirs = SqliteStore.open(tmp_path), SqliteStore.open(tmp_path)
    new_space(mine)
    live, whole = LiveIndex(mine, SPACE), LiveIndex(theirs, SPACE)
    for step in range(1, 6):
        add(theirs, turns(step * 10 - 10, step * 10))
        embed(theirs, [step])
        for _ in range(2):
            outline, view = live.outline(), whole.view()
            assert outline.turns.ordinal.tolist() == view.turns.ordinal.tolist() == list(range(step * 10))
            assert outline.pieces.turn.tolist() == view.pieces.turn.tolist()
            assert (outline.sessions, outline.speakers) == (view.sessions, view.speakers)
            assert [len(block.positions) for block in outline.vectors[MODEL]] == [
                len(block.positions) for block in view.vectors[MODEL]
            ]
            assert not outline.segments
            pack(theirs, SPACE, minimum=3, fan_out=2)
    assert live.outline() is live.outline()
    forget(theirs, [7])
    assert 7 not in live.outline().turns.ordinal.tolist()
    assert live.view().document_frequency("word") == 49
    assert live.view().segments
    assert live.outline() is live.view()


@pytest.mark.requirement("F-MENDED-13")
def test_a_view_after_an_outline_has_what_is_not_packed() -> None:
    store = memory_store()
    live = LiveIndex(store, SPACE)
    add(store, turns(0, 5))
    assert len(live.outline().turns.ordinal) == 5
    assert live.view().document_frequency("word") == 5
    add(store, turns(5, 7))
    assert live.view().document_frequency("word") == 7


class _Interrupting:
    """A parameter at which another thread comes in whenever it is looked up."""

    def __init__(self, view: IndexView) -> None:
        self.view, self.looks = view, 0

    def __hash__(self) -> int:
        self.looks += 1
        if self.looks > 1:
            self.looks = -9
            self.view.derived(CacheKey("value", (self,)), lambda: "made by another thread")
        return 1


@pytest.mark.requirement("F-INDEX-18")
def test_a_value_that_another_thread_makes_meanwhile_is_given_to_both() -> None:
    with quiet() as memory:
        view = memory.reads.live.view()
        assert view.derived(CacheKey("value", (_Interrupting(view),)), lambda: "made") is not None
