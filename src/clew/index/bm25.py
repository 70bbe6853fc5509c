"""BM25F over pieces, where each piece is scored together with its neighbours.

    score(piece) = sum over terms of  weight * idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average))

    tf      the piece's own body and extra counts + sum over neighbours of  weight of its offset * its body count
    length  the same sum over all terms; average: its mean over all pieces of the space
    idf     ln(1 + (N - df + 0.5) / (df + 0.5)) over turns, not pieces

The formula is Robertson's, with fields weighted inside the saturation (BM25F, 2004). Neighbours follow each other in
one session and branch. Windows are formed at query time from the ordered postings: each posting is added to the pieces
whose window contains it. A piece has one neighbour at each offset, so one step never adds two postings of a term to
the same piece. Weights of windows are taken as whole multiples of a common fraction where they have one (0.6, 0.4, 0.2,
0.3 and 0.15 as 12, 8, 4, 6 and 3 twentieths): then counts are exact integers, whatever the order of additions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate, pairwise
from math import log
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.index.entry import SATURATION
from clew.index.incremental_cache import CacheKey
from clew.index.kernel import in_c
from clew.index.view import Bytes, IndexView, Ints, Postings

Scores = NDArray[np.float64]

Counts = NDArray[np.uint8] | NDArray[np.uint16]
Links = tuple[NDArray[np.intp], NDArray[np.intp]]
WindowWeights = tuple[int, tuple[float, ...], tuple[float, ...]]
TermRow = tuple[float, Ints, Bytes, Bytes, Counts | None]
"""A term that occurs: its weight in a question times its inverse document frequency and k1 + 1, and either its postings
or, of a frequent one, its counts in every piece with its neighbours."""

_NO_POSTINGS: Final = (np.zeros(0, np.int64), np.zeros(0, np.uint8), np.zeros(0, np.uint8))

K1: Final = 1.2
B: Final = 0.75
"""Saturation of term frequency, and strength of length normalisation: the usual values (Robertson)."""

_FINEST: Final = 40
_EXACT: Final = 1e-9
"""Largest denominator of a common fraction of weights, and the error at which a multiple counts as whole."""

_DENSE_FROM: Final = 40
"""A term in more than one of this many pieces is scored over whole arrays, which is then faster than by postings."""


class NeighbourWindow(NamedTuple):
    """How much a piece's neighbours contribute to its term frequencies.

    The default weights were set by hand on development data.

    Attributes:
        before: weights of the pieces one, two, ... before; not negative.
        after: weights of the pieces one, two, ... after; not negative.
    """

    before: tuple[float, ...] = (0.6, 0.4, 0.2)
    after: tuple[float, ...] = (0.3, 0.15)

    @classmethod
    def none(cls) -> "NeighbourWindow":
        """A window without neighbours: each piece is scored by itself."""
        return cls((), ())


WINDOW: Final = NeighbourWindow()
"""The usual window."""


@dataclass(frozen=True, slots=True)
class _Weights:
    """The weights of a window as multiples of 1 / `own`, the weight of the piece's own terms.

    Attributes:
        whole: all weights are integers, and no sum of counts exceeds 16 bits.
    """

    own: int
    before: tuple[float, ...]
    after: tuple[float, ...]
    whole: bool


@cache
def _weights(window: NeighbourWindow) -> _Weights:
    """The smallest common fraction of a window's weights; 1 and the weights themselves if there is none."""
    every = (*window.before, *window.after)
    for own in range(1, _FINEST + 1):
        scaled = [weight * own for weight in every]
        rounded = [round(weight) for weight in scaled]
        if SATURATION * (2 * own + sum(rounded)) > np.iinfo(np.uint16).max:
            break
        if all(abs(weight - near) < _EXACT for weight, near in zip(scaled, rounded, strict=True)):
            return _Weights(own, tuple(rounded[: len(window.before)]), tuple(rounded[len(window.before) :]), whole=True)
    return _Weights(1, window.before, window.after, whole=False)


@dataclass(frozen=True, slots=True, eq=False)
class _Distant:
    """The pieces whose neighbour at some distance before them is not the piece with that much lower number.

    Attributes:
        pieces: numbers of these pieces.
        before: number of the neighbour of each of them; -1 for none.
    """

    pieces: NDArray[np.intp]
    before: NDArray[np.intp]


