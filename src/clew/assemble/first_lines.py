"""Lines that stand before all ranked turns of a block: open tasks, the ends of a session, facts. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from clew.assemble.fit import Packed
from clew.assemble.render import Evidence, chronological, heading, render
from clew.assemble.unranked import unranked_item
from clew.text.counters import Counter
from clew.types.context import ContextItem
from clew.types.ids import turn_id

SHARE: Final = 4
"""What the budget is divided by for the most tokens that these lines take."""

WHOLE: Final = 1
"""The same for lines that are the whole answer: no turn is looked up beside them."""

OPEN_TASK: Final = "open task"
ENDS: Final = "overview"
PROFILE: Final = "profile"
"""Why such a line is in a block, for its receipt: the question asks what is left to do, what all was about, or whom."""

_ROUNDING: Final = 2
"""Tokens by which the count of a whole block may differ from the sum of its parts."""


@dataclass(frozen=True, slots=True)
class FirstLines:
    """Lines that a block must contain, and the turns that it leaves out because of them.

    Attributes:
        lines: most important first.
        reason: why they are there.
        instead: positions of the turns that are left out, since the lines say what is to be said of them.
        share: what the budget is divided by for the most tokens that they take: `SHARE` or `WHOLE`.
    """

    lines: Sequence[Evidence] = ()
    reason: str = OPEN_TASK
    instead: Sequence[int] = ()
    share: int = SHARE


NO_LINES: Final = FirstLines()


def lines_that_fit(first: FirstLines, budget: int, counter: Counter) -> tuple[list[Evidence], int]:
    """The first lines that fit into their share of the budget, and the tokens to keep for them."""
    taken: list[Evidence] = []
    spent = 0
    headings: set[object] = set()
    for line in first.lines:
        cost = counter(line.packed) + (0 if line.heading in headings else counter(heading(*line.heading)))
        if spent + cost + _ROUNDING > budget // first.share:
            break
        taken.append(line)
        headings.add(line.heading)
        spent += cost
    return taken, spent + _ROUNDING if taken else 0


def with_lines(
    packed: Packed,
    beats: Sequence[tuple[Evidence, ContextItem]],
    first: FirstLines,
    budget: int,
    counter: Counter,
) -> tuple[Packed, list[tuple[Evidence, ContextItem]]]:
    """The block with first lines, and `beats` with these and their items; the last are dropped until the rest fits.

    The beginning of a turn is left out where the block has the turn whole.
    """
    whole = {(item.session, item.seq) for item in packed.items if item.rendering == "full" and first.reason == ENDS}
    lines = [line for line in first.lines if (line.session, line.seq) not in whole]
    shown = [*packed.items, *(line for line, _ in beats)]
    while lines:
        text = render(chronological([*shown, *lines]))
        tokens = counter(text)
        if tokens <= budget:
            packed = replace(packed, text=text, tokens=tokens)
            return packed, [*beats, *((line, _item(line, first.reason, counter)) for line in lines)]
        lines.pop()
    return packed, list(beats)


def _item(line: Evidence, reason: str, counter: Counter) -> ContextItem:
    return unranked_item(line, (turn_id(line.session, line.seq),), counter, required=reason)
