"""One turn in the light of those before it (SIGMA, stages 2 and 3): novelty, overlays, importance, references.

Strictly in sequence within a session; what later turns need of earlier ones is a `Session`, whose size does not grow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from clew.analyze.importance import Profile, Usual, importance, substance, top_overlays
from clew.analyze.novelty import RECENT, WORDS, Calibration, Vector, novelty, vector_cosine, word_cosine, word_counts
from clew.analyze.overlays import Overlay, inherited, keyword_scores, strongest
from clew.text.terms import terms
from clew.types.analysis import TurnAnalysis

SHIFT_NOVELTY: Final = 0.7
REFERENCE_CUE: Final = 4.0
"""Own score in the lineage overlay from which a turn is taken to speak of an earlier one."""
REFERENCE_LIKENESS: Final = 0.2
"""How like an earlier turn must be, by words, to be the one that is spoken of."""
MOST_REFERENCES: Final = 3


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What a later turn is compared with.

    Attributes:
        vector: None when there is no embedder, or it could not do this turn.
        words: terms and their counts.
        own: overlay scores by the turn's own words.
        size: the sum of the counts.
    """

    turn: str
    vector: Vector | None
    words: Mapping[str, int]
    own: Mapping[Overlay, float]
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    """What is kept of a session: its last ten turns, and what turns of each role have been like."""

    recent: tuple[Seen, ...] = ()
    usual: Mapping[str, Usual] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rules:
    """Settings of the analysis.

    Attributes:
        calibration: of distances between the embedder's vectors.
        profile: how importance is computed.
        shift: novelty above which, with `preserve`, a turn is a paradigm shift.
        preserve: importance from which a turn is preserved.
        routine: importance below which it is routine.
    """

    calibration: Calibration
    profile: Profile = "calibrated"
    shift: float = SHIFT_NOVELTY
    preserve: float = 7.0
    routine: float = 3.0


@dataclass(frozen=True, slots=True)
class Told:
    """A turn as it is analysed.

    Attributes:
        found: its search terms, as `clew.text.terms.terms` gives them; None computes them.
        answers: id of the turn that it answers, when that is known and not simply the one before.
        meet: overlay scores by a project lattice; None when there is none.
    """

    turn: str
    role: str
    text: str
    vector: Vector | None = None
    found: Sequence[str] | None = None
    answers: str | None = None
    meet: Mapping[Overlay, float] | None = None


def analyze_turn(told: Told, session: Session, rules: Rules) -> tuple[TurnAnalysis, Session]:
    """What a turn is beside the session so far, and the session with it. Total for any text."""
    now = look(told)
    new = _novelty(now, session.recent, rules.calibration)
    scores = strongest(now.own, inherited([seen.own for seen in session.recent]), told.meet or {})
    usual = session.usual.get(told.role, Usual())
    top, content = top_overlays(scores), substance(now.words)
    matters = importance(new, top, content, usual, rules.profile)
    analysis = TurnAnalysis(
        turn=told.turn,
        novelty=new,
        overlays={overlay.value: score for overlay, score in scores.items()},
        importance=matters,
        paradigm_shift=new > rules.shift and matters >= rules.preserve,
        preserved=matters >= rules.preserve,
        routine=matters < rules.routine,
        references=_references(told, now, session.recent),
    )
    recent = (*session.recent, now)[-RECENT:]
    usual_now = {**session.usual, told.role: usual.after(new, top, content)}
    return analysis, replace(session, recent=recent, usual=usual_now)


def look(told: Told) -> Seen:
    """What later turns need of a turn; it depends on nothing before it."""
    found = terms(told.text) if told.found is None else told.found
    return Seen(told.turn, told.vector, word_counts(found), keyword_scores(told.text, found), len(found))


def _novelty(now: Seen, recent: Sequence[Seen], calibration: Calibration) -> float:
    """By vectors where this turn and earlier ones have them, else by words; 0.5 for a turn without either."""
    if now.vector is not None:
        held = [seen.vector for seen in recent if seen.vector is not None]
        if held or not recent:
            return novelty([vector_cosine(now.vector, each) for each in held], calibration)
    if not now.words:
        return novelty(())
    words, size = now.words, now.size
    return novelty([word_cosine(words, seen.words, (size, seen.size)) for seen in recent if seen.words], WORDS)


def _references(told: Told, now: Seen, recent: Sequence[Seen]) -> tuple[str, ...]:
    """The turn that is answered, and recent ones that a turn which speaks of earlier things is most like."""
    chosen = [told.answers] if told.answers else []
    if now.own.get(Overlay.LINEAGE, 0.0) >= REFERENCE_CUE:
        likeness = [(word_cosine(now.words, seen.words), place) for place, seen in enumerate(recent)]
        likeness.sort(key=lambda each: (-each[0], -each[1]))
        chosen += [recent[place].turn for value, place in likeness[:MOST_REFERENCES] if value >= REFERENCE_LIKENESS]
    return tuple(dict.fromkeys(chosen))
