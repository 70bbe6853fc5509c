"""The steps of ranking in C, on a build that has them: what numpy gives, to the last bit, and no foreign memory."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clew.index.vectors
import clew.rank.confidence
import clew.rank.fusion  # noqa: F401  # each names its steps when it is loaded
from clew.index.bm25 import NeighbourWindow, _Distant, bm25f
from clew.index.entry import PieceTerms, TurnEntry
from clew.index.kernel import IN_C, REFERENCES
from clew.index.term_directory import TermDirectory
from clew.index.vector_segment import VectorBlock, raised
from clew.index.view import IndexView
from clew.version import build
from tests.support.index_logs import WORDS, logs, packed, words

pytestmark = pytest.mark.skipif(build() != "compiled", reason="these are the sources: run ./dev test-compiled")

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(0, 40) | st.integers(41, 3000)

BY_PROCESSOR = "scan"
"""The step that some processors lack the instructions for."""


def step(name: str) -> Callable[..., Any]:
    if name == BY_PROCESSOR and name not in IN_C:
        pytest.skip("this processor has no AVX-512 VNNI")
    return IN_C[name]


def same(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    return one.tobytes() == other.tobytes()


@pytest.mark.requirement("F-FAST-05")
def test_every_step_in_c_has_its_reference() -> None:
    assert IN_C.keys() | {BY_PROCESSOR} == REFERENCES.keys()


@pytest.mark.requirement("F-FAST-05")
@given(st.lists(logs(), max_size=4))
def test_postings_of_several_segments(groups: list[list[Any]]) -> None:
    segments, first = [], 0
    for entries in groups:
        if entries:
            segments.append((packed(entries), first))
            first += sum(len(entry.pieces) for entry in entries)
    directory = TermDirectory([segment.terms for segment, _ in segments])
    for word in (*WORDS, "nowhere"):
        places = directory.find(word)
        *found, df = step("gather_postings")(places, tuple(segments))
        *expected, by_numpy = REFERENCES["gather_postings"](places, tuple(segments))
        assert list(map(bytes, found)) == [bytes(memoryview(each)) for each in expected]
        assert df == by_numpy


def lines(rng: np.random.Generator, size: int, padding: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Links of pieces that belong to a few lines, as `Columns` makes them, with unused elements behind."""
    links = np.full((2, size + padding), -1, dtype=np.intp)
    line = rng.integers(0, max(1, int(rng.integers(1, 6))), size)
    for number in range(6):
        places = np.flatnonzero(line == number)
        links[0, places[1:]], links[1, places[:-1]] = places[:-1], places[1:]
    return links[0], links[1]


def term(rng: np.random.Generator, size: int) -> tuple[Any, ...]:
    pieces = np.flatnonzero(rng.random(size) < rng.choice((0.01, 0.1, 0.6))).astype(np.int64)
    body, extra = (rng.integers(0, rng.choice((2, 256)), len(pieces), dtype=np.uint8) for _ in range(2))
    return pieces, body, extra


def distant(previous: np.ndarray[Any, Any], size: int, distance: int) -> _Distant:
    before = np.arange(size)
    for _ in range(distance):
        before = previous[before]
    odd = np.flatnonzero(before != np.arange(size) - distance)
    return _Distant(odd, before[odd])


WINDOWS = ((20, (12, 8, 4), (6, 3)), (1, (), ()), (2, (1,), ()), (10, (), (3, 2, 1)), (1, (1,) * 5, (1,) * 3))