def bm25f(
    view: IndexView,
    terms: Sequence[str],
    window: NeighbourWindow = WINDOW,
    *,
    weights: Sequence[float] | None = None,
) -> Scores:
    """Scores every piece for a bag of terms.

    Args:
        terms: in any order; a repeated term counts as often as it is given.
        weights: one weight per term; 1 by default.

    Returns:
        One score per piece, in the order of the view; 0 where no term occurs in the piece or its window.

    Raises:
        InputError: the numbers of weights and terms differ.
    """
    if weights is not None and len(weights) != len(terms):
        raise InputError(f"{len(weights)} weights for {len(terms)} terms; expected one weight for each term")
    totals: dict[str, float] = {}
    for term, weight in zip(terms, weights or (1.0,) * len(terms), strict=True):
        totals[term] = totals.get(term, 0.0) + weight
    norms, size = _norms(view, window), len(view.turns.ordinal)
    scaled, scores = _weights(window), np.zeros(len(norms))
    rows: list[TermRow] = []
    for term in sorted(totals):  # always in this order, which decides how sums are rounded
        counts = view.windowed.kept((term, window))
        postings = view.lookup(term) if counts is None else None
        df = postings.df if postings is not None else view.document_frequency(term)
        if not df:
            continue
        factor = totals[term] * idf(size, df) * (K1 + 1)
        if postings is not None:
            counts = _counted(view, term, postings, window)
        if counts is not None:
            rows.append((factor, *_NO_POSTINGS, counts))
        elif postings is not None:
            rows.append((factor, postings.pieces, postings.body, postings.extra, None))
    add = add_term_scores if scaled.whole else partial(_add_term_scores, np.float64)
    add(scores, norms, view.links, (scaled.own, scaled.before, scaled.after), rows)
    return scores[: len(view.pieces.turn)]


def score_bound(turns: int, frequencies: Sequence[int]) -> float:
    """The upper bound of `bm25f` scores: the limit for a piece that repeats every term endlessly.

    Args:
        turns: number of turns in the space.
        frequencies: the document frequency of each term, in turns.
    """
    return (K1 + 1) * sum(idf(turns, df) for df in frequencies)


def turn_scores(view: IndexView, piece_scores: Scores) -> Scores:
    """The score of each turn's best piece."""
    if len(piece_scores) == len(view.turns.ordinal):
        return piece_scores
    best = piece_scores.take(view.first_pieces, mode="clip")  # faster than an index; all of them are in range
    turns, pieces = (numbers.astype(np.intp) for numbers in view.further_pieces)
    np.maximum.at(best, turns, piece_scores[pieces])
    return best


def lengths(view: IndexView, window: NeighbourWindow) -> Scores:
    """The weighted length of each piece with its neighbours; cached by the view and extended for newer views."""
    cached = view.lengths.get(window)
    if cached is None:
        cached = view.lengths[window] = _extended_lengths(view, window, view.inherited.pop(window, None))
    return cached


def idf(turns: int, df: int) -> float:
    """Inverse document frequency of a term that occurs in `df` of `turns` turns; positive even when all contain it."""
    return log(1 + (turns - df + 0.5) / (df + 0.5))


def _extended_lengths(view: IndexView, window: NeighbourWindow, older: Scores | None) -> Scores:
    """Extends the lengths of an older view: computes new pieces, and old ones with a new piece in their window."""
    size = len(view.pieces.turn)
    if older is None:
        return _lengths_of(view, window, np.arange(size))
    reached = np.arange(len(older), size)
    changed = [reached]
    for _ in window.after:
        reached = view.links[0][reached]
        changed.append(reached[(reached >= 0) & (reached < len(older))])
    pieces = np.concatenate(changed)  # all at once: most of the time is that of calls
    result = np.empty(size)
    result[: len(older)] = older
    result[pieces] = _lengths_of(view, window, pieces)
    return result


def _lengths_of(view: IndexView, window: NeighbourWindow, pieces: NDArray[np.intp]) -> Scores:
    size, body = len(view.pieces.turn), view.body_lengths
    result = (view.pieces.body[pieces] + view.pieces.extra[pieces]).astype(np.float64)
    for weights, links in zip((window.before, window.after), view.links, strict=True):
        seen = pieces
        for weight in weights:
            seen = links[seen]
            seen = np.where(seen < size, seen, -1)  # newer views' pieces are not there yet
            result += weight * body[seen]
    return result


