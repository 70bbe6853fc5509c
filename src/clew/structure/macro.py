"""Questions about the ordered beats of a session (HSCA 3), and about several sessions of a space together.

The macro layer is the ordered list of beats; it is never flattened. Everything here is a pure function over such a
list, which is made from stored nodes or from snapshots.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from typing import Final

from clew.analyze.domain_states import are_levels
from clew.errors import InputError
from clew.structure.conversation_context import BeatSubject, present, subjects_in_context
from clew.structure.conversation_states import subjects_by_evidence
from clew.structure.density import normalised
from clew.text.terms import terms
from clew.types.record import Record

HALF_LIFE: Final = timedelta(days=30)
"""Age at which a beat of another session counts half; a choice, not a measurement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MacroNode(Record):
    """One beat in the list.

    Attributes:
        session: the session it belongs to.
        position: its index among the beats of the session, from 0.
        low, high: seqs of its first and last turn.
        macro_weight: 0..1.
        domains: share of each domain tag, summing to 1; empty when nothing weighs anything.
        at: event time of its last turn; None when unknown.
        states: `BeatMap.states`; empty when unknown.
    """

    session: str
    position: int
    low: int
    high: int
    macro_weight: float
    domains: dict[str, float]
    at: datetime | None = None
    states: str = ""

    @property
    def turns(self) -> int:
        """How many seqs it covers."""
        return self.high - self.low + 1


@dataclass(frozen=True, slots=True)
class StateBefore(Record):
    """The state of a conversation before something was first mentioned.

    Attributes:
        position: position of the beat of the first mention.
        before: the beats before that one, in order.
        domains: what the conversation had been about until then: the domains of those beats, weighted by density and
            length, as shares that sum to 1.
    """

    position: int
    before: tuple[MacroNode, ...]
    domains: dict[str, float]


@dataclass(frozen=True, slots=True)
class Movement(Record):
    """How the domains of one beat differ from those of the beat before.

    Attributes:
        position: position of the beat.
        domain: what it is about in the light of the whole conversation, by its own domains and by those of the other
            beats; None when it names none, unless it is short and a neighbour names one.
        entered, left: named domains with a tenth of the weight or more that are new here, or gone; sorted.
        crossing: whether two domains that are not companions meet in the beat as a whole, each with a good share of it;
            one turn that is tagged so is not enough.
        distance: how far the shares moved, 0 (not at all) to 1 (nothing in common); 0 for the first beat.
    """

    position: int
    domain: str | None
    entered: tuple[str, ...]
    left: tuple[str, ...]
    crossing: bool
    distance: float


@dataclass(frozen=True, slots=True)
class Merged(Record):
    """The beats of several sessions in one order, as `merge` weighs them.

    Attributes:
        order: `(session, position)` of each beat, oldest first; the index here is the beat's global position.
        weights: the weight of each beat, in the same order.
        domains: share of each domain over all beats, summing to 1.
    """

    order: tuple[tuple[str, int], ...]
    weights: tuple[float, ...]
    domains: dict[str, float]


def first_mention(concept: str, said: Iterable[tuple[int, str]]) -> int | None:
    """The seq of the first turn that has every search term of a concept.

    None when no turn has them all, or when the concept has no terms.

    Args:
        concept: a word or phrase.
        said: seq and text of the turns, in order. The lexical index finds the same turn faster.
    """
    wanted = set(terms(concept))
    if not wanted:
        return None
    return next((seq for seq, text in said if wanted <= set(terms(text))), None)


def state_before(nodes: Sequence[MacroNode], mention: int, newest: int | None = None) -> StateBefore | None:
    """The state before the turn in which something was first mentioned.

    Args:
        nodes: the closed beats of one session, in order.
        mention: seq of that turn.
        newest: seq of the session's newest turn. Turns after the last closed beat form the open beat, which counts.

    Returns:
        None when the turn lies in no beat. `before` is empty when it lies in the first beat.
    """
    number = next((place for place, (low, high) in enumerate(_ranges(nodes, newest)) if low <= mention <= high), None)
    if number is None:
        return None
    before = tuple(nodes[:number])
    position = nodes[number].position if number < len(nodes) else nodes[-1].position + 1 if nodes else 0
    return StateBefore(position, before, _together((node, _mass(node)) for node in before))


