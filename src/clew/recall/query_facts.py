"""Finds the facts that a question asks about, and the turns that state them, for the ranker.

A fact is found by the terms of its object and by its verb, whatever form of it the question has ("led" finds "leads").
Who or what the question names has to be its subject, or stand in its object.
"""

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from clew.index.view import IndexView
from clew.knowledge.morphology import analyses, lemma
from clew.rank.frame import Scores
from clew.rank.intent import Intent
from clew.rows.fact_codec import Place
from clew.rows.facts import facts_at, places_of, subject_digest, term_digest, verb_digest
from clew.store.protocol import Reader, Store
from clew.store.tables import FACT_KEY
from clew.text.terms import terms
from clew.types.facts import Fact

MOST_OF_A_WORD: Final = 400
"""Latest facts that are looked at for one word."""

READ: Final = 24
"""Best facts that are read."""

LEAST: Final = 0.25
"""Share of a question's words below which a fact has nothing to say about it."""

_WORD: Final = re.compile(r"\w+(?:['’]\w+)?")

ELSEWHERE: Final = 0.5
"""Factor for facts about somebody else than the question names."""


@dataclass(frozen=True, slots=True)
class FactHit:
    """A fact, and the share (0 to 1) of the question's words that it has."""

    fact: Fact
    share: float


class FactMatcher:
    """Finds the facts of one space that match a question. Threads may share it."""

    def __init__(self, store: Store, space: str) -> None:
        """Nothing is read before it is asked for."""
        self._store, self._space = store, space

    def __call__(self, view: IndexView, intent: Intent) -> Scores | None:
        """The share of the best fact of each turn, in the order of the view; None when no fact is near the question.

        A fact that several turns state counts for the first of them.
        """
        with self._store.snapshot() as reader:
            shares = self._near(reader, view, intent)
        ordinals = view.turns.ordinal
        scores = np.zeros(len(ordinals))
        for (ordinal, _), share in shares.items():
            place = int(np.searchsorted(ordinals, ordinal))
            if place < len(ordinals) and ordinals[place] == ordinal:
                scores[place] = max(scores[place], share)
        return scores if shares else None

    def hits(self, view: IndexView, intent: Intent, most: int = READ) -> list[FactHit]:
        """The facts nearest to a question, nearest first; equally near ones by time, the latest first."""
        with self._store.snapshot() as reader:
            shares = self._near(reader, view, intent)
            best = sorted(((share, place) for place, share in shares.items()), reverse=True)[:most]
            return [
                FactHit(fact, share)
                for share, place in best
                for fact in facts_at(reader, self._space, [place])
                if not fact.retracted
            ]

    def _near(self, reader: Reader, view: IndexView, intent: Intent) -> dict[Place, float]:
        """The shares of the facts that have something to say about a question."""
        if not FACT_KEY.scan(reader, (self._space,), (self._space,), limit=1):
            return {}
        named = [view.speakers[code] for code in intent.speakers]
        shares = _shares(reader, self._space, intent, named)
        near = {place: share for place, share in shares.items() if share >= LEAST}
        about = _about(reader, self._space, near, named)
        return {place: share for place, share in about.items() if share >= LEAST}


def _shares(reader: Reader, space: str, intent: Intent, named: Sequence[str]) -> dict[Place, float]:
    """For each fact, the share of the question's words that it has; rare words count more."""
    names = {part.casefold() for name in named for part in (name, *_WORD.findall(name))}
    total = 0.0
    shares: dict[Place, float] = defaultdict(float)
    for digests in _words(intent, names):
        places = {
            place
            for digest in digests
            for place in places_of(reader, space, digest, reverse=True, limit=MOST_OF_A_WORD)
        }
        weight = 1.0 / math.log2(2.0 + len(places))
        total += weight
        for place in places:
            shares[place] += weight
    return {place: weight / total for place, weight in shares.items()} if total else {}


def _words(intent: Intent, names: Collection[str]) -> Iterator[Sequence[int]]:
    """The digests under which facts are stored for each word of a question, except the names of speakers."""
    asked = set(intent.terms)
    for word in dict.fromkeys(_WORD.findall(intent.about or intent.text)):
        stems = [term for term in terms(word) if term in asked]
        if stems and word.casefold() not in names:
            verb = lemma(word)
            yield [*map(term_digest, stems), *([verb_digest(verb)] if analyses(verb) and terms(verb) else [])]


def _about(reader: Reader, space: str, shares: dict[Place, float], named: Sequence[str]) -> dict[Place, float]:
    """The shares, lowered for facts about somebody else than the person whom the question names."""
    if not named:
        return shares
    keys = [(space, subject_digest(name), *place) for place in shares for name in named]
    rows = FACT_KEY.get_many(reader, keys)
    own = {(row.ordinal, row.place) for row in rows if row is not None}
    return {place: share if place in own else share * ELSEWHERE for place, share in shares.items()}
