"""What dates in a text and in a question mean, on a Wednesday."""

from datetime import UTC, date, datetime

import pytest

from clew.text.dates import ResolvedDate, date_text, date_words, resolve
from clew.text.period_parts import narrowed
from clew.text.query_dates import parse_query_dates

WEDNESDAY = datetime(2023, 5, 10, 12, tzinfo=UTC)


def words(text: str, at: datetime | None = WEDNESDAY) -> list[str]:
    return [date_words(found) for found in resolve(text, at)]


@pytest.mark.requirement("F-TEXT-07")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("today", "10 May 2023"),
        ("tonight", "10 May 2023"),
        ("this morning", "10 May 2023"),
        ("Yesterday", "9 May 2023"),
        ("last night", "9 May 2023"),
        ("the day before yesterday", "8 May 2023"),
        ("tomorrow", "11 May 2023"),
        ("the day after tomorrow", "12 May 2023"),
        ("last week", "May 2023"),
        ("two weeks ago", "April 2023"),
        ("a week ago", "May 2023"),
        ("5 weeks ago", "April 2023"),
        ("last weekend", "6 May 2023 7 May 2023"),
        ("this weekend", "13 May 2023 14 May 2023"),
        ("next weekend", "20 May 2023 21 May 2023"),
        ("last month", "April 2023"),
        ("next month", "June 2023"),
        ("three months ago", "February 2023"),
        ("a couple of months ago", "March 2023"),
        ("a few years ago", "2020"),
        ("last year", "2022"),
        ("this year", "2023"),
        ("ten years ago", "2013"),
        ("3 days ago", "7 May 2023"),
        ("in 3 days", "13 May 2023"),
        ("two days from now", "12 May 2023"),
        ("last Friday", "5 May 2023"),
        ("last Wednesday", "3 May 2023"),
        ("this Friday", "12 May 2023"),
        ("this past Monday", "8 May 2023"),
        ("next Wednesday", "17 May 2023"),
        ("next Fri", "12 May 2023"),
        ("We met on Monday.", "8 May 2023"),
        ("I will call on Monday.", "15 May 2023"),
        ("We talked. See you Friday!", "12 May 2023"),
        ("last May", "May 2022"),
        ("next May", "May 2024"),
        ("last quarter", "January 2023 February 2023 March 2023"),
    ],
)
def test_relative_dates(text: str, expected: str) -> None:
    assert words(text) == [expected]
    assert words(text, None) == []


@pytest.mark.requirement("F-TEXT-07")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7 May 2023", "7 May 2023"),
        ("7th of May, 2023", "7 May 2023"),
        ("May 7th, 2023", "7 May 2023"),
        ("may 7 2023", "7 May 2023"),
        ("Sunday, May 7, 2023", "7 May 2023"),
        ("May 7-9, 2023", "7 May 2023 9 May 2023"),
        ("Sept. 3, 2021", "3 September 2021"),
        ("2023-05-07T10:00", "7 May 2023"),
        ("2023/5/7", "7 May 2023"),
        ("24.01.2024", "24 January 2024"),
        ("1/24/2024", "24 January 2024"),
        ("24/1/2024", "24 January 2024"),
        ("3/4/24", "4 March 2024"),
        ("May 2023", "May 2023"),
        ("January of 2018.", "January 2018"),
        ("Q2 2025", "April 2025 May 2025 June 2025"),
        ("the third quarter of 2024", "July 2024 August 2024 September 2024"),
        ("in 2023", "2023"),
        ("summer 2022", "2022"),
        ("29 February 2024", "29 February 2024"),
    ],
)
def test_written_dates_need_no_day_of_speaking(text: str, expected: str) -> None:
    assert words(text, None) == [expected]
    assert words(text) == [expected]


@pytest.mark.requirement("F-TEXT-07")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on Jan 5th", "5 January 2023"),
        ("5 December", "5 December 2022"),
        ("in October", "October 2023"),
        ("in December", "December 2022"),
        ("mid-May", "May 2023"),
        ("29 February", "29 February 2024"),
    ],
)
def test_a_date_without_a_year_is_the_nearest(text: str, expected: str) -> None:
    assert words(text) == [expected]
    assert words(text, None) == []


