"""The meet of a turn with a project (SIGMA): how near the turn is to each overlay's elements, 0 to 10.

For each overlay, the mean of the three best cosines between the turn and the elements that are active in it. By vectors
where turn and elements have some of one model, else by words: the terms of a turn against those of an element, rare
ones of the project counting more. The calibration of each way of comparing (`clew.analyze.novelty`) maps cosines to a
scale on which unrelated texts have 0.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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
"""An element or turn of fewer terms is compared as if it had so many rare ones: one shared word is no meeting.

Over 13,000 elements of Clew's sources, a meet of 5 or more is reached by 89 % of the entries of its changelog, 3 % of
the turns of a chat between friends and 2 % of those with an assistant; with 5 terms by 93, 29 and 5 %.
"""

TURN_TERMS: Final = 48
"""Terms of a turn that count, the rarest of the project: a long turn is about more than any element."""

COMMON: Final = 0.1
"""Share of the elements from which on a term says nothing: it is in all of them."""

_FEW: Final = 8.0  # elements in which a term may be in any project
_ALL: Final = tuple(Overlay)


@dataclass(frozen=True, slots=True)
class _Words:
    """The elements by the terms that they have.

    Attributes:
        postings: term -> elements, and the weight of the term in each.
        rarity: weight of a term in a turn.
    """

    postings: Mapping[str, tuple[NDArray[np.int32], NDArray[np.float64]]]
    rarity: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _Vectors:
    """The vectors of the elements of one model, as `clew.index.vectors` compares them."""

    model: str
    rows: NDArray[np.int32]
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
        kept = [each for each in scored if any(score >= ACTIVE for score in each.scores.values())]
        self.digest = digest
        self.elements: tuple[ProjectElement, ...] = tuple(each.element for each in kept)
        self._members = np.array(
            [[each.scores.get(overlay.value, 0.0) >= ACTIVE for each in kept] for overlay in _ALL], dtype=np.bool_
        ).reshape(len(_ALL), len(kept))
        self._words = _words_of(self.elements)
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
        if vector is not None and self._vectors is not None and self._vectors.model == model:
            rows, cosines = self._vectors.rows, _by_vector(self._vectors, vector)
            calibration = calibration_of(model)
        else:
            rows, cosines = self._by_words(found)
            calibration = WORDS
        near = np.clip((calibration.high - 1.0 + cosines) / (calibration.high - calibration.low), 0.0, 1.0)
        return meet_scores(self._best(rows, near))

    def nearest(self, found: Sequence[str], most: int = MEET_NODES) -> list[tuple[ProjectElement, float]]:
        """The elements nearest to a turn by words, with their cosines."""
        rows, cosines = self._by_words(found)
        order = np.lexsort((rows, -np.round(cosines, 6)))[:most]
        return [(self.elements[int(rows[place])], float(cosines[place])) for place in order if cosines[place] > 0]

    def _by_words(self, found: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The elements that share a term with a turn, and their cosines with it."""
        rarity = self._words.rarity
        known = sorted((term for term in set(found) if term in rarity), key=lambda term: (-rarity[term], term))
        known = known[:TURN_TERMS]
        if not known:
            return np.zeros(0, dtype=np.int32), np.zeros(0)
        size = _size([rarity[term] for term in known])
        postings = [self._words.postings[term] for term in known]
        rows = np.concatenate([each for each, _ in postings])
        weights = np.concatenate(
            [each * (rarity[term] / size) for term, (_, each) in zip(known, postings, strict=True)]
        )
        sums: NDArray[np.float64] = np.bincount(rows, weights, minlength=len(self.elements)).astype(np.float64)
        shared = np.flatnonzero(sums).astype(np.int32)
        return shared, sums[shared]

    def _best(self, rows: NDArray[np.int32], near: NDArray[np.float64]) -> dict[Overlay, list[float]]:
        """The best values of each overlay; 0 for elements that share nothing."""
        best: dict[Overlay, list[float]] = {}
        above = near > 0
        rows, near = rows[above], near[above]
        for overlay, members in zip(_ALL, self._members, strict=True):
            count = int(members.sum())
            values = near[members[rows]]
            if len(values) > MEET_NODES:
                values = np.partition(values, len(values) - MEET_NODES)[-MEET_NODES:]
            least = min(count, MEET_NODES) - len(values)
            best[overlay] = [*np.sort(values)[::-1].tolist(), *([0.0] * max(0, least))]
        return best


def _by_vector(held: _Vectors, vector: Vector) -> NDArray[np.float64]:
    codes, scales = quantize(np.asarray(vector, dtype=np.float32)[None, :])
    asked, offsets = raised(codes)
    level = float(offsets[0]) + LIFT * LIFT * codes.shape[1]
    dots = np.asarray(simsimd.cdist(held.codes, asked, metric="dot")).reshape(-1)
    cosines: NDArray[np.float64] = (dots + held.offsets + level) * held.scales * float(scales[0])
    return cosines


def _size(weights: Sequence[float]) -> float:
    """Length of a vector of terms, the rarest first; what is missing to `FEWEST_TERMS` is as rare as the first."""
    missing = max(0, FEWEST_TERMS - len(weights)) * (weights[0] ** 2 if weights else 0.0)
    return float(np.sqrt(sum([weight**2 for weight in weights]) + missing))


def _words_of(elements: Sequence[ProjectElement]) -> _Words:
    held = [set(terms(f"{element.path.rpartition('.')[0]} {element.name}\n{element.text}")) for element in elements]
    counts = Counter(term for each in held for term in each)
    most = max(_FEW, COMMON * len(elements))
    rarity = {term: log(1 + len(elements) / count) for term, count in counts.items() if count <= most}
    lists: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for row, each in enumerate(held):
        kept = sorted((term for term in each if term in rarity), key=lambda term: (-rarity[term], term))[:NODE_TERMS]
        size = _size([rarity[term] for term in kept])
        for term in kept:
            lists[term].append((row, rarity[term] / size))
    return _Words(
        {
            term: (np.array([row for row, _ in some], dtype=np.int32), np.array([weight for _, weight in some]))
            for term, some in lists.items()
        },
        {term: rarity[term] for term in lists},
    )


def _vectors_of(
    elements: Sequence[ProjectElement], model: str | None, vectors: Mapping[str, Vector]
) -> _Vectors | None:
    rows = [row for row, element in enumerate(elements) if element.id in vectors]
    if model is None or not rows:
        return None
    matrix: Matrix = np.stack([vectors[elements[row].id] for row in rows]).astype(np.float32)
    codes, scales = quantize(matrix)
    lifted, offsets = raised(codes)
    return _Vectors(
        model, np.array(rows, dtype=np.int32), lifted, offsets.astype(np.float64), scales.astype(np.float64)
    )
