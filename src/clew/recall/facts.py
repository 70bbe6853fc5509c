"""Questions about facts: by subject, verb and object, at a moment, with their links. Start at `find_facts`."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Final

from clew.errors import NotFoundError
from clew.knowledge import history
from clew.knowledge.groups import group_of, subject_key
from clew.knowledge.history import CURRENT, is_hidden, standing
from clew.knowledge.morphology import analyses, lemma
from clew.knowledge.slots import ANY_SCOPE, SIDES, SLOTS, Slot, family_of, slot_of
from clew.rows.fact_codec import Place, fact_id, is_over, place_of
from clew.rows.facts import (
    STATED,
    StoredStatements,
    ToldFact,
    TurnMarks,
    fact_texts,
    facts_at,
    facts_of,
    facts_of_groups,
    head_of,
    pair_digest,
    places_of,
    status_digest,
    subject_digest,
    term_digest,
    told_at,
    verb_digest,
)
from clew.store.knowledge_row_types import FactLinkRow
from clew.store.protocol import Reader
from clew.store.selections import FACT_PLACE, FACT_PLACES
from clew.store.tables import FACT_LINK
from clew.store.values import Key
from clew.text.terms import terms
from clew.types.facts import Fact, FactLink, FactStatus, LinkedFact, LinkKind

SCANNED: Final = 600
"""Keys of facts that are compared before facts are read: about a millisecond."""

_LEAST: Final = 8
"""Facts read at a time, at least."""
_SPEAKER: Final = "user"
_MYSELF: Final = frozenset({"i", "me", "myself"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FactQuery:
    """What facts are asked for; a fact must meet every condition that is given.

    Attributes:
        subject: a name, in any spelling that is one entity with the stored one; `me` is the user without a name.
        verb: in any form: "led" finds "leads", "live" finds "lives in"; or the name of a slot, such as `home`.
        object: words that the object has, in any form.
        status: a fact's own status, whatever became of it since; None for facts that hold, are planned or happened.
        as_of: a moment: what held then, as far as is known.
        known_at: a moment: what followed from what had been said by then.
        limit: most facts, the newest first; None for all.
        aliases: keys of other names of the subject -> the key that stands for all of them. Facts under any of these
            names are facts of one person.
        nicknames: the same for every person, where no subject is asked for.
    """

    subject: str | None = None
    verb: str | None = None
    object: str | None = None
    status: FactStatus | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    limit: int | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    nicknames: Mapping[str, str] = field(default_factory=dict)

    def moment(self, now: datetime) -> datetime:
        """The moment of the standings."""
        return self.as_of or self.known_at or now

    def names(self) -> list[str]:
        """The subject and its other names; none without a subject."""
        return [] if self.subject is None else names_of(self.subject, self.aliases)

    def fits(self, fact: Fact) -> bool:
        """Whether the words of a fact meet the conditions."""
        return (
            (self.subject is None or subject_key(fact.subject) in map(subject_key, self.names()))
            and (self.verb is None or verb_fits(self.verb, fact))
            and (self.object is None or _has_words(fact.object, self.object))
        )


def _has_words(value: str, asked: str) -> bool:
    """Whether a value has all words, in any form; what has no word that tells anything, such as "the", as it stands."""
    wanted = set(terms(asked))
    return wanted <= set(terms(value)) if wanted else asked.casefold() in value.casefold()


def named(subject: str) -> str:
    """The subject that a name stands for."""
    return _SPEAKER if subject.strip().casefold() in _MYSELF else subject


def names_of(subject: str, aliases: Mapping[str, str]) -> list[str]:
    """All names of a subject, sorted: its own, and those of `FactQuery.aliases`."""
    return sorted({named(subject), *aliases, *aliases.values()})


def verb_fits(asked: str, fact: Fact) -> bool:
    """Whether a fact has a verb, in any form: as its first words, by the name of its slot, or by another verb of it."""
    return _is_form(asked, fact.verb) or slot_of(fact.verb, ANY_SCOPE) in slots_asked(asked)


@lru_cache(maxsize=256)
def slots_asked(verb: str) -> tuple[Slot, ...]:
    """The slots that have a name, or a verb in any form: "uses" also asks for what was decided."""
    name = verb.casefold()
    return tuple(slot for slot in SLOTS if slot.name == name or any(_is_verb(name, each) for each in slot.verbs))


def _is_form(asked: str, verb: str) -> bool:
    """Whether words are the first words of a verb, the first of them in any form."""
    wanted, held = asked.casefold().split(), verb.casefold().split()
    return bool(_lemmas(wanted[0]) & _lemmas(held[0])) and held[1 : len(wanted)] == wanted[1:]


def _is_verb(asked: str, verb: str) -> bool:
    return len(asked.split()) == len(verb.split()) and _is_form(asked, verb)


@lru_cache(maxsize=1024)
def _lemmas(word: str) -> frozenset[str]:
    """The verbs of which a word can be a form."""
    return frozenset((lemma(word), *analyses(word.lower())))


def find_facts(reader: Reader, space: str, query: FactQuery, now: datetime) -> list[Fact]:
    """The facts that meet a query, the newest first, each with its standing and its links."""
    marks = TurnMarks(reader, space)
    found: list[Fact] = []
    joined: list[Fact] = []
    for facts in _candidates(reader, space, query, marks, found, now):
        answers = list(_answers(reader, space, query, facts, now, marks))
        people = [fact for fact in answers if _has_names(fact, query)]
        found += [fact for fact in answers if not _has_names(fact, query)]
        known = {fact.id for fact in joined}
        of_people = _answers(reader, space, replace(query, aliases=query.nicknames), people, now, marks)
        joined += [fact for fact in of_people if fact.id not in known] if people else ()
        if query.limit is not None and len(found) + len(joined) >= query.limit:
            break
    moment, own = query.moment(now), {fact.id for fact in joined}
    every = sorted((*found, *joined), key=lambda fact: place_of(fact.id, marks.ordinal), reverse=True) if own else found
    chosen = every[: query.limit]
    if query.known_at is not None or query.aliases:
        return [_standing(fact, moment) for fact in chosen]
    others = [fact for fact in chosen if fact.id not in own]
    linked = {fact.id: fact for fact in with_links(reader, space, others, marks, moment)}
    told = [linked.get(fact.id) or _standing(fact, moment) for fact in chosen]
    return told if query.as_of is None else list(map(_without_later, told))


def _has_names(fact: Fact, query: FactQuery) -> bool:
    """Whether a fact is of somebody with a nickname, where those are joined."""
    key = subject_key(fact.subject)
    return key in query.nicknames or key in query.nicknames.values()


def _without_later(fact: Fact) -> Fact:
    """A fact as it was once: nothing had replaced it."""
    links = (link for link in fact.links if link.kind is not LinkKind.SUPERSEDES or not link.is_source)
    return replace(fact, links=tuple(links))


def fact_history(reader: Reader, space: str, query: FactQuery, now: datetime) -> list[Fact]:
    """All that was ever stated of the subject of a query, earliest first, each with its standing and its links.

    Args:
        query: only its subject, verb and aliases are used.
    """
    marks, verb, names = TurnMarks(reader, space), query.verb, query.names()
    digests = [subject_digest(name) for name in names]
    if verb is not None:
        heads = dict.fromkeys(head for each in (verb, *_other_side(verb)) for head in _heads(each))
        digests = [pair_digest(name, head) for name in names for head in heads]
    places = sorted({place for digest in digests for place in places_of(reader, space, digest)})
    found = facts_at(reader, space, places, marks)
    if query.aliases:
        found = _rederived(reader, space, found, marks, query.aliases)
    every = history.history(found, named(query.subject or ""), aliases=query.aliases)
    families = {family_of(fact.verb) for fact in every if verb is not None and verb_fits(verb, fact)}
    chosen = [fact for fact in every if verb is None or family_of(fact.verb) in families]
    if query.aliases:
        return [_standing(fact, now) for fact in chosen]
    return with_links(reader, space, chosen, marks, now)


def get_fact(reader: Reader, space: str, name: str) -> Fact:
    """The fact of an id.

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

    found = facts_at(reader, space, [place_of(name, ordinal_of)], marks)
    if not found:
        raise NotFoundError(f"there is no fact {name!r}; `clew facts` lists facts with their ids")
    return found[0]