def _norms(view: IndexView, window: NeighbourWindow) -> Scores:
    """The term-independent part of the denominator: one value per piece, padded to the length of the links. Cached.

    It is multiplied by the weight of a piece's own terms, since counts are (see `_Weights`).
    """
    padded = view.norms.get(window)
    if padded is None:
        own = lengths(view, window)
        padded = np.ones(len(view.links[0]))
        average = float(own.mean()) if len(own) else 0.0
        norms = np.multiply(own, B, out=padded[: len(own)])  # in place: all of them move with the average
        norms /= average or 1.0
        norms += 1 - B
        norms *= K1 * _weights(window).own
        np.maximum(norms, np.finfo(np.float64).tiny, out=norms)  # so that where nothing is found 0 / 0 is 0
        view.norms[window] = padded
    return padded


def _add_term_scores(
    kind: Any, scores: Scores, norms: Scores, links: Links, weights: WindowWeights, terms: Sequence[TermRow]
) -> None:
    """Adds the scores of some terms, one after the other, to those of the pieces; both arrays are as long as the links.

    Args:
        kind: the type of counts.
        scores: 0 for every piece at first.
        norms: see `_norms`.
        weights: of a piece's own terms, of those of the pieces before it, and of those after it.
        terms: of those that have counts over all pieces, the counts are scored, of the others the postings.
    """
    seldom = iter(_seldom([term for term in terms if term[-1] is None], norms, weights, links, kind))
    for place, (factor, _, _, _, counts) in enumerate(terms):
        if counts is not None and not place:
            _score_everywhere(scores[: len(counts)], norms, factor, counts)
        elif counts is not None:
            share = np.empty(len(counts))
            _score_everywhere(share, norms, factor, counts)
            scores[: len(counts)] += share
        else:
            places, shares = next(seldom)
            scores[places] += shares  # a piece that several steps reached occurs several times, with equal shares


@in_c
def add_term_scores(
    scores: Scores,
    norms: Scores,
    links: Links,
    weights: WindowWeights,
    terms: list[TermRow],
) -> None:
    """`_add_term_scores` for weights that are whole; counts must not exceed 16 bits."""
    _add_term_scores(np.uint16, scores, norms, links, weights, terms)


def _seldom(
    terms: Sequence[TermRow], norms: Scores, weights: WindowWeights, links: Links, kind: Any
) -> list[tuple[NDArray[np.intp], Scores]]:
    """The pieces that each term reaches, and its share of their scores: one row for each offset of the window.

    All terms are counted together, each in an array of its own, since most of the time is that of calls. In a row a
    piece occurs once, except -1, which stands for no piece and indexes the unused last element.
    """
    if not terms:
        return []
    own, before, after = weights
    factors, pieces, body, extra, _ = zip(*terms, strict=True)
    ends = list(accumulate(map(len, pieces), initial=0))
    places = np.empty((1 + len(before) + len(after), ends[-1]), dtype=np.intp)
    np.concatenate(pieces, out=places[0])
    bodies: NDArray[Any] = np.concatenate(body, dtype=kind)
    row = 0
    # A piece's predecessors contain it in the "after" part of their windows, and vice versa.
    for side, onward in zip((before, after), reversed(links), strict=True):
        above = places[0]
        for _ in side:
            row += 1
            above = onward.take(above, mode="wrap", out=places[row])  # -1 reads the last, unused element
    steps = places if len(terms) == 1 else places.copy()
    for number, (low, high) in enumerate(pairwise(ends)):
        steps[:, low:high] += number * len(norms)
    counts = np.zeros(len(terms) * len(norms), dtype=kind)
    owns: NDArray[Any] = np.concatenate(extra, dtype=kind)
    owns += bodies
    counts[steps[0]] = owns * kind(own)
    for step, weight in zip(steps[1:], (*before, *after), strict=True):
        np.add.at(counts, step, bodies * kind(weight))  # half the time of `counts[step] += ...`
    taken = counts.take(steps, mode="wrap").astype(np.float64)  # two thirds of the time of `counts[steps]`
    shares = norms.take(places, mode="wrap")
    shares += taken
    np.divide(taken, shares, out=shares)
    blocks = [(places[:, low:high], shares[:, low:high]) for low, high in pairwise(ends)]
    for factor, (_, some) in zip(factors, blocks, strict=True):
        np.multiply(some, factor, out=some)
    return blocks


