"""Dates of a question that say only together when something was."""

from datetime import UTC, date, datetime

import pytest

from clew.text.periods import parse_period
from clew.text.query_dates import parse_query_dates

pytestmark = pytest.mark.requirement("F-TIME-17")

NOW = datetime(2024, 6, 5, tzinfo=UTC)  # a Wednesday


def asked(question: str, now: datetime | None = NOW) -> list[tuple[str, str]]:
    """Each phrase with its days."""
    found = parse_query_dates(question, now)
    return [(question[slice(*each.phrase_span)], f"{each.start} {each.end}") for each in found]


@pytest.mark.parametrize(
    ("question", "phrase", "days"),
    [
        ("Where was she in March last year?", "March last year", "2023-03-01 2023-03-31"),
        ("Where was she in March of last year?", "March of last year", "2023-03-01 2023-03-31"),
        ("Where was she last year in March?", "last year in March", "2023-03-01 2023-03-31"),
        ("Last year, in the spring, where was she?", "Last year, in the spring", "2023-03-01 2023-05-31"),
        ("How was December last year?", "December last year", "2023-12-01 2023-12-31"),
        ("What is planned for July this year?", "July this year", "2024-07-01 2024-07-31"),
        ("What is planned for Q1 next year?", "Q1 next year", "2025-01-01 2025-03-31"),
        ("Who came on March 5 last year?", "March 5 last year", "2023-03-05 2023-03-05"),
        ("Who came on Tuesday last week?", "Tuesday last week", "2024-05-28 2024-05-28"),
        ("Who came on Friday of last week?", "Friday of last week", "2024-05-31 2024-05-31"),
    ],
)
def test_a_part_of_a_relative_whole_is_one_date(question: str, phrase: str, days: str) -> None:
    assert asked(question) == [(phrase, days)]


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("What happened in March and April 2023?", ["2023-03-01 2023-03-31", "2023-04-01 2023-04-30"]),
        ("How were May or June 2022?", ["2022-05-01 2022-05-31", "2022-06-01 2022-06-30"]),
        ("And December and January 2024?", ["2023-12-01 2023-12-31", "2024-01-01 2024-01-31"]),
        (
            "Trips in spring, summer and the fall of 2022?",
            ["2022-03-01 2022-05-31", "2022-06-01 2022-08-31", "2022-09-01 2022-11-30"],
        ),
        ("Sales in Q1 & Q2 2023?", ["2023-01-01 2023-03-31", "2023-04-01 2023-06-30"]),
        ("Sales in March or April last year?", ["2023-03-01 2023-03-31", "2023-04-01 2023-04-30"]),
        ("Who came on March 5 and 6, 2023?", ["2023-03-05 2023-03-05", "2023-03-06 2023-03-06"]),
        ("Who came on the 5th and 6th of March 2023?", ["2023-03-05 2023-03-05", "2023-03-06 2023-03-06"]),
        ("Who came Monday or Tuesday last week?", ["2024-05-27 2024-05-27", "2024-05-28 2024-05-28"]),
    ],
)
def test_what_is_joined_shares_year_month_and_week(question: str, days: list[str]) -> None:
    assert [each for _, each in asked(question)] == days


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("What did you say last year and in March?", ["2023-01-01 2023-12-31", "2024-03-01 2024-03-31"]),
        ("between March and May 2023", ["2023-03-01 2023-05-31"]),
        ("between spring and fall 2022", ["2022-03-01 2022-11-30"]),
        ("between 5 and 6 March 2022", ["2022-03-05 2022-03-06"]),
        ("May I march and see June 2022?", ["2022-06-01 2022-06-30"]),
        ("Are rooms 3 and 4 May 2023 free?", ["2023-05-04 2023-05-04"]),
        ("What was on March 5 and 6 people?", ["2024-03-05 2024-03-05"]),
    ],
)
def test_other_neighbours_are_dates_of_their_own(question: str, days: list[str]) -> None:
    assert [each for _, each in asked(question)] == days


def test_without_today_a_part_of_a_relative_whole_says_nothing() -> None:
    assert asked("Where was she in March last year?", None) == []
    found = parse_query_dates("In March and April 2023?", None)
    assert [each.start for each in found] == [date(2023, 3, 1), date(2023, 4, 1)]


@pytest.mark.parametrize(
    ("expression", "first", "after"),
    [
        ("March last year", "2023-03-01", "2023-04-01"),
        ("early March last year", "2023-03-01", "2023-03-11"),
        ("Q1 and Q2 2023", "2023-01-01", "2023-07-01"),
        ("spring, summer and fall of 2022", "2022-03-01", "2022-12-01"),
        ("Monday or Tuesday last week", "2024-05-27", "2024-05-29"),
        ("before March last year", "None", "2023-03-01"),
    ],
)
def test_a_period_goes_from_the_first_to_the_last_of_what_is_joined(expression: str, first: str, after: str) -> None:
    found = parse_period(expression, NOW)
    assert found is not None
    assert [str(end and end.date()) for end in (found.start, found.end)] == [first, after]
