"""Analyse one turn against the turns before it (SIGMA, stages 2 and 3): novelty, overlays, importance, references.

The turns of a session are analysed strictly in order. `SessionHistory` carries what later turns need to know about
earlier ones; its size is bounded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from clew.analyze.importance import (
    HIGH,
    ImportanceSpread,
    Profile,
    RoleBaseline,
    importance,
    substance,
    top_overlays,
)
from clew.analyze.novelty import RECENT, WORDS, Calibration, Vector, novelty, vector_cosine, word_cosine, word_counts
from clew.analyze.overlays import Overlay, inherited, keyword_scores, strongest
from clew.text.terms import terms
from clew.types.analysis import TurnAnalysis
from clew.types.record import copier

SHIFT_NOVELTY: Final = 0.7
SHIFT_SHARE: Final = 0.07
"""Share of a session's turns that the adaptive threshold of shifts aims at: within 2 to 15 %."""
SHIFT_GAIN: Final = 0.6
"""How fast the threshold moves. From 0.4 to 0.8 on, every conversation we measured stays within 2 to 15 %."""
SHIFT_STEP: Final = 0.5
"""Share of the way from a threshold to the end of its scale by which one unit of the margin moves it."""
SHIFT_RANGE: Final[tuple[float, ...]] = (-1.2, 1.5)
"""Least and greatest margin: by default a shift needs at least a novelty of 0.52 and an importance of 5.2."""
REFERENCE_CUE: Final = 4.0
"""Own score in the lineage overlay from which a turn is assumed to refer to an earlier one."""
REFERENCE_LIKENESS: Final = 0.2
"""Word cosine from which an earlier turn counts as the one referred to."""
MOST_REFERENCES: Final = 3


@dataclass(frozen=True, slots=True, eq=False)
class SeenTurn:
    """An analysed turn, as later turns are compared with it.

    Attributes:
        vector: None when there is no embedder, or when it failed on this turn.
        words: terms and their counts.
        own: overlay scores from the turn's own words.
        size: the sum of the counts in `words`.
    """

    turn: str
    vector: Vector | None
    words: Mapping[str, int]
    own: Mapping[Overlay, float]
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class SessionHistory:
    """What is kept of a session.

    Attributes:
        recent: its last ten turns.
        usual: a baseline for each role.
        margin: how far the thresholds of a shift have moved from those of `Rules`, in `SHIFT_STEP`.
        spread: of the importance of all its turns.
    """

    recent: tuple[SeenTurn, ...] = ()
    usual: Mapping[str, RoleBaseline] = field(default_factory=dict)
    margin: float = 0.0
    spread: ImportanceSpread = field(default_factory=ImportanceSpread)


@dataclass(frozen=True, slots=True)
class Rules:
    """Settings of the analysis.

    Attributes:
        calibration: of distances between the embedder's vectors.
        profile: how importance is computed.
        shift: novelty above which, with `preserve`, a turn is a paradigm shift. In the calibrated profile both
            thresholds adapt to the session from there on (`SessionHistory.margin` and `spread`).
        preserve: importance from which a turn is preserved.
        routine: importance below which it is routine.
    """

    calibration: Calibration
    profile: Profile = "calibrated"
    shift: float = SHIFT_NOVELTY
    preserve: float = 7.0
    routine: float = 3.0


@dataclass(frozen=True, slots=True)
class TurnInput:
    """A turn to be analysed.

    Attributes:
        found: its search terms, as `clew.text.terms.terms` gives them; None computes them here.
        answers: id of the turn it answers, when known and not simply the previous turn.
        meet: overlay scores from a project lattice; None without one.
    """

    turn: str
    role: str
    text: str
    vector: Vector | None = None
    found: Sequence[str] | None = None
    answers: str | None = None
    meet: Mapping[Overlay, float] | None = None


with_tags: Final = copier(TurnAnalysis, "tags")
"""An analysis with these tags; `dataclasses.replace` takes twice as long."""


