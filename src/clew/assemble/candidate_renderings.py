"""Makes the renderings of a turn: the whole turn; for a long one also passages, its best piece or sentences, a title.

Borders: knows the share of a turn's utility that a shorter rendering keeps, but no budgets and no other candidates.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from clew.assemble.code_fences import cut_out
from clew.assemble.render import Evidence
from clew.condense.renderings import ELLIPSIS, salient, title
from clew.rank.sigma import snippet
from clew.text.calls import readable

LONG: Final = 600
"""Characters above which a turn also gets shorter renderings."""

KEPT: Final = 0.6
"""Utility of a part of a turn, as a share of the part's share of the text.

Below 1, so that a turn is shown whole where it fits: parts of more turns find less evidence (docs/packing.md).
"""

PASSAGES: Final = (8, 4, 2)
"""Lengths, in pieces, of the passages that a long turn gets besides its best piece."""

KEPT_BY_PASSAGES: Final = 0.8
"""Utility of a passage, likewise: more than that of a piece, since its sentences belong together."""

PASSAGES_OF_RESULT: Final = (2,)
"""The same for a tool's result, of which a line is needed rather than the whole: its best piece keeps as much."""

NEARLY_WHOLE: Final = 0.85
"""Share of a turn's text from which a passage is left out: the whole hardly costs more."""

TITLED: Final = 0.1
"""Utility of a title, likewise: it shows that the turn exists and how to open it."""


def renderings(
    whole: Evidence,
    words: str,
    spans: Sequence[tuple[int, int]],
    scores: Sequence[float],
    *,
    passages: Sequence[int] = PASSAGES,
    kept: float = KEPT,
) -> list[Evidence]:
    """All renderings of a turn, the whole first, longer before shorter.

    A long turn also gets its best piece and passages around it, or its salient sentences where no piece matches the
    question; and a title.

    Args:
        words: the turn's text.
        spans: start and end of each piece.
        scores: match of each piece with the question; ties go to the earlier piece.
        passages, kept: see `PASSAGES` and `KEPT`.
    """
    candidates = [whole]
    if len(words) <= LONG or len(spans) < 2:
        return candidates
    best = max(range(len(spans)), key=lambda piece: (round(scores[piece], 6), -piece))
    if scores[best] > 0:
        text = cut_out(words, *spans[best])
        shorter = replace(whole, text=text, rendering="pieces", pieces=(best,))
        candidates += _passages(whole, words, spans, scores, best, passages)
    else:
        text = salient(words)
        shorter = replace(whole, text=text, rendering="salient")
    candidates.append(replace(shorter, share=kept * _part(text, whole.text)))
    name = title(readable(words))
    if name and len(name) < len(text):
        name = name if name.endswith(ELLIPSIS) else f"{name} {ELLIPSIS}"  # else it reads as all that was said
        candidates.append(replace(whole, text=name, rendering="title", share=TITLED * _part(name, whole.text)))
    return candidates


def renderings_of_result(
    whole: Evidence, words: str, spans: Sequence[tuple[int, int]], scores: Sequence[float]
) -> list[Evidence]:
    """The renderings of a tool's result, the whole first, without long passages."""
    return renderings(whole, words, spans, scores, passages=PASSAGES_OF_RESULT, kept=KEPT_BY_PASSAGES)


def _passages(
    whole: Evidence,
    words: str,
    spans: Sequence[tuple[int, int]],
    scores: Sequence[float],
    best: int,
    sizes: Sequence[int],
) -> list[Evidence]:
    """The best passage of each length around the best piece; of equal ones the earlier."""
    passages_cut = []
    for size in sizes:
        if size >= len(spans):
            continue
        starts = range(max(0, best - size + 1), min(best, len(spans) - size) + 1)
        first = max(starts, key=lambda start: (round(sum(scores[start : start + size]), 6), -start))
        text = cut_out(words, spans[first][0], spans[first + size - 1][1])
        share = _part(text, whole.text)
        if share < NEARLY_WHOLE:
            pieces = tuple(range(first, first + size))
            passages_cut.append(
                replace(whole, text=text, rendering="pieces", pieces=pieces, share=KEPT_BY_PASSAGES * share)
            )
    return passages_cut


def beginning(whole: Evidence, words: str) -> list[Evidence]:
    """The beginning of a turn as the only rendering, as in SIGMA's injection."""
    text = snippet(words)
    return [whole if text == whole.text else replace(whole, text=text, rendering="snippet")]


def _part(text: str, whole: str) -> float:
    """The share of a text that a part of it has, by length; always above 0."""
    return max(1, len(text)) / max(1, len(text), len(whole))
