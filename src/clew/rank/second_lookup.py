"""The second look-up of a question that needs two steps: rare terms of the first turns that the question lacks.

"Where does the woman who taught me the cello live?" finds who taught the cello; her address stands with her name.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from clew.rank.search import Ranking
from clew.text.pieces import piece_spans
from clew.text.terms import terms

FIRST: Final = 3
"""Turns of the first look-up from which terms are taken."""

MOST: Final = 8
"""Most terms that are looked up."""

SHARE: Final = 0.03
"""Greatest share of the turns that may contain a term: names, dates and rare words stay below it."""

FEW: Final = 3
"""A term may occur in this many turns whatever the size of the space."""

ReadTexts = Callable[[Sequence[tuple[str, int]]], Sequence[str | None]]
"""Maps (session, seq) pairs to texts; None for a turn that was forgotten meanwhile."""


def seeds(ranking: Ranking, fetch: ReadTexts) -> tuple[str, ...]:
    """Terms for the second look-up: rare terms of the first turns that the question lacks and another turn has.

    Terms of more first turns come first, then rarer terms; ties go by the term. Of a long turn its best piece counts.
    """
    frame, first = ranking.frame, ranking[:FIRST]
    counts: Counter[str] = Counter()
    for candidate, words in zip(first, fetch([(turn.session, turn.seq) for turn in first]), strict=True):
        if words is not None:
            spans = piece_spans(words)
            best = frame.best_piece(candidate.position)
            start, end = spans[best] if best < len(spans) else (0, len(words))
            counts.update(set(terms(words[start:end])))
    for known in frame.intent.terms:
        del counts[known]
    frequencies = {term: frame.view.document_frequency(term) for term in counts}
    most = max(FEW, SHARE * frame.size)
    rare = sorted((-counts[term], df, term) for term, df in frequencies.items() if 1 < df <= most)
    return tuple(term for _, _, term in rare[:MOST])