@pytest.mark.requirement("F-TEXT-08")
@pytest.mark.parametrize(
    "text",
    [
        "we may go, and I may 5 times march on",
        "May I ask? March! Augustus, Junes, Janet",
        "every Monday, Black Friday, on Mondays, the sun sat, a wed couple",
        "31 Feb 2023, 2023-02-29, 2023-13-01, 31.06.2023, 13/13/2023, 0 May 2023",
        "1850, in 1850, in 2101, 300 years ago, 2023",
        "version 1.2.2023.4, 10.0.0.1, 12345, call 555-2023, in 2023.5",
        "the last two weeks, the previous 3 days",
        "a great day, the next day, the last one, good night",
        "",
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert resolve(text, WEDNESDAY) == []


@pytest.mark.requirement("F-TEXT-07")
def test_a_found_date_says_where_and_how_exactly() -> None:
    text = "İ met her last week, in March."
    found = resolve(text, WEDNESDAY)
    assert [text[slice(*each.phrase_span)] for each in found] == ["last week", "March"]
    assert found[0] == ResolvedDate(date(2023, 5, 1), date(2023, 5, 7), (10, 19), "week")
    assert found[1] == ResolvedDate(date(2023, 3, 1), date(2023, 3, 31), (24, 29), "month", guessed="year")


@pytest.mark.requirement("F-TEXT-07")
def test_a_week_over_two_months_has_the_words_of_both() -> None:
    assert words("this week", datetime(2023, 5, 31, tzinfo=UTC)) == ["May 2023 June 2023"]


@pytest.mark.requirement("F-TEXT-07")
def test_the_day_of_a_moment_in_words() -> None:
    assert date_text(datetime(2023, 5, 8, 23, 59, tzinfo=UTC)) == "8 May 2023"


ASKED = datetime(2024, 3, 1, tzinfo=UTC)
COVERED = (date(2022, 12, 1), date(2024, 2, 1))


def asked(query: str) -> list[tuple[str, str, str]]:
    return [
        (each.relation, str(each.start or ""), str(each.end or "")) for each in parse_query_dates(query, ASKED, COVERED)
    ]


@pytest.mark.requirement("F-TEXT-09")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What happened in May 2023?", ("on", "2023-05-01", "2023-05-31")),
        ("what happened in may?", ("on", "2023-05-01", "2023-05-31")),
        ("Where was I on 24.01.2024?", ("on", "2024-01-24", "2024-01-24")),
        ("and last month?", ("on", "2024-02-01", "2024-02-29")),
        ("three weeks ago", ("on", "2024-02-05", "2024-02-11")),
        ("in the last two weeks", ("on", "2024-02-16", "2024-03-01")),
        ("the past 3 months", ("on", "2023-12-01", "2024-03-01")),
        ("the week of 5 May 2023", ("on", "2023-05-01", "2023-05-07")),
        ("before June", ("before", "", "2023-05-31")),
        ("prior to May 5th, 2023", ("before", "", "2023-05-04")),
        ("by the end of June 2023", ("before", "", "2023-06-30")),
        ("after June 2023", ("after", "2023-07-01", "")),
        ("since last week", ("after", "2024-02-19", "")),
        ("from June 2023 on", ("after", "2023-06-01", "")),
        ("between March and May 2023", ("between", "2023-03-01", "2023-05-31")),
        ("from November to January 2024", ("between", "2023-11-01", "2024-01-31")),
        ("from 3 to 5 May 2023", ("between", "2023-05-03", "2023-05-05")),
        ("between May 2023 and March 2023", ("between", "2023-03-01", "2023-05-31")),
        ("between last week and today", ("between", "2024-02-19", "2024-03-01")),
        ("the Friday before 10.01.2024", ("on", "2024-01-05", "2024-01-05")),
        ("last weekend before April 10, 2023", ("on", "2023-04-08", "2023-04-09")),
        ("two weeks before August 11, 2023", ("on", "2023-07-24", "2023-07-30")),
        ("the day after 7 May 2023", ("on", "2023-05-08", "2023-05-08")),
    ],
)
def test_questions_for_a_time(query: str, expected: tuple[str, str, str]) -> None:
    assert asked(query) == [expected]


@pytest.mark.requirement("F-RANK-02")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What did we do March 28 to April 2, 2023?", [("between", "2023-03-28", "2023-04-02")]),
        ("the trip, Dec 28 – Jan 3, 2024: was it long?", [("between", "2023-12-28", "2024-01-03")]),
        ("28 March till 2 April 2023", [("between", "2023-03-28", "2023-04-02")]),
        ("were we away 2023-03-28 through 2023-04-02?", [("between", "2023-03-28", "2023-04-02")]),
        ("what was on Monday to Wednesday?", [("between", "2024-02-26", "2024-02-28")]),
        ("March to May 2023?", [("between", "2023-03-01", "2023-05-31")]),
        ("Our plans, Mar–May 2023", [("between", "2023-03-01", "2023-05-31")]),
        ("Nov until Feb 2024, what did we do?", [("between", "2023-11-01", "2024-02-29")]),
        ("2022 to 2023", [("between", "2022-01-01", "2023-12-31")]),
        ("What did Ann do 2022-2023?", [("between", "2022-01-01", "2023-12-31")]),
        ("Which lines 2000-2020 failed, and which ports 2001–2010?", []),
        ("What is in 2023-2024.txt, and in build-2023-2024?", []),
        ("May I march to may's house?", []),
        (
            "what changed March 28, 2023 and April 2, 2023?",
            [("on", "2023-03-28", "2023-03-28"), ("on", "2023-04-02", "2023-04-02")],
        ),
        (
            "on 28 March 2023 to last week",
            [("on", "2023-03-28", "2023-03-28"), ("on", "2024-02-19", "2024-02-25")],
        ),
    ],
)
def test_a_range_needs_no_word_before_it(query: str, expected: list[tuple[str, str, str]]) -> None:
    assert asked(query) == expected


