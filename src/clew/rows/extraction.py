"""Extractions of whole sessions as rows: their state, and what was extracted from each chunk."""

import json
import zlib
from collections.abc import Mapping, Set
from typing import Any

from clew.store.protocol import Transaction
from clew.store.selections import CHUNK_RANGES
from clew.store.tables import EXTRACTION_CHUNK, EXTRACTION_RUN
from clew.store.values import Key


def packed_json(value: Any) -> bytes:
    """Compressed JSON, as the `data` of these rows."""
    return zlib.compress(json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode())


def unpacked_text(data: bytes | None) -> str:
    """The JSON of a row's `data`; empty without any."""
    return "" if data is None else zlib.decompress(data).decode()


def forget_extractions(tx: Transaction, space: str, gone: Mapping[str, Set[int]]) -> int:
    """Deletes the runs of sessions, and the chunks that hold one of the turns; returns the number of rows.

    Args:
        gone: seqs of forgotten turns, by session.
    """
    removed = 0
    for session, seqs in gone.items():
        key: Key = (space, session)
        removed += tx.delete(EXTRACTION_RUN.name, key, key)
        for chunk in CHUNK_RANGES.scan(tx, key, key):
            if any(chunk.low <= seq <= chunk.high for seq in seqs):
                place = (*key, chunk.digest)
                removed += tx.delete(EXTRACTION_CHUNK.name, place, place)
    return removed


def drop_runs(tx: Transaction, space: str) -> None:
    """Deletes the runs of all sessions; what was extracted from chunks stays, as recorded answers of models do."""
    tx.delete(EXTRACTION_RUN.name, (space,), (space,))
