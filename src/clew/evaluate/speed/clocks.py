"""Time: by the wall for what somebody waits for, by the processor for what work costs where others work too."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clew.memory import Memory

WORKER: Final = "clew-worker"
WRITER: Final = "clew-writer"
QUIET: Final = 0.5
"""Seconds without background work after which a memory counts as settled."""


@dataclass(frozen=True, slots=True)
class Elapsed:
    """Wall-clock seconds, and processor seconds of the calling thread."""

    wall: float
    processor: float


class Stopwatch:
    """Measures time since it was created."""

    def __init__(self) -> None:
        """Starts."""
        self._wall, self._processor = time.perf_counter(), time.thread_time()

    def elapsed(self) -> Elapsed:
        """The time since creation."""
        return Elapsed(time.perf_counter() - self._wall, time.thread_time() - self._processor)


def processor() -> float:
    """Processor seconds of this process, all threads."""
    return time.process_time()


def processor_of(name: str) -> float:
    """Processor seconds of the living threads with that name; 0.0 on systems that do not measure threads."""
    clock_of = getattr(time, "pthread_getcpuclockid", None)
    if clock_of is None:
        return 0.0
    threads = [thread.ident for thread in threading.enumerate() if thread.name == name and thread.ident is not None]
    return float(sum(time.clock_gettime(clock_of(ident)) for ident in threads))


def settle(memory: Memory) -> None:
    """Waits until all background work is done, packing and merging included."""
    memory.drain()
    before = -1.0
    while (now := processor_of(WORKER) + processor_of(WRITER)) - before > QUIET / 100:
        before = now
        time.sleep(QUIET)


def quantile(values: Sequence[float], share: float) -> float:
    """The value that `share` of the values do not exceed (nearest rank); `share` is above 0 and at most 1."""
    ordered = sorted(values)
    return ordered[max(0, -(-int(share * 1000) * len(ordered) // 1000) - 1)]
