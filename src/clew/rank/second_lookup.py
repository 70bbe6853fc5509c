"""The second look-up: what the first turns found tell that the question did not, for a question that needs two steps.

"Where does the woman who taught me the cello live?" finds who taught the cello; where she lives is said under her name.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from clew.rank.search import Ranking
from clew.text.pieces import piece_spans
from clew.text.terms import terms

FIRST: Final = 3
"""Turns of the first look-up that seed the second one."""

MOST: Final = 8
"""Terms that are looked up at most."""

SHARE: Final = 0.03
"""A seed stands in at most this share of the turns: names, dates, rare words."""

FEW: Final = 3
"""A seed may stand in so many turns of any space."""

ReadTexts = Callable[[Sequence[tuple[str, int]]], Sequence[str | None]]
"""From sessions and places in them to the words of the turns there; None for one that was forgotten meanwhile."""


def seeds(ranking: Ranking, fetch: ReadTexts) -> tuple[str, ...]:
    """Terms to look up besides: rare ones of the first turns that the question lacks and another turn has.

    Those of more first turns come first, then the rarer; ties go by the term. Of a long turn the best piece counts.
    """
    frame, first = ranking.frame, ranking[:FIRST]
    found: Counter[str] = Counter()
    for each, words in zip(first, fetch([(one.session, one.seq) for one in first]), strict=True):
        if words is not None:
            spans = piece_spans(words)
            best = frame.best_piece(each.position)
            start, end = spans[best] if best < len(spans) else (0, len(words))
            found.update(set(terms(words[start:end])))
    for known in frame.intent.terms:
        del found[known]
    held = {term: frame.view.document_frequency(term) for term in found}
    most = max(FEW, SHARE * frame.size)
    rare = sorted((-found[term], df, term) for term, df in held.items() if 1 < df <= most)
    return tuple(term for _, _, term in rare[:MOST])
