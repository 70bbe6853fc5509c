"""HSCA layer 2, domains: what a text is about and in which register, by weighted word lists and a few marks of form.

`data/domains.json` gives each domain its words with a weight from 1 (points that way) to 3 (hardly found elsewhere).
"""

from itertools import combinations
from math import log2, sqrt
from typing import Final

from clew.analyze.lexicon import DOMAINS
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
# The kinds of content words (`lexicon`).
_CONTENT_KINDS: Final = "cvwuo"
# Without the form of verse, words of poetry are mostly just feelings.
_PROSE_POETRY: Final = 0.6

# Domains that go together as a matter of course: one is the other's tool, form or manner, and conversation is a manner
# of everything. Any other two that both pass meet in a way worth noting, and the text is `cross_domain`.
_COMPANIONS: Final = frozenset(
    frozenset(pair)
    for pair in (
        ("physics", "mathematics"),
        ("mathematics", "technical_prose"),
        ("narrative", "historical"),
        ("narrative", "poetry"),
        *(("conversational", domain) for domain in DOMAINS),
    )
)
# A domain with less than this share of the evidence only colours the text.
_CROSSING_SHARE: Final = 0.33


def domains(text: str) -> tuple[str, ...]:
    """The domain tags of a text, strongest first, `cross_domain` last; `("unclassified",)` when none passes. Total."""
    return domains_of(read(text))


def domain_weights(text: str) -> dict[str, float]:
    """The share of each named domain in their evidence, strongest first, summing to 1; empty for unclassified text."""
    return domain_weights_of(read(text))


def domains_of(reading: Reading) -> tuple[str, ...]:
    """`domains` of a text already read."""
    return tags(domain_weights_of(reading))


def domain_weights_of(reading: Reading) -> dict[str, float]:
    """`domain_weights` of a text already read."""
    if not any(shape.words for shape in reading.shapes):
        return {}
    found = _evidence(reading)
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
    hits: dict[str, tuple[tuple[int, float], ...]] = {}
    counts: dict[str, int] = {}
    for sentence in reading.sentences:
        for stem, pointed in zip(sentence.stems, sentence.domains, strict=True):
            if pointed:
                hits[stem] = pointed
                counts[stem] = counts.get(stem, 0) + 1
    totals = _marks_of_form(reading.text, reading.grammar)
    for stem, pointed in hits.items():
        count = counts[stem]
        worth = 1.0 + 0.5 * log2(count) if count > 1 else 1.0
        for index, weight in pointed:
            totals[index] += weight * worth
    verse = _verse(reading.text)
    totals[_POETRY] = totals[_POETRY] + verse if verse else totals[_POETRY] * _PROSE_POETRY
    content = sum(map(reading.grammar.count, _CONTENT_KINDS))
    scale = sqrt(content + _SMOOTHING)
    return [total / scale for total in totals]


def _marks_of_form(text: str, grammar: str) -> list[float]:
    """What signs and grammar say before any word does, per domain; each mark counts up to a limit."""
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
    """Evidence of verse from its lines: short, of words, without a full stop, and most of at least four."""
    if text.count("\n") < 3:
        return 0.0
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    verses = sum([2 <= line.count(" ") <= 10 and line[0].isalpha() and line[-1] not in ".:!?" for line in lines])
    return 0.8 * min(verses, 12) if len(lines) > 3 and 2 * verses >= len(lines) else 0.0
