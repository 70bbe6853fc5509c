"""Finds facts that may match a query by their keys, without reading the facts. Start at `places_asked`."""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain, groupby
from typing import Final, TypeVar

from clew.recall.fact_query import FactQuery, heads
from clew.rows.fact_codec import Place
from clew.rows.facts import STATED, pair_digest, status_digest, subject_digest, term_digest, verb_digest
from clew.store.protocol import Reader
from clew.store.rows import to_us
from clew.store.selections import FACT_PLACE, FACT_UNTIL, FactPlace, FactUntil
from clew.store.typed_reads import TypedReads
from clew.store.values import Key
from clew.text.terms import terms

R = TypeVar("R", FactPlace, FactUntil)

SCANNED: Final = 600
"""Keys of facts that are compared before facts are read: about a millisecond."""


def places_asked(reader: Reader, space: str, query: FactQuery, now: datetime) -> Iterator[Place]:
    """The places, those of the newest facts first; no more keys are read than places are taken.

    A condition that very many facts meet is left out, so that not every fact at these places meets the query. Where
    facts are asked for that are current, those that are known not to be are passed over.
    """
    moment = to_us(now) if query.is_about_now and query.status is None else None
    narrow: set[Place] | None = None
    widest: list[tuple[Key, list[FactUntil]]] = []
    for digests in _conditions(query):
        keys = [(space, digest) for digest in digests]
        limited = [FACT_UNTIL.scan(reader, key, key, reverse=True, limit=SCANNED + 1) for key in keys]
        if all(len(rows) <= SCANNED for rows in limited):
            places = {place for rows in limited for place in _open(rows, moment)}
            narrow = places if narrow is None else narrow & places
        else:
            widest = widest or list(zip(keys, limited, strict=True))
    if narrow is not None:
        yield from sorted(narrow, reverse=True)
    elif widest:
        every = [chain(_open(rows, moment), _older(reader, key, rows, moment)) for key, rows in widest]
        yield from (place for place, _ in groupby(heapq.merge(*every, reverse=True)))
    else:
        for row in _rows(reader, FACT_PLACE, (space,), ()):
            yield row.ordinal, row.place


def _older(reader: Reader, key: Key, read: Sequence[FactUntil], moment: int | None) -> Iterator[Place]:
    """Yields the places under a key that are older than those already read, newest first."""
    if len(read) > SCANNED:
        yield from _open(_rows(reader, FACT_UNTIL, key, read[-1:]), moment)


def _rows(reader: Reader, source: TypedReads[R], low: Key, last: Sequence[R]) -> Iterator[R]:
    """Yields the rows of a table that begin with a prefix, newest first.

    Args:
        last: the row that they follow; empty for all.
    """
    high = low
    while True:
        for row in last:
            high = (*low, row.ordinal, row.place - 1)
        rows = source.scan(reader, low, high, reverse=True, limit=SCANNED)
        yield from rows
        if len(rows) < SCANNED:
            return
        last = rows[-1:]


def _open(rows: Iterable[FactUntil], moment: int | None) -> Iterator[Place]:
    """The places of facts that may be current at a moment; all places if the moment is None."""
    for row in rows:
        if row.place != STATED and (moment is None or row.until is None or row.until > moment):
            yield row.ordinal, row.place


def _conditions(query: FactQuery) -> Iterator[list[int]]:
    """One list of digests for each condition of a query; a fact that meets the condition has one digest of its list."""
    if query.object is not None:
        yield from ([term_digest(term)] for term in dict.fromkeys(terms(query.object)))
    if query.status is not None and query.is_about_now and (digest := status_digest(query.status)):
        yield digest
    if query.verb is not None and query.subject is not None:
        yield [pair_digest(name, head) for name in query.names() for head in heads(query.verb)]
    elif query.verb is not None:
        yield [verb_digest(head) for head in heads(query.verb)]
    elif query.subject is not None:
        yield [subject_digest(name) for name in query.names()]
