"""Memories for tests: without a model, with a clock that stands still, and what lies in their stores."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from clew.condense.renderings import Rendering
from clew.index.container import expand
from clew.index.entry import TurnEntry, decode
from clew.index.segment import Segment
from clew.index.segment import entries as entries_of
from clew.index.segment_kinds import TERMS
from clew.memory import Memory
from clew.rows.renderings import renderings_of
from clew.store.memory import MemoryStore
from clew.store.protocol import Store, Transaction
from clew.store.tables import TABLES
from clew.store.values import Row
from clew.testing import FrozenClock
from clew.types import Turn

NOON = datetime(2024, 3, 5, 12, tzinfo=UTC)


def at(minutes: float) -> datetime:
    """So many minutes after noon."""
    return NOON + timedelta(minutes=minutes)


def told(text: str, session: str = "s", **more: Any) -> Turn:
    """A user's turn."""
    return Turn(**{"role": "user", "content": text, "session": session, **more})


def history(texts: str | Sequence[str], **more: Any) -> list[Turn]:
    """A turn for each text, or for each letter."""
    return [told(text, **more) for text in texts]


def timed(texts: str | Sequence[str], **more: Any) -> list[Turn]:
    """The same, a minute apart."""
    return [told(text, at=at(n), **more) for n, text in enumerate(texts)]


def quiet(path: str | Path | Store = ":memory:", **more: Any) -> Memory:
    """A memory without a model, at noon."""
    return Memory.open(path, **{"embedder": "none", "clock": FrozenClock(NOON), **more})


def empty_store() -> MemoryStore:
    """A store without a file."""
    store = MemoryStore()
    store.migrate()
    return store


def copied(store: Store) -> MemoryStore:
    """A store with the same rows, to be changed without changing the other: what many tests start from is made once."""
    target = empty_store()
    held = {name: [row for space in store.spaces() for row in rows(store, name, space)] for name in TABLES}

    def write(tx: Transaction) -> None:
        for name, each in held.items():
            tx.put(name, each)

    target.transaction(write)
    return target


def rows(store: Store, table: str, space: str = "default") -> list[Row]:
    """Every row of a table of one space."""
    with store.snapshot() as reader:
        return reader.scan(table, (space,), (space,))


def graph_rows(memory: Memory) -> dict[str, list[Row]]:
    """The rows of the entity graph by table."""
    return {table: rows(memory.reads.store, table) for table in ("entity", "edge", "speaker")}


def rendered(memory: Memory, kind: str) -> dict[str, Rendering]:
    """The renderings of one kind, by node."""
    nodes = [str(row[1]) for row in rows(memory.reads.store, "rendering", memory.space)]
    with memory.reads.store.snapshot() as reader:
        found = renderings_of(reader, memory.space, nodes, kind)
    return {node: each for node, each in zip(nodes, found, strict=True) if each is not None}


def texts(memory: Memory) -> list[str]:
    """What is stored, in the order of arrival."""
    return [str(row[-1]) for row in sorted(rows(memory.reads.store, "turn", memory.space), key=lambda row: row[3] or 0)]


def everything(store: Store, space: str = "default") -> bytes:
    """Every value of every table, and every term and name of every segment, as one run of bytes."""
    values = [value for name in TABLES for row in rows(store, name, space) for value in row]
    found = [value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass") for value in values]
    for segment in segments(store, space):
        for table in (segment.terms, segment.sessions, segment.branches, segment.speakers):
            found += table.strings()
    return b"\n".join(found)


def segments(store: Store, space: str = "default") -> list[Segment]:
    """The term segments."""
    return [Segment.load(expand(_data(row))) for row in rows(store, "segment", space) if row[1] == TERMS]


def entries(store: Store, space: str = "default") -> dict[int, TurnEntry]:
    """What the term index holds of each turn, in the tail or in a segment, by ordinal."""
    found = [decode(_data(row)) for row in rows(store, "tail", space)]
    found += [entry for segment in segments(store, space) for entry in entries_of(segment)]
    assert len({entry.ordinal for entry in found}) == len(found), "a turn is indexed twice"
    return {entry.ordinal: entry for entry in found}


def raw(home: Path) -> bytes:
    """The bytes of every file of a home."""
    return b"".join(path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file())


def _data(row: Row) -> bytes:
    assert isinstance(row[-1], bytes)
    return row[-1]