def corrected_fact(reader: Reader, space: str, fact: Fact) -> Fact:
    """The fact that replaced a corrected one, after all its corrections; the fact itself if it was not corrected."""
    marks, seen = TurnMarks(reader, space), {fact.id}
    while fact.retracted:
        # The correction of a fact whose verb takes any number of values is in a group of its own.
        names = [fact.superseded_by or "", *(f"{turn}:fact:u0" for turn in reversed(fact.sources))]
        places = [place_of(name, marks.ordinal) for name in names if name and name not in seen]
        found = facts_at(reader, space, places, marks)
        if not found:
            break
        fact = found[0]
        seen.add(fact.id)
    return fact


def all_links(reader: Reader, space: str) -> list[FactLink]:
    """All links between facts, sorted."""
    return _links(FACT_LINK.scan(reader, (space,), (space,)), TurnMarks(reader, space))


def links_of(reader: Reader, space: str, subject: str) -> list[FactLink]:
    """The links from and to all that was ever stated of a subject, sorted."""
    marks = TurnMarks(reader, space)
    keys = [(space, *place) for place in places_of(reader, space, subject_digest(named(subject)))]
    found = {*FACT_LINK.scan_many(reader, keys), *FACT_LINK.scan_many(reader, keys, index="target")}
    return _links(found, marks)


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


