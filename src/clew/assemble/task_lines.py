"""Open tasks as the first lines that a block has room for, where a question asks what is left to do. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from clew.assemble.fit import Packed
from clew.assemble.render import Evidence, chronological, heading, render
from clew.assemble.unranked import unranked_item
from clew.text.counters import Counter
from clew.types.context import ContextItem
from clew.types.ids import turn_id

SHARE: Final = 4
"""What the budget is divided by for the most tokens that open tasks take."""

REASON: Final = "open task"
"""Why such a line is in a block, for its receipt."""

_ROUNDING: Final = 2
"""Tokens by which the count of a whole block may differ from the sum of its parts."""


def tasks_that_fit(lines: Sequence[Evidence], budget: int, counter: Counter) -> tuple[list[Evidence], int]:
    """The first lines that fit into their share of the budget, and the tokens to keep for them."""
    taken: list[Evidence] = []
    spent = 0
    headings: set[object] = set()
    for line in lines:
        cost = counter(line.shown) + (0 if line.heading in headings else counter(heading(*line.heading)))
        if spent + cost + _ROUNDING > budget // SHARE:
            break
        taken.append(line)
        headings.add(line.heading)
        spent += cost
    return taken, spent + _ROUNDING if taken else 0


def with_tasks(
    packed: Packed,
    beats: Sequence[tuple[Evidence, ContextItem]],
    lines: Sequence[Evidence],
    budget: int,
    counter: Counter,
) -> tuple[Packed, list[tuple[Evidence, ContextItem]]]:
    """The block with task lines, and `beats` with these and their items: the last are dropped while they do not fit."""
    kept = list(lines)
    shown = [*packed.items, *(line for line, _ in beats)]
    while kept:
        text = render(chronological([*shown, *kept]))
        tokens = counter(text)
        if tokens <= budget:
            packed = replace(packed, text=text, tokens=tokens)
            return packed, [*beats, *((line, _item(line, counter)) for line in kept)]
        kept.pop()
    return packed, list(beats)


def _item(line: Evidence, counter: Counter) -> ContextItem:
    return unranked_item(line, (turn_id(line.session, line.seq),), counter, required=REASON)
