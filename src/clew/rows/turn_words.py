"""The columns of a turn that a block shows: speaker, branch and words."""

from typing import Final, NamedTuple

from clew.store.table_columns import Columns
from clew.store.tables import TURN


class TurnVoice(NamedTuple):
    """Who says a turn, and on which branch."""

    branch: str
    role: str
    origin: str


class TurnSpoken(NamedTuple):
    """What a turn says, in which role, and whose words these are."""

    text: str
    role: str
    origin: str


class TurnWords(NamedTuple):
    """What a turn says, on which branch, and in which role."""

    text: str
    branch: str
    role: str


class TurnSaid(NamedTuple):
    """What a turn says, and its parts as JSON where it has several."""

    text: str
    parts: str | None


TURN_VOICE: Final = Columns(TURN, TurnVoice)
TURN_SPOKEN: Final = Columns(TURN, TurnSpoken)
TURN_WORDS: Final = Columns(TURN, TurnWords)
TURN_SAID: Final = Columns(TURN, TurnSaid)
