"""Makes again what is derived from the log without a model: index entries and rule annotations.

Vectors are a model's recorded answers and stay. The same log gives the same rows.
"""

from collections.abc import Iterator, Sequence
from typing import Final, cast

from clew.errors import ConflictError
from clew.index import packer
from clew.index.entry import TurnEntry
from clew.pipeline.annotate import PROVENANCE, annotation_rows, orphans
from clew.pipeline.log import stored_rows
from clew.pipeline.prepare import Prepared, derive
from clew.store.protocol import Store, Transaction
from clew.store.rows import turn_from_row

_TRIES: Final = 3


def rebuild(store: Store, space: str, *, pack_minimum: int, fan_out: int) -> int:
    """Remakes annotations in batches and the term index in one step; gives the number of turns.

    Raises:
        ConflictError: turns were forgotten meanwhile, three times over; nothing is lost, run it again.
    """
    _drop_orphans(store, space)
    for _ in range(_TRIES - 1):
        try:
            return packer.rebuild(store, space, _entries(store, space), minimum=pack_minimum, fan_out=fan_out)
        except ConflictError:
            continue  # a turn was forgotten under way: the log is read again
    return packer.rebuild(store, space, _entries(store, space), minimum=pack_minimum, fan_out=fan_out)


def _drop_orphans(store: Store, space: str) -> None:
    """Drops the annotations of turns that do not exist. No id is given twice, so none of them comes back."""
    with store.snapshot() as reader:
        owners = orphans(reader, space)
    keys = [(space, owner) for owner in owners]
    store.transaction(lambda tx: [tx.delete("annotation", key, key) for key in keys], durable=False)


def _entries(store: Store, space: str) -> Iterator[TurnEntry]:
    """Every turn's entry in order of ordinals; each stretch's annotations are written on the way."""
    for rows in stored_rows(store, space):
        made = [derive(turn_from_row(row)) for row in rows]
        _annotate(store, space, made)
        for item in made:
            yield item.entry(seq=cast(int, item.turn.seq), ordinal=cast(int, item.turn.ordinal))


def _annotate(store: Store, space: str, made: Sequence[Prepared]) -> None:
    def write(tx: Transaction) -> None:
        living = []
        for item in made:
            owner = cast(str, item.turn.id)
            for kind, provenance in tx.scan(
                "annotation", (space, owner), (space, owner), columns=("kind", "provenance")
            ):
                if provenance == PROVENANCE:
                    tx.delete("annotation", (space, owner, kind), (space, owner, kind))
            if tx.get("turn", (space, item.turn.session, item.turn.seq)) is not None:
                living.append((owner, item))
        tx.put("annotation", annotation_rows(space, living))

    store.transaction(write, durable=False)
