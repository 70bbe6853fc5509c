"""What the thread of background work says of errors."""

import logging
import threading
from collections.abc import Mapping

import pytest

from clew.background.lease import WorkLease
from clew.background.loop import LoopSettings, WorkLoop
from clew.background.worker import LEASE_US, Derivation, TaskList
from clew.store.memory import MemoryStore


class Broken:
    """A task with an error that is not Clew's own."""

    def __init__(self) -> None:
        self.tried = threading.Semaphore(0)
        self.error = MemoryError("no\n\x1b[31mroom")

    def pending(self, *, now: bool) -> Mapping[str, int]:  # noqa: ARG002  # see `Task`
        return {"turns": 1}

    def is_due(self) -> bool:
        return True

    def step(self) -> bool:
        self.tried.release()
        raise self.error


@pytest.mark.requirement("F-PIPELINE-16")
def test_an_error_that_is_not_clew_s_own_is_named_in_one_line_with_its_task(caplog: pytest.LogCaptureFixture) -> None:
    store, task = MemoryStore(), Broken()
    settings = LoopSettings("test", "background work", logging.getLogger("clew.worker"), (0.001,), 0.0)
    work = Derivation(store, TaskList(open=[task], leased=[], last=[]))
    loop = WorkLoop(work, WorkLease(store, "a", "worker", LEASE_US), settings)
    loop.start()
    assert all(task.tried.acquire(timeout=60) for _ in range(3))
    loop.stop()
    assert loop.failure == "MemoryError: no\u240a\u241b[31mroom (in the task Broken)"
    said = {record.message for record in caplog.records}
    assert said == {f"background work met an error that is not Clew's own, {loop.failure}; it will be tried again"}
