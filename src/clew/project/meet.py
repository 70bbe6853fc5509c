"""The meet of a turn with a project (SIGMA): how near the turn is to each overlay's elements, 0 to 10.

For each overlay, the mean of the three best cosines between the turn and the elements that are active in it. By vectors
where turn and elements have some of one model, else by words: the terms of a turn against those of an element, rare
ones of the project counting more. The calibration of each way of comparing (`clew.analyze.novelty`) maps cosines to a
scale on which unrelated texts have 0.

Among ten thousand tests there are three that are like any text, so the means alone say which overlay is the largest.
Each is therefore multiplied by how typical the turn's terms are of the overlay (`_Words.typical`): the share of its
elements that have a term, against that of the overlay in which the share is highest. The highest product then gets the
highest mean, which says how near the turn is to the project, and the others follow in proportion.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import log
from typing import Final

import numpy as np
import simsimd
from numpy.typing import NDArray

from clew.analyze.novelty import WORDS, Vector, calibration_of
from clew.analyze.overlays import MEET_NODES, Overlay, meet_scores
from clew.index.vector_segment import LIFT, UnsignedCodes, raised
from clew.models.protocol import Matrix
from clew.models.quantize import quantize
from clew.project.elements import ProjectElement
from clew.project.overlays import ElementOverlays
from clew.text.terms import terms

ACTIVE: Final = 5.0
"""Overlay score from which an element is one of the overlay's nodes (`overlay_threshold` of SIGMA)."""

NODE_TERMS: Final = 32
"""Terms of an element that count, the rarest of the project."""

FEWEST_TERMS: Final = 8
"""An element or turn of fewer terms is compared as if it had so many rare ones: one shared word is not a meeting.

Over 13,000 elements of Clew's sources, a meet of 5 or more is reached by 89 % of the entries of its changelog, 3 % of
the turns of a chat between friends and 2 % of those with an assistant; with 5 terms by 93, 29 and 5 %.
"""

TURN_TERMS: Final = 48
"""Terms of a turn that count, the rarest of the project: a long turn is about more than any element."""

COMMON: Final = 0.1
"""Share of the elements from which on a term says nothing: it is in all of them."""

SMOOTHING: Final = 20.0
"""Elements that are added to each overlay, with every term as frequent as in the whole project, so that one element is
no tendency. Between 5 and 200 the overlays of 84 texts about four projects differ by two."""

_FEW: Final = 8.0  # elements in which a term may be in any project
_ALL: Final = tuple(Overlay)


@dataclass(frozen=True, slots=True)
class _Words:
    """The elements by the terms that they have. Terms are numbered, the rarest of the project first.

    Attributes:
        numbers: term -> its number.
        rarity: by number, the weight of the term in a turn.
        starts: by number, where the postings of the term begin; one more than there are terms.
        rows: the elements that have the first term, then those that have the second, and so on.
        weights: for each of `rows`, the weight of the term in the element times its rarity.
        typical: by number, for each overlay: the share of its elements that have the term, over the highest share,
            times the rarity of the term.
    """

    numbers: Mapping[str, int]
    rarity: NDArray[np.float64]
    starts: Sequence[int]
    rows: NDArray[np.intp]
    weights: NDArray[np.float64]
    typical: NDArray[np.float64]

    def known(self, found: Iterable[str]) -> list[int]:
        """The terms of a turn that the elements have, as far as they count, the rarest first."""
        numbers = self.numbers
        return sorted([numbers[term] for term in numbers.keys() & found])[:TURN_TERMS]


@dataclass(frozen=True, slots=True)
class _Vectors:
    """The vectors of the elements of one model, as `clew.index.vectors` compares them."""

    model: str
    rows: NDArray[np.intp]
    codes: UnsignedCodes
    offsets: NDArray[np.float64]
    scales: NDArray[np.float64]


