"""Cost: a score that ignores a turn's length spends the whole budget on two long answers."""

from typing import Final

import numpy as np

from clew.rank.frame import EVERY, TOOL, Frame, Scores

OFFSET: Final = 50.0
"""Tokens added before the logarithm, so that short turns do not win by shortness alone (RETRIEVAL, part B, T2)."""

CHARS_PER_TOKEN: Final = 4.0

RESULT: Final = 2_000
"""Most characters of a tool's result that count: of a longer one a block shows a passage, never the whole.

A listing of 4,000 tokens that alone has the name which is asked for would else cost more than any match is worth."""


def cost(frame: Frame, rows: slice = EVERY) -> Scores:
    """-ln(tokens + 50), at four characters per token."""
    turns = frame.view.turns
    chars = np.where(turns.role[rows] == TOOL, np.minimum(turns.chars[rows], RESULT), turns.chars[rows])
    return -np.log(chars / CHARS_PER_TOKEN + OFFSET)