def analyze_turn(
    turn: TurnInput, session: SessionHistory, rules: Rules, seen: SeenTurn | None = None
) -> tuple[TurnAnalysis, SessionHistory]:
    """The analysis of a turn given the session so far, and the history including that turn. Accepts any text.

    Args:
        seen: what `as_seen` gives for the turn; None computes it here.
    """
    now = seen or as_seen(turn)
    new = _novelty(now, session.recent, rules.calibration)
    own = strongest(now.own, inherited([seen.own for seen in session.recent]))
    scores = strongest(own, turn.meet) if turn.meet else own
    usual = session.usual.get(turn.role, RoleBaseline())
    top, content = top_overlays(scores), substance(now.words)
    matters = importance(new, top, content, usual, rules.profile)
    margin = session.margin
    adapts = rules.profile == "calibrated"
    needed = _needed(rules.preserve, margin, session.spread) if adapts else rules.preserve
    is_shift = new > _moved(rules.shift, 1.0, margin) and matters >= needed
    analysis = TurnAnalysis(
        turn=turn.turn,
        novelty=new,
        overlays={overlay.value: score for overlay, score in scores.items()},
        importance=matters,
        paradigm_shift=is_shift,
        preserved=is_shift or matters >= rules.preserve,
        routine=matters < rules.routine,
        references=_references(turn, now, session.recent),
        meet={overlay.value: score for overlay, score in (turn.meet or {}).items()},
        unmet={overlay.value: score for overlay, score in unmet(own, turn.meet or {}).items()},
    )
    recent = (*session.recent, now)[-RECENT:]
    usual_now = {**session.usual, turn.role: usual.after(new, top, content)}
    if adapts:
        margin = _next_margin(margin, is_shift=is_shift)
    return analysis, SessionHistory(recent, usual_now, margin, session.spread.after(matters))


def unmet(own: Mapping[Overlay, float], meet: Mapping[Overlay, float]) -> dict[Overlay, float]:
    """What the overlays that a meet raises score without it."""
    return {overlay: own.get(overlay, 0.0) for overlay, score in meet.items() if score > own.get(overlay, 0.0)}


def _moved(threshold: float, end: float, margin: float) -> float:
    """A threshold moved by the margin; one at the end of its scale stays there."""
    return threshold + margin * SHIFT_STEP * (end - threshold)


def _needed(preserve: float, margin: float, spread: ImportanceSpread) -> float:
    """The importance that a shift needs, as far above the session's own mean as `preserve`, moved, is above the usual.

    Where all turns are of like length, as in a short chat, importance hardly leaves the middle of its scale, and the
    margin alone would need more turns than there are to come down to what is important there.
    """
    least, most = _needed_range(preserve)
    return min(most, max(least, spread.placed(_moved(preserve, HIGH, margin))))


@lru_cache(maxsize=8)
def _needed_range(preserve: float) -> tuple[float, float]:
    """The least and the most importance that any shift needs."""
    low, high = SHIFT_RANGE
    return _moved(preserve, HIGH, low), _moved(preserve, HIGH, high)


def _next_margin(margin: float, *, is_shift: bool) -> float:
    """The threshold for the next turn: up after a shift, down a little after any other turn.

    This is stochastic approximation of the quantile that `SHIFT_SHARE` of the turns exceed (Robbins and Monro, 1951).
    The result depends on the turns before in their order, and on nothing else.
    """
    low, high = SHIFT_RANGE
    return round(min(high, max(low, margin + SHIFT_GAIN * (is_shift - SHIFT_SHARE))), 6)


def as_seen(turn: TurnInput) -> SeenTurn:
    """The part of a turn's analysis that later turns need and that depends on no earlier turn."""
    found = terms(turn.text) if turn.found is None else turn.found
    return SeenTurn(turn.turn, turn.vector, word_counts(found), keyword_scores(turn.text, found), len(found))


def _novelty(now: SeenTurn, recent: Sequence[SeenTurn], calibration: Calibration) -> float:
    """Novelty by vectors where this and earlier turns have them, else by words; 0.5 for a turn with neither."""
    if now.vector is not None:
        vectors = [seen.vector for seen in recent if seen.vector is not None]
        if vectors or not recent:
            return novelty([vector_cosine(now.vector, vector) for vector in vectors], calibration)
    if not now.words:
        return novelty(())
    words, size = now.words, now.size
    return novelty([word_cosine(words, seen.words, (size, seen.size)) for seen in recent if seen.words], WORDS)


def _references(turn: TurnInput, now: SeenTurn, recent: Sequence[SeenTurn]) -> tuple[str, ...]:
    """The turn being answered and, when the text refers back, the most similar recent turns."""
    chosen = [turn.answers] if turn.answers else []
    if now.own.get(Overlay.LINEAGE, 0.0) >= REFERENCE_CUE:
        likeness = [(word_cosine(now.words, seen.words), place) for place, seen in enumerate(recent)]
        likeness.sort(key=lambda each: (-each[0], -each[1]))
        chosen += [recent[place].turn for value, place in likeness[:MOST_REFERENCES] if value >= REFERENCE_LIKENESS]
    return tuple(dict.fromkeys(chosen))
