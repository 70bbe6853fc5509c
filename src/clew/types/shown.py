"""What is shown instead of the turns of a condensed session."""

from dataclasses import dataclass
from typing import Literal

from clew.types.record import Record

ShownAs = Literal["full", "salient", "summary", "digest", "title", "recap"]
"""From the longest to the shortest; `recap`: only the recap of the session still speaks of the turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown(Record):
    """What stands for some turns of a session now.

    Attributes:
        turn_ids: the turns, in order; `restore` gives each in full.
        rendering: `full` is the turn itself, and `salient` one of the last turns whose long parts are shown in part;
            `summary`, `digest` and `title` stand for a group of turns; of `recap` turns only the recap still speaks.
        text: empty for `recap`.
        tokens: of `text`, by the counter of the settings.
        full_tokens: of the turns in full.
        method: `extract`, or `llm:<name>` where a language model wrote the text.
        labels: what the turns are about.
        is_new: no compaction covers the turns yet.
    """

    turn_ids: tuple[str, ...]
    rendering: ShownAs
    text: str
    tokens: int
    full_tokens: int
    method: str = "extract"
    labels: tuple[str, ...] = ()
    is_new: bool = False
