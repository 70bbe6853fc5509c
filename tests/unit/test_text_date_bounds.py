"""Which days the words before a date ask for: another side, all but them, or what lies between two dates."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from clew.memory import Memory
from clew.rank.intent import read_intent
from clew.rank.intent.time_window import time_window
from clew.testing import FrozenClock
from clew.text.periods import parse_period
from clew.text.query_dates import parse_query_dates
from tests.support.memories import told

NOW = datetime(2026, 6, 14, 12, tzinfo=UTC)
COVERED = (date(2025, 11, 3), date(2026, 6, 10))


def days(question: str) -> list[str]:
    found = parse_query_dates(question, NOW, COVERED)
    return [f"{each.relation} {each.start or ''}/{each.end or ''}" for each in found]


@pytest.mark.requirement("F-TIME-18")
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what did we decide, but not in january?", ["except 2026-01-01/2026-01-31"]),
        ("What did we do except last week?", ["except 2026-06-01/2026-06-07"]),
        ("what did we do other than in march", ["except 2026-03-01/2026-03-31"]),
        ("everything but March", ["except 2026-03-01/2026-03-31"]),
        ("in 2025, excluding May", ["on 2025-01-01/2025-12-31", "except 2026-05-01/2026-05-31"]),
        ("in March and not in April", ["on 2026-03-01/2026-03-31", "except 2026-04-01/2026-04-30"]),
        ("was haben wir außer im Januar gemacht?", ["except 2026-01-01/2026-01-31"]),
        ("why did we not meet in January?", ["on 2026-01-01/2026-01-31"]),
        ("why not in January?", ["on 2026-01-01/2026-01-31"]),
        ("was it in January or not?", ["on 2026-01-01/2026-01-31"]),
        ("not before March", ["after 2026-03-01/"]),
        ("no later than March 5", ["before /2026-03-05"]),
        ("not until March", ["after 2026-03-01/"]),
        ("more than two weeks ago", ["before /2026-05-30"]),
        ("less than 3 days ago", ["on 2026-06-11/2026-06-14"]),
    ],
)
def test_what_is_excluded_or_negated_is_not_asked_for(question: str, expected: list[str]) -> None:
    assert days(question) == expected


@pytest.mark.requirement("F-TIME-18")
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("before June but after March, what did we do?", ["between 2026-04-01/2026-05-31"]),
        ("after 3 May and before 10 May", ["between 2026-05-04/2026-05-09"]),
        ("since March but before 10 May", ["between 2026-03-01/2026-05-09"]),
        ("before May or after March", ["before /2026-04-30", "after 2026-04-01/"]),
        ("after June and before March", ["after 2026-07-01/", "before /2026-02-28"]),
        ("between march and january", ["between 2025-03-01/2026-01-31"]),
        ("from may to june 2026", ["between 2026-05-01/2026-06-30"]),
        ("the march between the towns", []),
        ("on the 31st of february", []),
        ("in the last 0 days", []),
        ("in the last 9999 years", []),
        ("since forever", []),
        ("since the year 1", []),
        ("since 9999-12-31", []),
    ],
)
def test_two_sides_make_an_interval_and_what_is_no_time_none(question: str, expected: list[str]) -> None:
    assert days(question) == expected


@pytest.mark.requirement("F-TIME-18")
def test_a_day_that_is_left_out_is_no_word_of_the_question() -> None:
    intent = read_intent("what did we decide, except in january?", (), NOW, with_assistant=False, covered=COVERED)
    assert intent.terms == ("decid",)
    january = intent.dates[0]
    assert (january.relation, january.start, january.end) == ("except", date(2026, 1, 1), date(2026, 1, 31))
    early = read_intent("not in early January", (), NOW, with_assistant=False, covered=COVERED)
    assert (early.dates[0].relation, early.dates[0].end) == ("except", date(2026, 1, 10))


@pytest.mark.requirement("F-TIME-18")
def test_a_period_without_what_is_left_out() -> None:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOW)) as memory:
        for month, word in ((4, "April"), (5, "May"), (6, "June")):
            moment = datetime(2026, month, 3, tzinfo=UTC)
            memory.add(told(f"We chose the colour of {word}'s poster.", at=moment))
        found = memory.remember_when("what colour did we choose since April, but not in May?", mode="lookup")
        assert "April's" in found.text
        assert "June's" in found.text
        assert "May's" not in found.text
        assert type(found).from_dict(found.to_dict()).excluded == found.excluded != ()
        block = memory.recall("what colour did we choose, but not in May?")
        assert block.items
        assert memory.search("colour, except in May")[-1].turn.text.startswith("We chose the colour of May")


@pytest.mark.requirement("F-TIME-18")
def test_months_named_one_after_the_other_are_one_time() -> None:
    window = time_window(None, None, "what did we do in March and in May?", NOW, COVERED)
    assert (window.since, window.until) == (datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC))


@pytest.mark.requirement("F-TIME-18")
def test_days_and_hours_across_a_change_of_the_clock() -> None:
    zone = ZoneInfo("America/New_York")
    now = datetime(2026, 3, 8, 4, tzinfo=zone)  # an hour after clocks went from two to three
    found = parse_period("3 hours ago", now)
    assert found is not None
    assert found.start is not None
    assert now.astimezone(UTC) - found.start.astimezone(UTC) == timedelta(hours=3)
    window = time_window(None, None, "what did we do today?", now, None)
    assert (window.since, window.until) == (datetime(2026, 3, 8, 5, tzinfo=UTC), datetime(2026, 3, 9, 4, tzinfo=UTC))
