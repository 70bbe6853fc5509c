"""HSCA layer 2, domains: the subjects and registers of a text, by weighted word lists and a few formal features.

`data/domains.json` gives each domain its words with a weight from 1 (points that way) to 3 (hardly found elsewhere).
"""

import re
from collections.abc import Sequence
from itertools import combinations
from math import log2, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.analyze.lexicon import DOMAINS
from clew.analyze.prototypes import Prototypes, likeness
from clew.analyze.words import Reading, read

CROSS_DOMAIN: Final = "cross_domain"
UNCLASSIFIED: Final = "unclassified"
# Every tag that can be given.
TAGS: Final = (*DOMAINS, CROSS_DOMAIN, UNCLASSIFIED)
_MATHEMATICS, _POETRY, _NARRATIVE, _TECHNICAL, _CONVERSATIONAL = map(
    DOMAINS.index, ("mathematics", "poetry", "narrative", "technical_prose", "conversational")
)

# Evidence is summed over different words and divided by the root of the number of content words: one weak word of a
# short turn is not enough, and a long text needs more of them than a short one, though not in proportion.
_THRESHOLD: Final = 1.0
_SMOOTHING: Final = 6
# A domain with less than this share of the strongest one's evidence is not named even if it passes.
_RELATIVE: Final = 0.4
# Evidence below this is noise.
_FAINTEST: Final = 0.01
# The kinds of content words (`lexicon`).
_CONTENT_KINDS: Final = "cvwuo"
# How much the evidence of each domain counts, in the order of `DOMAINS`: words of some lists turn up everywhere, those
# of others hardly outside. Fitted for macro-F1 on the tune part of benchmarks/domains.py.
_STRENGTH: Final = (1.4, 0.95, 1.4, 1.05, 1.1, 1.1, 0.85, 0.8, 1.1, 1.15)
# How much a vector that is like one domain alone counts beside the rules; with the domains evenly likely it counts too
# little to name one. Fitted like `_STRENGTH`.
_LIKENESS: Final = 3.0
# Without the form of verse, words of poetry are mostly just feelings.
_PROSE_POETRY: Final = 0.6

Evidence = tuple[float, ...]
"""What speaks for each domain in the order of `DOMAINS`, at least 0, 1 being enough to name it; empty without words."""
_NOTHING: Final = (0.0,) * len(DOMAINS)

# A line of verse: it begins with a letter or a quote, ends in no full stop, and holds no sign of code or of a table.
_VERSE: Final = re.compile(r"[\"'‘“(]?[^\W\d_][^=(){}<>|#`/\\_]*[^.:!?=(){}<>|#`/\\_]")
_VERSE_LINE: Final = 1.5
_VERSE_LINES: Final = 12

# Domains that go together as a matter of course, each pair with the reason; either way round. Any other two that both
# pass meet in a way worth noting, and the text is `cross_domain`.
COMPANIONS: Final[dict[tuple[str, str], str]] = {
    ("physics", "mathematics"): "physics is written in mathematics",
    ("mathematics", "technical_prose"): "programs compute, and algorithms are proved",
    ("narrative", "historical"): "history is told as a story",
    ("narrative", "poetry"): "ballads and epics tell stories, and stories borrow the words of poems",
    **{("conversational", domain): "anything is talked about" for domain in DOMAINS if domain != "conversational"},
}
_COMPANIONS: Final = frozenset(map(frozenset, COMPANIONS))
# A domain with less than this share of the evidence only colours the text.
_CROSSING_SHARE: Final = 0.31


def domains(text: str) -> tuple[str, ...]:
    """The domain tags of a text, strongest first, `cross_domain` last; `("unclassified",)` when none passes."""
    return domains_of(read(text))


def domain_weights(text: str) -> dict[str, float]:
    """The share of each named domain in their evidence, strongest first, summing to 1; empty for unclassified text."""
    return domain_weights_of(read(text))


def evidence_of(reading: Reading) -> Evidence:
    """The evidence for each domain by rule, whether or not it is enough to name the domain (1 is enough)."""
    return tuple(_evidence(reading)) if any(shape.words for shape in reading.shapes) else ()


def evidence_with_vector(rules: Evidence, vector: NDArray[np.float32], prototypes: Prototypes) -> Evidence:
    """The evidence for each domain from the rules and from the text's vector.

    Pure, and cheap compared with embedding. A zero vector, or one whose length differs from the prototypes', leaves the
    evidence of the rules unchanged.

    Args:
        rules: the evidence of the rules, from `evidence_of`.
        vector: the vector of the same text, shape (dim,), from the prototypes' embedder.
    """
    shares = likeness(vector, prototypes)
    if not shares or not rules:
        return rules
    return tuple([value + _LIKENESS * share for value, share in zip(rules, shares, strict=True)])


def domains_with_vector(reading: Reading, vector: NDArray[np.float32], prototypes: Prototypes) -> dict[str, float]:
    """`domain_weights_of` from the rules and from the text's vector."""
    return shares_of(evidence_with_vector(evidence_of(reading), vector, prototypes))


