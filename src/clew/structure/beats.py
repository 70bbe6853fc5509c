"""Turns -> beats (topic segments), one turn at a time: a beat ends where its topic does.

The HSCA rule (weighted mean coherence of at least 0.72, or 20 chunks) says when a beat is *mature*; `boundary` decides
where it ends. Taken alone, the rule makes a beat of every fluent turn and none of small talk. A mature beat needs less
evidence to end than an immature one.

When a beat ends, it is examined once more as a whole and divided where its subjects changed (`subjects`), because slow
changes show only over many turns. In a meeting of many speakers single gaps say little, so the open beat is examined
every few turns and divided where words and speakers changed over minutes (`meetings`).

`advance` is a pure step: state and turn in, state and closed beats out. The state is small and has a wire form, the
cost of a step does not grow with the conversation, and the result does not depend on how the turns are batched. A gap
is judged once the turn after the next has arrived, so the newest turn is always pending.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Final, Literal

from clew.errors import InputError
from clew.structure.boundary import BEFORE, SIMILARITY, evidence, gap_at
from clew.structure.density import COHERENCE_THRESHOLD, MAX_CHUNKS
from clew.structure.features import TurnFeatures
from clew.structure.meetings import (
    EVERY,
    MeetingWeights,
    OpenMeeting,
    best_division,
    complete_gaps,
    contrasts,
    division,
)
from clew.structure.subjects import parts
from clew.types.record import Record, maker

Reason = Literal["topic", "gap", "forced", "end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BeatRule(Record):
    """The thresholds at which a beat ends. The defaults were measured (docs/structure.md).

    Attributes:
        maturity: weighted mean coherence from which a beat is mature, 0..1.
        evidence: logits of evidence for a boundary above which a mature beat ends.
        immature: additional logits that an immature beat needs.
        gap_minutes: a longer silence ends every beat.
        max_turns: a beat of this many turns ends, `forced`.
        meeting_turns: as `max_turns`, in a meeting, where topics last for hundreds of turns.
        meeting: weights of what speaks for a boundary in a meeting.
        similarity_mean, similarity_spread: mean and standard deviation of the embedder's cosines between neighbouring
            turns (`boundary.calibrate`).
    """

    maturity: float = COHERENCE_THRESHOLD
    evidence: float = 0.0
    immature: float = 0.2
    gap_minutes: float = 30.0
    max_turns: int = MAX_CHUNKS
    meeting_turns: int = 1_000
    meeting: MeetingWeights = field(default_factory=MeetingWeights)
    similarity_mean: float = SIMILARITY[0]
    similarity_spread: float = SIMILARITY[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBeat(Record):
    """The state of the segmentation of one session.

    Attributes:
        turns: the turns of the open beat, in order, without the pending one; without the terms of nameless speakers.
        weight, coherence: sums over these turns of layer 1, and of coherence times layer 1.
        recent: the last turns before the pending one, at most `boundary.BEFORE`, in whichever beat they are.
        pending: the newest turn, for which it is undecided whether it begins a beat; None before the second turn.
        heard: terms of the meeting before the open beat (`meetings`); None when this is not a meeting.
        contrasts: those of the open beat's first gaps when it was last examined, in a meeting.
    """

    turns: tuple[TurnFeatures, ...] = ()
    weight: float = 0.0
    coherence: float = 0.0
    recent: tuple[TurnFeatures, ...] = ()
    pending: TurnFeatures | None = None
    heard: int | None = None
    contrasts: tuple[float, ...] = ()

    @property
    def seqs(self) -> tuple[int, ...]:
        """The seqs of the turns of the open beat."""
        return tuple(turn.seq for turn in self.turns)


@dataclass(frozen=True, slots=True)
class Beat(Record):
    """A closed beat.

    Attributes:
        seqs: the seqs of its turns, in order; at least one.
        reason: why it ended: a `topic` boundary, a `gap` in time, the number of turns (`forced`), the `end` of the
            session.
    """

    seqs: tuple[int, ...]
    reason: Reason

    @property
    def low(self) -> int:
        """The seq of its first turn."""
        return self.seqs[0]

    @property
    def high(self) -> int:
        """The seq of its last turn."""
        return self.seqs[-1]

    @property
    def forced(self) -> bool:
        """Whether the number of turns ended it."""
        return self.reason == "forced"


@dataclass(frozen=True, slots=True)
class Advance:
    """The result of one step: the new state, and the beats that closed, in order."""

    state: OpenBeat
    closed: tuple[Beat, ...]


MEETING_SPEAKERS: Final = 4
"""Named speakers in the open beat from which the talk counts as a meeting, until a silence ends it."""

DEFAULT: Final = BeatRule()

# Several of each are made for every turn.
_features: Final = maker(TurnFeatures)
_open: Final = maker(OpenBeat)


def advance(state: OpenBeat, turn: TurnFeatures, rule: BeatRule = DEFAULT) -> Advance:
    """Take the next turn of a session.

    Raises:
        InputError: the turn's seq is not above that of the turn before it.
    """
    newest = state.pending.seq if state.pending is not None else state.seqs[-1] if state.seqs else None
    if newest is not None and turn.seq <= newest:
        raise InputError(f"turn {turn.seq} came after turn {newest}; give the turns of a session in their order")
    if state.pending is None:
        return Advance(_join(state, turn) if not state.turns else replace(state, pending=turn), ())
    moved, closed = _settle(state, state.pending, (state.pending, turn), rule)
    return Advance(
        _open(moved.turns, moved.weight, moved.coherence, moved.recent, turn, moved.heard, moved.contrasts), closed
    )


def finish(state: OpenBeat, rule: BeatRule = DEFAULT) -> tuple[Beat, ...]:
    """The beats still open when a session ends; the pending turn is judged without a turn after it."""
    if state.pending is None:
        return _closed(state, "end", rule)
    moved, closed = _settle(state, state.pending, (state.pending,), rule)
    return (*closed, *_closed(moved, "end", rule))


def reopen(before: Sequence[TurnFeatures], since: Sequence[TurnFeatures], heard: int | None = None) -> OpenBeat:
    """Rebuild the state from stored turns when the state itself was not kept.

    Args:
        before: the turns before the open beat, in order; only the last `boundary.BEFORE` matter.
        since: the turns since the last closed beat, the pending one included, in order.
        heard: that of the state.
    """
    state = OpenBeat(recent=tuple(before[-BEFORE:]), heard=heard)
    for turn in since[:1] if len(since) == 1 else since[:-1]:
        state = _join(state, turn)
    state = _examined(state)
    return state if len(since) < 2 else replace(state, pending=since[-1])


def segment(turns: Sequence[TurnFeatures], rule: BeatRule = DEFAULT) -> tuple[Beat, ...]:
    """All beats of a finished session."""
    state = OpenBeat()
    beats: list[Beat] = []
    for turn in turns:
        step = advance(state, turn, rule)
        state = step.state
        beats += step.closed
    return (*beats, *finish(state, rule))


def is_mature(state: OpenBeat, rule: BeatRule = DEFAULT) -> bool:
    """Whether the HSCA rule holds for the open beat; False when all weights are 0."""
    return state.weight > 0.0 and state.coherence / state.weight >= rule.maturity


def is_meeting(state: OpenBeat) -> bool:
    """Whether `MEETING_SPEAKERS` named speakers took part since the open beat began, or earlier in the meeting."""
    if state.heard is not None:
        return True
    return len({turn.speaker for turn in (*state.turns, *state.recent)} - {0}) >= MEETING_SPEAKERS


def judge(state: OpenBeat, after: Sequence[TurnFeatures], rule: BeatRule = DEFAULT) -> Reason | None:
    """Why the open beat ends before `after`, or None when it continues."""
    if _silence(state.recent[-1], after[0]) > timedelta(minutes=rule.gap_minutes):
        return "gap"
    if is_meeting(state):
        return None
    gap = gap_at(state.recent, after, len(state.turns))
    needed = rule.evidence + (0.0 if is_mature(state, rule) else rule.immature)
    if evidence(gap, (rule.similarity_mean, rule.similarity_spread)) > needed:
        return "topic"
    return "forced" if len(state.turns) >= rule.max_turns else None


def _settle(
    state: OpenBeat, pending: TurnFeatures, after: Sequence[TurnFeatures], rule: BeatRule
) -> tuple[OpenBeat, tuple[Beat, ...]]:
    """Put the pending turn into the open beat or at the head of a new one."""
    reason = judge(state, after, rule)
    if reason is not None:
        beats = _closed(state, reason, rule)
        if reason == "forced" and len(beats) > 1:
            done = len(state.turns) - len(beats[-1].seqs)
            return _join(_after(state, done), pending), beats[:-1]
        return _join(OpenBeat(recent=state.recent), pending), beats
    if not is_meeting(state):
        return _join(state, pending), ()
    joined = _join(state, pending)
    return _divided(joined if joined.heard is not None else replace(joined, heard=0), rule)


def _divided(state: OpenBeat, rule: BeatRule) -> tuple[OpenBeat, tuple[Beat, ...]]:
    """The open beat of a meeting, examined from time to time; what is before a change of topic becomes a beat."""
    count = len(state.turns)
    full = count >= rule.meeting_turns
    if count % EVERY and not full:
        return state, ()
    state = _examined(state)
    beat = _as_meeting(state)
    place = division(beat, rule.meeting)
    if place is None and not full:
        return state, ()
    reason: Reason = "forced" if place is None else "topic"
    place = best_division(beat, rule.meeting) if place is None else place
    return _examined(_after(state, place)), (Beat(state.seqs[:place], reason),)


def _examined(state: OpenBeat) -> OpenBeat:
    """The state with the contrasts that were known when the number of turns was last one at which they are examined."""
    turns = state.turns[: len(state.turns) // EVERY * EVERY]
    if state.heard is None or not turns:
        return state
    return replace(state, contrasts=contrasts(turns, state.contrasts, complete_gaps(turns)))


def _after(state: OpenBeat, place: int) -> OpenBeat:
    """The state when the open beat begins at one of its turns."""
    heard = None if state.heard is None else state.heard + sum(len(turn.terms) for turn in state.turns[:place])
    rest = OpenBeat(recent=state.recent, heard=heard)
    for turn in state.turns[place:]:
        rest = _join(rest, turn)
    return replace(rest, recent=state.recent, pending=state.pending)


def _as_meeting(state: OpenBeat, *, ended: bool = False) -> OpenMeeting:
    return OpenMeeting([len(turn.terms) for turn in state.turns], state.contrasts, state.heard or 0, ended)


def _closed(state: OpenBeat, reason: Reason, rule: BeatRule) -> tuple[Beat, ...]:
    """The open beat, closed: one beat, or several where its subjects changed. `reason` is that of the last one."""
    if not state.turns:
        return ()
    if state.heard is not None:
        return _closed_meeting(state, reason, rule)
    *earlier, last = parts(state.turns)
    seqs = state.seqs
    return (*(Beat(seqs[part.start : part.stop], "topic") for part in earlier), Beat(seqs[last.start :], reason))


def _closed_meeting(state: OpenBeat, reason: Reason, rule: BeatRule) -> tuple[Beat, ...]:
    """The open beat of a meeting, closed and divided wherever topics changed, since nothing follows."""
    closed: list[Beat] = []
    while True:
        state = replace(state, contrasts=contrasts(state.turns, state.contrasts, len(state.turns) - 1))
        place = division(_as_meeting(state, ended=True), rule.meeting)
        if place is None:
            return (*closed, Beat(state.seqs, reason))
        closed.append(Beat(state.seqs[:place], "topic"))
        state = _after(state, place)


def _join(state: OpenBeat, turn: TurnFeatures) -> OpenBeat:
    terms = turn.terms if turn.speaker else ()
    kept = _features(
        turn.seq, turn.at, turn.layer1, turn.coherence, terms, turn.cues, turn.domains, turn.vector, turn.speaker
    )
    weight, coherence = state.weight + turn.layer1, state.coherence + turn.coherence * turn.layer1
    recent = (*state.recent, turn)[-BEFORE:]
    return _open((*state.turns, kept), weight, coherence, recent, None, state.heard, state.contrasts)


def _silence(before: TurnFeatures, after: TurnFeatures) -> timedelta:
    """Time between two turns; zero when either time is unknown."""
    return timedelta(0) if before.at is None or after.at is None else after.at - before.at
