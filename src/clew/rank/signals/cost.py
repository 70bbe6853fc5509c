"""The cost of a turn's length: a score that ignores it would spend the whole budget on two long answers."""

from typing import Final

import numpy as np

from clew.index.incremental_cache import CacheKey
from clew.rank.frame import EVERY, Frame, Scores
from clew.rank.participants import SYSTEM, TOOL, findings_share

OFFSET: Final = 50.0
"""Tokens added before the logarithm, so that short turns do not win by shortness alone (RETRIEVAL, part B, T2)."""

CHARS_PER_TOKEN: Final = 4.0

RESULT: Final = 2_000
"""Most characters of a tool's result that count: of a longer one a block shows a passage, never the whole.

A listing of 4,000 tokens that alone has the name which is asked for would else cost more than any match is worth."""

SAID: Final = 3_000
"""Most characters that count of what was said where an agent works; see `lengthy`. Of 1,500 to 4,000 the least by which
none of seven sources of such work loses (docs/recall-figures.md)."""

_LENGTHY: Final = CacheKey[Scores]("lengthy")


def cost(frame: Frame, rows: slice = EVERY) -> Scores:
    """-ln(tokens + 50), at four characters per token."""
    turns = frame.view.turns
    chars = np.where(turns.role[rows] == TOOL, np.minimum(turns.chars[rows], RESULT), turns.chars[rows])
    return -np.log(chars / CHARS_PER_TOKEN + OFFSET)


def lengthy(frame: Frame) -> Scores | None:
    """What `cost` takes from turns of more than `SAID` characters beyond that, times the session's share of findings.

    A report of a fault, or the thoughts of an agent together with the file that it writes, is shown by a passage, as
    a tool's result is. Not for system prompts, whose words are those of every task. None where all shares are 0, as
    in chats, whose long answers would fill the block.
    """
    share = findings_share(frame.view) if frame.with_assistant else None
    return None if share is None else frame.view.derived(_LENGTHY, lambda: _lengthy(frame, share))


def _lengthy(frame: Frame, share: Scores) -> Scores:
    turns = frame.view.turns
    said = (turns.role != SYSTEM) & (turns.role != TOOL)
    beyond = np.log(np.maximum(turns.chars, SAID) / CHARS_PER_TOKEN + OFFSET) - np.log(SAID / CHARS_PER_TOKEN + OFFSET)
    return np.asarray(np.where(said, share * beyond, 0.0))
