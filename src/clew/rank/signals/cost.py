"""Cost: a score that ignores a turn's length spends the whole budget on two long answers."""

from typing import Final

import numpy as np

from clew.rank.frame import EVERY, Frame, Scores

OFFSET: Final = 50.0
"""Tokens added before the logarithm, so that short turns do not win by shortness alone (RETRIEVAL, part B, T2)."""

CHARS_PER_TOKEN: Final = 4.0


def cost(frame: Frame, rows: slice = EVERY) -> Scores:
    """-ln(tokens + 50), at four characters per token."""
    return -np.log(frame.view.turns.chars[rows] / CHARS_PER_TOKEN + OFFSET)