@pytest.mark.requirement("F-TEXT-09")
@pytest.mark.parametrize(
    ("query", "start", "end"),
    [
        ("What did Ann do in the spring of 2024?", "2024-03-01", "2024-05-31"),
        ("Summer 2023: where were we?", "2023-06-01", "2023-08-31"),
        ("in the fall of 2023", "2023-09-01", "2023-11-30"),
        ("winter of 2023/24", "2023-12-01", "2024-02-29"),
        ("What did we plan last winter?", "2023-12-01", "2024-02-29"),
        ("this winter", "2023-12-01", "2024-02-29"),
        ("Where did they go last summer?", "2023-06-01", "2023-08-31"),
        ("What happened in the autumn?", "2023-09-01", "2023-11-30"),
        ("Was war im Frühling 2022?", "2022-03-01", "2022-05-31"),
        ("Что было летом 2022?", "2022-06-01", "2022-08-31"),
        ("early 2023", "2023-01-01", "2023-04-30"),
        ("mid-2023", "2023-05-01", "2023-08-31"),
        ("What changed at the end of last year?", "2023-09-01", "2023-12-31"),
        ("What was said in the second half of 2022?", "2022-07-01", "2022-12-31"),
        ("H1 of 2022", "2022-01-01", "2022-06-30"),
        ("first half of May 2023", "2023-05-01", "2023-05-15"),
        ("late summer 2023", "2023-08-01", "2023-08-31"),
        ("Q3 2021", "2021-07-01", "2021-09-30"),
    ],
)
def test_a_season_or_part_of_a_year_has_its_own_months(query: str, start: str, end: str) -> None:
    (found,) = (narrowed(query, each) for each in parse_query_dates(query, ASKED))
    assert (str(found.start), str(found.end), found.relation) == (start, end, "on")


@pytest.mark.parametrize(
    "query", ["How do we use it in spring boot?", "the spring of the mattress", "during fall arrest?"]
)
def test_a_word_that_is_also_a_season_is_no_date(query: str) -> None:
    assert parse_query_dates(query, ASKED) == []


def test_a_season_bounds_a_time_and_a_winter_is_the_one_talked_in() -> None:
    assert asked("before the spring of 2024") == [("before", "", "2024-02-29")]
    assert asked("from spring 2023 to autumn 2023") == [("between", "2023-03-01", "2023-11-30")]
    assert asked("between early 2022 and late 2023") == [("between", "2022-01-01", "2023-12-31")]
    (early,) = parse_query_dates("the winter of 2023", ASKED, (date(2023, 1, 5), date(2023, 4, 1)))
    assert (early.start, early.end) == (date(2022, 12, 1), date(2023, 2, 28))


def test_a_question_without_a_year_means_each_year_that_is_covered() -> None:
    assert asked("on Jan 5th") == [("on", "2023-01-05", "2023-01-05"), ("on", "2024-01-05", "2024-01-05")]
    alone = parse_query_dates("on Jan 5th", ASKED)
    assert [each.start for each in alone] == [date(2024, 1, 5)]


@pytest.mark.requirement("F-TEXT-08")
@pytest.mark.parametrize(("year", "nearest"), [(2023, 2024), (2025, 2024), (2027, 2028), (1901, 1904), (2099, 2096)])
@pytest.mark.parametrize("words", ["on Feb 29", "on 29 February"])
def test_the_last_of_february_without_a_year_is_that_of_the_nearest_leap_year(
    words: str, year: int, nearest: int
) -> None:
    now = datetime(year, 5, 10, 12, tzinfo=UTC)
    (found,) = parse_query_dates(f"What did we do {words}?", now)
    assert found.start == found.end == date(nearest, 2, 29)
    (between,) = parse_query_dates("What was said between Feb 27 and Feb 29?", now)
    assert (between.start, between.end) == (date(nearest, 2, 27), date(nearest, 2, 29))
    assert parse_query_dates("What did we do on Feb 30?", now) == []


@pytest.mark.requirement("F-TEXT-09")
def test_several_times_are_alternatives_in_order() -> None:
    assert asked("before May 2023 or after July 2023") == [("before", "", "2023-04-30"), ("after", "2023-08-01", "")]


@pytest.mark.requirement("F-TEXT-09")
def test_without_a_day_of_asking_a_named_day_stands_for_it() -> None:
    query = "What did Joanna finish last Friday on 23 January, 2022?"
    assert [each.start for each in parse_query_dates(query)] == [date(2022, 1, 21), date(2022, 1, 23)]
    assert parse_query_dates("last Friday") == []
    assert [each.start for each in parse_query_dates("last Friday", covered=COVERED)] == [date(2024, 1, 26)]


@pytest.mark.requirement("F-TEXT-09")
@pytest.mark.parametrize(
    "query", ["", "What may I do after lunch?", "When did we march?", "before we chose Redis", "🎉" * 50]
)
def test_questions_for_no_time(query: str) -> None:
    assert asked(query) == []