def evolution(nodes: Sequence[MacroNode]) -> tuple[Movement, ...]:
    """How the domains changed from beat to beat.

    A beat's domain, and whether it crosses domains, are told in the light of the whole conversation
    (`conversation_states`, or `conversation_context` if the `states` of a beat are unknown). What entered and left is
    told by the beat alone.
    """
    moved: list[Movement] = []
    last: Mapping[str, float] | None = None
    subjects = _subjects(nodes)
    for node, subject in zip(nodes, subjects, strict=True):
        here, past = present(node.domains), present(last or {})
        moved.append(
            Movement(
                position=node.position,
                domain=subject.domain,
                entered=tuple(sorted(here - past)),
                left=tuple(sorted(past - here)),
                crossing=subject.crossing,
                distance=0.0 if last is None else _distance(last, node.domains),
            )
        )
        last = node.domains
    return tuple(moved)


def _subjects(nodes: Sequence[MacroNode]) -> list[BeatSubject]:
    if all(are_levels(node.states) for node in nodes):
        return subjects_by_evidence([(node.states, node.turns) for node in nodes])
    return subjects_in_context([(node.domains, node.turns) for node in nodes])


def last_beats(nodes: Sequence[MacroNode], count: int, newest: int | None = None) -> tuple[int, int] | None:
    """First and last seq of the last `count` beats; None when there are no beats.

    Args:
        nodes: the closed beats of one session, in order.
        count: number of beats, at least 1; more than there are means all.
        newest: seq of the session's newest turn. Turns after the last closed beat form the open beat, which counts.
    """
    ranges = _ranges(nodes, newest)
    if count < 1 or not ranges:
        return None
    return ranges[max(0, len(ranges) - count)][0], ranges[-1][1]


def beat_ago(nodes: Sequence[MacroNode], count: int, newest: int | None = None) -> tuple[int, int] | None:
    """First and last seq of the beat `count` beats ago (0 is the newest); None when there was none."""
    ranges = _ranges(nodes, newest)
    return ranges[-1 - count] if 0 <= count < len(ranges) else None


def merge(
    sessions: Mapping[str, Sequence[MacroNode]],
    now: datetime,
    *,
    current: str | None = None,
    half_life: timedelta = HALF_LIFE,
) -> Merged:
    """Merge several sessions into one list (HSCA 8.3) in which old sessions do not outweigh the present.

    A beat weighs its macro weight times its turns, times `2 ** -(age / half_life)`; the beats of the current session do
    not age. A beat without a time is as old as the oldest that has one. Order is by time, then session, then position;
    beats without a time come first.

    Args:
        sessions: the beats of each session, in order.
        now: the time from which age is measured; a beat in the future has age 0.
        current: the session in progress.
        half_life: age at which the weight of a beat is halved.

    Raises:
        InputError: the half-life is not more than 0.
    """
    if half_life <= timedelta(0):
        raise InputError(f"half_life is {half_life!r}; expected more than 0, as timedelta(days=30)")
    nodes = sorted(
        chain.from_iterable(sessions.values()),
        key=lambda node: (node.at is not None, node.at or now, node.session, node.position),
    )
    oldest = max((now - node.at for node in nodes if node.at is not None), default=timedelta(0))
    weights = []
    for node in nodes:
        age = oldest if node.at is None else now - node.at
        fading = 1.0 if node.session == current else 0.5 ** max(0.0, age / half_life)
        weights.append(round(_mass(node) * fading, 6))
    order = tuple((node.session, node.position) for node in nodes)
    return Merged(order, tuple(weights), _together(zip(nodes, weights, strict=True)))


def _mass(node: MacroNode) -> float:
    return node.macro_weight * node.turns


def _together(nodes: Iterable[tuple[MacroNode, float]]) -> dict[str, float]:
    """Weighted domains of several beats as shares that sum to 1, strongest first."""
    found: dict[str, float] = {}
    for node, weight in nodes:
        for tag, share in node.domains.items():
            found[tag] = found.get(tag, 0.0) + share * weight
    shares = normalised(found)
    return {tag: round(shares[tag], 6) for tag in sorted(shares, key=lambda tag: (-shares[tag], tag))}


def _distance(one: Mapping[str, float], two: Mapping[str, float]) -> float:
    """Total variation distance."""
    tags = sorted({*one, *two})
    return round(sum([abs(one.get(tag, 0.0) - two.get(tag, 0.0)) for tag in tags]) / 2.0, 6)


def _ranges(nodes: Sequence[MacroNode], newest: int | None) -> list[tuple[int, int]]:
    ranges = [(node.low, node.high) for node in nodes]
    start = ranges[-1][1] + 1 if ranges else 0
    if newest is not None and newest >= start:
        ranges.append((start, newest))
    return ranges
