"""What waits behind the acknowledgement: finished, or said."""

from collections.abc import Sequence

import pytest

from clew.cli.opening import duration, say_pending, settle, work_through
from clew.errors import ClewError, ModelUnavailable
from clew.memory import Memory
from clew.models.protocol import Matrix
from clew.testing import HashEmbedder
from clew.types import Turn


class Unreachable:
    """An embedder whose server is away."""

    name = "away@1"
    dim = 8

    def embed(self, texts: Sequence[str]) -> Matrix:
        raise ModelUnavailable(f"no server answers; {len(texts)} texts wait")


@pytest.mark.requirement("F-CLI-13")
def test_work_is_finished() -> None:
    with Memory.open(":memory:", embedder=HashEmbedder()) as memory:
        memory.add_many(Turn(role="user", content=f"turn {n}") for n in range(300))
        work_through(memory, "vectors")
        assert memory.stats().vectors == 300
        assert settle(memory).pending == {}


@pytest.mark.requirement("F-CLI-13")
def test_work_that_fails_is_an_error_and_not_an_endless_loop() -> None:
    with Memory.open(":memory:", embedder=Unreachable()) as memory:
        memory.add(Turn(role="user", content="one"))
        with pytest.raises(ClewError, match="background work cannot continue: no server answers"):
            work_through(memory, "vectors")


@pytest.mark.requirement("F-CLI-13")
def test_what_is_left_is_said_with_what_finishes_it(capsys: pytest.CaptureFixture[str]) -> None:
    say_pending({})
    assert capsys.readouterr().err == ""
    say_pending({"embed": 1200})
    said = " ".join(capsys.readouterr().err.split())
    assert said.startswith("1,200 turns without vectors (search finds them by their words)")
    assert "`clew work --once` does it now" in said
    say_pending({"embed": 1200}, is_ours=False)  # a home that this user may only read
    assert "its owner's `clew work --once` does it." in " ".join(capsys.readouterr().err.split())


@pytest.mark.requirement("C-PLAIN-04")
def test_what_reads_the_same_turns_is_told_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    say_pending({"embed": 1, "analyse": 412, "mentions": 400, "condense": 1, "facts": 412, "new": 2}, 9.0)
    assert capsys.readouterr().err.splitlines() == [
        "1 turn without vectors (found by its words)",
        "1 session due to be condensed",
        "2 new jobs pending",
        "412 turns not read yet for tags, names and facts",
        "`clew work --once` does it now; it is likely to take 9 seconds.",
    ]


@pytest.mark.requirement("F-PIPELINE-21")
def test_how_long_the_rest_will_take_is_said_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    say_pending({"embed": 1_200}, 250.0)
    assert "likely to take about 4 minutes" in " ".join(capsys.readouterr().err.split())
    assert [duration(seconds) for seconds in (0.2, 1, 20, 59, 90, 7_200)] == [
        "1 second",
        "1 second",
        "20 seconds",
        "59 seconds",
        "about 2 minutes",
        "about 2.0 hours",
    ]
