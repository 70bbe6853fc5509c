"""Resolves the subject of a question about facts to all names of that person, by the nicknames of the entity graph.

Nicknames are resolved when facts are asked for, and are not stored with facts: forgetting the turn that introduced a
nickname undoes it. A name that may mean two people stands for itself alone.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.knowledge.groups import subject_key
from clew.recall.facts import FactQuery, named, names_of
from clew.rows.entity_progress import counted_to
from clew.rows.facts import places_of, subject_digest
from clew.store.protocol import Reader
from clew.structure.stored_graph import StoredGraph

_NICKNAMES: Final = "nicknames of facts"


def with_all_names(reader: Reader, space: str, view: IndexView | None, query: FactQuery) -> FactQuery:
    """The query with the nicknames of its subject as aliases, or with the only name under which facts are known.

    Args:
        view: None only if the query has no subject.
    """
    if query.subject is None or view is None:
        return query
    aliases = _aliases(reader, space, view, named(query.subject))
    names = names_of(query.subject, aliases) if aliases else []
    known = [name for name in names if places_of(reader, space, subject_digest(name), limit=1)]
    if len(known) > 1:
        return replace(query, aliases=aliases)
    return replace(query, subject=known[0]) if known else query


def _aliases(reader: Reader, space: str, view: IndexView, subject: str) -> dict[str, str]:
    """The nicknames of the person whom a name or a nickname means, with that person's key; empty if there are none."""
    graph = StoredGraph(reader, space, view)
    person = graph.called(subject) or subject_key(subject)
    counted = CacheKey[Mapping[str, str]](_NICKNAMES, (counted_to(reader, space),))
    known = view.derived(counted, graph.nicknames)
    return {name: owner for name, owner in known.items() if owner == person}
