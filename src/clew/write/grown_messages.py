"""Finds the text that a program appended to a message after an import had stored it.

Aider writes its own output line by line until somebody speaks, and adds a line even when it is left. The stored message
stays as it is, and what came after it is stored as a turn behind it. Start at `grown`.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from clew.ingest.identity import content_hash
from clew.ingest.importers.aider import NAME as AIDER
from clew.ingest.secrets.masking import masks_in
from clew.store.protocol import Reader, Store
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.types.turn import Turn
from clew.write.prepare import Prepared
from clew.write.session_log import by_external_id

_GROWING: Final = frozenset({AIDER})
"""Programs that write a message bit by bit; one of others that differs from the stored one was edited."""


def may_grow(items: Sequence[Prepared]) -> bool:
    """Whether the program that wrote these turns appends to its messages."""
    return any(item.turn.source in _GROWING for item in items)


def grown(
    store: Store, space: str, items: Sequence[Prepared], prepared: Callable[[Turn], Prepared]
) -> list[tuple[Prepared, ...]]:
    """For each turn, the turns to store in its place: itself, or what is stored of it followed by what was appended.

    Args:
        items: turns of one session.
        prepared: prepares what was added, which can be taken, since the whole can.
    """
    with store.snapshot() as reader:
        return [tuple(_parts_of(reader, space, item, prepared)) for item in items]


def _parts_of(reader: Reader, space: str, item: Prepared, prepared: Callable[[Turn], Prepared]) -> list[Prepared]:
    parts: list[Prepared] = []
    while (split := _split(reader, space, item)) is not None:
        first, rest = split
        parts.append(first)
        if not rest.text.strip():
            return parts
        # What is masked already is not told again, and a pattern is for the message as it was written.
        masked = Counter(item.masked) & Counter(masks_in(rest))
        item = replace(prepared(rest), masked=masked, excluded=item.excluded)
    return [*parts, item]


def _split(reader: Reader, space: str, item: Prepared) -> tuple[Prepared, Turn] | None:
    """The stored text of a turn and what was appended to it; None if neither text is the beginning of the other."""
    turn = item.turn
    if turn.source not in _GROWING or turn.external_id is None or len(turn.parts) != 1:
        return None
    known = by_external_id(reader, space, turn.session, turn.external_id)
    if known is None or known[1] == item.digest:
        return None
    row = TURN.get(reader, (space, turn.session, known[0]))
    if row is None:
        return None
    (part,), begun = turn.parts, turn_from_row(row).text
    if not f"{part.text}\n".startswith(f"{begun}\n") and not begun.startswith(f"{part.text}\n"):
        return None
    first = replace(turn, content=(replace(part, text=begun),), text=begun)
    if content_hash(first) != known[1]:
        return None
    added = part.text[len(begun) :].strip("\n")  # nothing in a copy from before the message grew
    name = f"{turn.external_id}+{len(begun)}"
    rest = replace(turn, content=(replace(part, text=added),), text=added, external_id=name)
    return replace(item, turn=first, digest=known[1], masked={}), rest
