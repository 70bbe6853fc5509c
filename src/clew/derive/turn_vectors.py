"""Reads the vectors of turns for stages that go through turns in order, and tells up to where vectors exist."""

from collections.abc import Mapping, Sequence

import numpy as np

from clew.analyze.novelty import Vector
from clew.index.vectors import has_vector, vectors_at
from clew.index.view import IndexView
from clew.store.row_types import TurnRow


def last_ordinal(view: IndexView) -> int:
    """The ordinal of the newest turn; -1 where there is none."""
    return int(view.turns.ordinal[-1]) if len(view.turns.ordinal) else -1


def ready_to(view: IndexView, model: str | None, aside: frozenset[int]) -> int:
    """The ordinal below which every turn has its vector, or will never have one."""
    if model is None:
        return last_ordinal(view) + 1
    lacking = view.turns.ordinal[~has_vector(view, model) & (view.turns.chars > 0)]
    return next((int(ordinal) for ordinal in lacking if int(ordinal) not in aside), last_ordinal(view) + 1)


def stored_vectors(view: IndexView, model: str | None, rows: Sequence[TurnRow]) -> Mapping[int, Vector]:
    """The vectors of turns, by ordinal."""
    if model is None or not rows:
        return {}
    ordinals = np.array([row.ordinal for row in rows])
    places = np.searchsorted(view.turns.ordinal, ordinals)
    known = {int(place): int(ordinal) for place, ordinal in zip(places, ordinals, strict=True)}
    return {known[place]: vector for place, vector in vectors_at(view, model, known).items()}
