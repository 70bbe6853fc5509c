"""Shows facts as lines of a block: the statement, since when it holds, what is outdated, and its turns."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from clew.knowledge.history import Standing
from clew.text.printable import printable
from clew.types.facts import Fact, FactStatus, LinkKind

WORDS: Final = 200
"""Most characters of the words of one fact."""

SOURCES: Final = 3
"""Most turns that a line names."""


def fact_line(fact: Fact) -> str:
    """A fact as one line; it ends with the ids of the turns that state it, the latest first."""
    ids = " ".join(f"[{name}]" for name in fact.sources[::-1][:SOURCES])
    return f"{fact_words(fact)} {ids}".rstrip()


def fact_words(fact: Fact) -> str:
    """What a fact states, since when it holds, and what about it is outdated."""
    said = " ".join(fact.told.split())
    said = said if len(said) <= WORDS else f"{said[: WORDS - 1]}…"
    about = "; ".join(note for note in _notes(fact) if note)
    return f"{printable(said)}{f' ({printable(about)})' if about else ''}"


def fact_lines(facts: Sequence[Fact]) -> str:
    """One line for each fact."""
    return "\n".join(map(fact_line, facts))


def _notes(fact: Fact) -> list[str]:
    since, until = fact.valid_from, fact.valid_to
    replaced = (link for link in fact.links if link.kind is LinkKind.SUPERSEDES and not link.is_source)
    before = [link.told for link in replaced if not link.retracted]  # what was corrected never held
    is_planned = fact.status is FactStatus.PLANNED
    return [
        fact.when or "",
        f"planned{f' for {_day(fact.due_from)}' if fact.due_from else ''}" if is_planned else "",
        "again and again" if fact.status is FactStatus.RECURRING else "",
        f"since {_day(since)}" if since is not None and not is_planned else "",
        f"until {_day(until)}" if until is not None else "",
        f"before: {', '.join(before)}" if before else "",
        *_doubts(fact),
    ]


def _doubts(fact: Fact) -> list[str]:
    """What about a fact is outdated."""
    is_past, is_old = fact.standing == Standing.PAST_PLAN, fact.standing == Standing.LAPSED
    after = [link.told for link in fact.links if link.kind is LinkKind.SUPERSEDES and link.is_source]
    replaced = f"replaced since by: {', '.join(after)}" if after else "replaced since"
    return [
        "its time has passed, and nobody said that it happened" if is_past else "",
        "no date, and nobody has spoken of it for a year" if is_old else "",
        replaced if fact.superseded_by is not None else "",
        "may be out of date: what it was built on was replaced" if fact.stale_because is not None else "",
    ]


def _day(moment: datetime) -> str:
    return moment.date().isoformat()
