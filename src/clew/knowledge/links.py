"""The six links between facts."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from clew.knowledge.groups import Rest, resting_on
from clew.knowledge.neighbourhood import Counts, Neighbourhood, always
from clew.knowledge.resolve import Resolved
from clew.knowledge.values import same_value
from clew.types.facts import FactLink, LinkKind

Groups = Mapping[str, Sequence[Resolved]]
"""The facts of whole groups, by key of the group."""


def links_of(near: Neighbourhood, groups: Groups, counts: Counts = always) -> tuple[FactLink, ...]:
    """All links between the facts of a neighbourhood, sorted; between two facts at most one of each kind.

    A fact rests on another if it is found from there, too: whichever of them changed last, the link is made alike.
    """
    links: dict[tuple[str, LinkKind, str], FactLink] = {}
    for link in _every(near, groups, counts):
        known = links.get((link.source, link.kind, link.target))
        if known is None or link.rests:
            links[link.source, link.kind, link.target] = link
    return tuple(sorted(link for link in links.values() if not _says_less(link, links)))


def _says_less(link: FactLink, others: Mapping[tuple[str, LinkKind, str], FactLink]) -> bool:
    """Whether a link says nothing that a reason or an event does not say already."""
    if link.kind is not LinkKind.RELATED_TO:
        return False
    return any((link.source, kind, link.target) in others for kind in (LinkKind.CAUSED_BY, LinkKind.PART_OF))


def _every(near: Neighbourhood, groups: Groups, counts: Counts) -> Iterator[FactLink]:
    grounds = _Grounds(near, groups)
    for key in sorted(groups):
        for state in groups[key]:
            if not state.hidden:
                yield from _in_group(state)
                for rest in state.rests():
                    yield from _to_ground(state, rest, grounds, counts)
    for first, second, name in sorted(near.same):
        if any(state.stands for state in groups.get(name, ())):
            yield from _same(groups.get(first, ()), groups.get(second, ()))


def _in_group(each: Resolved) -> Iterator[FactLink]:
    fact = each.fact
    if fact.superseded_by is not None:
        yield FactLink(source=fact.superseded_by, kind=LinkKind.SUPERSEDES, target=fact.id)
    for rival in each.rivals:
        yield FactLink(source=min(fact.id, rival), kind=LinkKind.CONTRADICTS, target=max(fact.id, rival))


class _Grounds:
    """The facts that are found by a key, in the order in which they were first said; by group."""

    def __init__(self, near: Neighbourhood, groups: Groups) -> None:
        self._near, self._groups = near, groups
        self._found: dict[str, list[tuple[str, list[Resolved]]]] = {}

    def by(self, key: str) -> list[tuple[str, list[Resolved]]]:
        if key not in self._found:
            groups = self._near.groups_by(key)
            self._found[key] = [(group, self._of(group, key)) for group in groups if group in self._groups]
        return self._found[key]

    def _of(self, group: str, key: str) -> list[Resolved]:
        facts = [state for state in self._groups[group] if not state.hidden]
        having = [state for state in facts if any(key == said.group or key in said.keys for said in state.said)]
        return sorted(having, key=lambda each: (each.first, each.fact.id))


def _to_ground(each: Resolved, rest: Rest, grounds: _Grounds, counts: Counts) -> Iterator[FactLink]:
    """Links a fact to those that it rests on: in each group the one that was current when the fact was last said."""
    for group, facts in grounds.by(rest.key):
        ground = None if group == each.fact.group else _ground(each, facts)
        if ground is not None and _is_found(each, rest, counts):
            together = not set(ground.fact.sources).isdisjoint(each.fact.sources)
            yield FactLink(source=each.fact.id, kind=rest.kind, target=ground.fact.id, rests=rest.breaks or together)


def _is_found(each: Resolved, rest: Rest, counts: Counts) -> bool:
    """Whether a fact is found by what it rests on."""
    return any(rest in said.rests and counts(said, resting_on(rest.key)) for said in each.said)


def _ground(each: Resolved, facts: Sequence[Resolved]) -> Resolved | None:
    """Of the facts found by a key, in order, the latest that was said before, else the first that was said after."""
    last = each.last
    for fact in facts[bisect_right(facts, last, key=attrgetter("first")) - 1 :: -1] if facts else ():
        if fact.first <= last and not (fact.fact.retracted and fact.ended is not None and fact.ended <= last):
            return fact
    return next((fact for fact in facts if fact.first > last), None)


def _same(first: Iterable[Resolved], second: Sequence[Resolved]) -> Iterator[FactLink]:
    for one in first:
        for other in second:
            if one.stands and other.stands and same_value(one.fact.object, other.fact.object):
                ids = sorted((one.fact.id, other.fact.id))
                yield FactLink(source=ids[0], kind=LinkKind.SAME_AS, target=ids[1])
