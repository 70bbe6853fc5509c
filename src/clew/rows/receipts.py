"""Keeps receipts in memory for `explain`, and writes them later, so that no recall waits for the disk."""

import json
import logging
import math
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Final

from clew.errors import NotFoundError, StoreError
from clew.store.protocol import Store, Transaction
from clew.store.row_types import MetaRow, ReceiptRow
from clew.store.rows import to_us
from clew.store.selections import META_VALUE, RECEIPT_DATA, RECEIPT_TIMES, ReceiptTime
from clew.store.tables import META, RECEIPT
from clew.types.context import Receipt
from clew.types.record import taken_apart

log = logging.getLogger("clew.receipts")

GATHER_SECONDS: Final = 1.0
"""How long receipts are gathered before they are written: each write makes readers and the worker look for changes."""

_WRITTEN_LAST: Final = "receipt"
"""Row of META: the receipt that was written last; a clock may have gone back since another."""

_FIELDS: Final = tuple(field.name for field in fields(Receipt))  # none of them is ever None
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=taken_apart)
_EFFORT: Final = 6
"""A receipt names the same few things for every turn: a fifth is left of it, in half a millisecond."""


def receipt_bytes(receipt: Receipt) -> bytes:
    """A receipt as it is kept: the JSON of its `to_dict`, compressed. Its rows are encoded as they are, in a third."""
    values = {name: getattr(receipt, name) for name in _FIELDS}
    return zlib.compress(_ENCODER.encode(values).encode(), _EFFORT)


def receipt_text(data: bytes) -> str:
    """The JSON of a stored receipt; up to schema 3 it was not compressed."""
    return (data if data.startswith(b"{") else zlib.decompress(data)).decode()


def receipt_of(data: bytes) -> Receipt:
    """The receipt that `receipt_bytes` was given."""
    return Receipt.from_dict(json.loads(receipt_text(data)))


def receipt_row(space: str, receipt: Receipt) -> ReceiptRow:
    """The row of a receipt."""
    return ReceiptRow(space, receipt.name, to_us(receipt.created_at), receipt_bytes(receipt))


@dataclass(frozen=True, slots=True)
class PendingReceipt:
    """A receipt that is created only when it is needed.

    Attributes:
        make: returns the receipt, the same one each time.
    """

    id: str
    created_at: datetime
    make: Callable[[], Receipt]


