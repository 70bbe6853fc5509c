"""Tenures: one group's statements in the order of time -> the values that held one after another or side by side.

A tenure is one value from the statement that began it to the one that ended it. Corrections and retractions are applied
first, since what they withdraw has ended nothing; then each statement begins, confirms or ends tenures. The result
depends on the set of statements alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from clew.knowledge.groups import Placed, is_end, is_intent
from clew.knowledge.order import is_decided
from clew.knowledge.slots import ANY_STAGE, GROUP, SIDES, is_kind
from clew.knowledge.values import same_value
from clew.types.facts import Effect, FactStatus, Mood, Statement
from clew.types.provenance import Provenance

_PLANS: Final = frozenset((FactStatus.PLANNED, FactStatus.ABANDONED))
_STATES: Final = frozenset(("has", "owns", "is", "knows", "believes", "wants", "needs", "speaks", "keeps", *SIDES))
"""Verbs of states without a slot: "had a dog" does not complete "has a dog", as "fixed it" completes "fixes it"."""


@dataclass(slots=True, eq=False)
class Tenure:
    """One value of a group over time.

    Attributes:
        said: its statements in the order of time: first those that state it, at last what ended it, if it was named.
        status: as its statements give it.
        ended_at: time of its end; None if it has none, or an unknown one.
        successor: the tenure that replaced it.
        rivals: tenures that cannot hold beside it, with nothing to say which is later.
        retracted: withdrawn, or a negation that denies nothing that was said.
        began_at: start that it takes over from what it corrects.
        is_open: whether it still holds, or the plan still stands.
    """

    said: list[Placed]
    status: FactStatus
    ended_at: datetime | None = None
    successor: "Tenure | None" = None
    rivals: list["Tenure"] = field(default_factory=list)
    retracted: bool = False
    began_at: datetime | None = None
    is_open: bool = True

    @property
    def is_plan(self) -> bool:
        """Whether it is about what is intended."""
        return self.status in _PLANS or (self.status is not FactStatus.COMPLETED and is_intent(self.said[0].statement))

    @property
    def last(self) -> Placed:
        """Its latest statement."""
        return self.said[-1]

    def stating(self) -> list[Statement]:
        """Its statements without those that ended it; all of them if there are no others."""
        every = [each.statement for each in self.said]
        return [each for each in every if _states(each)] or every

    def has(self, placed: Placed) -> bool:
        """Whether a statement is about the value of the tenure."""
        return any(_same(each, placed) for each in self.said)

    def end(self, at: datetime | None, status: FactStatus | None = None, by: Placed | None = None) -> None:
        """Ends it, by a statement about itself if one is given; an end before its beginning is moved there."""
        begin = self.start()
        self.ended_at = max(at, begin) if at is not None and begin is not None else at
        self.is_open, self.status = False, status or self.status
        if by is not None:
            self.said.append(by)

    def start(self) -> datetime | None:
        """When it began: as stated, else as the tenure that it corrects, else when it was first said."""
        if not self.is_plan and not _is_dated(self.last):
            stated = [each.valid_from for each in self.stating() if each.status is not FactStatus.COMPLETED]
            stated = stated or [each.valid_from for each in self.stating()]
            latest = [at for at in stated if at is not None][-1:]
            if latest:
                return latest[0]
        first = self.said[0].statement
        if is_end(first) or first.status is FactStatus.COMPLETED or _is_past(self.said[0]):
            return None
        return self.began_at or first.said_at


def tenures_of(group: Iterable[Placed]) -> tuple[Tenure, ...]:
    """The tenures of one group, in the order in which they began; withdrawn ones last."""
    said = sorted(group, key=lambda each: (each.order, each.statement.effect, each.statement.object))
    withdrawn = _Withdrawn(said)
    timeline = _Timeline(withdrawn)
    for each in withdrawn.remaining:
        timeline.take(each)
    return (*timeline.tenures, *withdrawn.tenures(timeline.tenures))


class _Withdrawn:
    """Statements that corrections and retractions take back, each with what took it back."""

    def __init__(self, said: Sequence[Placed]) -> None:
        self.by: dict[int, tuple[Placed, Placed]] = {}
        self.remaining: list[Placed] = []
        self.unmatched: list[Placed] = []
        standing: list[Placed] = []
        ended: list[Placed] = []
        for each in said:
            effect = each.statement.effect
            targets: list[Placed] = []
            if each.statement.mood is Mood.ASSERTED and effect in (Effect.CORRECTS, Effect.RETRACTS):
                targets = [target for target in _targets(standing, ended, each) if not _contests([target], each)]
                self.by |= {id(target): (target, each) for target in targets}
                standing = [other for other in standing if id(other) not in self.by]
                ended = [other for other in ended if id(other) not in self.by]
            if effect is Effect.RETRACTS:
                self.unmatched += [] if targets else [each]
                continue
            self.remaining.append(each)
            (ended if is_end(each.statement) else standing).append(each)
        self.remaining = [each for each in self.remaining if id(each) not in self.by]

    def inherited(self, correction: Placed) -> datetime | None:
        """The start of what a correction takes back: what is right now was right from then on."""
        times = [
            (None if _is_dated(target) else target.statement.valid_from) or self.inherited(target) or target.order.at
            for target, by in self.by.values()
            if by is correction and target.statement.said_at is not None
        ]
        return min(times, default=None)

    def tenures(self, others: Sequence[Tenure]) -> Iterable[Tenure]:
        """What was withdrawn, by value and by what withdrew it, then retractions of what nobody said."""
        found: list[tuple[Tenure, Placed]] = []
        for target, by in self.by.values():
            if target.joined:
                continue
            tenure = next((tenure for tenure, reason in found if reason is by and tenure.has(target)), None)
            if tenure is None:
                tenure = Tenure([target], target.statement.status, retracted=True, is_open=False)
                found.append((tenure, by))
            else:
                tenure.said.append(target)
        for tenure, by in found:
            stated = (*others, *(other for other, _ in found if other is not tenure))
            tenure.successor = next((other for other in stated if by in other.said), None)
            if tenure.successor is None:
                tenure.said.append(by)
            tenure.end(by.statement.said_at)
            yield tenure
        for each in self.unmatched:
            yield _hidden(each)


class _Timeline:
    """The tenures of a group so far."""

    def __init__(self, withdrawn: _Withdrawn) -> None:
        self.tenures: list[Tenure] = []
        self._standing: list[Tenure] = []  # those that were open when they were last looked at
        self._withdrawn = withdrawn

    def take(self, said: Placed) -> None:
        """Adds the next statement."""
        statement = said.statement
        if statement.effect is Effect.RESUMES and not any(tenure.has(said) for tenure in self.tenures):
            self.tenures.append(_hidden(said))
        elif statement.effect is Effect.COMPLETES:
            self._complete(said)
        elif is_end(statement):
            self._cease(said)
        elif statement.status is FactStatus.ABANDONED:
            self._abandon(said)
        elif statement.status is FactStatus.PLANNED or (is_intent(statement) and not _is_past(said)):
            self._plan(said)
        elif statement.status is FactStatus.COMPLETED or _is_past(said):
            self._past(said)
        else:
            self._hold(said)

    def _open(self, *, plans: bool) -> list[Tenure]:
        self._standing = [tenure for tenure in self._standing if tenure.is_open]
        return [tenure for tenure in self._standing if tenure.is_plan == plans]

    def _closed(self) -> list[Tenure]:
        return [tenure for tenure in self.tenures if not tenure.is_open and not tenure.retracted]

    def _begin(self, said: Placed, status: FactStatus | None = None) -> Tenure:
        tenure = Tenure([said], status or said.statement.status, began_at=self._withdrawn.inherited(said))
        self.tenures.append(tenure)
        self._standing.append(tenure)
        return tenure

    def _hold(self, said: Placed) -> None:
        same = next((tenure for tenure in self._open(plans=False) if tenure.has(said)), None)
        others = [tenure for tenure in self._open(plans=False) if tenure is not same]
        if same is None:
            tenure = self._begin(said)
            _replace([other for other in others if _excludes(other, said)], tenure, said)
        else:
            tenure = same
            tenure.said.append(said)
            tenure.status = said.statement.status
            _replace([other for other in tenure.rivals if other.is_open], tenure, said)
        self._fulfil(tenure, said)

    def _fulfil(self, tenure: Tenure, said: Placed) -> None:
        """Ends the plans that came true."""
        for plan in self._open(plans=True):
            if plan.has(said) and _may_end(plan, said):
                plan.successor = tenure
                plan.end(tenure.start() or said.statement.said_at)

    def _plan(self, said: Placed) -> None:
        same = next((tenure for tenure in self._open(plans=True) if tenure.has(said)), None)
        if same is not None and not _is_moved(same.said, said):
            same.said.append(said)
            return
        others = [tenure for tenure in self._open(plans=True) if tenure is same or _excludes(tenure, said)]
        _replace(others, self._begin(said), said)

    def _past(self, said: Placed) -> None:
        """Adds what happened, or held and is over: it ends nothing but a plan for it, and what it completes."""
        statement = said.statement
        going = self._completed(said)
        if going and not _contests(going[0].said, said):
            going[0].end(statement.valid_to or statement.valid_from or statement.said_at, FactStatus.COMPLETED, said)
            return
        closed = [tenure for tenure in self._closed() if not tenure.is_plan and tenure.has(said)]
        known = next((tenure for tenure in reversed(closed) if _may_be_one(tenure.said, said)), None)
        if known is None:
            is_event = statement.status is FactStatus.COMPLETED
            tenure = self._begin(said, FactStatus.COMPLETED if is_event else FactStatus.CEASED)
            tenure.end(statement.valid_to)
        else:
            tenure = known
            tenure.said.append(said)
            if not _contests(tenure.said, said):
                tenure.ended_at = statement.valid_to or tenure.ended_at
        _rival(tenure, going[:1])
        if said.slot is None:
            self._fulfil(tenure, said)

    def _completed(self, said: Placed) -> list[Tenure]:
        """What goes on, and is completed by what happened."""
        statement = said.statement
        if said.slot is not None or statement.status is not FactStatus.COMPLETED or statement.verb in _STATES:
            return []
        return [each for each in self._open(plans=False) if each.status is FactStatus.ACTIVE and each.has(said)]

    def _complete(self, said: Placed) -> None:
        """Ends the plans that are carried out; what was not planned is nobody's deed."""
        plans = [plan for plan in self._open(plans=True) if plan.has(said) and _may_end(plan, said)]
        for plan in plans:
            plan.end(said.statement.said_at, FactStatus.COMPLETED, said)
        if not plans and not said.joined:
            self.tenures.append(_hidden(said))

    def _cease(self, said: Placed) -> None:
        statement = said.statement
        at = statement.valid_to or statement.valid_from or statement.said_at
        named = [tenure for tenure in self._open(plans=False) if _is_meant(tenure, said)]
        plans = [] if named else [tenure for tenure in self._open(plans=True) if _is_meant(tenure, said)]
        decided = [tenure for tenure in (*named, *plans) if _may_end(tenure, said)]
        for tenure in decided:
            tenure.end(at, FactStatus.ABANDONED if tenure.is_plan else FactStatus.CEASED, said)
        if decided:
            return
        again = [tenure for tenure in self._closed() if tenure.status is FactStatus.CEASED and tenure.has(said)]
        if not named and not plans and again:
            again[-1].end(statement.valid_to or again[-1].ended_at, by=said)
        elif statement.mood is Mood.NEGATED or not statement.object:
            self.tenures += [] if said.joined else [_hidden(said)]
        else:
            tenure = self._begin(said, FactStatus.CEASED)
            tenure.end(at)
            _rival(tenure, [*named, *plans])

    def _abandon(self, said: Placed) -> None:
        standing = [tenure for tenure in self._open(plans=True) if _is_meant(tenure, said)]
        decided = [tenure for tenure in standing if _may_end(tenure, said)]
        for tenure in decided:
            tenure.end(said.statement.said_at, FactStatus.ABANDONED, said)
        if not decided:
            tenure = self._begin(said)
            tenure.end(said.statement.said_at)
            tenure.retracted = not said.statement.object
            _rival(tenure, standing)


