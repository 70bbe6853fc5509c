"""HSCA evaluation 4, shallow content: many of the query's words with nothing between them must not weigh much.

Each case puts one stuffed text among honest texts on twelve subjects, one of them its own. TF-IDF should rank the
stuffed text among the first three for the query; layer 1 should score it 0.35 at most, in the bottom third.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import log, sqrt
from random import Random
from typing import Any, Final

from clew.analyze.layer1 import relational_weight
from clew.evaluate.hsca.result import Evaluation, FailedCase
from clew.evaluate.hsca.stuffing import KNOWN, UNSEEN, StuffingStyle
from clew.text.terms import terms
from clew.types.record import Record

MOST: Final = 0.35
"""Highest layer 1 score that a stuffed text may have."""

DOCUMENT_BAR: Final = 0.90
BAR: Final = 0.95
"""Share of the cases that stay below."""

STYLES: Final = {**KNOWN, **UNSEEN}
"""What the bar is for. `stuffing.BEYOND` holds what no rule here sees."""

TOP: Final = 3
"""The lowest rank that a stuffed text should have by TF-IDF."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdversarialCase(Record):
    """One stuffed text.

    Attributes:
        name: `<number>:<style>:<subject>`.
        query: the words that a searcher would type.
    """

    name: str
    query: str
    text: str


def cases(seed: int, count: int, styles: Mapping[str, StuffingStyle] = STYLES) -> tuple[AdversarialCase, ...]:
    """Stuffed texts, the styles in turn, each on a subject by chance; the same for the same arguments."""
    chance = Random(seed)  # noqa: S311 - no secret
    made: list[AdversarialCase] = []
    for number in range(count):
        style = list(styles)[number % len(styles)]
        topic = chance.choice(_topics())
        asked = topic["query"].split()
        keywords = asked * 2 + chance.sample(topic["keywords"].split(), chance.randint(3, 11))
        text = styles[style](chance, sorted(set(keywords)) if style in _DISTINCT else keywords)
        made.append(AdversarialCase(name=f"{number}:{style}:{topic['name']}", query=topic["query"], text=text))
    return tuple(made)


def run(chosen: Sequence[AdversarialCase]) -> Evaluation:
    """Weighs and ranks every case. Figures: `tfidf_top_3` and `layer1_bottom_third`."""
    honest = honest_texts()
    weights = [relational_weight(text).score for text in honest]
    low = ranked = sunk = 0
    failures: list[FailedCase] = []
    for case in chosen:
        score = relational_weight(case.text).score
        place = rank(case.query, case.text, honest)
        below = sum(weight < score for weight in weights)  # texts that weigh less than the stuffed one
        good = (score <= MOST, place <= TOP, below < (len(weights) + 1) // TOP)
        low, ranked, sunk = low + good[0], ranked + good[1], sunk + good[2]
        if not all(good):
            detail = f"layer 1 {score:.2f}, above {below} honest texts; TF-IDF rank {place}"
            failures.append(FailedCase(case=case.name, found=detail))
    total = max(1, len(chosen))
    return Evaluation(
        number=4,
        name="adversarial shallow content",
        document_bar=DOCUMENT_BAR,
        bar=BAR,
        value=low / total,
        cases=len(chosen),
        failures=tuple(failures),
        figures={"tfidf_top_3": ranked / total, "layer1_bottom_third": sunk / total},
    )


def honest_texts() -> tuple[str, ...]:
    """The texts that the stuffed ones stand among: six to eight sentences each, on twelve subjects."""
    return tuple(topic["text"] for topic in _topics())


def rank(query: str, text: str, others: Sequence[str]) -> int:
    """Place of a text among others by TF-IDF cosine with the query, from 1; ties go to the others.

    Term frequency counts, inverse document frequency is `1 + ln(n / df)` (Manning et al. 2008, 6.2), and `n` counts the
    text itself.
    """
    documents = [Counter(terms(document)) for document in (*others, text)]
    holding = Counter(term for document in documents for term in document)
    weights = {term: 1.0 + log(len(documents) / number) for term, number in holding.items()}
    asked = Counter(terms(query))
    *theirs, ours = [_cosine(asked, document, weights) for document in documents]
    return 1 + sum(similarity >= ours for similarity in theirs)


def _cosine(asked: Counter[str], document: Counter[str], weights: dict[str, float]) -> float:
    shared = sum(asked[term] * document[term] * weights[term] ** 2 for term in asked if term in document)
    length = sqrt(sum((count * weights[term]) ** 2 for term, count in document.items()))
    return shared / length if length else 0.0


_DISTINCT: Final = frozenset(("copulas", "advert", "related", "places", "glossary", "headlines"))
"""Styles that draw several different words at a time."""


@cache
def _topics() -> tuple[dict[str, Any], ...]:
    path = resources.files(__package__) / "data" / "topics.json"
    return tuple(json.loads(path.read_text(encoding="utf-8")))
