"""The columns of a turn that a block shows: what it says, who says it, and on which branch."""

from typing import Final, NamedTuple

from clew.store.selections import Columns
from clew.store.tables import TURN


class TurnWords(NamedTuple):
    """What a turn says, on which branch, and who says it."""

    text: str
    branch: str
    role: str
    origin: str


TURN_WORDS: Final = Columns(TURN, TurnWords)