def _states(statement: Statement) -> bool:
    """Whether a statement tells what is so, or was done, rather than that something ended."""
    ends = is_end(statement) and statement.effect is not Effect.COMPLETES
    return not ends and statement.status is not FactStatus.ABANDONED


def _hidden(said: Placed) -> Tenure:
    """A tenure that nobody is told about: it waits for earlier statements that may still arrive."""
    tenure = Tenure([said], FactStatus.CEASED, retracted=True)
    tenure.end(said.statement.said_at)
    return tenure


def _replace(others: Iterable[Tenure], tenure: Tenure, said: Placed) -> None:
    """Ends tenures that a statement replaces; where the order is not known, both stay and contradict each other."""
    for other in others:
        if not _may_end(other, said):
            _rival(tenure, [other])
            continue
        begin, confirmed = tenure.start() or said.statement.said_at, other.last.statement.said_at
        other.successor = tenure
        at = max(begin, confirmed) if begin is not None and confirmed is not None else begin
        other.end(at, None if other.is_plan else FactStatus.CEASED)


def _may_end(tenure: Tenure, said: Placed) -> bool:
    """Whether a statement may end a tenure: it is known to be later, and no model contradicts a user's correction."""
    return is_decided(tenure.last.order, said.order) and not _contests(tenure.said, said)


