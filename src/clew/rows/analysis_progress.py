"""How far a space is analysed, as a row of META."""

import json
from dataclasses import dataclass
from typing import Final

from clew.store.protocol import Reader
from clew.store.rows import dumps
from clew.store.selections import META_VALUE

PROGRESS: Final = "analysed"
"""The row of META that says how far a space is analysed, and by whose vectors."""

ANALYSIS_VERSION: Final = 36
"""Named by every row made here. Raise it with any change of a rule or constant of the stages that it runs."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a space is analysed.

    Attributes:
        next: ordinal of the first turn that is not; what `redo` names below it is not either.
        model: whose vectors are used; None for words alone.
        epoch: rises when everything is analysed again by other rules, another model or other parameters.
        learned: version of the learned parameters of layers 1 to 4 that it goes by.
        met: whether turns are met with a project that the space is attached to.
        aside: whether turns were set aside (`clew.rows.set_aside`).
    """

    next: int = 0
    model: str | None = None
    version: int = ANALYSIS_VERSION
    epoch: int = 0
    learned: int = 0
    met: bool = False
    aside: bool = False

    def to_json(self) -> str:
        """JSON with a fixed form."""
        said = {"next": self.next, "model": self.model, "version": self.version, "epoch": self.epoch}
        marks = {name: True for name, is_set in (("met", self.met), ("aside", self.aside)) if is_set}
        return dumps(said | ({"learned": self.learned} if self.learned else {}) | marks)


def read_progress(reader: Reader, space: str) -> tuple[str | None, Progress]:
    """The row as it stands and what it says; None and the beginning for a space that was never analysed."""
    text = META_VALUE.get(reader, (space, PROGRESS))
    return text, Progress() if text is None else Progress(**json.loads(text))