@pytest.mark.requirement("F-FAST-05")
@given(seeds, sizes, st.sampled_from(WINDOWS), st.integers(1, 9))
def test_scores_of_terms(seed: int, size: int, weights: tuple[Any, ...], padding: int) -> None:
    rng = np.random.default_rng(seed)
    links = lines(rng, size, padding)
    norms = rng.random(size + padding) + 1e-3
    terms = []
    for _ in range(int(rng.integers(0, 5))):
        pieces, body, extra = term(rng, size)
        counts = None
        if rng.random() < 0.5:
            both = np.zeros(size, dtype=np.uint16), np.zeros(size, dtype=np.uint16)
            given_by = (links, weights, pieces, body, extra, partial(distant, links[0], size))
            step("count_in_windows")(both[0], *given_by)
            REFERENCES["count_in_windows"](both[1], *given_by)
            assert same(*both)
            counts = both[0].astype(np.uint8) if both[0].max(initial=0) < 256 else both[0]
        terms.append((float(rng.random()) * 9, pieces, body, extra, counts))
    found, expected = np.zeros(size + padding), np.zeros(size + padding)
    step("add_term_scores")(found, norms, links, weights, terms)
    REFERENCES["add_term_scores"](expected, norms, links, weights, terms)
    assert same(found[:size], expected[:size])


@pytest.mark.requirement("F-FAST-05")
@given(logs(), st.lists(words | st.just("nowhere"), max_size=5))
def test_scores_of_an_index(entries: list[Any], terms: list[str]) -> None:
    """Also between segments and a tail, and where nothing is indexed."""
    view = IndexView.of([], entries)
    found = bm25f(view, terms)
    by_floats = NeighbourWindow((0.6, 0.4, 0.2 + 1e-12), (0.3, 0.15))  # no common fraction, so that numpy scores
    assert np.allclose(found, bm25f(view, terms, by_floats), rtol=1e-9, atol=1e-12)


@pytest.mark.requirement("F-FAST-05")
@given(seeds, sizes, st.sampled_from((1, 3, 63, 64, 65, 384)), st.integers(1, 3), st.booleans())
def test_cosines(seed: int, size: int, dim: int, forms: int, unbroken: bool) -> None:
    rng = np.random.default_rng(seed)
    positions = np.arange(size, dtype=np.int32) if unbroken else rng.permutation(size).astype(np.int32)
    if not unbroken:
        positions[rng.random(size) < 0.2] = -1
    blocks = []
    for some in np.array_split(np.arange(size), 3):
        if len(some):
            codes = rng.integers(-127, 128, (len(some), dim), dtype=np.int8)
            scales = rng.random(len(some)).astype(np.float32)
            blocks.append(VectorBlock.of(positions[some], *raised(codes), scales))
    asked, scales = rng.integers(-127, 128, (forms, dim), dtype=np.int8), rng.random(forms).astype(np.float32)
    found, expected = np.full((forms, size), np.nan), np.full((forms, size), np.nan)
    step("scan")(found, blocks, asked, scales)
    REFERENCES["scan"](expected, blocks, asked, scales)
    assert same(found, expected)


