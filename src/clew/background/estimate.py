"""Estimates how long pending work will take from how long similar work took while a caller waited."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Final

_RELATIVE: Final[Mapping[str, float]] = {"embed": 40.0, "recognise": 8.0, "analyse": 1.0, "entities": 0.4}
"""Cost of one job by kind, as long as it was not measured by itself; only the ratios count. Other kinds: `_OTHER`.

Measured on one core: an analysed turn takes 0.7 ms, a vector of MiniLM between 5 and 75 ms.
"""

_OTHER: Final = 0.1
_KEPT: Final = 0.7
"""Weight of the cost so far when a new one is measured: single turns differ much."""


class WorkEstimate:
    """Measures how long each kind of work takes. Threads may share it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Nothing is measured yet; `clock` gives seconds."""
        self._clock = clock
        self._lock = threading.Lock()
        self._costs: dict[str, float] = {}  # seconds of one job, by kind
        self._last: tuple[float, Mapping[str, int]] | None = None

    def begin(self) -> None:
        """Starts a new measurement, since nobody watched the work since the last count."""
        with self._lock:
            self._last = None

    def update(self, pending: Mapping[str, int]) -> float | None:
        """Takes a new count of what is left, and returns the seconds that it is likely to take, see `seconds`."""
        with self._lock:
            now = self._clock()
            if self._last is not None:
                self._measure(now - self._last[0], self._last[1], pending)
            self._last = now, dict(pending)
        return self.seconds(pending)

    def seconds(self, pending: Mapping[str, int]) -> float | None:
        """Seconds that so much work is likely to take; None when no work was measured yet."""
        with self._lock:
            if not self._costs:
                return None if pending else 0.0
            scale = max(cost / _relative(kind) for kind, cost in self._costs.items())
            costs = {kind: self._costs.get(kind, scale * _relative(kind)) for kind in pending}
        return sum(costs[kind] * count for kind, count in pending.items())

    def _measure(self, seconds: float, before: Mapping[str, int], after: Mapping[str, int]) -> None:
        """Shares the time between the kinds of which something was done."""
        done = {kind: count - after.get(kind, 0) for kind, count in before.items() if count > after.get(kind, 0)}
        work = sum(_relative(kind) * count for kind, count in done.items())
        for kind in done:
            cost = seconds * _relative(kind) / work
            known = self._costs.get(kind)
            self._costs[kind] = cost if known is None else _KEPT * known + (1 - _KEPT) * cost


def _relative(kind: str) -> float:
    return _RELATIVE.get(kind, _OTHER)
