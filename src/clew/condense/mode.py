"""Whether a session is a quest (work with tools on files) or a chat, by SIGMA's score."""

from typing import Final, Literal

Mode = Literal["quest", "chat"]

QUEST: Final = 5
"""Score from which a conversation is a quest."""


def mode_of(*, tool_turns: int, structural: float, code_blocks: int, files: int) -> Mode:
    """SIGMA: more than 5 turns with tools score 3, O1 above 15 scores 3, over 3 code blocks 2, over 5 files 2.

    Args:
        structural: sum of the overlay O1 over the turns.
        files: references to files.
    """
    score = 3 * (tool_turns > 5) + 3 * (structural > 15) + 2 * (code_blocks > 3) + 2 * (files > 5)
    return "quest" if score >= QUEST else "chat"
