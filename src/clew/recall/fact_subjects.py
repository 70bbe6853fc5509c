"""Other names of the person that a question about facts names: what the entity graph knows of nicknames.

They are resolved when facts are asked for, like all nicknames, and not stored with facts: so to forget the turn that
made a nickname is to undo it, and a name that may mean two stays apart.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from clew.derive.entity_counts import counted_to
from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.knowledge.groups import subject_key
from clew.recall.facts import FactQuery, named, one_by_many_names
from clew.rows.facts import places_of, subject_digest
from clew.store.protocol import Reader
from clew.structure.stored_graph import StoredGraph

_NICKNAMES: Final = "nicknames of facts"


def meant(reader: Reader, space: str, view: IndexView | None, query: FactQuery) -> FactQuery:
    """The query about all names of its subject under which something is known; about the only one, where it is one.

    Args:
        view: needed only where there is a subject.
    """
    if query.subject is None or view is None:
        return query
    aliases = _aliases(reader, space, view, named(query.subject))
    names = one_by_many_names(query.subject, aliases) if aliases else []
    known = [name for name in names if places_of(reader, space, subject_digest(name), limit=1)]
    if len(known) > 1:
        return replace(query, aliases=aliases)
    return replace(query, subject=known[0]) if known else query


def _aliases(reader: Reader, space: str, view: IndexView, subject: str) -> dict[str, str]:
    """The nicknames of the person whom a name or a nickname means, each with the person's key; empty without any."""
    graph = StoredGraph(reader, space, view)
    person = graph.called(subject) or subject_key(subject)
    counted = CacheKey[Mapping[str, str]](_NICKNAMES, (counted_to(reader, space),))
    known = view.derived(counted, graph.nicknames)
    return {name: owner for name, owner in known.items() if owner == person}