@pytest.mark.requirement("F-FAST-05")
@given(seeds, sizes, st.integers(0, 6))
def test_sums_of_shares(seed: int, size: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(count):
        values: Any = rng.standard_normal(size) if rng.random() < 0.7 else rng.random(size) < 0.5
        if values.dtype == np.float64:
            values[rng.random(size) < rng.choice((0.0, 0.1))] = rng.choice((np.nan, np.inf, 0.0, -0.0))
        mean = float(rng.choice((0.0, 0.3)))
        rows.append((values, mean, float(rng.choice((0.0, -0.7, 1.3, 1e-300))), bool(rng.random() < 0.7)))
    found, expected = np.empty(size), np.empty(size)
    step("sum_shares")(found, rows)
    with np.errstate(invalid="ignore"):
        REFERENCES["sum_shares"](expected, rows)
    assert np.array_equal(found, expected, equal_nan=True)
    known = ~np.isnan(found)
    assert same(found[known], expected[known])


@pytest.mark.requirement("F-FAST-05")
@given(seeds, sizes, st.integers(1, 500), st.sampled_from((0, 1, 3, 6, 12)), st.booleans())
def test_the_best(seed: int, size: int, limit: int, digits: int, with_mask: bool) -> None:
    """With few digits many scores are equal; some are -infinity, as those of turns that may not be found."""
    rng = np.random.default_rng(seed)
    score = np.round(rng.standard_normal(size), digits)
    score[rng.random(size) < 0.05] = rng.choice((-np.inf, 0.0))
    mask = rng.random(size) < rng.choice((0.0, 0.02, 0.9)) if with_mask else None
    found, tied = step("pick")(score, limit, mask)
    expected, by_numpy = REFERENCES["pick"](score, limit, mask)
    positions = np.frombuffer(found, dtype=np.int64)
    assert tied == by_numpy
    if not tied:
        assert positions.tolist() == expected.tolist()
        return
    # Of a tie, others may be among those that are to be ordered, but never one too few, and always ascending.
    falling = -np.round(score, 6)
    order = [sorted(some, key=lambda place: (falling[place], place))[:limit] for some in (positions, expected)]
    assert list(map(int, order[0])) == list(map(int, order[1]))
    assert (np.diff(positions) > 0).all()


@pytest.mark.requirement("F-FAST-05")
@given(seeds, st.integers(1, 400), st.integers(1, 20))
def test_the_richest_stretches(seed: int, size: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    places = [np.flatnonzero(rng.random(size) < rng.choice((0.01, 0.2))) for _ in range(count)]
    weights = rng.random(count).tolist()
    found = step("richest_stretches")(size, places, weights, (1, 8))
    assert found == REFERENCES["richest_stretches"](size, places, weights, (1, 8))


ONE = np.zeros(4)
ENTRY = TurnEntry(0, "s", 0, "", None, "user", None, 1, (PieceTerms({"word": 1}, {}, 1),), stated=1)
SEGMENT = packed([ENTRY])
LINKS = (np.full(4, -1), np.full(4, -1))
TERM = (1.0, np.array([3]), np.ones(1, dtype=np.uint8), np.zeros(1, dtype=np.uint8), None)
SMALL = (2, (1,), (1,))
CODES = np.ones((2, 4), dtype=np.int8), np.ones(2, dtype=np.float32)


def changed(place: int, value: object) -> tuple[Any, ...]:
    row: list[Any] = list(TERM)
    row[place] = value
    return tuple(row)


def block(position: int, dim: int = 4) -> VectorBlock:
    return VectorBlock.of(np.array([position]), *raised(np.ones((1, dim), dtype=np.int8)), np.ones(1, dtype=np.float32))


BAD: tuple[tuple[str, tuple[Any, ...], type[Exception]], ...] = (
    ("gather_postings", ([(1, 0)], ((SEGMENT, 0),)), IndexError),
    ("gather_postings", ([(0, 9)], ((SEGMENT, 0),)), IndexError),
    ("gather_postings", ([(0, -1)], ((SEGMENT, 0),)), IndexError),
    ("gather_postings", ([(0, 0)], ((replace(SEGMENT, body=SEGMENT.body[:0]), 0),)), IndexError),
    ("gather_postings", ([(0, 0)], ((replace(SEGMENT, start=np.array([0.0, 1.0])), 0),)), TypeError),
    ("gather_postings", ([(0, 0)], ((replace(SEGMENT, start=np.array([1, 0])), 0),)), IndexError),
    ("gather_postings", ([(0, 0)], ((None, 0),)), AttributeError),
    ("gather_postings", ([0], ((SEGMENT, 0),)), TypeError),
    ("add_term_scores", (ONE, ONE[:3], LINKS, SMALL, []), ValueError),
    ("add_term_scores", (ONE.astype(np.float32), ONE, LINKS, SMALL, []), TypeError),
    ("add_term_scores", (ONE, ONE, LINKS, (300, (1,), ()), []), ValueError),
    ("add_term_scores", (ONE, ONE, LINKS, (2, (-1,), ()), []), ValueError),
    ("add_term_scores", (ONE, ONE, LINKS, (2, (1,) * 99, ()), []), ValueError),
    ("add_term_scores", (ONE, ONE, LINKS, (2, (0.5,), ()), []), TypeError),
    ("add_term_scores", (ONE, ONE, LINKS, SMALL, [TERM[:3]]), TypeError),
    ("add_term_scores", (ONE, ONE, LINKS, SMALL, [changed(0, np.nan)]), ValueError),
    ("add_term_scores", (ONE, ONE, LINKS, SMALL, [changed(1, np.array([4]))]), IndexError),
    ("add_term_scores", (ONE, ONE, LINKS, SMALL, [changed(1, np.array([-1]))]), IndexError),
    ("add_term_scores", (ONE, ONE, LINKS, SMALL, [changed(1, np.array([1, 2]))]), ValueError),
    ("add_term_scores", (ONE, ONE, LINKS, SMALL, [changed(1, np.array([[1]]))]), ValueError),
    ("add_term_scores", (ONE, ONE, LINKS, SMALL, [changed(4, np.zeros(5, dtype=np.uint16))]), ValueError),
    ("add_term_scores", (ONE, ONE, LINKS, SMALL, [changed(4, np.zeros(5, dtype=np.uint8))]), ValueError),
    ("add_term_scores", (ONE, ONE, LINKS, SMALL, [changed(4, np.zeros(4))]), TypeError),
    ("add_term_scores", (ONE, ONE, (np.full(4, 9), LINKS[1]), SMALL, [TERM]), IndexError),
    ("add_term_scores", (ONE, ONE, (LINKS[0], np.full(4, -5)), SMALL, [TERM]), IndexError),
    ("count_in_windows", (np.zeros(5, dtype=np.uint16), LINKS, SMALL, *TERM[1:4], None), ValueError),
    ("count_in_windows", (np.zeros(2, dtype=np.uint16), LINKS, SMALL, *TERM[1:4], None), IndexError),
    ("count_in_windows", (np.zeros(4), LINKS, SMALL, *TERM[1:4], None), TypeError),
    ("scan", (np.zeros((2, 4)), [block(4)], *CODES), IndexError),
    ("scan", (np.zeros((2, 4)), [block(0, 5)], *CODES), ValueError),
    ("scan", (np.zeros((3, 4)), [], *CODES), ValueError),
    ("scan", (np.zeros((2, 4)), [None], *CODES), AttributeError),
    ("sum_shares", (ONE, [(ONE[:3], 0.0, 1.0, False)]), ValueError),
    ("sum_shares", (ONE, [(ONE.astype(np.int64), 0.0, 1.0, False)]), ValueError),
    ("sum_shares", (ONE, [(ONE,)]), TypeError),
    ("pick", (ONE, 0, None), ValueError),
    ("pick", (ONE, 1, np.ones(3, dtype=np.bool_)), ValueError),
    ("pick", (np.zeros((2, 2)), 1, None), ValueError),
    ("richest_stretches", (4, [np.array([4])], [1.0], (1, 8)), IndexError),
    ("richest_stretches", (4, [], [], (1, 8)), ValueError),
    ("richest_stretches", (4, [np.array([1])], [], (1, 8)), ValueError),
    ("richest_stretches", (4, [np.array([1])], [1.0], (8, 1)), ValueError),
)


@pytest.mark.requirement("F-FAST-06")
@pytest.mark.parametrize(("name", "arguments", "error"), BAD)
def test_what_does_not_fit_is_refused(name: str, arguments: tuple[Any, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        step(name)(*arguments)


@pytest.mark.requirement("F-FAST-06")
def test_a_refused_term_leaves_no_counts_behind() -> None:
    scores = np.zeros(4)
    with pytest.raises(IndexError):
        step("add_term_scores")(scores, np.ones(4), (np.full(4, 9), LINKS[1]), SMALL, [TERM])
    assert not scores.any()
    found, expected = np.zeros(4), np.zeros(4)
    step("add_term_scores")(found, np.ones(4), LINKS, SMALL, [TERM])
    REFERENCES["add_term_scores"](expected, np.ones(4), LINKS, SMALL, [TERM])
    assert same(found[:3], expected[:3])
