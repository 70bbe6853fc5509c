"""Arguments, dates and references as people type them, and what they are told where these are wrong."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from clew.errors import InputError
from clew.memory import Memory
from clew.rank.algebra import parse
from clew.rank.algebra.syntax import TimeRange
from clew.recall.code_decisions import decides
from tests.support.memories import quiet, told


def _chat(home: Path) -> Memory:
    memory = quiet(home)
    memory.add(told("We picked Redis.", at=datetime(2024, 9, 22, 10, tzinfo=UTC)))
    memory.add(told("Redis is slow.", at=datetime(2024, 10, 3, 10, tzinfo=UTC)))
    return memory


@pytest.mark.requirement("U-SMALL-01")
def test_as_of_may_be_given_in_words(tmp_path: Path) -> None:
    with _chat(tmp_path) as memory:
        assert [hit.turn.text for hit in memory.search("Redis", as_of="September 2024")] == ["We picked Redis."]
        assert memory.recall("Redis", known_at="2019").text == ""
        with pytest.raises(InputError, match="as_of 'text' names no time; write a date"):
            memory.recall("Redis", as_of="text")
        with pytest.raises(InputError, match="known_at is 3; expected a datetime, or a time such as"):
            memory.search("Redis", known_at=3)  # type: ignore[arg-type]  # which is what is tested


@pytest.mark.requirement("U-SMALL-02")
def test_a_date_without_a_year_is_of_the_conversations(tmp_path: Path) -> None:
    with _chat(tmp_path) as memory:
        assert [turn.text for turn in memory.query("on 22 September")] == ["We picked Redis."]
        assert [turn.text for turn in memory.query("after 22 September")] == ["Redis is slow."]


@pytest.mark.requirement("U-SMALL-02")
@pytest.mark.parametrize(
    ("expression", "year"), [("on 22 September", 2024), ("on 22 September 2022", 2022), ("on 3 January", 2025)]
)
def test_the_last_year_that_has_the_date_is_meant(expression: str, year: int) -> None:
    now = datetime(2026, 5, 1, tzinfo=UTC)
    found = parse(expression, now, (datetime(2022, 1, 1, tzinfo=UTC).date(), datetime(2025, 2, 1, tzinfo=UTC).date()))
    assert isinstance(found, TimeRange)
    assert found.since is not None
    assert found.since.year == year


@pytest.mark.requirement("U-SMALL-03")
@pytest.mark.parametrize(("ref", "kind"), [("chain-0000", "a collapsed tool chain"), ("image-12", "a shrunk image")])
def test_a_reference_that_is_cut_says_so(tmp_path: Path, ref: str, kind: str) -> None:
    with _chat(tmp_path) as memory, pytest.raises(InputError, match=f"not the whole reference of {kind}"):
        memory.restore(ref)


@pytest.mark.requirement("U-SMALL-04")
@pytest.mark.parametrize(
    ("text", "is_decision"),
    [
        ("Let me add a retry to the client.", False),
        ("Now I'll add the endpoint to `api.py`.", False),
        ("I'll create a new branch for it.", False),
        ("Let me use the existing parser instead of a new one.", True),
        ("I'll use ruff for linting because it is fast.", True),
        ("Let's go with option B.", True),
        ("I decided to keep the sync path.", True),
        ("We'll keep the old endpoint for compatibility.", True),
    ],
)
def test_an_announced_step_is_no_decision(text: str, *, is_decision: bool) -> None:
    assert decides(text, by_user=False) == is_decision
