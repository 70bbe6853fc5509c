"""Properties of the dates found in any text on any day."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.dates import FIRST_YEAR, LAST_YEAR, MONTHS, date_words, resolve
from clew.text.names import capitalised_names, greeting_aliases, quoted
from clew.text.query_dates import parse_query_dates
from tests.support.effort import examples

DAYS = st.dates(date(FIRST_YEAR, 1, 1), date(LAST_YEAR, 12, 31))
MOMENTS = st.datetimes(timezones=st.just(UTC))
SPOKEN = st.sampled_from(
    "in on since before after between and to from the last next this past coming two 3 1 31 29 a few couple of days "
    "weeks weekend month months quarter years ago May march Feb 2023 1899 2100 9999 Monday Fri yesterday tomorrow "
    "night , . - / Q2 5th 24.01.2024 2/29/2023 2024-02-29 İ 's now will".split()
)
TEXTS = st.text(st.characters(exclude_categories=()), max_size=200) | st.lists(SPOKEN, max_size=14).map(" ".join)
LONG = ["1 ", "5 May ", "in 3 ", "the day ", "2023-", "1/2/", "from 3 to ", "between May and ", "'a ", "“a ", "Hey Al "]
LONG += ["my name is ", "\n", "A", "İ", "\ud800", " "]


@pytest.mark.requirement("F-TEXT-13")
@given(TEXTS, MOMENTS | st.none())
def test_dates_of_any_text_lie_in_the_calendar_and_in_the_text(text: str, at: datetime | None) -> None:
    end = 0
    for found in resolve(text, at):
        assert FIRST_YEAR <= found.start.year <= found.end.year <= LAST_YEAR
        assert found.start <= found.end
        assert end <= found.phrase_span[0] < found.phrase_span[1] <= len(text)
        assert date_words(found)
        end = found.phrase_span[1]


@pytest.mark.requirement("F-TEXT-13")
@given(TEXTS, MOMENTS | st.none(), st.tuples(DAYS, DAYS).map(lambda days: (min(days), max(days))) | st.none())
def test_any_question_is_read(query: str, now: datetime | None, covered: tuple[date, date] | None) -> None:
    for found in parse_query_dates(query, now, covered):
        assert found.start is None or found.end is None or found.start <= found.end
        assert (found.start, found.end) != (None, None)
        assert 0 <= found.phrase_span[0] < found.phrase_span[1] <= len(query)
        assert {"on": True, "between": True}.get(found.relation, False) == (None not in {found.start, found.end})


@pytest.mark.requirement("F-TEXT-07")
@given(DAYS, MOMENTS | st.none())
def test_every_form_of_a_day_means_that_day(day: date, at: datetime | None) -> None:
    month = MONTHS[day.month - 1]
    forms = (
        day.isoformat(),
        f"{day.day:02}.{day.month:02}.{day.year}",
        f"{day.month}/{day.day}/{day.year}",
        f"{day.day} {month} {day.year}",
        f"the {day.day}th of {month.upper()}, {day.year}",
        f"{month[:3]} {day.day}, {day.year}",
    )
    for form in forms:
        assert [(found.start, found.end) for found in resolve(f"It was {form}.", at)] == [(day, day)], form
        assert [date_words(found) for found in resolve(form, at)] == [f"{day.day} {month} {day.year}"]


@pytest.mark.requirement("F-TEXT-07")
@given(DAYS.filter(lambda day: 1910 < day.year < 2090), st.integers(0, 6))
def test_weekdays_are_the_nearest_ones(day: date, weekday: int) -> None:
    name = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")[weekday]
    at = datetime(day.year, day.month, day.day, tzinfo=UTC)
    (last,), (this,), (following,) = (resolve(f"{step} {name}", at) for step in ("last", "this", "next"))
    assert {found.start.weekday() for found in (last, this, following)} == {weekday}
    assert 1 <= (day - last.start).days <= 7
    assert 1 <= (following.start - day).days <= 7
    assert this.start.isocalendar()[:2] == day.isocalendar()[:2]


@pytest.mark.thorough
@pytest.mark.requirement("F-TEXT-13")
@pytest.mark.parametrize("unit", LONG)
def test_long_texts_are_processed(unit: str) -> None:
    text = unit * (examples(10_000, 50_000) // len(unit))
    at = datetime(2023, 5, 10, tzinfo=UTC)
    for read in (quoted, greeting_aliases, capitalised_names):
        read(text)
    assert all(found.end.year <= LAST_YEAR for found in resolve(text, at))
    assert all(found.phrase_span[1] <= len(text) for found in parse_query_dates(text, at))
