"""What stubs and smaller images of message lists stand for, as rows: kept under their references, and given back."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from clew.condense.chains import Chain
from clew.condense.images import ShrunkImage
from clew.errors import InputError, NotFoundError
from clew.rows.pause import paused_since
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import OriginalRow
from clew.store.tables import ORIGINAL
from clew.types.turn import Part, Turn

CHAIN: Final = "chain"
IMAGE: Final = "image"
_JSON: Final = "application/json"
_REF: Final = re.compile(rf"(?:{CHAIN}|{IMAGE})-[0-9a-f]{{16}}\Z")
_WORD: Final = re.compile(r"[^\W_]+")
_RUN: Final = 5
"""Words in a row by which forgetting finds a turn's text in a kept original, as its proof does."""


def is_original(ref: str) -> bool:
    """Whether a reference names an original rather than a turn."""
    return _REF.match(ref) is not None


def chain_row(space: str, chain: Chain, now: int) -> OriginalRow:
    """The row of a collapsed chain."""
    return OriginalRow(space, chain.ref, CHAIN, _JSON, chain.tokens, now, chain.original, None)


def image_row(space: str, image: ShrunkImage, now: int) -> OriginalRow:
    """The row of an image that was replaced by a smaller one."""
    return OriginalRow(space, image.ref, IMAGE, image.media_type, image.tokens_before, now, "", image.original)


def keep_originals(store: Store, space: str, rows: Sequence[OriginalRow]) -> None:
    """Keeps originals durably; a reference that is kept already keeps its row.

    Raises:
        InputError: the space is paused, so nothing may be stored.
    """

    def write(tx: Transaction) -> None:
        if paused_since(tx, space) is not None:
            raise InputError("the space is paused, so nothing is stored; `clew resume` ends that")
        new = {row.ref: row for row in rows if tx.get(ORIGINAL.name, (space, row.ref)) is None}
        ORIGINAL.put(tx, list(new.values()))

    if rows:
        store.transaction(write)


def original_turn(reader: Reader, space: str, ref: str) -> Turn:
    """An original as a turn without a place: the text of a chain is its messages as JSON; an image is its only part.

    Raises:
        NotFoundError: nothing is kept under the reference.
    """
    row = ORIGINAL.get(reader, (space, ref))
    if row is None:
        raise NotFoundError(f"nothing is kept under {ref!r}; it was forgotten, or stands in another home or space")
    if row.kind == IMAGE:
        return Turn(role="user", content=(Part(type="image", data=row.data, media_type=row.media_type),))
    return Turn(role="tool", content=row.text)


def forget_originals(tx: Transaction, space: str, turns: Iterable[Turn]) -> int:
    """Deletes originals that repeat the turns' text, or one of their images; gives how many."""
    forgotten = list(turns)
    runs = {run for turn in forgotten for part in turn.parts for run in _runs(_words(part.text))}
    images = {part.data for turn in forgotten for part in turn.parts if part.data is not None}
    count = 0
    for row in ORIGINAL.scan(tx, (space,), (space,)):
        if row.data in images if row.kind == IMAGE else _repeats(row.text, runs):
            key = (space, row.ref)
            count += tx.delete(ORIGINAL.name, key, key)
    return count


def _repeats(text: str, runs: set[tuple[str, ...]]) -> bool:
    held = _words(" ".join(_strings(json.loads(text))))
    lengths = {len(run) for run in runs}
    return any(run in runs for length in lengths for run in zip(*(held[at:] for at in range(length)), strict=False))


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _runs(held: Sequence[str]) -> Iterable[tuple[str, ...]]:
    length = min(_RUN, len(held))
    return zip(*(held[at:] for at in range(length)), strict=False) if length else ()
