"""Ranked evidence -> what fits: best first, whole before shortened, never over the budget.

Borders: decides by rank and cost alone; knows nothing of signals. Words are fetched only for what may still fit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from clew.assemble.render import CLOSING, OPENING, Evidence, chronological, heading, heading_key, line, render
from clew.text.counters import Counter

CHARS_PER_TOKEN: Final = 4
"""Characters of an average token: what a turn costs before its words are read."""

SPARE: Final = 4
"""Room in tokens under which no line can fit: a number, a name, a word."""


@dataclass(frozen=True, slots=True)
class Packed:
    """What fits.

    Attributes:
        items: in the block's order.
        costs: what each item's line takes by the counter, in the order of `items`.
        text: the block.
        tokens: exact count of `text`.
        taken: places of the candidates that were taken.
    """

    items: tuple[Evidence, ...]
    costs: tuple[int, ...]
    text: str
    tokens: int
    taken: frozenset[int]


def fit(least: Sequence[int], renderings: Callable[[int], Sequence[Evidence]], budget: int, counter: Counter) -> Packed:
    """Takes candidates in rank order while they fit; one that does not is passed over and later ones are tried.

    The parts' counts steer; the whole block is then counted exactly, and the lowest-ranked items are given back while
    it is over the budget. Cost: a count for each offer that may fit, and one of the block for each item given back.
    """
    weigh = _weigher(counter)
    room = budget - weigh(OPENING) - weigh(CLOSING)
    taken: dict[int, Evidence] = {}
    headings: set[object] = set()
    for place, chars in enumerate(least):
        if room < SPARE:
            break
        if counter.name == "estimate" and chars / CHARS_PER_TOKEN > room:
            continue
        for evidence in renderings(place):
            key = heading_key(evidence)
            cost = weigh(line(evidence)) + (0 if key in headings else weigh(heading(*key)))
            if cost <= room:
                taken[place] = evidence
                headings.add(key)
                room -= cost
                break
    return _exact(taken, budget, counter)


def _exact(taken: dict[int, Evidence], budget: int, counter: Counter) -> Packed:
    items = chronological(taken.values())
    text = render(items)
    while items and counter(text) > budget:
        taken.pop(max(taken))
        items = chronological(taken.values())
        text = render(items)
    costs = tuple(counter(line(item)) for item in items)
    return Packed(tuple(items), costs, text, counter(text) if items else 0, frozenset(taken))


def _weigher(counter: Counter) -> Callable[[str], float]:
    """Counts parts so that rounding does not add up: the estimate rounds only once, at the end."""
    return (lambda text: len(text) / CHARS_PER_TOKEN) if counter.name == "estimate" else counter
