"""Copies a space to another store, row for row, and proves by hashes that the copy is equal."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

from clew.errors import ConflictError, InputError, NotFoundError
from clew.index.segment_kinds import count_copy
from clew.rows.scrub_requests import noted
from clew.rows.tombstones import Hashed, hashing_of
from clew.store.protocol import Reader, Store, Transaction
from clew.store.selections import TOMBSTONE_KEYS
from clew.store.tables import SPACE, TABLES, TOMBSTONE, Table
from clew.store.turn_selections import TURN_CONTENTS, TURN_HASH, TurnContent
from clew.store.values import Key, Row, Value
from clew.text.counted import counted

BATCH: Final = 500
"""Rows compared and written in one transaction."""

_LARGE: Final = {"blob": 4, "segment": 1}
"""Rows compared and written in one transaction, of tables whose rows may hold megabytes each."""

_NOT_COPIED: Final = frozenset({"lease"})
"""Tables that say who is at work here, which another installation must not be told."""


@dataclass(frozen=True, slots=True)
class CopyReport:
    """What a copy did.

    Attributes:
        rows: rows that are equal on both sides now, by table.
        written: rows that were missing or different and were written.
        removed: rows of the target that the source does not have, and that were removed.
        digest: SHA-256 over all rows in the order of their keys, the same on both sides.
    """

    rows: dict[str, int]
    written: int
    removed: int
    digest: str


def copy_space(
    source: Store,
    target: Store,
    space: str,
    *,
    overwrite: bool = False,
    on_progress: Callable[[int], None] | None = None,
) -> CopyReport:
    """Makes a space of the target equal to the source's, row for row, and proves it by hashes.

    The copy has the state of the moment when it began. An interrupted copy continues where it stopped: rows that are
    equal already are not written again. The row of the space itself is written last, so that half a copy is recognised
    as such. What the source has forgotten since an earlier copy is forgotten in the target too.

    Args:
        overwrite: replace a target that has, or has forgotten, turns which the source does not know; those are lost.
        on_progress: called with the number of rows compared so far.

    Raises:
        InputError: both are the same store.
        NotFoundError: the source has no such space.
        ConflictError: the target has turns of its own, or somebody wrote to it meanwhile.
    """
    if source is target or (source.url == target.url and source.url != ":memory:"):
        raise InputError(f"{source.url} is given as source and as target; name another place to copy to")
    with source.snapshot() as reader:
        if SPACE.get(reader, (space,)) is None:
            names = ", ".join(map(repr, source.spaces())) or "none"
            raise NotFoundError(f"there is no space {space!r} at {source.url}; its spaces: {names}")
        if not overwrite:
            _refuse_to_lose_turns(reader, target, space)
        report = _level_all(reader, target, space, on_progress or (lambda _: None))
        wanted = space_digest(reader, space)
    with target.snapshot() as reader:
        digest = space_digest(reader, space)
    if digest != wanted:
        raise ConflictError(
            f"the copy of {space!r} at {target.url} differs from its source: somebody wrote there meanwhile; "
            "close what has it open and copy again"
        )
    return CopyReport(*report, digest=digest)


def space_digest(reader: Reader, space: str) -> str:
    """SHA-256 over every row that is copied, in the order of tables and keys; the same on every engine."""
    digest = hashlib.sha256()
    for table in _tables():
        digest.update(f"table {table.name}\n".encode())
        for batch, _, _ in _stretches(reader, table, space):
            for value in (value for row in batch for value in row):
                kind, data = _framed(value)
                digest.update(f"{kind}{len(data)}:".encode() + data)
    return digest.hexdigest()


def _framed(value: Value) -> tuple[str, bytes]:
    """A value's type and bytes, encoded so that different values never give the same bytes."""
    if isinstance(value, bytes):
        return "b", value
    if isinstance(value, str):
        return "t", value.encode("utf-8", "surrogatepass")
    return type(value).__name__, repr(value).encode()


def _tables() -> list[Table]:
    """Every table that is copied; the space's own row comes last."""
    return [*(table for table in TABLES.values() if table.name not in _NOT_COPIED | {"space"}), TABLES["space"]]


