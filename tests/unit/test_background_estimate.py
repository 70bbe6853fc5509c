"""How long the work behind the acknowledgement is going to take."""

import pytest

from clew.background.estimate import WorkEstimate
from clew.testing import HashEmbedder
from clew.types.work import WorkProgress
from tests.support.memories import history, quiet


class Clock:
    """Seconds that pass when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.requirement("F-PIPELINE-21")
def test_what_is_left_is_estimated_by_what_was_done() -> None:
    clock = Clock()
    estimate = WorkEstimate(clock)
    assert estimate.seconds({"embed": 10}) is None, "nothing was measured"
    assert estimate.seconds({}) == 0
    assert estimate.update({"embed": 100, "analyse": 100}) is None
    clock.now += 2
    assert estimate.update({"embed": 60, "analyse": 100}) == pytest.approx(60 * 0.05 + 100 * 0.05 / 40)
    clock.now += 3
    estimate.update({"analyse": 100})
    clock.now += 1
    assert estimate.update({"analyse": 50}) == pytest.approx(1.0)
    estimate.begin()
    clock.now += 1_000  # nobody watched
    assert estimate.update({"analyse": 40}) == pytest.approx(0.8)


@pytest.mark.requirement("F-PIPELINE-21")
def test_whoever_waits_is_told_what_is_left() -> None:
    seen: list[WorkProgress] = []
    with quiet(embedder=HashEmbedder()) as memory:
        memory.parts.worker.stop()
        memory.add_many(history([f"tea {n}" for n in range(40)]))
        assert not memory.drain(0, seen.append)
    assert [progress.pending for progress in seen] == [
        {"embed": 40, "analyse": 40, "entities": 40, "facts": 40, "mentions": 40}
    ] * 2
    seen.clear()
    with quiet(embedder=HashEmbedder()) as memory:
        memory.add_many(history([f"tea {n}" for n in range(40)]))
        assert memory.drain(None, seen.append)
        assert (seen[-1].pending, seen[-1].seconds_left) == ({}, 0.0)
        assert memory.stats().details["pending_seconds"] == 0.0
