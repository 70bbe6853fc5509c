"""Stored facts beside what follows from the stored statements, and what is stored of turns that are not there."""

from collections.abc import Iterator
from typing import Final

from clew.knowledge.groups import Placed
from clew.knowledge.reduce import reduced
from clew.rows.fact_progress import read_fact_progress
from clew.rows.facts import StoredStatements, TurnMarks, facts_of_groups
from clew.store.protocol import Reader
from clew.store.selections import FACT_KEY_ORDINAL, FACT_PLACE, STATEMENT_ORDINAL
from clew.store.turn_selections import TURN_ORDINAL
from clew.text.counted import counted
from clew.types.facts import Fact
from clew.types.reports import Problem

_GROUPS: Final = 64
"""Groups of statements that are made into facts at once."""

_SHOWN: Final = 3
_REPAIR: Final = "clew doctor --repair makes the facts again"


def fact_problems(reader: Reader, space: str) -> Iterator[Problem]:
    """Rows of turns that are not stored, and facts that are missing or do not follow from the statements."""
    turns = set(TURN_ORDINAL.scan(reader, (space,), (space,), index="ordinal"))
    stating = set(STATEMENT_ORDINAL.scan(reader, (space,), (space,)))
    ordinals = {row.ordinal for row in FACT_PLACE.scan(reader, (space,), (space,))}
    lost = sorted((stating | ordinals | set(FACT_KEY_ORDINAL.scan(reader, (space,), (space,)))) - turns)
    if lost:
        shown = ", ".join(map(str, lost[:_SHOWN])) + ", ..." * (len(lost) > _SHOWN)
        detail = f"there are facts of {counted(len(lost), 'turn', 'are not stored')}"
        yield Problem(kind="fact", where=f"ordinals {shown}", detail=detail, repair=_REPAIR)
        return
    made = read_fact_progress(reader, space)
    if not any(made.next <= ordinal < made.afresh for ordinal in stating):
        yield from _wrong_facts(reader, space, stating, ordinals)


def _wrong_facts(reader: Reader, space: str, stating: set[int], ordinals: set[int]) -> Iterator[Problem]:
    """Facts that are not those that follow from the statements."""
    marks = TurnMarks(reader, space)
    statements = StoredStatements(reader, space, marks)
    every: dict[str, list[Placed]] = {}
    statements.load(stating)
    for ordinal in sorted(stating):
        for placed in statements.placed_at(ordinal):
            every.setdefault(placed.group, []).append(placed)
    groups, wrong = sorted(every), set[str]()
    for start in range(0, len(groups), _GROUPS):
        chosen = groups[start : start + _GROUPS]
        made = reduced([placed for group in chosen for placed in every[group]], statements.lookup).facts
        expected = {_plain(fact) for group in chosen for fact in made.get(group, ())}
        found = {_plain(fact) for fact in facts_of_groups(reader, space, set(chosen), marks)}
        wrong.update(fact[0] for fact in expected ^ found)
    wrong.update(marks(ordinal).name for ordinal in ordinals - stating)
    if wrong:
        shown = ", ".join(sorted(wrong)[:_SHOWN]) + ", ..." * (len(wrong) > _SHOWN)
        detail = f"{counted(len(wrong), 'fact', 'are missing')}, or not what the turns state"
        yield Problem(kind="fact", where=shown, detail=detail, repair=_REPAIR)


def _plain(fact: Fact) -> tuple[str, ...]:
    """What of a fact is stored, to be compared."""
    return fact.id, fact.told, fact.status, str(fact.superseded_by), str(fact.stale_because), str(fact.valid_to)
