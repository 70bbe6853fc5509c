"""Rebuilds what is derived from the log without a model: index entries and rule annotations.

The results of the analysis are dropped at the end and made again in the background. Vectors are recorded answers of a
model and stay. The same log gives the same rows. A rebuild that was killed continues where it stopped.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import cast

from clew.analyze.weigh import ANALYZE_VERSION
from clew.derive.analysis_dropped import drop_analysis
from clew.derive.entity_counts import drop_entities
from clew.derive.facts import make_afresh
from clew.index import staged_rebuild
from clew.index.entry import TurnEntry
from clew.index.packer import STEP
from clew.rows.annotations import BY_TURN, PROVENANCE, lost_ordinals, orphans
from clew.rows.extraction import drop_runs
from clew.rows.mentions import drop_mentions
from clew.rows.turn_log import stored_rows
from clew.store.protocol import Store, Transaction
from clew.store.rows import turn_from_row
from clew.store.selections import ANNOTATION_SOURCES
from clew.store.tables import WEIGHING
from clew.store.turn_selections import TURN_SEQ
from clew.store.values import Key
from clew.version import __version__
from clew.write.prepare import Derived, derive
from clew.write.session_writes import weighing_rows

Progress = Callable[[int, int], None]
"""Called with the turns that are made again, and with all of them."""


def rebuild(
    store: Store,
    space: str,
    *,
    pack_minimum: int,
    fan_out: int,
    step: int = STEP,
    on_progress: Progress | None = None,
) -> int:
    """Rebuilds annotations in batches, and the term index in windows swapped in at the end; returns the turn count.

    Args:
        step: number of turns between two checkpoints of an interrupted rebuild.

    Raises:
        ConflictError: turns were forgotten again and again meanwhile; nothing is lost, run it again.
    """
    _drop_orphans(store, space)
    tell = on_progress or (lambda _done, _all: None)
    turns = staged_rebuild.rebuild(
        store,
        space,
        lambda low, high: _entries(store, space, low, high, tell),
        maker=f"{__version__} {ANALYZE_VERSION}",
        minimum=pack_minimum,
        fan_out=fan_out,
        step=step,
    )
    store.transaction(lambda tx: _drop_behind(tx, space), durable=False)
    return turns


def _drop_behind(tx: Transaction, space: str) -> None:
    """Drops what the background work derives, so that it is derived again."""
    drop_analysis(tx, space)
    drop_entities(tx, space)
    make_afresh(tx, space)
    drop_mentions(tx, space)
    drop_runs(tx, space)


def _drop_orphans(store: Store, space: str) -> None:
    """Drops annotations of turns that do not exist. No ordinal is given twice, so none of these turns comes back."""
    with store.snapshot() as reader:
        keys: list[tuple[str, Key]] = [("annotation", (space, owner)) for owner in orphans(reader, space)]
        keys += [(table, (space, ordinal)) for ordinal in lost_ordinals(reader, space) for table in BY_TURN]
    store.transaction(lambda tx: [tx.delete(table, key, key) for table, key in keys], durable=False)


def _entries(store: Store, space: str, low: int, high: int, tell: Progress) -> Iterator[TurnEntry]:
    """The index entries of the turns in order of ordinals; annotations are written batch by batch on the way."""
    with store.snapshot() as reader:
        done = reader.count("turn", (space,), (space, low - 1), index="ordinal")
        total = reader.count("turn", (space,), (space,))
    for rows in stored_rows(store, space, low, high):
        made = [derive(turn_from_row(row), weighed=True) for row in rows]
        _annotate(store, space, made)
        done += len(rows)
        tell(done, total)
        for item in made:
            yield item.entry(seq=cast(int, item.turn.seq), ordinal=cast(int, item.turn.ordinal))


def _annotate(store: Store, space: str, made: Sequence[Derived]) -> None:
    def write(tx: Transaction) -> None:
        keys = [(space, item.turn.session, item.turn.seq) for item in made]
        stored = TURN_SEQ.get_many(tx, keys)
        living = []
        for item, seq in zip(made, stored, strict=True):
            owner = cast(str, item.turn.id)
            for row in ANNOTATION_SOURCES.scan(tx, (space, owner), (space, owner)):
                if row.provenance == PROVENANCE:
                    tx.delete("annotation", (space, owner, row.kind), (space, owner, row.kind))
            if seq is not None:
                living.append((cast(int, item.turn.ordinal), item))
        WEIGHING.put(tx, weighing_rows(space, living))

    store.transaction(write, durable=False)
