"""Links between facts: all of them, those of one subject, or those of facts that are shown (`with_links`)."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Final

from clew.knowledge.history import standing
from clew.recall.fact_query import named
from clew.rows.fact_codec import Place, fact_id, place_of
from clew.rows.facts import FactSummary, TurnMarks, places_of, subject_digest, summaries_at
from clew.store.knowledge_row_types import FactLinkRow
from clew.store.protocol import Reader
from clew.store.tables import FACT_LINK
from clew.types.facts import Fact, FactLink, LinkedFact, LinkKind, said_scope
from clew.types.record import copier

_shown: Final = copier(Fact, "scope", "standing", "links")
_KIND: Final = {each.value: each for each in LinkKind}


def all_links(reader: Reader, space: str) -> list[FactLink]:
    """All links between facts, sorted by the ids of both ends."""
    return _links(FACT_LINK.scan(reader, (space,), (space,)), TurnMarks(reader, space))


def links_of(reader: Reader, space: str, subject: str) -> list[FactLink]:
    """All links from or to facts about a subject, past ones included, sorted by the ids of both ends."""
    marks = TurnMarks(reader, space)
    keys = [(space, *place) for place in places_of(reader, space, subject_digest(named(subject)))]
    rows = {*FACT_LINK.scan_many(reader, keys), *FACT_LINK.scan_many(reader, keys, index="target")}
    return _links(rows, marks)


def _links(rows: Iterable[FactLinkRow], marks: TurnMarks) -> list[FactLink]:
    every = list(rows)
    marks.load({ordinal for row in every for ordinal in (row.ordinal, row.target)})
    return sorted(
        FactLink(
            source=fact_id(marks(row.ordinal).name, row.place),
            kind=LinkKind(row.kind),
            target=fact_id(marks(row.target).name, row.target_place),
            rests=bool(row.rests),
        )
        for row in every
    )


def linked_fact(kind: LinkKind, other: Fact | FactSummary, *, is_source: bool) -> LinkedFact:
    """Describes the fact at the other end of a link."""
    return LinkedFact(kind=kind, id=other.id, is_source=is_source, told=other.told, retracted=other.retracted)


def with_links(
    reader: Reader, space: str, facts: Sequence[Fact], marks: TurnMarks, moment: datetime | None = None
) -> list[Fact]:
    """The facts with their direct links.

    Args:
        moment: that of their standings; None leaves those as they are.
    """
    places = {fact.id: place_of(fact.id, marks.ordinal) for fact in facts}
    ends = _ends(reader, space, set(places.values()))
    linked: dict[Place, Fact | FactSummary] = {places[fact.id]: fact for fact in facts}
    others = sorted({place for every in ends.values() for _, place, _ in every} - linked.keys())
    linked |= summaries_at(reader, space, others, marks)
    facts_linked = []
    for fact in facts:
        links = tuple(
            linked_fact(kind, linked[place], is_source=back)
            for kind, place, back in ends.get(places[fact.id], ())
            if place in linked
        )
        stands = fact.standing if moment is None else standing(fact, moment).value
        facts_linked.append(_shown(fact, said_scope(fact.scope), stands, links))
    return facts_linked


def _ends(reader: Reader, space: str, places: Collection[Place]) -> dict[Place, list[tuple[LinkKind, Place, bool]]]:
    """For each fact, the facts that it is linked to and whether these are the sources; outgoing links come first."""
    keys, ends = [(space, *place) for place in places], dict[Place, list[tuple[LinkKind, Place, bool]]]()
    for row in sorted(FACT_LINK.scan_many(reader, keys)):
        end = _KIND[row.kind], (row.target, row.target_place), False
        ends.setdefault((row.ordinal, row.place), []).append(end)
    for row in sorted(FACT_LINK.scan_many(reader, keys, index="target")):
        end = _KIND[row.kind], (row.ordinal, row.place), True
        ends.setdefault((row.target, row.target_place), []).append(end)
    return ends


def with_standing(fact: Fact, moment: datetime) -> Fact:
    """The fact with its standing at a moment."""
    return _shown(fact, said_scope(fact.scope), standing(fact, moment).value, fact.links)
