"""Beats, chapters and the edge of a tree in the form in which rows keep them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.store.rows import dumps
from clew.structure.chapters import OpenTree, Profile
from clew.structure.features import packed
from clew.structure.hierarchy_codec import (
    NodeSummary,
    beat_of,
    beat_text,
    chapter_text,
    seqs_of,
    summary_of,
    tree_of,
    tree_text,
)
from clew.structure.snapshot import BeatMap, Link, Piece
from clew.types.chunk import DomainTag, NuanceFlag
from tests.support.memories import at

SCORES = st.floats(0, 1) | st.integers(0, 10_000).map(lambda whole: whole / 10_000)
TAGS = st.lists(st.sampled_from([*map(str, DomainTag), "beekeeping"]), max_size=3).map(tuple)
FLAGS = st.lists(st.sampled_from(list(map(str, NuanceFlag))), max_size=3).map(tuple)
PIECES = st.lists(
    st.tuples(st.integers(0, 99), SCORES, SCORES, TAGS, FLAGS, st.booleans()),
    min_size=1,
    max_size=6,
    unique_by=lambda piece: piece[0],
)


@pytest.mark.requirement("F-FORM-04")
@given(PIECES, st.sampled_from(["topic", "gap", "forced", "end"]), SCORES, st.text("]^`az{|}~", max_size=56))
def test_a_beat_is_read_as_it_was_written(
    given_pieces: list[tuple[int, float, float, tuple[str, ...], tuple[str, ...], bool]],
    reason: str,
    tie: float,
    states: str,
) -> None:
    pieces = tuple(
        Piece(seq=seq, layer1=weight, coherence=near, tags=tags, nuance=nuance, short=short)
        for seq, weight, near, tags, nuance, short in sorted(given_pieces)
    )
    links = (Link(pieces[0].seq, pieces[-1].seq, tie),) if len(pieces) > 1 else ()
    beat = BeatMap.made(pieces, links, reason, states)
    kept = beat_text(beat)
    assert beat_of(kept) == beat == beat_of(dumps(beat.to_dict()))
    assert seqs_of(kept) == tuple(piece.seq for piece in pieces) == seqs_of(dumps(beat.to_dict()))
    assert summary_of(kept) == NodeSummary(len(pieces), beat.macro_weight, beat.domains, states)


@pytest.mark.requirement("F-FORM-04")
def test_a_plain_beat_is_kept_in_an_eighth_of_its_json() -> None:
    pieces = tuple(
        Piece(seq=seq, layer1=0.25, coherence=0.5123, tags=("unclassified",), nuance=("emotional_tone_neutral",))
        for seq in range(40, 46)
    )
    beat = BeatMap.made(pieces, (), "topic")
    assert 8 * len(beat_text(beat)) < len(dumps(beat.to_dict()))


@pytest.mark.requirement("F-FORM-04")
def test_a_beat_that_was_written_before_its_states_were_kept_has_none() -> None:
    piece = Piece(seq=4, layer1=0.25, coherence=0.5, tags=("legal",))
    older = dumps(["topic", 4, [2500], [5000], "l"])
    assert beat_of(older) == BeatMap.made((piece,), (), "topic")
    assert summary_of(older).states == ""


@pytest.mark.requirement("F-FORM-04")
def test_a_chapter_is_read_as_it_was_written() -> None:
    outline = NodeSummary(12, 0.3333, {"legal": 0.25, "unclassified": 0.75, "beekeeping": 0.1})
    kept = chapter_text(outline)
    assert summary_of(kept) == outline
    assert seqs_of(kept) is None
    older = {"children": ["s:beat:0"], "turns": 12, "macro_weight": 0.3333, "domains": outline.domains}
    assert summary_of(dumps(older)) == outline
    assert seqs_of(dumps(older)) is None


@pytest.mark.requirement("F-FORM-04")
def test_the_edge_of_a_tree_is_read_as_it_was_written() -> None:
    terms = ((4_294_967_295, 3), (7, 2), (9, 2), (0, 1))
    with_terms = Profile(node="a%20b:chapter:3", low=0, high=9, turns=8, terms=terms, at_low=at(0), at_high=at(5))
    with_vector = Profile(node="a%20b:chapter:12", low=10, high=40, turns=31, terms=(), vector=packed([0.5, -0.25]))
    tree = OpenTree(levels=((), (with_terms, with_vector), (with_vector,)), closed=13)
    assert tree_of(tree_text(tree), "a%20b") == tree
    assert tree_of(dumps(tree.to_dict()), "a%20b") == tree
    assert tree_of(tree_text(OpenTree(closed=0)), "s") == OpenTree(levels=((),), closed=0)