class OverlayNodes:
    """The elements of a project that are active in an overlay, ready to be compared with turns.

    Attributes:
        elements: those that are active in any, in the order in which they came.
        digest: of the project that they are from.
    """

    def __init__(
        self,
        scored: Iterable[ElementOverlays],
        *,
        digest: str = "",
        model: str | None = None,
        vectors: Mapping[str, Vector] | None = None,
    ) -> None:
        """Takes the overlays of elements.

        Args:
            vectors: of the texts of elements, by the element's id; of the embedder `model`.
        """
        kept = [
            element_scores for element_scores in scored if max(element_scores.scores.values(), default=0.0) >= ACTIVE
        ]
        self.digest = digest
        self.elements: tuple[ProjectElement, ...] = tuple(element_scores.element for element_scores in kept)
        self._members = np.array(
            [[element_scores.scores.get(name, 0.0) >= ACTIVE for element_scores in kept] for name in map(str, _ALL)],
            dtype=np.bool_,
        ).reshape(len(_ALL), len(kept))
        self._fewest = [min(int(member.sum()), MEET_NODES) for member in self._members]
        self._words: _Words | None = None
        self._vectors = _vectors_of(self.elements, model, vectors or {})

    def scores(
        self, found: Sequence[str], vector: Vector | None = None, model: str | None = None
    ) -> dict[Overlay, float]:
        """The meet of a turn, by overlay; one that it does not meet is absent.

        Args:
            found: the turn's search terms.
            vector: of the turn, by the embedder `model`.
        """
        if not self.elements:
            return {}
        known = self._by_terms().known(found)
        if vector is not None and self._vectors is not None and self._vectors.model == model:
            rows, cosines = self._vectors.rows, _by_vector(self._vectors, vector)
            calibration = calibration_of(model)
        else:
            rows, cosines = self._by_words(known)
            calibration = WORDS
        near = np.clip((calibration.high - 1.0 + cosines) / (calibration.high - calibration.low), 0.0, 1.0)
        met = meet_scores(self._best(rows, near))
        shares = self._shares(known)
        told = {overlay: score * shares[overlay] for overlay, score in met.items()}
        most = max(told.values(), default=0.0)
        return {overlay: max(met.values()) * each / most for overlay, each in told.items()} if most > 0 else met

    def _shares(self, known: Sequence[int]) -> Mapping[Overlay, float]:
        """How typical a turn's terms are of each overlay, the rare ones of the project counting more."""
        return dict(zip(_ALL, self._by_terms().typical[known].sum(axis=0).tolist(), strict=True))

    def nearest(self, found: Sequence[str], most: int = MEET_NODES) -> list[tuple[ProjectElement, float]]:
        """The elements nearest to a turn by words, with their cosines."""
        rows, cosines = self._by_words(self._by_terms().known(found))
        order = np.lexsort((rows, -np.round(cosines, 6)))[:most]
        return [(self.elements[int(rows[place])], float(cosines[place])) for place in order if cosines[place] > 0]

    def _by_words(self, known: Sequence[int]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """The elements that share a term with a turn, and their cosines with it."""
        words = self._by_terms()
        if not known:
            return np.zeros(0, dtype=np.intp), np.zeros(0)
        spans = [(words.starts[number], words.starts[number + 1]) for number in known]
        rows = np.concatenate([words.rows[start:end] for start, end in spans])
        weights = np.concatenate([words.weights[start:end] for start, end in spans])
        sums: NDArray[np.float64] = np.bincount(rows, weights, minlength=len(self.elements)).astype(
            np.float64, copy=False
        )
        shared = np.flatnonzero(sums)
        return shared, sums[shared] / _size(words.rarity[known].tolist())

    def _by_terms(self) -> _Words:
        """The elements by their terms; made when a turn is compared first. Two threads may both make it, the same."""
        if self._words is None:
            self._words = _words_of(self.elements, self._members)
        return self._words

    def _best(self, rows: NDArray[np.intp], near: NDArray[np.float64]) -> dict[Overlay, list[float]]:
        """The best values of each overlay; 0 for elements that share nothing."""
        above = near > 0
        rows, near = rows[above], near[above]
        best: dict[Overlay, list[float]] = {}
        for overlay, members, fewest in zip(_ALL, self._members, self._fewest, strict=True):
            values = near[members[rows]]
            if len(values) > MEET_NODES:
                values = np.partition(values, len(values) - MEET_NODES)[-MEET_NODES:]
            least = fewest - len(values)
            best[overlay] = [*np.sort(values)[::-1].tolist(), *([0.0] * max(0, least))]
        return best


def _by_vector(vectors: _Vectors, vector: Vector) -> NDArray[np.float64]:
    codes, scales = quantize(np.asarray(vector, dtype=np.float32)[None, :])
    asked, offsets = raised(codes)
    level = float(offsets[0]) + LIFT * LIFT * codes.shape[1]
    dots = np.asarray(simsimd.cdist(vectors.codes, asked, metric="dot")).reshape(-1)
    cosines: NDArray[np.float64] = (dots + vectors.offsets + level) * vectors.scales * float(scales[0])
    return cosines


def _size(weights: Sequence[float]) -> float:
    """Length of a vector of terms, the rarest first; what is missing to `FEWEST_TERMS` is as rare as the first."""
    missing = max(0, FEWEST_TERMS - len(weights)) * (weights[0] ** 2 if weights else 0.0)
    return float(np.sqrt(sum([weight**2 for weight in weights]) + missing))


def _words_of(elements: Sequence[ProjectElement], members: NDArray[np.bool_]) -> _Words:
    terms_by_element = [
        set(terms(f"{element.path.rpartition('.')[0]} {element.name}\n{element.text}")) for element in elements
    ]
    counts = Counter(term for terms_ in terms_by_element for term in terms_)
    most = max(_FEW, COMMON * len(elements))
    rarity = {term: log(1 + len(elements) / count) for term, count in counts.items() if count <= most}
    lists: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for row, each in enumerate(terms_by_element):
        kept = sorted((term for term in each if term in rarity), key=lambda term: (-rarity[term], term))[:NODE_TERMS]
        size = _size([rarity[term] for term in kept])
        for term in kept:
            lists[term].append((row, rarity[term] ** 2 / size))
    ordered = sorted(lists, key=lambda term: (-rarity[term], term))
    starts = [0, *accumulate(len(lists[term]) for term in ordered)]
    rows = np.array([row for term in ordered for row, _ in lists[term]], dtype=np.intp)
    weights = np.array([weight for term in ordered for _, weight in lists[term]])
    rarities = np.array([rarity[term] for term in ordered])
    return _Words(
        numbers={term: number for number, term in enumerate(ordered)},
        rarity=rarities,
        starts=starts,
        rows=rows,
        weights=weights,
        typical=_typical(members, rows, starts) * rarities[:, None],
    )


def _typical(members: NDArray[np.bool_], rows: NDArray[np.intp], starts: Sequence[int]) -> NDArray[np.float64]:
    """By term, for each overlay the share of its elements that have the term, over the highest share."""
    sizes = members.sum(axis=1) + SMOOTHING
    each = np.diff(starts)
    totals = np.vstack([np.zeros(len(members), dtype=np.intp), np.cumsum(members.T[rows], axis=0)])
    usual = SMOOTHING * each / members.shape[1]
    shares = (totals[starts[1:]] - totals[starts[:-1]] + usual[:, None]) / sizes
    typical: NDArray[np.float64] = shares / shares.max(axis=1, keepdims=True, initial=0.0)
    return typical


def _vectors_of(
    elements: Sequence[ProjectElement], model: str | None, vectors: Mapping[str, Vector]
) -> _Vectors | None:
    rows = [row for row, element in enumerate(elements) if element.id in vectors]
    if model is None or not rows:
        return None
    matrix: Matrix = np.stack([vectors[elements[row].id] for row in rows]).astype(np.float32)
    codes, scales = quantize(matrix)
    lifted, offsets = raised(codes)
    return _Vectors(model, np.array(rows, dtype=np.intp), lifted, offsets.astype(np.float64), scales.astype(np.float64))
