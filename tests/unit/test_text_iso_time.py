"""Dates and times in ISO 8601."""

from datetime import UTC, datetime

import pytest

from clew.ingest.when import parse_when
from clew.text.iso_time import parse_iso

MIDNIGHT = datetime(2024, 3, 6, tzinfo=UTC)


@pytest.mark.requirement("F-EDGE-07")
@pytest.mark.parametrize(
    "written",
    [
        *("2024-03-05T24:00", "2024-03-05T24:00:00Z", "2024-03-05 24:00:00.000", "20240305T240000Z"),
        *("2024-03-05T24:00:00+00:00", "2024-03-06T02:00+02:00", "2024-03-05T23:59:60Z", "2024-03-05T23:59:60.5+00:00"),
        *("2024-W10-3", "2024-W10-2T24:00", "2024-066", "2024-065T24:00"),
    ],
)
def test_the_end_of_a_day_leap_seconds_and_other_forms_are_read(written: str) -> None:
    assert parse_iso(written) == parse_when(written) == MIDNIGHT


@pytest.mark.requirement("F-EDGE-07")
@pytest.mark.parametrize("written", ["5 March 2024 24:00", "Tue, 5 Mar 2024 23:59:60 +0000"])
def test_so_they_are_in_words(written: str) -> None:
    assert parse_when(written) == MIDNIGHT


@pytest.mark.requirement("F-EDGE-07")
@pytest.mark.parametrize(
    "written", ["0001-01-01T00:00+01:00", "9999-12-31T24:00", "2025-02-30", "0000-001", "24:00", ""]
)
def test_what_no_calendar_has_is_a_value_error(written: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_iso(written)