def _contests(stated: Iterable[Placed], said: Placed) -> bool:
    """Whether a model says something against what a user stated."""
    by_user = any(each.statement.provenance == Provenance.USER for each in stated)
    return by_user and said.statement.provenance not in (Provenance.RULE, Provenance.USER)


def _rival(tenure: Tenure, others: Iterable[Tenure]) -> None:
    for other in others:
        if other is not tenure and other not in tenure.rivals:
            tenure.rivals.append(other)
            other.rivals.append(tenure)


def _is_meant(tenure: Tenure, said: Placed) -> bool:
    """Whether a statement that ends something means a tenure: by its value, or whatever holds if it names none."""
    return tenure.has(said) if said.statement.object else _concerns(tenure.last, said)


def _concerns(first: Placed, second: Placed) -> bool:
    """Whether two statements of a group can be about one matter.

    In a shared slot a group of people and one of them are, in one session; two of them may each have their own.
    """
    if first.slot is None or not first.slot.shared:
        return True
    subjects = {first.subject, second.subject}
    return len(subjects) == 1 or (GROUP in subjects and first.order.session == second.order.session)


def _excludes(tenure: Tenure, said: Placed) -> bool:
    """Whether a statement of another value says that a tenure does not hold; in one turn, both do."""
    if said.statement.effect is Effect.ADDS or not _concerns(tenure.last, said):
        return False
    if said.slot is None and said.statement.verb not in SIDES:
        return False
    if said.slot is not None and said.slot.shared and same_value(tenure.last.statement.object, said.statement.object):
        return False  # of the group and of a member
    if (
        said.slot is not None
        and said.slot.ground
        and is_kind(tenure.last.statement.object) != is_kind(said.statement.object)
    ):
        return False  # "a small flat" says nothing against "Berlin"
    in_one_turn = tenure.last.statement.turn == said.statement.turn
    return not in_one_turn or said.statement.effect is Effect.CORRECTS or bool(said.statement.instead_of)