class ReceiptBook:
    """The receipts of one space; the newest `keep` of them are kept. Threads may share it.

    Over a store that cannot be written they are kept for as long as the book is.
    """

    def __init__(self, store: Store, space: str, keep: int, timer: Callable[[], float] = time.monotonic) -> None:
        """`timer` gives seconds that never go back."""
        self._store = store
        self._timer = timer
        self._space = space
        self._keep = keep
        self._unwritten: dict[str, PendingReceipt] = {}
        self._last: str | None = None
        self._waits_since: float | None = None
        self._lock = threading.Lock()
        self._writing = threading.Lock()

    def keep(self, receipt: Receipt) -> None:
        """Takes a receipt; it is durable after the next `flush`."""
        self.keep_pending(PendingReceipt(receipt.name, receipt.created_at, lambda: receipt))

    def keep_pending(self, receipt: PendingReceipt) -> None:
        """Keeps a receipt that is created when it is written or asked for, so that no recall waits for it."""
        if self._keep:
            with self._lock:
                self._unwritten[receipt.id] = receipt
                self._last = receipt.id
                if not self._store.writable:
                    if len(self._unwritten) > self._keep:
                        del self._unwritten[next(iter(self._unwritten))]
                    return
                self._waits_since = self._timer() if self._waits_since is None else self._waits_since

    def is_due(self) -> bool:
        """Whether receipts have waited for `GATHER_SECONDS`, or somebody waits for them."""
        since = self._waits_since
        return since is not None and self._timer() - since >= GATHER_SECONDS

    def hurry(self) -> None:
        """Makes waiting receipts due at once, because somebody waits until they are written."""
        with self._lock:
            self._waits_since = None if self._waits_since is None else -math.inf

    def get(self, name: str) -> Receipt:
        """The receipt with this id.

        Raises:
            NotFoundError: there is none, or it was dropped as one of the oldest.
        """
        with self._lock:
            waiting = self._unwritten.get(name)
        if waiting is not None:
            return waiting.make()
        with self._store.snapshot() as reader:
            row = RECEIPT.get(reader, (self._space, name))
        if row is None:
            raise NotFoundError(
                f"no receipt {name!r} in this space; recall prints its receipt's name, the last {self._keep} are kept"
            )
        return receipt_of(row.data)

    def newest(self) -> Receipt:
        """The receipt that this book was given last, whatever the clock said; else the one that was written last.

        Where that one was dropped it is the one of the latest time; of several, the one whose name comes last.

        Raises:
            NotFoundError: there is none.
        """
        everything = (self._space,)
        with self._lock:
            last = self._last
            times = [ReceiptTime(to_us(receipt.created_at), receipt.id) for receipt in self._unwritten.values()]
        if last is not None:
            with suppress(NotFoundError):  # forgotten since
                return self.get(last)
        with self._store.snapshot() as reader:
            written = META_VALUE.get(reader, (self._space, _WRITTEN_LAST))
            if written is not None and RECEIPT_TIMES.get(reader, (self._space, written)) is not None:
                return self.get(written)
            times += RECEIPT_TIMES.scan(reader, everything, everything)
        if not times and last is written is None:
            raise NotFoundError("no recall has left a receipt in this space yet; ask something first")
        if not times:
            raise NotFoundError("the receipts of this space were deleted with what was forgotten; ask something first")
        return self.get(max(times).receipt)

    def recent(self, count: int) -> list[Receipt]:
        """The receipts made last, the newest first."""
        with self._lock:
            waiting = [receipt.make() for receipt in self._unwritten.values()]
        with self._store.snapshot() as reader:
            newest = sorted(RECEIPT_TIMES.scan(reader, (self._space,), (self._space,)), reverse=True)[:count]
            stored = RECEIPT_DATA.get_many(reader, [(self._space, row.receipt) for row in newest])
        receipts = {each.id: each for each in (receipt_of(data) for data in stored if data is not None)}
        receipts |= {each.id: each for each in waiting}
        return sorted(receipts.values(), key=lambda each: (each.created_at, each.id), reverse=True)[:count]

    @property
    def waiting(self) -> int:
        """How many receipts still have to be written."""
        return len(self._unwritten) if self._store.writable else 0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Inside, none that waits is written: else one could come back after the written ones were removed."""
        with self._writing:
            yield

    def drop(self) -> None:
        """Drops receipts that are not written yet; the caller deletes the written ones."""
        with self._lock:
            self._unwritten.clear()
            self._last = None
            self._waits_since = None

    def flush(self) -> int:
        """Writes the waiting receipts, deletes the oldest ones beyond `keep`, and returns how many were waiting."""
        with self._writing:
            return self._flush()

    def close(self) -> None:
        """Writes what waits. That it cannot be is no reason why closing, or the command that recalled, should fail."""
        try:
            self.flush()
        except StoreError as error:
            log.warning("receipts of the last recalls are lost, `clew explain` will not find them: %s", error)

    def _flush(self) -> int:
        with self._lock:
            batch = dict(self._unwritten)
        if not batch or not self._store.writable:
            return 0
        rows = [row for pending in batch.values() if (row := self._row(pending)) is not None]

        def write(tx: Transaction) -> None:
            RECEIPT.put(tx, rows)
            META.put(tx, [MetaRow(self._space, _WRITTEN_LAST, rows[-1].receipt)])

        if rows:
            self._store.transaction(write, durable=False)
        with self._lock:
            for name, receipt in batch.items():
                if self._unwritten.get(name) is receipt:
                    del self._unwritten[name]
            self._waits_since = self._timer() if self._unwritten else None
        self._drop_oldest()
        return len(batch)

    def _row(self, receipt: PendingReceipt) -> ReceiptRow | None:
        """The row of a receipt; None for one that cannot be made, which must not keep the others from being written."""
        try:
            return receipt_row(self._space, receipt.make())
        except Exception as error:  # noqa: BLE001  # it holds names and functions of callers
            log.warning("the receipt %s cannot be written, and is lost: %s", receipt.id, error)
            return None

    def _drop_oldest(self) -> None:
        everything = ((self._space,), (self._space,))
        with self._store.snapshot() as reader:
            if reader.count("receipt", *everything) <= self._keep * 1.1:  # one sweep for many receipts, not one each
                return
            by_age = sorted(RECEIPT_TIMES.scan(reader, *everything))
        old = [(self._space, row.receipt) for row in by_age[: len(by_age) - self._keep] if row.receipt != self._last]
        tables = ("feedback", "receipt")  # what is known of a receipt goes with it
        self._store.transaction(
            lambda tx: [tx.delete(table, key, key) for key in old for table in tables], durable=False
        )
