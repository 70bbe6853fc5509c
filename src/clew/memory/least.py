"""The budget that an empty block would have needed."""

from typing import Final

from clew.assemble.context import least_budget
from clew.memory.recalls import MemoryRecalls
from clew.text.counters import counter
from clew.types.context import Context

TRIED: Final = 5
"""Turns that are counted: the shortest by their estimates."""


def enough_for(memory: MemoryRecalls, context: Context) -> int:
    """Tokens of the smallest block with one of the turns that were left out: the turn, its heading and the opening.

    Raises:
        NotFoundError: a turn, or the receipt, was forgotten meanwhile.
    """
    shortest = sorted(context.omitted, key=lambda each: each.tokens)[:TRIED]
    count = counter(memory.explain(context.receipt_id).settings["counter"])
    return least_budget((memory.get(each.turn_ids[0]) for each in shortest), count)
