"""Ranked evidence -> what fits: best first, whole before shortened, never over the budget.

Borders: decides by rank and cost alone; knows nothing of signals. Words are fetched only for what may still fit, for
several candidates at once, since each time is a question to the store.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from clew.assemble.render import CLOSING, OPENING, Evidence, chronological, heading, heading_key, line, render
from clew.text.counters import Counter

CHARS_PER_TOKEN: Final = 4
"""Characters of an average token: what a turn costs before its words are read."""

SPARE: Final = 4
"""Room in tokens under which no line can fit: a number, a name, a word."""


FEW: Final = 16
"""Candidates that are fetched at once where little room is left, and many are tried for it."""


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


def fit(
    least: Sequence[int],
    fetch: Callable[[Sequence[int]], object],
    renderings: Callable[[int], Sequence[Evidence]],
    budget: int,
    counter: Counter,
) -> Packed:
    """Takes candidates in rank order while they fit; one that does not is passed over and later ones are tried.

    The parts' counts steer; the whole block is then counted exactly, and the lowest-ranked items are given back while
    it is over the budget. Cost: a count for each offer that may fit, and one of the block for each item given back.

    Args:
        least: characters of each candidate's shortest rendering, in rank order.
        fetch: called with places before the renderings of any of them are asked for.
        renderings: of the candidate at a place, best first.
    """
    count: Callable[[str], int] = cache(counter)  # a line is weighed, and told as its item's cost; headings come again
    weigh = _weigher(counter, count)
    room = budget - weigh(OPENING) - weigh(CLOSING)
    taken: dict[int, Evidence] = {}
    headings: set[object] = set()
    fetched: Sequence[int] = ()
    chars_are_known = counter.name == "estimate"
    for place, chars in enumerate(least):
        if room < SPARE:
            break
        if chars_are_known and chars / CHARS_PER_TOKEN > room:
            continue
        if not fetched or place > fetched[-1]:
            fetched = _next(least, place, room, passes_over=chars_are_known)
            fetch(fetched)
        for evidence in renderings(place):
            key = heading_key(evidence)
            cost = weigh(line(evidence)) + (0 if key in headings else weigh(heading(*key)))
            if cost <= room:
                taken[place] = evidence
                headings.add(key)
                room -= cost
                break
    return _exact(taken, budget, counter, count)


def _next(least: Sequence[int], place: int, room: float, *, passes_over: bool) -> list[int]:
    """This place and the following ones that seem to fit beside it, or a few more that would fit alone.

    Args:
        passes_over: leave those out that surely do not fit.
    """
    wanted: list[int] = [place]
    left = room - least[place] / CHARS_PER_TOKEN - SPARE
    for later in range(place + 1, len(least)):
        if left <= 0 and len(wanted) >= FEW:
            break
        tokens = least[later] / CHARS_PER_TOKEN
        if not passes_over or tokens <= room:
            wanted.append(later)
            left -= tokens + SPARE
    return wanted


def _exact(taken: dict[int, Evidence], budget: int, counter: Counter, count: Callable[[str], int]) -> Packed:
    items, text, tokens = _block(taken, counter)
    while tokens > budget:
        taken.pop(max(taken))
        items, text, tokens = _block(taken, counter)
    costs = tuple(count(line(item)) for item in items)
    return Packed(tuple(items), costs, text, tokens, frozenset(taken))


def _block(taken: dict[int, Evidence], counter: Counter) -> tuple[list[Evidence], str, int]:
    """The items in order, the block, and its tokens; nothing takes no token by any counter."""
    items = chronological(taken.values())
    text = render(items)
    return items, text, counter(text) if items else 0


def _weigher(counter: Counter, count: Callable[[str], int]) -> Callable[[str], float]:
    """Counts parts so that rounding does not add up: the estimate rounds only once, at the end."""
    return (lambda text: len(text) / CHARS_PER_TOKEN) if counter.name == "estimate" else count
