"""Forgets what repeats a forgotten turn in the message lists of clients.

What left such a list is in `clew.rows.originals`, what was put into one in `clew.rows.injections`.
"""

import json
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import cast

from clew.maintain.forget_traces import RUN, words
from clew.rows.injections import quoted_turns
from clew.rows.originals import IMAGE
from clew.store.protocol import Transaction
from clew.store.tables import INJECTION, ORIGINAL
from clew.text.json_texts import json_texts
from clew.types.ids import turn_id
from clew.types.turn import Turn

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """What of forgotten texts is looked for in others: runs of words, and texts of a single word.

    A text is repeated where five of its words in a row occur, or all of a shorter one; a single word has to be the
    whole of a text there, since it says nothing by itself.
    """

    runs: Set[Words]
    lengths: Set[int]  # of the runs
    single: Set[Words]

    @classmethod
    def of(cls, turns: Iterable[Turn]) -> "Repeated":
        """The runs and single words of the texts of turns."""
        texts = [said for turn in turns for part in turn.parts if (said := tuple(words(part.text)))]
        runs = {run for text in texts if len(text) > 1 for run in _runs(text, min(RUN, len(text)))}
        return cls(runs, set(map(len, runs)), {text for text in texts if len(text) == 1})

    def occurs_in(self, text: str) -> bool:
        """Whether a text repeats one of them."""
        said = tuple(words(text))
        return said in self.single or any(run in self.runs for length in self.lengths for run in _runs(said, length))


def forget_originals(tx: Transaction, space: str, turns: Sequence[Turn], traces: Repeated) -> int:
    """Deletes originals that repeat the turns' text, or one of their images; returns how many."""
    images = {part.data for turn in turns for part in turn.parts if part.data is not None}
    count = 0
    for row in ORIGINAL.scan(tx, (space,), (space,)):
        if row.data in images if row.kind == IMAGE else any(map(traces.occurs_in, json_texts(json.loads(row.text)))):
            key = (space, row.ref)
            count += tx.delete(ORIGINAL.name, key, key)
    return count


def forget_quotes(tx: Transaction, space: str, turns: Sequence[Turn], traces: Repeated) -> int:
    """Deletes blocks put into message lists that quote the turns, or repeat their text; returns how many."""
    names = {turn_id(turn.session, cast(int, turn.seq)) for turn in turns}
    count = 0
    for row in INJECTION.scan(tx, (space,), (space,)):
        if not names.isdisjoint(quoted_turns(row)) or traces.occurs_in(row.block):
            key = (space, row.session, row.injection)
            count += tx.delete(INJECTION.name, key, key)
    return count


def _runs(text: Sequence[str], length: int) -> Iterable[Words]:
    return zip(*(text[start:] for start in range(length)), strict=False)
