"""What rests on a fact, and becomes stale when the fact is replaced or ends."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence

from clew.knowledge.neighbourhood import DEPTH
from clew.knowledge.resolve import Resolved
from clew.types.facts import FactLink


def stale_marks(facts: Iterable[Resolved], links: Iterable[FactLink]) -> dict[str, str]:
    """The stale facts: id -> id of the fact whose end made them so, the first of several.

    A fact is stale if it is current and rests, over at most `DEPTH` links, on a fact that ended after it and everything
    between was last said: what is said again afterwards was said in knowledge of the end.
    """
    by_id = {state.fact.id: state for state in facts}
    resting: dict[str, list[str]] = defaultdict(list)
    for link in links:
        if link.rests and link.source in by_id and link.target in by_id:
            resting[link.target].append(link.source)
    marks: dict[str, str] = {}
    broken = [state for state in by_id.values() if state.breaks and state.ended is not None and not state.hidden]
    for root in sorted(broken, key=lambda each: (each.ended, each.fact.id)):
        for dependant in _outdated(root, by_id, resting):
            marks.setdefault(dependant, root.fact.id)
    return marks


def _outdated(root: Resolved, by_id: Mapping[str, Resolved], resting: Mapping[str, Sequence[str]]) -> list[str]:
    """The current facts that rest on a fact that ended and were last said before its end."""
    ended = root.ended
    outdated: dict[str, int] = {root.fact.id: 0}
    queue = deque(outdated)
    while queue:
        ground = queue.popleft()
        for other in resting.get(ground, ()):
            fact = by_id[other]
            if other in outdated or outdated[ground] >= DEPTH or not fact.stands or ended is None or fact.last >= ended:
                continue
            outdated[other] = outdated[ground] + 1
            queue.append(other)
    del outdated[root.fact.id]
    return sorted(outdated)
