"""Counts and times of the server, in the text format of Prometheus (version 0.0.4)."""

import threading
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Final

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_KINDS: Final = {
    "clew_requests_total": (
        "counter",
        "Requests, by provider (clew: own pages; refused; none: unknown path) and status.",
    ),
    "clew_failed_open_total": ("counter", "Chats that were forwarded without the memory's help, by reason."),
    "clew_injected_total": ("counter", "Chats to which remembered text was added."),
    "clew_events_total": ("counter", "Events of the log, by name."),
    "clew_upstream_errors_total": ("counter", "Requests that did not reach their upstream, by provider and cause."),
    "clew_in_flight": ("gauge", "Requests under way."),
    "clew_prepare_seconds": ("histogram", "Time from the end of a chat's body to its way upstream."),
    "clew_first_byte_seconds": ("histogram", "Time from a request's start to the first byte of its answer."),
}
_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)

Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counters, gauges and histograms. Threads share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, dict[Labels, float]] = {}
        self._times: dict[str, list[float]] = {}

    def add(self, name: str, amount: float = 1, **labels: str) -> None:
        """Adds to a counter or gauge."""
        key = tuple(sorted(labels.items()))
        with self._lock:
            row = self._values.setdefault(name, {})
            row[key] = row.get(key, 0) + amount

    def observe(self, name: str, seconds: float) -> None:
        """Adds one time to a histogram."""
        with self._lock:
            row = self._times.setdefault(name, [0.0] * (len(_BOUNDS) + 2))
            row[bisect_left(_BOUNDS, seconds)] += 1
            row[-1] += seconds

    def text(self, events: Mapping[str, int]) -> str:
        """All of it as text, with the counts of events."""
        with self._lock:
            values = {name: dict(row) for name, row in self._values.items()}
            times = {name: list(row) for name, row in self._times.items()}
        values["clew_events_total"] = {(("event", name),): count for name, count in dict(events).items()}
        lines: list[str] = []
        for name, (kind, about) in _KINDS.items():
            lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
            if kind == "histogram":
                lines += _histogram(name, times.get(name, [0.0] * (len(_BOUNDS) + 2)))
            else:
                lines += [f"{name}{_labels(key)} {value:g}" for key, value in sorted(values.get(name, {}).items())]
        return "\n".join(lines) + "\n"


def _histogram(name: str, row: list[float]) -> Iterator[str]:
    below = 0.0
    for bound, count in zip((*map(str, _BOUNDS), "+Inf"), row, strict=False):
        below += count
        yield f'{name}_bucket{{le="{bound}"}} {below:g}'
    yield f"{name}_sum {row[-1]:.9g}"
    yield f"{name}_count {below:g}"


def _labels(key: Labels) -> str:
    if not key:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in key) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