def by_domain(evidence: Evidence) -> dict[str, float]:
    """Evidence by domain name, rounded to two digits; domains without evidence are absent."""
    return {domain: round(value, 2) for domain, value in zip(DOMAINS, evidence, strict=False) if value >= _FAINTEST}


def domains_of_beat(
    readings: Sequence[Reading], evidence: Sequence[Evidence], tagged: Sequence[tuple[str, ...]]
) -> tuple[tuple[str, ...], ...]:
    """The tags of the short pieces of one beat, each taking the others into account (DESIGN 5.1, HSCA 8.4).

    The evidence of a piece is averaged with the mean evidence of all of them. A piece that gets no tag that way keeps
    its own; if it has none, it takes the tags of all pieces read as one text.

    Args:
        readings: the pieces.
        evidence: the evidence of each, from the rules or with its vector.
        tagged: the tags of each by itself.
    """
    if len(readings) < 2:
        return tuple(tagged)
    rows = [each or _NOTHING for each in evidence]
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    light = [_named([(own + mean) / 2.0 for own, mean in zip(row, means, strict=True)]) for row in rows]
    if all(light) or (UNCLASSIFIED,) not in tagged:
        together: tuple[str, ...] = ()
    else:
        together = domains("\n".join([reading.text for reading in readings]))
    return tuple(
        tags(named) if named else together if own == (UNCLASSIFIED,) else own
        for named, own in zip(light, tagged, strict=True)
    )


def domains_of(reading: Reading) -> tuple[str, ...]:
    """`domains` of a text already read."""
    return tags(domain_weights_of(reading))


def domain_weights_of(reading: Reading) -> dict[str, float]:
    """`domain_weights` of a text already read."""
    return shares_of(evidence_of(reading))


def shares_of(evidence: Evidence) -> dict[str, float]:
    """The share of each domain that the evidence names, strongest first, summing to 1; `tags` gives the tags."""
    return _named(evidence) if evidence else {}


def _named(found: Sequence[float]) -> dict[str, float]:
    """The shares of the domains whose evidence passes, strongest first."""
    least = max(_THRESHOLD, _RELATIVE * max(found))
    named = sorted([(-strength, index) for index, strength in enumerate(found) if strength >= least])
    total = -sum([strength for strength, _ in named])
    return {DOMAINS[index]: -strength / total for strength, index in named}


def tags(weights: dict[str, float]) -> tuple[str, ...]:
    """The tags that follow from domain weights, in their order."""
    if not weights:
        return (UNCLASSIFIED,)
    strong = [domain for domain, share in weights.items() if share >= _CROSSING_SHARE]
    crossing = any(frozenset(pair) not in _COMPANIONS for pair in combinations(strong, 2))
    return (*weights, CROSS_DOMAIN) if crossing else tuple(weights)


def _evidence(reading: Reading) -> list[float]:
    """Evidence per domain in the order of `DOMAINS`, at least 0, comparable across lengths."""
    totals = _marks_of_form(reading.text, reading.grammar)
    hits = [
        (stem, pointed)
        for sentence in reading.sentences
        for stem, pointed in zip(sentence.stems, sentence.domains, strict=True)
        if pointed
    ]
    counts: dict[str, int] = {}
    for stem, _ in hits:
        counts[stem] = counts.get(stem, 0) + 1
    for stem, pointed in dict(hits).items():
        count = counts[stem]
        worth = 1.0 + 0.5 * log2(count) if count > 1 else 1.0
        for index, weight in pointed:
            totals[index] += weight * worth
    verse = _verse(reading.text)
    totals[_POETRY] = totals[_POETRY] + verse if verse else totals[_POETRY] * _PROSE_POETRY
    content = sum(map(reading.grammar.count, _CONTENT_KINDS))
    scale = sqrt(content + _SMOOTHING)
    return [total * strength / scale for total, strength in zip(totals, _STRENGTH, strict=True)]


def _marks_of_form(text: str, grammar: str) -> list[float]:
    """Evidence per domain from signs and grammar, before any word list; each feature counts up to a limit."""
    count = text.count
    marks = [0.0] * len(DOMAINS)
    first, second, gendered, past, interjections = map(grammar.count, "IYHwj")
    questions = min(count("?") + count("!"), 5)
    marks[_CONVERSATIONAL] = 0.7 * min(second, 6) + 0.4 * min(first, 6) + 0.5 * interjections + 0.5 * questions
    marks[_NARRATIVE] = 0.3 * min(past, 12) + 0.5 * min(gendered, 8)
    marks[_TECHNICAL] = 0.6 * min(count("`") + count("()") + count("{") + count("_"), 10)
    marks[_MATHEMATICS] = 0.4 * min(count("=") + count("\\"), 8)
    return marks


def _verse(text: str) -> float:
    """Evidence of verse: at least four lines, most of them short, made of words and without a full stop."""
    if text.count("\n") < 3:
        return 0.0
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    verses = sum([2 <= line.count(" ") <= 12 and _VERSE.fullmatch(line) is not None for line in lines])
    return _VERSE_LINE * min(verses, _VERSE_LINES) if len(lines) > 3 and 2 * verses >= len(lines) else 0.0
