"""How far the labels of a question and of turns agree, and how general a turn's labels are. Pure.

A layer above keeps the labels and hands them in as columns (`LabelLookup`), only where their weight is not 0.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.index.bm25 import idf
from clew.index.view import IndexView
from clew.rank.intent import Intent

Values = NDArray[np.float64]
EmbeddedQuestion = tuple[str, NDArray[np.float32]]
"""The name of an embedding model, and the question's vector by it."""

_NONE: Final[Mapping[str, float]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class TagColumns:
    """The tags of turns, one row a turn, in the order of a view.

    Attributes:
        groups: number of the label of each tag, from 0, the same for its spellings and aliases; -1 for no tag.
        weights: weight of each tag, 0 to 1.
        known: whether the turn is analysed, so that the absence of a tag means something.
    """

    groups: NDArray[np.int32]
    weights: Values
    known: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class QuestionLabels:
    """The labels of one question compared with those of the turns.

    Attributes:
        asked: the question's labels that some turn has, each with its share of the greatest possible value; sorted.
        skipped: labels of the question that are passed over because the turns on the caller's screen have them; sorted.
        values: agreement of each turn's labels with the question's, 0 to 1; NaN for a turn that is not analysed. None
            when no turn has a label of the question.
        hubs: generality of each turn's labels, 0 to 1, and 0 for a turn that is not analysed; None unless requested.
    """

    asked: Mapping[str, float] = field(default_factory=lambda: _NONE)
    skipped: tuple[str, ...] = ()
    values: Values | None = None
    hubs: Values | None = None


NO_LABELS: Final = QuestionLabels()


class LabelLookup(Protocol):
    """Looks up the labels of a question and of the turns of a view."""

    def __call__(
        self,
        view: IndexView,
        intent: Intent,
        vector: EmbeddedQuestion | None,
        shown: Collection[tuple[str, int]],
        *,
        hubs: bool,
    ) -> QuestionLabels:
        """Compares the labels of a question with those of a view's turns.

        Args:
            view: not older than any open snapshot of this thread.
            vector: the question's vector by the serving model; None without one.
            shown: turns on the caller's screen, by session and seq.
            hubs: also compute the generality of the turns' labels.
        """
        ...


def overlap(
    tags: TagColumns, asked: Sequence[tuple[int, float]], given: Sequence[tuple[int, int, float]] = ()
) -> tuple[Values | None, list[float]]:
    """The weighted share of a question's labels that each turn has, rare labels counting more.

    A label counts by its weight in the question, its inverse document frequency (the formula of BM25) and its weight in
    the turn; the sum is divided by that of a turn with all labels at weight 1. Labels that no turn has are left out of
    both sums (Virtual Context, "IDF tag overlap").

    Args:
        asked: number and weight of each label of the question, each label once.
        given: further tags as (position of the turn, index of the label in `asked`, weight).

    Returns:
        One value per turn, 0 to 1, NaN for a turn that is neither analysed nor in `given`; None when no turn has such a
        label. And each label's share of the whole, in the order of `asked`.
    """
    place_of = np.full(max((number for number, _ in asked), default=-1) + 2, -1, dtype=np.int64)
    for place, (number, _) in enumerate(asked):
        place_of[number] = place
    hit = place_of[np.clip(tags.groups.ravel(), -1, len(place_of) - 1)]
    matching = np.flatnonzero(hit >= 0)
    at = matching // max(tags.groups.shape[1], 1)
    owners = np.concatenate((at, np.array([tag[0] for tag in given], dtype=np.int64)))
    labels = np.concatenate((hit[matching], np.array([tag[1] for tag in given], dtype=np.int64)))
    weights = np.concatenate((tags.weights.ravel()[matching], np.array([tag[2] for tag in given], dtype=np.float64)))
    if not len(owners):
        return None, [0.0] * len(asked)
    turns, rows = np.unique(owners, return_inverse=True)
    best = np.zeros((len(turns), len(asked)))
    np.maximum.at(best, (rows, labels), weights)
    counts: list[int] = np.count_nonzero(best, axis=0).tolist()
    size = len(tags.known)
    pairs = zip(asked, counts, strict=True)
    worth: list[float] = [weight * idf(max(size, count), count) if count else 0.0 for (_, weight), count in pairs]
    whole = sum(worth, 0.0)
    if whole <= 0.0:
        return None, worth
    summed = np.zeros(len(turns))
    for place, label_worth in enumerate(worth):  # in a fixed order, so that it is the same sum everywhere
        summed += best[:, place] * label_worth
    values = np.where(tags.known, 0.0, np.nan)
    values[turns] = summed / whole
    return values, [label_worth / whole for label_worth in worth]


def generality(tags: TagColumns) -> Values:
    """How likely a turn's labels match any question: 1 - product(1 - weight * share of the turns that have the label).

    The space's own turns stand for the questions that may be asked, since people ask about what was talked about. 0 for
    a turn without tags, and for a turn that is not analysed.
    """
    groups, known = tags.groups, int(np.count_nonzero(tags.known))
    counts = np.bincount(groups[groups >= 0], minlength=1)
    shares = np.append(np.minimum(counts / max(known, 1), 1.0), 0.0)  # the last one is that of no tag
    left = np.ones(len(groups))
    for column in range(groups.shape[1]):
        left *= 1.0 - tags.weights[:, column] * shares[groups[:, column]]
    return 1.0 - left
