"""Stores the originals of stubs and scaled images of message lists under their references."""

import re
from collections.abc import Sequence
from typing import Final

from clew.condense.chains import Chain
from clew.condense.images import ShrunkImage
from clew.errors import InputError, NotFoundError, shown
from clew.rows.pause import refuse_while_paused
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import OriginalRow
from clew.store.tables import ORIGINAL
from clew.types.turn import Part, Turn

CHAIN: Final = "chain"
IMAGE: Final = "image"
_JSON: Final = "application/json"
_REF: Final = re.compile(rf"(?:{CHAIN}|{IMAGE})-(?P<digits>[^:]*)\Z")
_DIGITS: Final = re.compile(r"[0-9a-f]{16}\Z")


def is_original(ref: str) -> bool:
    """Whether a reference names an original rather than a turn.

    Raises:
        InputError: it begins like that of an original and is none.
    """
    match = _REF.match(ref)
    if match is not None and _DIGITS.match(match["digits"]) is None:
        kind = "a collapsed tool chain" if ref.startswith(CHAIN) else "a shrunk image"
        raise InputError(
            f"{shown(ref, 200)} is not the whole reference of {kind}; expected what its stub in the prompt says: "
            f"`{ref.partition('-')[0]}-` and 16 hexadecimal digits"
        )
    return match is not None


def chain_row(space: str, chain: Chain, now: int) -> OriginalRow:
    """The row of a collapsed chain."""
    return OriginalRow(space, chain.ref, CHAIN, _JSON, chain.tokens, now, chain.original, None)


def image_row(space: str, image: ShrunkImage, now: int) -> OriginalRow:
    """The row of an image that was replaced by a smaller one."""
    return OriginalRow(space, image.ref, IMAGE, image.media_type, image.tokens_before, now, "", image.original)


def keep_originals(store: Store, space: str, rows: Sequence[OriginalRow]) -> None:
    """Stores originals durably; a row that exists under a reference is not replaced.

    Raises:
        InputError: the space is paused, so nothing may be stored.
    """

    def write(tx: Transaction) -> None:
        refuse_while_paused(tx, space)
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
