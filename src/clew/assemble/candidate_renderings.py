"""A candidate's renderings: whole; of a long one also its best piece or its salient sentences, and a title.

Borders: knows what share of a turn's utility a shorter rendering keeps; nothing of budgets or of other candidates.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from clew.assemble.render import Evidence
from clew.condense.renderings import salient, title
from clew.rank.sigma import snippet

LONG: Final = 600
"""Characters above which a turn is offered by shorter renderings too."""

KEPT: Final = 0.6
"""What a part of a turn keeps of the utility, as a share of the part's share of the words.

Under 1, so that a turn is shown whole where it fits: parts of more turns find less evidence (docs/packing.md).
"""

PASSAGES: Final = (8, 4, 2)
"""Pieces of the passages by which a long turn is offered, where more of it fits than its best piece."""

KEPT_BY_PASSAGES: Final = 0.8
"""The same for a passage: more than for a piece, since its sentences stand together."""

NEARLY_WHOLE: Final = 0.85
"""Share of a turn's words from which a passage is not offered: the whole hardly costs more."""

TITLED: Final = 0.1
"""The same for a title: it tells that the turn is there, and how to ask for it."""


def renderings(
    whole: Evidence, words: str, spans: Sequence[tuple[int, int]], scores: Sequence[float]
) -> list[Evidence]:
    """All renderings of a turn, the whole first.

    A long turn is also offered by its best piece and by passages around it; where the question speaks for no piece, by
    its salient sentences; and by its title. Longer ones come before shorter ones.

    Args:
        words: the turn's text.
        spans: its pieces.
        scores: how well each piece fits the question; ties go to the earlier one.
    """
    found = [whole]
    if len(words) <= LONG or len(spans) < 2:
        return found
    best = max(range(len(spans)), key=lambda piece: (round(scores[piece], 6), -piece))
    if scores[best] > 0:
        start, end = spans[best]
        text = words[start:end].strip()
        shorter = replace(whole, text=text, rendering="pieces", pieces=(best,))
        found += _passages(whole, words, spans, scores, best)
    else:
        text = salient(words)
        shorter = replace(whole, text=text, rendering="salient")
    found.append(replace(shorter, share=KEPT * _part(text, whole.text)))
    name = title(words)
    if name and len(name) < len(text):
        found.append(replace(whole, text=name, rendering="title", share=TITLED * _part(name, whole.text)))
    return found


def _passages(
    whole: Evidence, words: str, spans: Sequence[tuple[int, int]], scores: Sequence[float], best: int
) -> list[Evidence]:
    """Pieces in a row with the best one among them, of several lengths: the best rows, of equals the earlier."""
    found = []
    for size in PASSAGES:
        if size >= len(spans):
            continue
        starts = range(max(0, best - size + 1), min(best, len(spans) - size) + 1)
        first = max(starts, key=lambda start: (round(sum(scores[start : start + size]), 6), -start))
        text = words[spans[first][0] : spans[first + size - 1][1]].strip()
        share = _part(text, whole.text)
        if share < NEARLY_WHOLE:
            pieces = tuple(range(first, first + size))
            found.append(replace(whole, text=text, rendering="pieces", pieces=pieces, share=KEPT_BY_PASSAGES * share))
    return found


def beginning(whole: Evidence, words: str) -> list[Evidence]:
    """The beginning of a turn alone, as SIGMA's injection shows it."""
    text = snippet(words)
    return [whole if text == whole.text else replace(whole, text=text, rendering="snippet")]


def _part(text: str, whole: str) -> float:
    """A part's share of the words, above 0."""
    return max(1, len(text)) / max(1, len(text), len(whole))
