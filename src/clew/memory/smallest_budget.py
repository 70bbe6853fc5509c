"""The smallest budget with which a recall that returned an empty block would have returned a turn."""

from typing import Final

from clew.assemble.context import least_budget
from clew.memory.recalls import MemoryRecalls
from clew.text.counters import counter
from clew.types.context import Context

TRIED: Final = 5
"""How many of the turns that look shortest are counted exactly."""


def smallest_budget(memory: MemoryRecalls, context: Context) -> int:
    """Tokens of the smallest block with one of the turns that were left out: the turn, its heading and the opening.

    Raises:
        NotFoundError: a turn, or the receipt, was forgotten meanwhile.
    """
    shortest = sorted(context.omitted, key=lambda entry: entry.tokens)[:TRIED]
    count = counter(memory.explain(context.receipt_id).settings["counter"])
    return least_budget((memory.get(entry.turn_ids[0]) for entry in shortest), count)