def _targets(standing: Sequence[Placed], ended: Sequence[Placed], said: Placed) -> list[Placed]:
    """What a correction or retraction takes back: of a value that it names, also what ended it."""
    statement = said.statement
    standing = [each for each in standing if _concerns(each, said)]
    if statement.effect is Effect.CORRECTS:  # its times are those of the right value
        statement = replace(statement, object=statement.instead_of or "", valid_from=None, valid_to=None)
    if statement.object:
        meant = replace(said, statement=statement)
        return [each for each in (*standing, *ended) if _same(each, meant)]
    if not standing:
        return []
    lane = [each for each in standing if (each.statement.status in _PLANS) == (statement.status in _PLANS)] or standing
    if statement.effect is Effect.CORRECTS and _same(lane[-1], said) and not _is_moved(lane[-1:], said):
        return []
    block: list[Placed] = []
    for each in reversed(lane):
        if not _same(each, lane[-1]) or _is_moved([each], lane[-1]):
            break
        block.append(each)
    return block[::-1]


def _same(first: Placed, second: Placed) -> bool:
    """Whether two statements of a group state one value."""
    one, other = first.statement, second.statement
    if first.slot is None:
        return SIDES.get(one.verb, ("", ""))[1] == SIDES.get(other.verb, ("", ""))[1]
    if first.slot.shared and first.subject != second.subject:
        return False
    if first.slot.stages and one.verb != other.verb and ANY_STAGE not in (one.verb, other.verb):
        return False
    if first.slot.dated and one.valid_from is not None and other.valid_from is not None:
        return one.valid_from == other.valid_from
    return same_value(one.object, other.object) or (first.slot.ground and _is_there(one, other))


def _is_there(one: Statement, other: Statement) -> bool:
    """Whether one value is the place in which the other is: "a flat in Berlin" and "Berlin"."""
    pairs = ((one.where, other.object), (other.where, one.object))
    return any(place is not None and same_value(place, value) for place, value in pairs)


def _is_moved(said: Sequence[Placed], other: Placed) -> bool:
    """Whether a statement of a plan names another time for it."""
    return not _may_be_one(said, other)


def _may_be_one(said: Iterable[Placed], other: Placed) -> bool:
    """Whether a statement may be of the same occasion as others: their times overlap, or one is unknown."""
    if _is_dated(other):
        return True
    times = [(each.statement, other.statement) for each in said]
    return not any(_is_before(first, second) or _is_before(second, first) for first, second in times)


def _is_before(first: Statement, second: Statement) -> bool:
    """Whether the time that one statement names is over before that of another begins; a moment has no end."""
    if first.valid_from is None or second.valid_from is None or first.valid_from >= second.valid_from:
        return False
    return first.valid_to is None or first.valid_to <= second.valid_from


def _is_dated(said: Placed) -> bool:
    return said.slot is not None and said.slot.dated


def _is_past(said: Placed) -> bool:
    """Whether a statement is about a time that was over when it was made."""
    statement = said.statement
    if _is_dated(said) or statement.valid_to is None or statement.said_at is None:
        return False
    return statement.valid_to <= statement.said_at and statement.status not in _PLANS