def _linked(kind: LinkKind, other: Fact | ToldFact, *, is_source: bool) -> LinkedFact:
    return LinkedFact(kind=kind, id=other.id, is_source=is_source, told=other.told, retracted=other.retracted)


def with_links(
    reader: Reader, space: str, facts: Sequence[Fact], marks: TurnMarks, moment: datetime | None = None
) -> list[Fact]:
    """The facts with their links, one hop.

    Args:
        moment: that of their standings; None leaves those as they are.
    """
    places = {fact.id: place_of(fact.id, marks.ordinal) for fact in facts}
    ends = _ends(reader, space, set(places.values()))
    linked: dict[Place, Fact | ToldFact] = {places[fact.id]: fact for fact in facts}
    others = sorted({place for every in ends.values() for _, place, _ in every} - linked.keys())
    linked |= told_at(reader, space, others, marks)
    found = []
    for fact in facts:
        links = tuple(
            _linked(kind, linked[place], is_source=back)
            for kind, place, back in ends.get(places[fact.id], ())
            if place in linked
        )
        stands = fact.standing if moment is None else standing(fact, moment).value
        found.append(replace(fact, standing=stands, links=links))
    return found


def _ends(reader: Reader, space: str, places: Collection[Place]) -> dict[Place, list[tuple[LinkKind, Place, bool]]]:
    """The other ends of the links of facts, and whether they are the sources; where a fact leads to comes first."""
    keys, found = [(space, *place) for place in places], dict[Place, list[tuple[LinkKind, Place, bool]]]()
    for row in sorted(FACT_LINK.scan_many(reader, keys)):
        end = LinkKind(row.kind), (row.target, row.target_place), False
        found.setdefault((row.ordinal, row.place), []).append(end)
    for row in sorted(FACT_LINK.scan_many(reader, keys, index="target")):
        end = LinkKind(row.kind), (row.ordinal, row.place), True
        found.setdefault((row.target, row.target_place), []).append(end)
    return found


def _candidates(
    reader: Reader, space: str, query: FactQuery, marks: TurnMarks, found: Sequence[Fact], now: datetime
) -> Iterator[list[Fact]]:
    """Facts that may meet a query, the newest first: a page at a time where only some are wanted.

    Args:
        found: the answers so far.
    """
    pages = _places(reader, space, query)
    if not _is_about_now(query):
        yield facts_at(reader, space, [place for page in pages for place in page], marks)
        return
    for places in pages:
        start = 0
        while start < len(places):
            most = len(places) if query.limit is None else start + _page(query.limit, start, len(found))
            rows = fact_texts(reader, space, places[start:most])
            current = query.status is None
            rows = [row for row in rows if not is_over(row)] if current else rows
            yield facts_of(reader, space, rows, marks, at=now if current else None)
            start = most


