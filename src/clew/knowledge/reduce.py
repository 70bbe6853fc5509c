"""The one reducer: statements -> facts, links and stale marks. Rules, models and corrections all enter here.

A group of statements that can replace each other is always reduced as a whole, in the order of time. So facts depend
neither on batches nor on the order of arrival, and to forget a turn is to reduce its groups without it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from clew.knowledge.dependants import stale_marks
from clew.knowledge.groups import Placed
from clew.knowledge.links import links_of
from clew.knowledge.neighbourhood import Counts, Lookup, Neighbourhood, always
from clew.knowledge.resolve import Resolved, resolved
from clew.types.facts import Fact, FactLink


@dataclass(frozen=True, slots=True)
class Reduction:
    """What follows from a change of statements.

    Attributes:
        facts: the facts of each affected group, by its key: of the changed groups, which may have none left, and of
            those whose stale marks or links may have changed with them.
        links: all links from or to one of these facts, sorted.
    """

    facts: Mapping[str, tuple[Fact, ...]]
    links: tuple[FactLink, ...]


def reduced(
    changed: Collection[Placed], lookup: Lookup, aliases: Mapping[str, str] | None = None, *, counts: Counts = always
) -> Reduction:
    """The facts and links that a change of statements affects, as they are after it.

    Args:
        changed: the statements that are new, and those that are gone.
        lookup: finds the statements that are there after the change; see `Lookup`.
        aliases: as for `groups.placed`.
        counts: see `Counts`.
    """
    near = Neighbourhood(changed, lookup, aliases)
    groups = {group: resolved(near.with_endings(group, counts)) for group in near.whole()}
    links = links_of(near, groups, counts)
    marks = stale_marks((state for group in groups.values() for state in group), links)
    facts = {group: tuple(_marked(state, marks) for state in groups.get(group, ())) for group in sorted(near.affected)}
    ids = {fact.id for group in facts.values() for fact in group}
    return Reduction(facts, tuple(link for link in links if link.source in ids or link.target in ids))


def _marked(each: Resolved, marks: Mapping[str, str]) -> Fact:
    mark = marks.get(each.fact.id)
    return each.fact if mark is None else replace(each.fact, stale_because=mark)