def _level_all(
    reader: Reader, target: Store, space: str, on_progress: Callable[[int], None]
) -> tuple[dict[str, int], int, int]:
    """Makes every table equal; returns the rows by table, and the numbers of rows written and removed."""
    rows: dict[str, int] = {}
    written = removed = 0
    leaves_traces = _may_hold_traces(target, space)
    for table in _tables():
        rows[table.name] = 0
        if table.name == "space" and leaves_traces:
            target.scrub()  # before the copy is whole: one that is broken off here does it again
        for batch, low, high in _stretches(reader, table, space):
            work = _levelling(table, space, batch, low, high)
            changed, gone = target.transaction(work, durable=table.name == "space")  # the last one takes all along
            rows[table.name] += len(batch)
            written, removed = written + changed, removed + gone
            leaves_traces = leaves_traces or (gone > 0 and table.name == "turn")
            on_progress(sum(rows.values()))
    return rows, written, removed


def _may_hold_traces(target: Store, space: str) -> bool:
    """Whether files of the target may hold text of deleted turns: after forgetting, or after an interrupted copy."""
    with target.snapshot() as reader:
        is_half = SPACE.get(reader, (space,)) is None and reader.count("session", (space,), (space,)) > 0
        return is_half or noted(reader, space) is not None


def _stretches(reader: Reader, table: Table, space: str) -> Iterator[tuple[list[Row], Key, Key]]:
    """The table's rows in the order of keys, each stretch with the range of keys that it speaks for, both included."""
    size = _LARGE.get(table.name, BATCH)
    low: Key = (space,)
    while True:
        batch = reader.scan(table.name, low, (space,), limit=size)
        if len(batch) < size or table.key == 1:
            yield batch, low, (space,)
            return
        last = batch[-1][: table.key]
        yield batch, low, last
        low = _next_key(last)


def _next_key(key: Key) -> Key:
    """The first possible key after this one. Stores keep no NUL in text: U+0001 is the first sign."""
    last = key[-1]
    if isinstance(last, str):
        return (*key[:-1], last + "\x01")
    return (*key[:-1], last + b"\0" if isinstance(last, bytes) else cast(int, last) + 1)


def _levelling(
    table: Table, space: str, batch: Sequence[Row], low: Key, high: Key
) -> Callable[[Transaction], tuple[int, int]]:
    """The transaction that makes one range of keys of the target equal to the source's."""
    wanted = {row[: table.key]: row for row in batch}

    def level(tx: Transaction) -> tuple[int, int]:
        keys = tx.scan(table.name, low, high, columns=table.key_names)
        surplus = [key for key in keys if key not in wanted]
        both = [key for key in keys if key in wanted]
        present = dict(zip(both, tx.get_many(table.name, both), strict=True))
        changed = [row for key, row in wanted.items() if present.get(key) != row]
        if surplus or changed:
            tx.delete("space", (space,), (space,))  # until the end: half a copy is not a space
            if table.name == "space":
                count_copy(tx, space)
        for key in surplus:
            tx.delete(table.name, key, key)
        tx.put(table.name, changed)
        return len(changed), len(surplus)

    return level


def _refuse_to_lose_turns(reader: Reader, target: Store, space: str) -> None:
    """Refuses a target with turns, or with tombstones, that the source does not know."""
    hashed = hashing_of(reader, space)
    turns = 0
    with target.snapshot() as theirs:
        low: Key = (space,)
        while rows := TURN_CONTENTS.scan(theirs, low, (space,), limit=BATCH):
            keys = [(space, row.session, row.seq) for row in rows]
            mine = TURN_HASH.get_many(reader, keys)
            turns += sum(not _is_known(reader, space, row, own, hashed) for row, own in zip(rows, mine, strict=True))
            low = _next_key(keys[-1])
        buried = TOMBSTONE_KEYS.scan(theirs, (space,), (space,))
        tombstones = TOMBSTONE.get_many(reader, buried).count(None)
    if turns or tombstones:
        raise ConflictError(
            f"the space {space!r} at {target.url} holds {counted(turns, 'turn')} and has forgotten {tombstones} "
            "that the source does not know; use `clew merge` to join both, or --overwrite to give up what is there"
        )


def _is_known(reader: Reader, space: str, row: TurnContent, mine: bytes | None, hashed: Hashed | None) -> bool:
    """Whether the source has the turn of this row of the target, or has forgotten it."""
    if mine is not None:
        return mine == row.hash
    if hashed is None:
        return False
    ghost = TOMBSTONE.get(reader, (space, hashed("session", row.session), row.seq))
    return ghost is not None and ghost.digest == hashed("content", row.hash)
