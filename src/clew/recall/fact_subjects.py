"""Resolves the subjects of questions about facts to all names of a person.

A nickname is known from how people greet somebody (the entity graph), from a statement ("everybody calls me Bob"), or
as the first or last word of a speaker's name.
Nicknames are resolved when facts are asked for, and are not stored with facts: forgetting the turn that introduced a
nickname undoes it. A name that may mean two people stands for itself alone.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.knowledge.groups import subject_key
from clew.knowledge.history import Standing, standing
from clew.recall.fact_query import FactQuery, named, names_of
from clew.rows.entity_progress import counted_to
from clew.rows.facts import NICKNAMES, TurnMarks, facts_at, places_of, subject_digest
from clew.store.protocol import Reader
from clew.structure.stored_graph import StoredGraph
from clew.text.spoken_names import short_names

_GREETED: Final = "nicknames of facts"

_SHORT: Final = CacheKey[list[tuple[str, str]]]("short names of speakers")

MOST_NICKNAMES: Final = 200
"""Most statements of nicknames that are looked at, the newest; a space of friends has a few."""


def with_all_names(reader: Reader, space: str, view: IndexView, query: FactQuery) -> FactQuery:
    """The query with the nicknames of its subject as aliases, or with the only name under which facts are known.

    A query without a subject gets the nicknames of all people.
    """
    known = _nicknames(reader, space, view)
    if query.subject is None:
        return replace(query, nicknames=known)
    subject = subject_key(named(query.subject))
    person = known.get(subject, subject)
    aliases = {name: owner for name, owner in known.items() if owner == person}
    names = names_of(query.subject, aliases) if aliases else []
    stated = [name for name in names if places_of(reader, space, subject_digest(name), limit=1)]
    if len(stated) > 1:
        return replace(query, aliases=aliases)
    return replace(query, subject=stated[0]) if stated else query


def _nicknames(reader: Reader, space: str, view: IndexView) -> dict[str, str]:
    """All nicknames that can mean one person only, with their owners, both as keys."""
    counted = CacheKey[Mapping[str, str]](_GREETED, (counted_to(reader, space),))
    owners = _stated(reader, space)
    for name, person in view.derived(_SHORT, lambda: _short_names(view)):
        owners[name].add(person)
    people = {subject_key(name) for name in view.speakers}.union(*owners.values()) if owners else set()
    for name, owner in view.derived(counted, StoredGraph(reader, space, view).nicknames).items():
        owners[name].add(owner)
        people.discard(name)
    return {name: next(iter(every)) for name, every in owners.items() if len(every) == 1 and name not in people}


def _short_names(view: IndexView) -> list[tuple[str, str]]:
    """First and last words of the names of speakers, with the names, all as keys."""
    return [(subject_key(name), subject_key(person)) for person in view.speakers for name in short_names(person)]


def _stated(reader: Reader, space: str) -> defaultdict[str, set[str]]:
    """Whom nicknames were said to mean."""
    places = places_of(reader, space, NICKNAMES, reverse=True, limit=MOST_NICKNAMES)
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for fact in facts_at(reader, space, places, TurnMarks(reader, space)):
        if standing(fact, None) is Standing.HOLDS:
            owners[subject_key(fact.object)].add(subject_key(fact.subject))
    return owners