def _counted(view: IndexView, term: str, postings: Postings, window: NeighbourWindow) -> Counts | None:
    """A term's windowed counts in every piece, kept with the view; None for one that is not frequent."""
    if not _weights(window).whole or len(postings.pieces) * _DENSE_FROM <= len(view.links[0]):
        return None
    return view.windowed.keep((term, window), _counts(view, postings, window))


def _counts(view: IndexView, postings: Postings, window: NeighbourWindow) -> Counts:
    """A frequent term's windowed counts in every piece, in bytes where they fit."""
    weights, counts = _weights(window), np.zeros(len(view.pieces.turn), dtype=np.uint16)
    scaled = weights.own, weights.before, weights.after
    count_in_windows(
        counts, view.links, scaled, postings.pieces, postings.body, postings.extra, partial(_distant, view)
    )
    return counts.astype(np.uint8) if counts.max() <= np.iinfo(np.uint8).max else counts


@in_c
def count_in_windows(
    counts: Counts,
    links: Links,  # noqa: ARG001  # what C reads instead of `distant`
    weights: WindowWeights,
    pieces: Ints,
    body: Bytes,
    extra: Bytes,
    distant: Callable[[int], "_Distant"],
) -> None:
    """Fills in one term's counts with those of its neighbours: what `_seldom` counts, over whole arrays of integers.

    Most neighbours have adjacent numbers, so that arrays are shifted, which takes a third of the time of look-ups.

    Args:
        counts: 0 for every piece at first.
        distant: returns the pieces whose neighbour at a distance is not adjacent by number.
    """
    (own, before, after), size = weights, len(counts)
    bodies = np.zeros(size + 1, dtype=np.uint16)  # the last element is that of no piece
    bodies[pieces] = body
    np.multiply(bodies[:size], np.uint16(own), out=counts)
    counts[pieces] += extra * np.uint16(own)
    share = np.empty(size, dtype=np.uint16)
    for distance, weight in enumerate(before, start=1):
        far = distant(distance)
        share[:distance] = 0
        np.multiply(bodies[: max(size - distance, 0)], np.uint16(weight), out=share[distance:])
        share[far.pieces] = bodies[far.before] * np.uint16(weight)
        counts += share
    for distance, weight in enumerate(after, start=1):
        far = distant(distance)
        np.multiply(bodies[:size], np.uint16(weight), out=share)
        known = far.before >= 0
        counts[far.before[known]] += share[far.pieces[known]]
        share[far.pieces] = 0
        counts[: max(size - distance, 0)] += share[distance:]


def prepare_windows(view: IndexView, window: NeighbourWindow = WINDOW) -> None:
    """Finds the neighbours that are not adjacent by number, which counting a frequent term's windows needs.

    The frequent terms that were asked for last are counted, too.
    """
    for distance in range(1, max(len(window.before), len(window.after)) + 1):
        _distant(view, distance)
    for term, asked in view.counted:
        if view.windowed.kept((term, asked)) is None:
            _counted(view, term, view.lookup(term), asked)


def _distant(view: IndexView, distance: int) -> _Distant:
    """The pieces whose neighbour at this distance is not adjacent by number; found for new turns only."""
    key: CacheKey[_Distant] = CacheKey("distant neighbours", (distance,))
    return view.folded(key, partial(_find_distant, view, distance), _join)


def _find_distant(view: IndexView, distance: int, rows: slice) -> _Distant:
    first, counts = view.turns.first_piece[rows], view.turns.piece_count[rows]
    low, high = (int(first[0]), int(first[-1] + counts[-1])) if len(first) else (0, 0)
    pieces = before = np.arange(low, high)
    for _ in range(distance):
        before = view.links[0][before]  # -1 reads the last, unused element, which is -1
    odd = before != pieces - distance
    return _Distant(pieces[odd], before[odd])


def _join(one: _Distant, other: _Distant) -> _Distant:
    return _Distant(np.concatenate((one.pieces, other.pieces)), np.concatenate((one.before, other.before)))


def _score_everywhere(share: Scores, norms: Scores, factor: float, counts: Counts) -> None:
    """Makes `share` one term's share of every piece's score, over whole arrays, which for frequent terms is faster."""
    frequencies = counts.astype(np.float64)  # once, and not in each of the two steps
    np.add(frequencies, norms[: len(counts)], out=share)
    np.divide(frequencies, share, out=share)
    share *= factor
