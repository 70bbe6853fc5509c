"""What expressions of time mean as moments, on a Wednesday at noon."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from clew.text.periods import Period, parse_period
from clew.text.query_dates import counting_day, parse_query_dates

NOW = datetime(2023, 5, 10, 12, tzinfo=UTC)


def said(period: Period | None) -> tuple[str, str] | None:
    """Both ends, without zone and, at midnight, without time."""
    if period is None:
        return None
    ends = ("" if end is None else end.strftime("%Y-%m-%d %H:%M") for end in (period.start, period.end))
    start, end = (end.removesuffix(" 00:00") for end in ends)
    return start, end


@pytest.mark.requirement("F-TIME-01")
@pytest.mark.parametrize(
    ("expression", "start", "end"),
    [
        ("last week", "2023-05-01", "2023-05-08"),
        ("the week before last", "2023-04-24", "2023-05-01"),
        ("three weeks ago", "2023-04-17", "2023-04-24"),
        ("a fortnight ago", "2023-04-24", "2023-05-01"),
        ("the last fortnight", "2023-04-26", "2023-05-11"),
        ("the last two weeks", "2023-04-26", "2023-05-11"),
        ("over the weekend", "2023-05-06", "2023-05-08"),
        ("the weekend before last", "2023-04-29", "2023-05-01"),
        ("yesterday", "2023-05-09", "2023-05-10"),
        ("this morning", "2023-05-10", "2023-05-11"),
        ("Monday", "2023-05-08", "2023-05-09"),
        ("Monday to Friday", "2023-05-08", "2023-05-13"),
        ("from Monday to Wednesday", "2023-05-08", "2023-05-11"),
        ("last month", "2023-04-01", "2023-05-01"),
        ("the month before last", "2023-03-01", "2023-04-01"),
        ("half a year ago", "2022-11-01", "2022-12-01"),
        ("a year and a half ago", "2021-11-01", "2021-12-01"),
        ("May", "2023-05-01", "2023-06-01"),
        ("2022", "2022-01-01", "2023-01-01"),
        ("in Q1", "2023-01-01", "2023-04-01"),
        ("Q1 2022", "2022-01-01", "2022-04-01"),
        ("in the second quarter", "2023-04-01", "2023-07-01"),
        ("between March and May 2023", "2023-03-01", "2023-06-01"),
        ("March to May", "2023-03-01", "2023-06-01"),
        ("April 3 - April 9", "2023-04-03", "2023-04-10"),
        ("2023-04-03 to 2023-04-09", "2023-04-03", "2023-04-10"),
        ("since last week", "2023-05-01", ""),
        ("after 3 May", "2023-05-04", ""),
        ("before June", "", "2023-06-01"),
        ("until last Friday", "", "2023-05-06"),
        ("next week", "2023-05-15", "2023-05-22"),
        ("2023-04", "2023-04-01", "2023-05-01"),
        ("2023-05-07", "2023-05-07", "2023-05-08"),
        ("2023-05-07T10:00", "2023-05-07 10:00", "2023-05-07 10:00"),
        ("2023-05-07T10:00+02:00", "2023-05-07 08:00", "2023-05-07 08:00"),
        ("now", "2023-05-10 12:00", "2023-05-10 12:00"),
        ("3 hours ago", "2023-05-10 09:00", "2023-05-10 09:00"),
        ("an hour ago", "2023-05-10 11:00", "2023-05-10 11:00"),
        ("half an hour ago", "2023-05-10 11:30", "2023-05-10 11:30"),
        ("the last couple of hours", "2023-05-10 10:00", "2023-05-10 12:00"),
        ("in the past 20 minutes", "2023-05-10 11:40", "2023-05-10 12:00"),
        ("  Last   WEEK ", "2023-05-01", "2023-05-08"),
    ],
)
def test_expressions_against_the_clock(expression: str, start: str, end: str) -> None:
    assert said(parse_period(expression, NOW)) == (start, end)


@pytest.mark.requirement("F-TIME-01")
@pytest.mark.parametrize(
    "expression", ["", " ", "Redis", "hours", "ago", "3 hours", "before we chose Redis", "2023-02-30", "\ud800"]
)
def test_what_names_no_time(expression: str) -> None:
    assert parse_period(expression, NOW) is None


@pytest.mark.requirement("F-TIME-01")
def test_the_ends_of_the_calendar() -> None:
    assert said(parse_period("9999-12-31", NOW)) == ("9999-12-31", "")
    assert parse_period("99999 hours ago", datetime(5, 1, 1, tzinfo=UTC)) is None
    for now in (datetime(9999, 12, 31, 12, tzinfo=UTC), datetime(3, 1, 1, tzinfo=UTC)):
        for question in ("before the last 2 years", "after the last 2 years", "the last 2 years"):
            assert parse_period(question, now) is None
            assert parse_query_dates(question, now) == []


@pytest.mark.requirement("F-TIME-01")
@pytest.mark.parametrize("part", ["end of", "beginning of", "second half of", "late in"])
def test_several_months_have_no_parts_of_a_month(part: str) -> None:
    now = datetime(2026, 10, 31, 12, tzinfo=UTC)  # a day that June, four months before, does not have
    assert said(parse_period(f"{part} the last 4 months", now)) == ("2026-06-30", "2026-11-01")
    assert said(parse_period(f"{part} last month", now)) != said(parse_period("last month", now))


@pytest.mark.requirement("F-TIME-01")
def test_days_are_those_of_the_clock_s_zone() -> None:
    there = datetime(2023, 5, 10, 1, tzinfo=timezone(timedelta(hours=9)))
    found = parse_period("yesterday", there)
    assert found is not None
    assert found.start == datetime(2023, 5, 8, 15, tzinfo=UTC)


COVERED = (date(2021, 1, 4), date(2021, 3, 10))


@pytest.mark.requirement("F-TIME-02")
def test_an_old_conversation_has_a_last_week_of_its_own() -> None:
    found = parse_period("last week", NOW, COVERED)
    assert said(found) == ("2021-03-01", "2021-03-08")
    assert found is not None
    assert found.counted_from == date(2021, 3, 10)


@pytest.mark.requirement("F-TIME-02")
@pytest.mark.parametrize(
    "expression", ["next week", "tomorrow", "three years ago", "2023-05-07", "in the last 3 years"]
)
def test_what_reaches_into_a_conversation_or_lies_ahead_is_counted_from_the_clock(expression: str) -> None:
    covered = (date(2020, 1, 4), date(2021, 3, 10))
    found = parse_period(expression, NOW, covered)
    assert found is not None
    assert found.counted_from is None
    assert said(found) == said(parse_period(expression, NOW))
    assert counting_day(expression, NOW, covered) == NOW.date()


@pytest.mark.requirement("F-TIME-02")
def test_a_date_without_a_year_is_the_latest_one_that_is_covered() -> None:
    assert said(parse_period("January", NOW, (date(2020, 1, 1), date(2022, 6, 1)))) == ("2022-01-01", "2022-02-01")


@pytest.mark.requirement("F-TIME-01")
def test_questions_know_the_same_phrases() -> None:
    found = parse_query_dates("What did Ann say the week before last?", NOW)
    assert [(str(each.start), str(each.end), each.relation) for each in found] == [("2023-04-24", "2023-04-30", "on")]
    hours = parse_query_dates("anything new in the past 30 hours?", NOW)
    assert [(str(each.start), str(each.end)) for each in hours] == [("2023-05-08", "2023-05-10")]
