"""Questions about the ordered beats of a session (HSCA 3), and about several sessions of a space together.

The macro layer is the ordered list of beats; it is never flattened. Everything here is a pure function over such a
list, which is made from stored nodes or from snapshots.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Final

from clew.analyze.domain_states import MANNERS
from clew.analyze.domains import is_crossing
from clew.errors import InputError
from clew.structure.density import normalised
from clew.text.terms import terms
from clew.types.chunk import ContextSnapshot, DomainTag
from clew.types.record import Record

HALF_LIFE: Final = timedelta(days=30)
"""Age at which a beat of another session counts half; a choice, not a measurement."""

_UNNAMED: Final = frozenset({DomainTag.UNCLASSIFIED.value, DomainTag.CROSS_DOMAIN.value})
_LEAST_SHARE: Final = 0.1
# A beat crosses domains if this much of what its strongest domain weighs is tagged `cross_domain`, or if two of its
# domains have this share each.
_MOST_OF: Final = 0.5
_EVENLY: Final = 0.45
# A manner that so much of the rest of the conversation has, by turns, is how it is told and not what a beat is about,
# if the beat has a subject of this share besides.
_THROUGHOUT: Final = 0.75
_SUBJECT: Final = 0.2


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
    """

    session: str
    position: int
    low: int
    high: int
    macro_weight: float
    domains: dict[str, float]
    at: datetime | None = None

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
        domain: its strongest named domain; None when no domain is named.
        entered, left: named domains with a tenth of the weight or more that are new here, or gone; sorted.
        crossing: whether the beat as a whole is `cross_domain`: most of its weight has that tag, or two domains that
            are no companions share it nearly evenly; one turn with that tag is not enough.
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


def macro_nodes(session: str, snapshots: Iterable[ContextSnapshot]) -> tuple[MacroNode, ...]:
    """The list of beats from snapshots, in their order; each chunk counts as one turn."""
    found: list[MacroNode] = []
    low = 0
    for snapshot in snapshots:
        found.append(
            MacroNode(
                session=session,
                position=snapshot.conversation_position,
                low=low,
                high=low + len(snapshot.chunks) - 1,
                macro_weight=snapshot.macro_weight,
                domains=normalised(snapshot.domain_summary),
                at=datetime.fromtimestamp(snapshot.created_at, UTC) if snapshot.created_at else None,
            )
        )
        low += len(snapshot.chunks)
    return tuple(found)


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
    found = next((place for place, (low, high) in enumerate(_ranges(nodes, newest)) if low <= mention <= high), None)
    if found is None:
        return None
    before = tuple(nodes[:found])
    position = nodes[found].position if found < len(nodes) else nodes[-1].position + 1 if nodes else 0
    return StateBefore(position, before, _together((node, _mass(node)) for node in before))


def evolution(nodes: Sequence[MacroNode]) -> tuple[Movement, ...]:
    """How the domains changed from beat to beat.

    A beat's domain, and whether it crosses domains, are told by its subjects alone where the manner is that of the
    whole conversation: in a novel, a chapter about a trial is about the law.
    """
    moved: list[Movement] = []
    last: Mapping[str, float] | None = None
    for node, told in zip(nodes, _without_manner(nodes), strict=True):
        here = node.domains
        present, past = _present(here), _present(last or {})
        named = {tag: share for tag, share in told.items() if tag not in _UNNAMED and share > 0.0}
        moved.append(
            Movement(
                position=node.position,
                domain=min(named, key=lambda tag: (-named[tag], tag)) if named else None,
                entered=tuple(sorted(present - past)),
                left=tuple(sorted(past - present)),
                crossing=_is_crossing(told, named),
                distance=0.0 if last is None else _distance(last, here),
            )
        )
        last = here
    return tuple(moved)


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


def _present(domains: Mapping[str, float]) -> set[str]:
    return {tag for tag, share in domains.items() if share >= _LEAST_SHARE and tag not in _UNNAMED}


def _without_manner(nodes: Sequence[MacroNode]) -> list[Mapping[str, float]]:
    """The domains of each beat but for the manners that the rest of the conversation has throughout."""
    turns = sum(node.turns for node in nodes)
    having = {manner: sum(node.turns for node in nodes if manner in _present(node.domains)) for manner in MANNERS}
    found: list[Mapping[str, float]] = []
    for node in nodes:
        here, others = node.domains, turns - node.turns
        subjects = [tag for tag, share in here.items() if share >= _SUBJECT and tag not in _UNNAMED | MANNERS]
        present = _present(here)
        dropped = {
            manner
            for manner in MANNERS & here.keys()
            if others and having[manner] - (node.turns if manner in present else 0) >= _THROUGHOUT * others
        }
        if dropped and len(subjects) == 1:
            dropped.add(DomainTag.CROSS_DOMAIN)
        found.append({tag: share for tag, share in here.items() if tag not in dropped} if subjects else here)
    return found


def _is_crossing(domains: Mapping[str, float], named: Mapping[str, float]) -> bool:
    """Whether most of the beat is tagged so, or two domains that are no companions share it nearly evenly."""
    if not named:
        return False
    if domains.get(DomainTag.CROSS_DOMAIN, 0.0) >= _MOST_OF * max(named.values()):
        return True
    shares = normalised(named)
    return is_crossing([tag for tag, share in shares.items() if share >= _EVENLY])


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
