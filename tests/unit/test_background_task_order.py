"""Which of the background's tasks does the next step."""

import pytest

from clew.background.lease import WorkLease
from clew.background.worker import IN_A_ROW, LEASE, LEASE_US, Derivation, TaskList
from tests.support.memories import empty_store


class Counted:
    """A task with so many steps left, which notes each of its steps."""

    def __init__(self, name: str, left: int, said: list[str]) -> None:
        self._name, self.left, self._said = name, left, said

    def pending(self, *, now: bool) -> dict[str, int]:  # noqa: ARG002  # see `Task`
        return {self._name: self.left}

    def is_due(self) -> bool:
        return self.left > 0

    def step(self) -> bool:
        self._said.append(self._name if self.left else f"no {self._name}")
        self.left -= bool(self.left)
        return not self._said[-1].startswith("no ")


@pytest.mark.requirement("F-SPEED-45")
def test_a_task_with_work_goes_on_and_lets_those_ahead_of_it_go_first_now_and_then() -> None:
    said: list[str] = []
    first, second = Counted("first", 0, said), Counted("second", 2 * IN_A_ROW, said)
    store = empty_store()
    derivation = Derivation(store, TaskList(open=(), leased=(first, second), last=()))
    lease = WorkLease(store, "default", LEASE, LEASE_US)
    for _ in range(IN_A_ROW):
        assert derivation.step(lease)
    assert said == ["no first"] + ["second"] * IN_A_ROW
    said.clear()
    first.left = 1
    for _ in range(2):
        assert derivation.step(lease)
    assert said == ["first", "no first", "second"]
