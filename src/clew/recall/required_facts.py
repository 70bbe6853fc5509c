"""For a question about a person or thing as a whole, finds the facts that the block must state."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

import numpy as np

from clew.assemble.fact_lines import fact_words
from clew.assemble.first_lines import NO_LINES, PROFILE, WHOLE, FirstLines
from clew.assemble.render import Evidence
from clew.index.view import IndexView, Mask
from clew.knowledge.history import Standing, standing
from clew.recall.fact_links import with_links
from clew.recall.fact_query import FactQuery, named
from clew.recall.fact_subjects import with_all_names
from clew.recall.facts import find_facts
from clew.recall.query_facts import FactHit
from clew.rows.facts import TurnMarks
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.text.late_pattern import late_pattern
from clew.types.facts import Fact, FactStatus, LinkKind
from clew.types.ids import parse_turn_id
from clew.types.turn import ROLES

FACTS: Final = 8
"""Most facts about one whom a question is about."""

ONESELF: Final = 24
"""Most facts where the person asks about themselves: they know what they are asking for, and no word narrows it."""

CARD: Final = 2
"""Most facts of each speaker where a question asks who takes part."""

SPEAKERS: Final = 12
"""Most speakers with a card."""

COMPANY: Final = 3
"""Named speakers from which on a conversation has company that can be asked about."""

NEAR: Final = 0.5
"""Share of a question's words that a fact must have to be told as out of date."""

_LOOKED_AT: Final = 60
_LOOKED_AT_OF_ONESELF: Final = 600
"""The newest facts among which those that say most are looked for: of a person who asks, of many sessions."""

_NOW: Final = late_pattern(
    r"\b(?:still|now(?:adays)?|current(?:ly)?|at the moment|any ?more|these days"
    r"|plans?|planning|going to|supposed to)\b",
    re.IGNORECASE,
)
_PAST_PLANS: Final = 2
_ABOUT: Final = late_pattern(
    r"^\W*(?:(?:please|so|and|ok|can you|could you)[ ,]+)*"
    r"(?:(?:tell me|tell us) (?:everything |all |more |something )?(?:you know )?about"
    r"|what (?:do|did|can) (?:you|we|i) (?:still )?(?:know|remember|tell me) (?:about|of)"
    r"|what (?:have|did) i (?:ever |already )?(?:told|tell|said|say|mentioned|mention) (?:to )?(?:you )?about"
    r"|what have you (?:learned|learnt|stored|remembered|noted) (?:about|of)|what(?:'s| is) known (?:about|of)"
    r"|who(?:'s| is| was)|describe|(?:give me |show )?(?:a |the )?profile of)"
    r"\s+(?P<who>[^?.!,;]{1,60}?)(?:\s+(?:so far|yet|already|by now|until now|in general))?\s*[?.!]*\s*$",
    re.IGNORECASE,
)
_EVERYBODY: Final = late_pattern(
    r"\bwho(?:'s| is| are) (?:who|we|they|every(?:one|body)|(?:all |part )?(?:of |in )?(?:this|the|our) "
    r"(?:people|members|participants|group|chat|conversation|team))\b"
    r"|\bintroduce (?:everyone|everybody|us all|the (?:group|team|members))\b",
    re.IGNORECASE,
)


def asks_for_facts(question: str) -> bool:
    """Whether a question asks about somebody or something as a whole, or who takes part."""
    return _ABOUT.search(question) is not None or _EVERYBODY.search(question) is not None


def is_about_oneself(question: str) -> bool:
    """Whether somebody asks what is known about themselves; such a question has no word that could be looked up."""
    match = _ABOUT.search(question)
    return match is not None and named(match["who"]) != match["who"]


def asks_for_now(question: str) -> bool:
    """Whether a question is about what holds now, or about plans."""
    return _NOW.search(question) is not None


def outdated_facts(
    reader: Reader, space: str, hits: Sequence[FactHit], view: IndexView, mask: Mask | None, now: datetime
) -> FirstLines:
    """Lines about facts near a question about the present that have changed, or may be out of date."""
    near = [replace(hit.fact, standing=standing(hit.fact, now)) for hit in hits if hit.share >= NEAR]
    linked = with_links(reader, space, near, TurnMarks(reader, space, view))
    changed = [fact for fact in linked if _has_changed(fact)][:CARD]
    return FirstLines(list(_lines(reader, space, view, mask, changed)), PROFILE) if changed else NO_LINES


def _has_changed(fact: Fact) -> bool:
    is_old = (
        fact.standing in (Standing.PAST_PLAN, Standing.LAPSED)
        or fact.stale_because is not None
        or fact.superseded_by is not None
    )
    return is_old or any(link.kind is LinkKind.SUPERSEDES for link in fact.links)