def _page(wanted: int, read: int, found: int) -> int:
    """Places of facts to read at a time: as many as give what is missing, if they give as much as those before."""
    missing = wanted - found
    return max(_LEAST, missing) if read == 0 else max(_LEAST, missing * read // found if found else read)


def _is_about_now(query: FactQuery) -> bool:
    """Whether stored facts answer the query as they are; if not, whole groups are derived again and given at once."""
    return query.as_of is None and query.known_at is None and not query.aliases


def _places(reader: Reader, space: str, query: FactQuery) -> Iterator[list[Place]]:
    """Where the facts stand that may meet a query, the newest first; a condition that very many meet is left out."""
    narrow: set[Place] | None = None
    widest: list[int] | None = None
    for digests in _conditions(query):
        limited = [places_of(reader, space, digest, reverse=True, limit=SCANNED + 1) for digest in digests]
        if all(len(every) <= SCANNED for every in limited):
            found = {place for every in limited for place in every}
            narrow = found if narrow is None else narrow & found
        else:
            widest = widest or digests
    if narrow is not None:
        yield sorted(narrow, reverse=True)
    elif widest is None or len(widest) == 1:
        yield from _pages(reader, space, None if widest is None else widest[0])
    else:
        yield sorted({place for digest in widest for place in places_of(reader, space, digest)}, reverse=True)


def _pages(reader: Reader, space: str, digest: int | None) -> Iterator[list[Place]]:
    """All places of one digest, or all places, the newest first; no more are read than are asked for."""
    low: Key = (space,) if digest is None else (space, digest)
    high, source = low, FACT_PLACE if digest is None else FACT_PLACES
    while rows := source.scan(reader, low, high, reverse=True, limit=SCANNED):
        yield [(row.ordinal, row.place) for row in rows if row.place != STATED]
        if len(rows) < SCANNED:
            return
        high = (*low, rows[-1].ordinal, rows[-1].place - 1)


def _conditions(query: FactQuery) -> Iterator[list[int]]:
    """What facts are found by that meet the conditions: each has one of each list."""
    if query.object is not None:
        yield from ([term_digest(term)] for term in dict.fromkeys(terms(query.object)))
    if query.status is not None and _is_about_now(query) and (found := status_digest(query.status)):
        yield found
    if query.verb is not None and query.subject is not None:
        yield [pair_digest(name, head) for name in query.names() for head in _heads(query.verb)]
    elif query.verb is not None:
        yield [verb_digest(head) for head in _heads(query.verb)]
    elif query.subject is not None:
        yield [subject_digest(name) for name in query.names()]


def _heads(asked: str) -> list[str]:
    """The dictionary forms of the verbs that a word may stand for, or of those of the slot that it names."""
    verbs = {asked, *(verb for slot in slots_asked(asked) for verb in slot.verbs)}
    return sorted({head for verb in verbs for head in _lemmas(head_of(verb))})


def _other_side(asked: str) -> list[str]:
    """The verbs that say the same of an object as a verb in any form, or the opposite: "loved" has "hates"."""
    families = {family for verb, (family, _) in SIDES.items() if _is_form(asked, verb)}
    return [verb for verb, (family, _) in SIDES.items() if family in families]


def _answers(
    reader: Reader, space: str, query: FactQuery, facts: Iterable[Fact], now: datetime, marks: TurnMarks
) -> Iterator[Fact]:
    """The facts that meet a query at its moment."""
    fitting = [fact for fact in facts if query.fits(fact)]
    moment = query.moment(now)
    if query.known_at is not None or query.aliases:
        fitting = _rederived(reader, space, fitting, marks, query.aliases, query.known_at)
    elif query.as_of is not None:
        fitting = facts_of_groups(reader, space, {fact.group for fact in fitting}, marks)
    if query.as_of is not None:
        fitting = list(history.as_of(fitting, query.as_of))
    for fact in fitting:
        if is_hidden(fact) or not query.fits(fact):
            continue
        if query.status is None:
            is_meant = query.as_of is not None or standing(fact, moment) in CURRENT
        else:
            is_meant = fact.status is query.status and not fact.retracted
        if is_meant:
            yield fact


def _standing(fact: Fact, moment: datetime) -> Fact:
    return replace(fact, standing=standing(fact, moment).value)


def _owners(aliases: Mapping[str, str]) -> dict[str, str]:
    """Each name of somebody who has several -> the one that stands for all."""
    return {**{owner: owner for owner in aliases.values()}, **aliases}


def _of_one(aliases: Mapping[str, str], owner: str) -> dict[str, str]:
    return {name: each for name, each in aliases.items() if each == owner}


def _rederived(
    reader: Reader,
    space: str,
    facts: Iterable[Fact],
    marks: TurnMarks,
    aliases: Mapping[str, str],
    known_at: datetime | None = None,
) -> list[Fact]:
    """The facts of the groups of some facts, derived again from their statements, each with its links.

    Args:
        aliases: names that count as one subject, see `FactQuery.aliases`.
        known_at: only what had been said by this moment counts; None for everything.

    Returns:
        All facts of the groups, those of the latest turns first.
    """
    stored = StoredStatements(reader, space, marks)
    stating = stored.lookup({fact.group for fact in facts})
    groups = {each.group for each in stating}
    if aliases:  # the same is said of the subject under its other names
        names = {name: names_of(owner, _of_one(aliases, owner)) for name, owner in _owners(aliases).items()}
        own = [(each.statement, subject_key(each.statement.subject)) for each in stating]
        groups |= {group_of(replace(each, subject=name)) for each, key in own for name in names.get(key, ())}
        stating = stored.lookup(groups)
    near = {key for each in stating for key in each.near()}
    statements = {each.statement.id: each.statement for each in stored.lookup(near)}
    book = history.known_at(statements.values(), known_at, aliases)
    every = {fact.id: fact for fact in book.facts()}
    links: dict[str, list[LinkedFact]] = {name: [] for name in every}
    for link in book.links():
        links[link.source].append(_linked(link.kind, every[link.target], is_source=False))
        links[link.target].append(_linked(link.kind, every[link.source], is_source=True))
    joined = {group_of(each.statement, aliases) for each in stating if each.group in groups}
    made = [replace(each, statements=(), links=tuple(links[each.id])) for each in book.facts() if each.group in joined]
    return sorted(made, key=lambda each: place_of(each.id, marks.ordinal), reverse=True)
