"""Query -> ranked turns: gathers the signals' opinions, fuses them, orders the turns.

Borders: reads the index only; turns' words are fetched by the caller. The same for any layout of the index.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, overload

import numpy as np
from numpy.typing import NDArray

from clew.index.view import IndexView
from clew.recall.frame import Frame
from clew.recall.fusion import Fused, Opinion, best, by_rank, by_score
from clew.recall.signals import SIGNALS


@dataclass(frozen=True, slots=True)
class Candidate:
    """One ranked turn, by its position in the view.

    Attributes:
        rank: from 1.
        shares: what each signal added to the score; signals without an opinion are absent.
    """

    position: int
    session: str
    seq: int
    rank: int
    score: float
    shares: dict[str, float]


def opinions(frame: Frame) -> list[Opinion]:
    """Asks every signal whose weight is not 0; those without an opinion are left out."""
    found = []
    for signal in SIGNALS:
        weight = signal.weight(frame.config, frame.with_assistant)
        values = signal.compute(frame) if weight else None
        if values is not None:
            found.append(Opinion(signal.name, values, weight, signal.scale, signal.ranks))
    return found


class Ranking(Sequence[Candidate]):
    """The best turns for a question, best first. A candidate is made when it is asked for: few of many are shown."""

    def __init__(self, frame: Frame, fused: Fused, positions: NDArray[np.int64]) -> None:
        """Takes positions in the order of their ranks."""
        self.frame = frame
        self.positions = positions
        self._fused = fused

    def __len__(self) -> int:
        return len(self.positions)

    @overload
    def __getitem__(self, place: int) -> Candidate: ...
    @overload
    def __getitem__(self, place: slice) -> list[Candidate]: ...
    def __getitem__(self, place: int | slice) -> Candidate | list[Candidate]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        position = int(self.positions[place])
        view = self.frame.view
        shares = ((name, round(float(share[position]), 6)) for name, share in self._fused.shares.items())
        return Candidate(
            position=position,
            session=view.sessions[int(view.turns.session[position])],
            seq=int(view.turns.seq[position]),
            rank=place + 1 if place >= 0 else len(self) + place + 1,
            score=round(float(self._fused.score[position]), 6),
            shares={name: share for name, share in shares if share},
        )

    @property
    def informative(self) -> bool:
        """Whether any turn was found by what the question says, and not by priors alone."""
        asked = [share for name, share in self._fused.shares.items() if name in _ASKED]
        return any(bool((share[self.positions] > 0).any()) for share in asked)

    def without_candidates(self) -> "Ranking":
        """The same question with nothing found."""
        return Ranking(self.frame, self._fused, self.positions[:0])


_ASKED: Final = frozenset({signal.name for signal in SIGNALS if signal.ranks} | {"quote", "time"})


def rank(frame: Frame, *, limit: int, mask: NDArray[np.bool_] | None = None) -> Ranking:
    """The best turns for a question, best first; ties go by session name, then place in it.

    Args:
        limit: how many at most.
        mask: the caller's filter over the view's turns; None means no filter.
    """
    found = opinions(frame) if frame.size else []
    if frame.config.fusion == "rrf":
        fused = by_rank(found, frame.size, frame.config.rrf_k)
    else:
        fused = by_score(found, frame.size)
    turns = frame.view.turns
    return Ranking(frame, fused, best(fused.score, limit, (_name_order(frame.view)[turns.session], turns.seq), mask))


def _name_order(view: IndexView) -> NDArray[np.int64]:
    """Each session code's place in the order of the names."""
    order = np.empty(len(view.sessions), dtype=np.int64)
    order[sorted(range(len(view.sessions)), key=view.sessions.__getitem__)] = np.arange(len(view.sessions))
    return order
