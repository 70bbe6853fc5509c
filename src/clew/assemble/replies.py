"""Short replies and short questions with the turn that they need beside them, without which a reader cannot follow.

Borders: says which turn belongs to which and what of it is shown; knows no budgets.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.assemble.code_fences import begins_with_fence, cut_out
from clew.assemble.render import Evidence
from clew.index.view import IndexView, Mask
from clew.text.sentences import sentence_spans
from clew.text.terms import terms
from clew.text.text_cache import cached_by_text
from clew.types.turn import ROLES

SHORT: Final = 40
"""Characters up to which a turn may be a reply that says little alone: "No, the second one."."""

TELLING: Final = 3
"""Different terms from which on a turn is understood alone."""

STEPS: Final = 4
"""Turns back in which the other side's turn is looked for: the same speaker's and tools' turns may be between."""

EXCERPT: Final = 240
"""Characters of the other side's turn that are shown: about 60 tokens."""

ENOUGH: Final = 80
"""Characters below which a question is shown with the sentences before it: "Shall I?" says too little."""

_TOOL: Final = ROLES.index("tool")
_NEXT_WORD: Final = re.compile(r"\S*\s+(?=\S)")


def answered_by(view: IndexView, positions: NDArray[np.int64], allowed: Mask | None = None) -> dict[int, int]:
    """Of each short turn among these positions that follows a turn of the other side, that turn's position.

    The other side is another speaker or role, a tool's results aside, in the same session and branch. Turns that
    `allowed` leaves out are not offered.
    """
    turns, owner, before = view.turns, view.pieces.turn, view.links[0]
    short = positions[(turns.chars[positions] <= SHORT) & (turns.role[positions] != _TOOL)]
    pairs: dict[int, int] = {}
    now = short
    for _ in range(STEPS):
        if not len(short):
            break
        pieces = before[turns.first_piece[now]]
        follows = pieces >= 0
        short, now = short[follows], owner[pieces[follows]].astype(np.int64)
        roles = turns.role[now]
        skipped = (roles == turns.role[short]) & (turns.speaker[now] == turns.speaker[short])
        skipped |= roles == _TOOL
        answers = ~skipped
        pairs.update(zip(short[answers].tolist(), now[answers].tolist(), strict=True))
        short, now = short[skipped], now[skipped]
    return pairs if allowed is None else {reply: asked for reply, asked in pairs.items() if allowed[asked]}


def says_little(text: str, *, asked: bool) -> bool:
    """Whether a reply cannot be understood alone.

    Args:
        asked: the turn that it follows asks something; else only a reply of a word says too little.
    """
    return len(text) <= SHORT and _different_terms(text) < (TELLING if asked else 2)


@cached_by_text(most=2048, longest=SHORT)
def _different_terms(text: str) -> int:
    return len(frozenset(terms(text)))


def asked_in(whole: Evidence) -> Evidence:
    """A turn as shown beside its reply: whole if it is short, else by its last question, else its last sentences."""
    text = whole.text
    if len(text) <= EXCERPT:
        return whole
    return replace(whole, text=_tail(text, *_asked_span(text)), rendering="excerpt", pieces=())


@cached_by_text(most=64, longest=4000)  # the next question often finds the same replies
def _asked_span(text: str) -> tuple[int, int]:
    """Start and end of the last question of a text, else of its last sentences."""
    spans = sentence_spans(text)
    if not spans:
        return 0, len(text)
    last = max((place for place, (start, end) in enumerate(spans) if "?" in text[start:end]), default=len(spans) - 1)
    start, end = spans[last]
    for before, _ in reversed(spans[:last]):
        if end - start >= ENOUGH or end - before > EXCERPT:
            break
        start = before
    return start, end


def _tail(text: str, start: int, end: int) -> str:
    """At most `EXCERPT` characters of the end of a part of a text, from the beginning of a word on."""
    if end - start > EXCERPT:
        start = end - EXCERPT
        word = _NEXT_WORD.search(text, start, end)
        start = word.end() if word else start
    tail = cut_out(text, start, end)
    return f"…\n{tail}" if begins_with_fence(tail) else f"… {tail}".strip()


def by_place(ranked: NDArray[np.int64], pairs: Mapping[int, int]) -> dict[int, int]:
    """Pairs of positions as pairs of indexes in a ranking that contains all of them."""
    places = np.empty(int(ranked.max()) + 1, dtype=np.int64)
    places[ranked] = np.arange(len(ranked))
    return dict(zip(places[list(pairs)].tolist(), places[list(pairs.values())].tolist(), strict=True))
