"""Answers questions about facts by subject, verb, object and time, with links. Start at `find_facts`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Final

from clew.errors import NotFoundError
from clew.index.view import IndexView
from clew.knowledge import history
from clew.knowledge.groups import group_of, subject_key
from clew.knowledge.history import CURRENT, is_hidden, standing
from clew.knowledge.slots import family_of
from clew.recall.fact_links import linked_fact, with_links, with_standing
from clew.recall.fact_places import places_asked
from clew.recall.fact_query import FactQuery, heads, named, names_of, other_side, verb_fits
from clew.rows.fact_codec import is_over, place_of
from clew.rows.facts import (
    StoredStatements,
    TurnMarks,
    fact_texts,
    facts_at,
    facts_of,
    facts_of_groups,
    pair_digest,
    places_of,
    subject_digest,
)
from clew.store.protocol import Reader
from clew.types.facts import Fact, LinkedFact, LinkKind

_LEAST: Final = 8
"""Facts read at a time, at least."""


def find_facts(
    reader: Reader, space: str, query: FactQuery, now: datetime, view: IndexView | None = None
) -> list[Fact]:
    """The facts that meet a query, newest first, each with its standing and its links.

    Args:
        view: as for `TurnMarks`.
    """
    marks = TurnMarks(reader, space, view)
    plain: list[Fact] = []
    joined: list[Fact] = []
    for facts in _candidates(reader, space, query, marks, plain, now):
        answers = list(_answers(reader, space, query, facts, now, marks))
        people = [fact for fact in answers if _has_names(fact, query)]
        plain += [fact for fact in answers if not _has_names(fact, query)]
        known = {fact.id for fact in joined}
        of_people = _answers(reader, space, replace(query, aliases=query.nicknames), people, now, marks)
        joined += [fact for fact in of_people if fact.id not in known] if people else ()
        if query.limit is not None and len(plain) + len(joined) >= query.limit:
            break
    moment, own = query.moment(now), {fact.id for fact in joined}
    every = sorted((*plain, *joined), key=lambda fact: place_of(fact.id, marks.ordinal), reverse=True) if own else plain
    chosen = every[: query.limit]
    if query.known_at is not None or query.aliases:
        return [with_standing(fact, moment) for fact in chosen]
    others = [fact for fact in chosen if fact.id not in own]
    linked = {fact.id: fact for fact in with_links(reader, space, others, marks, moment)}
    facts_shown = [linked.get(fact.id) or with_standing(fact, moment) for fact in chosen]
    return facts_shown if query.as_of is None else list(map(_without_later, facts_shown))


def _has_names(fact: Fact, query: FactQuery) -> bool:
    """Whether the subject of a fact is a person with a nickname that the query joins with their name."""
    key = subject_key(fact.subject)
    return key in query.nicknames or key in query.nicknames.values()


def _without_later(fact: Fact) -> Fact:
    """The fact as it was before anything replaced it."""
    links = (link for link in fact.links if link.kind is not LinkKind.SUPERSEDES or not link.is_source)
    return replace(fact, links=tuple(links))


def fact_history(
    reader: Reader, space: str, query: FactQuery, now: datetime, view: IndexView | None = None
) -> list[Fact]:
    """All facts ever stated about the subject of a query, earliest first, each with its standing and its links.

    Args:
        query: only its subject, verb and aliases are used.
        view: as for `TurnMarks`.
    """
    marks, verb, names = TurnMarks(reader, space, view), query.verb, query.names()
    digests = [subject_digest(name) for name in names]
    if verb is not None:
        wanted = dict.fromkeys(head for form in (verb, *other_side(verb)) for head in heads(form))
        digests = [pair_digest(name, head) for name in names for head in wanted]
    places = sorted({place for digest in digests for place in places_of(reader, space, digest)})
    stated = facts_at(reader, space, places, marks)
    if query.aliases:
        stated = _rederived(reader, space, stated, marks, query.aliases)
    every = history.history(stated, named(query.subject or ""), aliases=query.aliases)
    families = {family_of(fact.verb) for fact in every if verb is not None and verb_fits(verb, fact.verb)}
    chosen = [fact for fact in every if verb is None or family_of(fact.verb) in families]
    if query.aliases:
        return [with_standing(fact, now) for fact in chosen]
    return with_links(reader, space, chosen, marks, now)


def get_fact(reader: Reader, space: str, name: str) -> Fact:
    """The fact with this id.

    Raises:
        InputError: that is not the id of a fact.
        NotFoundError: there is no such fact.
    """
    marks = TurnMarks(reader, space)

    def ordinal_of(turn: str) -> int:
        ordinal = marks.find(turn)
        if ordinal is None:
            raise NotFoundError(f"there is no fact {name!r}: its turn is not stored; `clew facts` lists facts")
        return ordinal

    facts = facts_at(reader, space, [place_of(name, ordinal_of)], marks)
    if not facts:
        raise NotFoundError(f"there is no fact {name!r}; `clew facts` lists facts with their ids")
    return facts[0]


def corrected_fact(reader: Reader, space: str, fact: Fact) -> Fact:
    """The fact that now stands in place of a corrected one; the fact itself if it was not corrected."""
    marks, seen = TurnMarks(reader, space), {fact.id}
    while fact.retracted:
        # The correction of a fact whose verb takes any number of values is in a group of its own.
        names = [fact.superseded_by or "", *(f"{turn}:fact:u0" for turn in reversed(fact.sources))]
        places = [place_of(name, marks.ordinal) for name in names if name and name not in seen]
        corrections = facts_at(reader, space, places, marks)
        if not corrections:
            break
        fact = corrections[0]
        seen.add(fact.id)
    return fact


def _candidates(
    reader: Reader, space: str, query: FactQuery, marks: TurnMarks, answered: Sequence[Fact], now: datetime
) -> Iterator[list[Fact]]:
    """Yields facts that may meet a query, newest first, page by page if the query has a limit.

    Args:
        answered: the answers so far.
    """
    places = places_asked(reader, space, query, now)
    if not query.is_about_now:  # whole groups are derived again and given at once
        yield facts_at(reader, space, list(places), marks)
        return
    read, limit = 0, query.limit
    while chosen := list(places if limit is None else islice(places, _page(limit, read, len(answered)))):
        read += len(chosen)
        rows = fact_texts(reader, space, chosen)
        rows = [row for row in rows if not is_over(row)] if query.status is None else rows
        yield facts_of(reader, space, rows, marks)


def _page(wanted: int, read: int, answered: int) -> int:
    """How many facts to read next.

    The missing answers are assumed to be as frequent among the next facts as answers were among those already read.
    """
    missing = wanted - answered
    return max(_LEAST, missing) if read == 0 else max(_LEAST, missing * read // answered if answered else read)


def _answers(
    reader: Reader, space: str, query: FactQuery, facts: Iterable[Fact], now: datetime, marks: TurnMarks
) -> Iterator[Fact]:
    """Yields the facts that meet a query at its moment."""
    fitting = query.fitting(facts)
    moment = query.moment(now)
    if query.known_at is not None or query.aliases:
        fitting = _rederived(reader, space, fitting, marks, query.aliases, query.known_at)
    elif query.as_of is not None:
        fitting = facts_of_groups(reader, space, {fact.group for fact in fitting}, marks)
    if query.as_of is not None:
        fitting = list(history.as_of(fitting, query.as_of))
    if not query.is_about_now:  # facts of their groups have come along
        fitting = query.fitting(fitting)
    for fact in fitting:
        if is_hidden(fact):
            continue
        if query.status is None:
            is_meant = query.as_of is not None or standing(fact, moment) in CURRENT
        else:
            is_meant = fact.status is query.status and not fact.retracted
        if is_meant:
            yield fact


def _owners(aliases: Mapping[str, str]) -> dict[str, str]:
    """Maps every name of a subject with several names to the one that stands for all of them."""
    return {**{owner: owner for owner in aliases.values()}, **aliases}


def _of_one(aliases: Mapping[str, str], owner: str) -> dict[str, str]:
    return {name: root for name, root in aliases.items() if root == owner}


def _rederived(
    reader: Reader,
    space: str,
    facts: Iterable[Fact],
    marks: TurnMarks,
    aliases: Mapping[str, str],
    known_at: datetime | None = None,
) -> list[Fact]:
    """Derives the facts of some groups again from their statements, each with its links.

    Args:
        aliases: names that count as one subject, see `FactQuery.aliases`.
        known_at: only what had been said by this moment counts; None for everything.

    Returns:
        All facts of the groups, those of the latest turns first.
    """
    stored = StoredStatements(reader, space, marks)
    stating = stored.lookup({fact.group for fact in facts})
    groups = {row.group for row in stating}
    if aliases:  # the same is said of the subject under its other names
        names = {name: names_of(owner, _of_one(aliases, owner)) for name, owner in _owners(aliases).items()}
        own = [(row.statement, subject_key(row.statement.subject)) for row in stating]
        groups |= {group_of(replace(statement, subject=name)) for statement, key in own for name in names.get(key, ())}
        stating = stored.lookup(groups)
    near = {key for row in stating for key in row.near()}
    statements = stored.as_stated(stored.lookup(near))
    book = history.known_at(statements.values(), known_at, aliases)
    every = {fact.id: fact for fact in book.facts()}
    links: dict[str, list[LinkedFact]] = {name: [] for name in every}
    for link in book.links():
        links[link.source].append(linked_fact(link.kind, every[link.target], is_source=False))
        links[link.target].append(linked_fact(link.kind, every[link.source], is_source=True))
    joined = {group_of(row.statement, aliases) for row in stating if row.group in groups}
    derived = [
        replace(fact, statements=(), links=tuple(links[fact.id])) for fact in book.facts() if fact.group in joined
    ]
    return sorted(derived, key=lambda fact: place_of(fact.id, marks.ordinal), reverse=True)