def required_facts(
    reader: Reader, space: str, question: str, view: IndexView, mask: Mask | None, asked: tuple[FactQuery, datetime]
) -> FirstLines:
    """The lines that the block must have; none for other questions, and for a subject of which nothing is known.

    Args:
        mask: the turns that may be shown; None for all. A fact of another turn is not shown.
        asked: when facts shall hold or be known, and the present.
    """
    subjects, most = _subjects(question, view)
    chosen = [fact for subject in subjects for fact in _best(reader, space, subject, view, asked, most)]
    lines = list(_lines(reader, space, view, mask, chosen))
    if lines and is_about_oneself(question):
        return FirstLines(lines, PROFILE, range(len(view.turns.ordinal)), share=WHOLE)
    return FirstLines(lines, PROFILE) if lines else NO_LINES


def _subjects(question: str, view: IndexView) -> tuple[Sequence[str], int]:
    """The subjects of a question, and how many facts it wants about each."""
    if _EVERYBODY.search(question):
        people = [name for name in view.speakers if name and name.casefold() not in ("user", "assistant")]
        return (people[:SPEAKERS], CARD) if len(people) >= COMPANY else ((), 0)
    match = _ABOUT.search(question)
    who = match["who"].strip().strip("'\"") if match else ""
    if is_about_oneself(question):
        return (who, *_only_person(view)), ONESELF
    return ((who,), FACTS) if who else ((), 0)


def _only_person(view: IndexView) -> list[str]:
    """The name of the one person who talks to an assistant, whom "me" means; empty if there may be several."""
    turns = view.turns
    codes = np.unique(turns.speaker[(turns.role == ROLES.index("user")) & (turns.speaker >= 0)])
    with_assistant = bool((turns.role == ROLES.index("assistant")).any())
    return [view.speakers[codes[0]]] if with_assistant and len(codes) == 1 else []


def _best(
    reader: Reader, space: str, subject: str, view: IndexView, asked: tuple[FactQuery, datetime], most: int
) -> list[Fact]:
    """The most telling facts about a subject: values that can change first, then by weight; past plans come last."""
    query, now = asked
    limit = _LOOKED_AT if most <= FACTS else _LOOKED_AT_OF_ONESELF
    about = with_all_names(reader, space, view, replace(query, subject=subject, limit=limit))
    facts = find_facts(reader, space, about, now, view)
    facts.sort(key=lambda fact: (fact.slot is None, -(fact.support or 0.0)))
    plans = find_facts(reader, space, replace(about, status=FactStatus.PLANNED), now, view)
    past = [fact for fact in plans if fact.standing in (Standing.PAST_PLAN, Standing.LAPSED)][:_PAST_PLANS]
    theirs = _of_family(reader, space, about, view, now)[:FACTS] if most == ONESELF else []
    known = [*facts[: most - len(past) - len(theirs)], *theirs]
    return [*known, *(fact for fact in past if fact.id not in {current.id for current in known})]


def _of_family(reader: Reader, space: str, about: FactQuery, view: IndexView, now: datetime) -> list[Fact]:
    """The newest facts of whom somebody called theirs: "user's dog", and "Zoe", who is told to be a sister of Ann."""
    owners = {named(name).casefold() for name in (about.subject or "", *about.aliases)}
    everybody = replace(about, subject=None, aliases={}, limit=_LOOKED_AT_OF_ONESELF)
    facts = find_facts(reader, space, everybody, now, view)
    related = {fact.subject for fact in facts if _RELATED.match(fact.verb) and fact.object.casefold() in owners}
    owned = [fact for fact in facts if fact.subject.rpartition("'s ")[0].casefold() in owners]
    return [*owned, *(fact for fact in facts if fact.subject in related and fact.subject.casefold() not in owners)]


_RELATED: Final = late_pattern(r"is \S+ of$")


def _lines(reader: Reader, space: str, view: IndexView, mask: Mask | None, facts: Sequence[Fact]) -> Iterator[Evidence]:
    """One line for each turn that states some of the facts, in the order of the facts."""
    by_turn: dict[str, list[str]] = {}
    for fact in facts:
        by_turn.setdefault(fact.sources[-1], []).append(fact_words(fact))
    for name, facts_of_turn in by_turn.items():
        session, seq = parse_turn_id(name)
        place = view.position(session, seq)
        row = TURN.get(reader, (space, session, seq))
        if row is not None and place is not None and (mask is None or mask[place]):
            yield Evidence.of(turn_from_row(row), "; ".join(facts_of_turn), "facts", mark="facts")
