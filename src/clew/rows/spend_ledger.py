"""Records the daily cost of language models, and keeps all programs together within the budget.

The worst that a call can cost is reserved before it is made, in the transaction that looks at what is left; what it did
cost takes the place of that afterwards. What a killed process reserved stays reserved for its day, since its call may
be billed, and is booked as a failed call two days later. A call belongs to the day (UTC) on which it began.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from clew.errors import BudgetExceeded
from clew.models.budget import Budget, Usage
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import LedgerRow
from clew.store.tables import LEDGER

EPOCH: Final = date(1970, 1, 1)

_NUMBERS: Final = LEDGER.names[LEDGER.key :]


@dataclass(frozen=True, slots=True)
class Hold:
    """The reservation of one call."""

    day: int
    model: str
    purpose: str
    worst: Usage


class Ledger:
    """The ledger of one space. Threads and processes may share it."""

    def __init__(self, store: Store, space: str, clock: Callable[[], datetime], budget: Budget) -> None:
        self._store, self._space, self._clock, self._budget = store, space, clock, budget

    def reserve(self, model: str, purpose: str, worst: Usage) -> Hold:
        """Reserves what a call may cost; durable on return.

        Raises:
            BudgetExceeded: the day's budget has not that much left; nothing was set aside.
        """
        hold = Hold(today(self._clock()), model, purpose, worst)

        def work(tx: Transaction) -> None:
            _book_lost(tx, self._space, hold.day)
            spent = _total(LEDGER.scan(tx, (self._space, hold.day), (self._space, hold.day)))
            self._check_budget(spent, worst)
            change = {"reserved_tokens": worst.tokens_in + worst.tokens_out, "reserved_micros": worst.micros}
            _add(tx, (self._space, hold.day, model, purpose), change)

        self._store.transaction(work)
        return hold

    def settle(self, tx: Transaction, hold: Hold, spent: Usage, *, failed: bool) -> None:
        """Replaces a reservation by the actual cost of the call.

        Nothing happens if the reservation is gone: after days it was booked as lost, at its worst cost.
        """
        key = (self._space, hold.day, hold.model, hold.purpose)
        row = LEDGER.get(tx, key)
        if row is None or row.reserved_tokens < hold.worst.tokens_in + hold.worst.tokens_out:
            return
        change = {
            "calls": 1,
            "failures": int(failed),
            "tokens_in": spent.tokens_in,
            "tokens_out": spent.tokens_out,
            "micros": spent.micros,
            "reserved_tokens": -(hold.worst.tokens_in + hold.worst.tokens_out),
            "reserved_micros": -hold.worst.micros,
        }
        _add(tx, key, change)

    def refuse(self, tx: Transaction, model: str, purpose: str) -> None:
        """Counts a paid answer that is not used as a failure of today."""
        _add(tx, (self._space, today(self._clock()), model, purpose), {"failures": 1})

    def _check_budget(self, spent: Mapping[str, int], worst: Usage) -> None:
        tokens = spent["tokens_in"] + spent["tokens_out"] + spent["reserved_tokens"]
        micros = spent["micros"] + spent["reserved_micros"]
        wanted = worst.tokens_in + worst.tokens_out
        if tokens + wanted > self._budget.tokens:
            raise BudgetExceeded(
                f"the call was not made: it may take {wanted:,} tokens, and {tokens:,} of the day's "
                f"{self._budget.tokens:,} are used or reserved; the setting is llm.daily_tokens"
            )
        if micros + worst.micros > self._budget.micros:
            raise BudgetExceeded(
                f"the call was not made: it may cost {worst.micros / 1e6:.6f}, and {micros / 1e6:.6f} of the day's "
                f"{self._budget.micros / 1e6:.6f} are used or reserved; the setting is llm.daily_cost"
            )


def today(now: datetime) -> int:
    """Days since 1970 (UTC)."""
    return (now.astimezone(UTC).date() - EPOCH).days


def read_ledger(reader: Reader, space: str, days: int | None = None) -> list[dict[str, Any]]:
    """The rows of the ledger as records, newest day first; of the last days that have any, or of all.

    `cost` is in the currency of the prices; `reserved_*` is of calls under way, or of a killed process.
    """
    rows = LEDGER.scan(reader, (space,), (space,))
    newest = sorted({row.day for row in rows}, reverse=True)[:days]
    return [_record(row) for day in newest for row in rows if row.day == day]


def _record(row: LedgerRow) -> dict[str, Any]:
    return {
        "day": (EPOCH + timedelta(days=row.day)).isoformat(),
        "model": row.model,
        "purpose": row.purpose,
        "calls": row.calls,
        "failures": row.failures,
        "tokens_in": row.tokens_in,
        "tokens_out": row.tokens_out,
        "cost": row.micros / 1e6,
        "reserved_tokens": row.reserved_tokens,
        "reserved_cost": row.reserved_micros / 1e6,
    }


def _total(rows: list[LedgerRow]) -> dict[str, int]:
    return {name: sum(getattr(row, name) for row in rows) for name in _NUMBERS}


def _add(tx: Transaction, key: tuple[str, int, str, str], change: Mapping[str, int]) -> None:
    """Adds to a row's numbers; none falls below 0, also where a reservation was booked as lost meanwhile."""
    row = LEDGER.get(tx, key) or LedgerRow(*key, *(0 for _ in _NUMBERS))
    changed = {name: max(0, getattr(row, name) + number) for name, number in change.items()}
    LEDGER.put(tx, [row._replace(**changed)])


def _book_lost(tx: Transaction, space: str, day: int) -> None:
    """Books reservations from before yesterday as failed calls at their worst cost, since nobody will settle them."""
    for row in LEDGER.scan(tx, (space,), (space, day - 2)):
        tokens, micros = row.reserved_tokens, row.reserved_micros
        if tokens or micros:
            change = {"calls": 1, "failures": 1, "tokens_in": tokens, "micros": micros}
            cleared = {"reserved_tokens": -tokens, "reserved_micros": -micros}
            _add(tx, (row.space, row.day, row.model, row.purpose), change | cleared)
