"""HSCA layer 2, domains: the subjects and registers of a text, by what its words weigh for each (`domain_words`)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, combinations
from math import log2, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.analyze.domain_states import MANNERS, about, state_levels
from clew.analyze.domain_words import BIAS, CONTENT_KINDS, FORM, FORMS, STEP, ZERO, forms_of, rows
from clew.analyze.lexicon import DOMAINS
from clew.analyze.prototypes import Prototypes, likeness, log_odds
from clew.analyze.words import Reading, read, read_joined

CROSS_DOMAIN: Final = "cross_domain"
UNCLASSIFIED: Final = "unclassified"
# Every tag that can be given.
TAGS: Final = (*DOMAINS, CROSS_DOMAIN, UNCLASSIFIED)

# Evidence from which a domain is named.
_THRESHOLD: Final = 1.0
# A domain with less than this share of the strongest one's evidence is not named even if it passes. A subject is
# compared with the strongest subject, a manner with whatever is strongest: a tale about a doctor is about medicine.
_RELATIVE: Final = 0.5
_MANNERS: Final = frozenset(map(DOMAINS.index, MANNERS))
# What words weigh is summed over different words and divided by the root of the number of content words and this: one
# weak word of a short turn is not enough, and a long text needs more of them than a short one, though not in
# proportion.
_SMOOTHING: Final = 6
# Evidence is 1 at this sum, which is in logits, and rises by 1 for every `_SPREAD` more, to at most `_MOST`. Set by the
# figures of sources left out (docs/evaluation.md); a lower one finds more and keeps less apart.
_ENOUGH: Final = -0.4
_SPREAD: Final = 2.5
_MOST: Final = 3.0
# Without line breaks, words of poetry are mostly just feelings.
_POETRY: Final = DOMAINS.index("poetry")
_PROSE_POETRY: Final = 0.6
# Evidence of a piece from which it is tagged with the second domain that its beat is about, and with one it touches.
_SECOND: Final = 0.5
_TOUCHED: Final = 0.3
# Evidence below this is as good as none.
_FAINTEST: Final = 0.01
# What the evidence of the rules and that of learned prototypes count beside each other.
_RULES: Final = 0.4
_VECTOR: Final = 0.8
# How much the likeness to prototypes of sentences counts beside the rules; with the domains evenly likely it counts
# too little to name one.
_LIKENESS: Final = 3.0

Evidence = tuple[float, ...]
"""What speaks for each domain in the order of `DOMAINS`, at least 0, 1 being enough to name it; empty without words."""
_FORM_ROWS: Final = tuple([FORM + name for name in FORMS])
_NOTHING: Final = (0.0,) * len(DOMAINS)

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
    return _evidence(reading) if any(shape.words for shape in reading.shapes) else ()


def evidence_with_vector(rules: Evidence, vector: NDArray[np.float32], prototypes: Prototypes) -> Evidence:
    """The evidence for each domain from the rules and from the text's vector.

    Pure, and cheap compared with embedding. A zero vector, or one whose length differs from the prototypes', leaves the
    evidence of the rules unchanged.

    Args:
        rules: the evidence of the rules, from `evidence_of`.
        vector: the vector of the same text, shape (dim,), from the prototypes' embedder.
    """
    if not rules:
        return rules
    if prototypes.offsets:
        odds = log_odds(vector, prototypes)
        if not odds:
            return rules
        return _evidence_from(_RULES * rule + _VECTOR * _passing(odd) for rule, odd in zip(rules, odds, strict=True))
    shares = likeness(vector, prototypes)
    if not shares:
        return rules
    return tuple([value + _LIKENESS * share for value, share in zip(rules, shares, strict=True)])


def domains_with_vector(reading: Reading, vector: NDArray[np.float32], prototypes: Prototypes) -> dict[str, float]:
    """`domain_weights_of` from the rules and from the text's vector."""
    return shares_of(evidence_with_vector(evidence_of(reading), vector, prototypes))


def by_domain(evidence: Evidence) -> dict[str, float]:
    """Evidence by domain name, rounded to two digits, also where it is too faint to name the domain."""
    return {domain: round(value, 2) for domain, value in zip(DOMAINS, evidence, strict=False) if value >= _FAINTEST}


