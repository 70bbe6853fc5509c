"""Forgets what left a client's message list (`clew.rows.originals`) when it repeats a forgotten turn."""

import json
from collections.abc import Iterable, Sequence

from clew.maintain.forget_proof import RUN, words
from clew.rows.originals import IMAGE
from clew.store.protocol import Transaction
from clew.store.tables import ORIGINAL
from clew.text.json_texts import json_texts
from clew.types.turn import Turn

Words = tuple[str, ...]


def forget_originals(tx: Transaction, space: str, turns: Iterable[Turn]) -> int:
    """Deletes originals that repeat the turns' text, or one of their images; gives how many.

    A text is repeated where five of its words in a row occur, or all of a shorter one; a single word has to be the
    whole of a text there, since it says nothing by itself.
    """
    forgotten = list(turns)
    texts = [found for turn in forgotten for part in turn.parts if (found := tuple(words(part.text)))]
    runs = {run for text in texts if len(text) > 1 for run in _runs(text, min(RUN, len(text)))}
    single: set[Words] = {text for text in texts if len(text) == 1}
    images = {part.data for turn in forgotten for part in turn.parts if part.data is not None}
    count = 0
    for row in ORIGINAL.scan(tx, (space,), (space,)):
        if row.data in images if row.kind == IMAGE else _repeats(row.text, runs, single):
            key = (space, row.ref)
            count += tx.delete(ORIGINAL.name, key, key)
    return count


def _repeats(original: str, runs: set[Words], single: set[Words]) -> bool:
    texts = [tuple(words(text)) for text in json_texts(json.loads(original))]
    lengths = {len(run) for run in runs}
    return any(
        text in single or any(run in runs for length in lengths for run in _runs(text, length)) for text in texts
    )


def _runs(text: Sequence[str], length: int) -> Iterable[Words]:
    return zip(*(text[start:] for start in range(length)), strict=False)
