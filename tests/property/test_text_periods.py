"""Properties of time expressions for any text."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text.dates import FIRST_YEAR, LAST_YEAR
from clew.text.periods import parse_period
from tests.property.test_text_dates import TEXTS

WORDS = st.sampled_from(
    "in the last past since until before after between and to from 3 24 99999 hours hour minutes ago a an half year "
    "fortnight week weekend before last Q1 second quarter Monday Friday May 2023 now 2023-05-07 T10:00 "
    "9999-12-31".split()
)
EXPRESSIONS = TEXTS | st.lists(WORDS, max_size=8).map(" ".join)
ZONES = st.sampled_from([UTC, timezone(timedelta(hours=-12)), timezone(timedelta(hours=14))])
MOMENTS = st.datetimes(timezones=ZONES)
DAYS = st.dates(date(FIRST_YEAR, 1, 1), date(LAST_YEAR, 12, 31))


@pytest.mark.requirement("F-TIME-03")
@given(EXPRESSIONS, MOMENTS, st.tuples(DAYS, DAYS).map(lambda days: (min(days), max(days))) | st.none())
def test_any_expression_is_read_and_never_ends_before_it_starts(
    expression: str, now: datetime, covered: tuple[date, date] | None
) -> None:
    found = parse_period(expression, now, covered)
    if found is None:
        return
    assert (found.start, found.end) != (None, None)
    assert all(end is None or end.tzinfo is not None for end in (found.start, found.end))
    assert found.start is None or found.end is None or found.start <= found.end
    assert found.counted_from is None or (covered is not None and found.counted_from == covered[1] < now.date())