def domains_of_beat(
    readings: Sequence[Reading],
    evidence: Sequence[Evidence],
    vectors: Sequence[bool],
    tagged: Sequence[tuple[str, ...]],
) -> tuple[tuple[str, ...], ...]:
    """The tags of the short pieces of one beat, each taking the others into account (HSCA 8.4).

    What they are about together (`domain_states.about`) is what each of them is about. A domain that they only touch is
    named at the half of them that says most of it, so that it never weighs as much as what they are about; so is the
    manner in which they tell of a subject. Together about two domains that are not companions, all are `cross_domain`.
    Where that is nothing, each keeps its own tags, and those without any take the tags of all pieces read as one text.
    A single piece keeps its own tags.

    Args:
        readings: the pieces.
        evidence: the evidence of each piece, from the rules or with its vector.
        vectors: whether its vector is in it.
        tagged: the tags of each by itself.
    """
    if len(readings) < 2:
        return tuple(tagged)
    rows = [each or _NOTHING for each in evidence]
    whole, touched = about(rows, vectors)
    if not whole:
        if (UNCLASSIFIED,) not in tagged:
            return tuple(tagged)
        together = domains_of(read_joined(readings))
        return tuple([together if own == (UNCLASSIFIED,) else own for own in tagged])
    crossing = (CROSS_DOMAIN,) if is_crossing(whole) else ()
    manner = tuple([domain for domain in whole if domain in MANNERS])
    subject = tuple([domain for domain in whole if domain not in MANNERS])
    if manner and subject:
        own = [subject if row[DOMAINS.index(subject[0])] >= _SECOND else manner for row in rows]
        touched = manner
    else:
        own = [_own_part(row, whole) for row in rows]
    touching = [(_touching(rows, place), DOMAINS[place]) for place in map(DOMAINS.index, touched)]
    return tuple(
        [
            (*named, *[domain for pieces, domain in touching if piece in pieces and domain not in named], *crossing)
            for piece, named in enumerate(own)
        ]
    )


def states_of_beat(evidence: Sequence[Evidence], vectors: Sequence[bool]) -> str:
    """How well each state describes a beat, by all its pieces, short or not (`domain_states.state_levels`)."""
    return state_levels([row or _NOTHING for row in evidence], vectors)


def _own_part(row: Evidence, some: Sequence[str]) -> tuple[str, ...]:
    """The stronger of one or two domains in a piece, and the other if it has some evidence for it."""
    ranked = sorted([(-row[place], place) for place in map(DOMAINS.index, some)])
    return tuple([DOMAINS[place] for rank, (value, place) in enumerate(ranked) if rank == 0 or -value >= _SECOND])


def _touching(rows: Sequence[Evidence], place: int) -> frozenset[int]:
    """The half of the pieces with most evidence for a domain, but for those that have hardly any."""
    ranked = sorted(range(len(rows)), key=lambda piece: (-rows[piece][place], piece))
    return frozenset([piece for piece in ranked[: len(rows) // 2] if rows[piece][place] >= _TOUCHED])


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
    if max(found) < _THRESHOLD:
        return {}
    manner = _RELATIVE * max(found)
    subject = _RELATIVE * max([value for index, value in enumerate(found) if index not in _MANNERS])
    least = [max(_THRESHOLD, manner if index in _MANNERS else subject) for index in range(len(found))]
    named = sorted([(-value, index) for index, value in enumerate(found) if value >= least[index]])
    total = -sum([strength for strength, _ in named])
    return {DOMAINS[index]: -strength / total for strength, index in named}


def tags(weights: dict[str, float]) -> tuple[str, ...]:
    """The tags that follow from domain weights, in their order."""
    if not weights:
        return (UNCLASSIFIED,)
    strong = [domain for domain, share in weights.items() if share >= _CROSSING_SHARE]
    return (*weights, CROSS_DOMAIN) if is_crossing(strong) else tuple(weights)


def is_crossing(strong: Iterable[str]) -> bool:
    """Whether any two of these domains are not companions."""
    return any(frozenset(pair) not in _COMPANIONS for pair in combinations(strong, 2))


def _evidence(reading: Reading) -> Evidence:
    """Evidence per domain in the order of `DOMAINS`, 0 to `_MOST`, comparable across lengths."""
    counts = Counter(chain.from_iterable([sentence.stems for sentence in reading.sentences]))
    found_rows: list[bytes] = []
    worths: list[float] = []
    for stem, count in counts.items():
        row = rows[stem]
        if row:
            found_rows.append(row)
            worths.append(1.0 if count == 1 else 1.0 + 0.5 * log2(count))
    found_rows += [rows[name] for name in _FORM_ROWS]
    worths += forms_of(reading)
    codes = np.frombuffer(b"".join(found_rows), np.uint8).reshape(-1, len(DOMAINS))
    scale = STEP / sqrt(sum(map(reading.grammar.count, CONTENT_KINDS)) + _SMOOTHING)
    zero = ZERO * sum(worths, 0.0)
    totals = (np.array(worths) @ codes).tolist()
    found = _evidence_from(
        [
            (scale * (total - zero) + STEP * (bias - ZERO) - _ENOUGH) / _SPREAD + 1.0
            for total, bias in zip(totals, rows[BIAS], strict=True)
        ]
    )
    return found if "\n" in reading.text else (*found[:_POETRY], _PROSE_POETRY * found[_POETRY], *found[_POETRY + 1 :])


def _passing(logit: float) -> float:
    """1 where a domain is just named; negative where much speaks against it."""
    return (logit - _ENOUGH) / _SPREAD + 1.0


def _evidence_from(found: Iterable[float]) -> Evidence:
    return tuple([0.0 if value < 0.0 else _MOST if value > _MOST else round(value, 6) for value in found])
