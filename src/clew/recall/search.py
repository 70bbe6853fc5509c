"""Query -> ranked turns: gathers the signals' opinions, fuses them, orders the turns.

Borders: reads the index only; turns' words are fetched by the caller. The same for any layout of the index.
"""

from collections.abc import Sequence
from dataclasses import dataclass

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


def rank(frame: Frame, *, limit: int, mask: NDArray[np.bool_] | None = None) -> list[Candidate]:
    """The best turns for a question, best first; ties go by session name, then place in it.

    Args:
        limit: how many at most.
        mask: the caller's filter over the view's turns; None means no filter.
    """
    if not frame.size or limit <= 0:
        return []
    found = opinions(frame)
    if frame.config.fusion == "rrf":
        fused = by_rank(found, frame.size, frame.config.rrf_k)
    else:
        fused = by_score(found, frame.size)
    turns = frame.view.turns
    tie = (_name_order(frame.view)[turns.session], turns.seq.astype(np.int64))
    positions = best(fused.score, limit, tie, mask)
    return [_candidate(frame, fused, position, place) for place, position in enumerate(positions, start=1)]


def _name_order(view: IndexView) -> NDArray[np.int64]:
    """Each session code's place in the order of the names."""
    order = np.empty(len(view.sessions), dtype=np.int64)
    order[sorted(range(len(view.sessions)), key=view.sessions.__getitem__)] = np.arange(len(view.sessions))
    return order


def _candidate(frame: Frame, fused: Fused, position: int, place: int) -> Candidate:
    turns = frame.view.turns
    return Candidate(
        position=position,
        session=frame.view.sessions[int(turns.session[position])],
        seq=int(turns.seq[position]),
        rank=place,
        score=round(float(fused.score[position]), 6),
        shares={name: round(float(share[position]), 6) for name, share in fused.shares.items() if share[position]},
    )


def informative(candidates: Sequence[Candidate]) -> bool:
    """Whether any candidate was found by what the question says, and not by priors alone."""
    asked = {signal.name for signal in SIGNALS if signal.ranks} | {"quote", "time"}
    return any(share > 0 for candidate in candidates for name, share in candidate.shares.items() if name in asked)
