"""Dates as sources write them."""

from datetime import UTC, datetime
from typing import Any

import pytest

from clew.ingest.when import parse_when

MOMENT = datetime(2024, 3, 5, 14, 30, tzinfo=UTC)


@pytest.mark.requirement("F-INGEST-15")
@pytest.mark.parametrize(
    "written",
    [
        "2024-03-05T14:30:00Z",
        "2024-03-05T15:30:00+01:00",
        "2024-03-05 14:30",
        1709649000,
        1709649000.0,
        1709649000000,
        1709649000000000,
        1709649000000000000,
        "1709649000",
        "1709649000000",
        "Tue, 05 Mar 2024 09:30:00 -0500",
        "Tue, 05 Mar 2024 09:30:00 EST",
        "Tue Mar 05 2024 15:30:00 GMT+0100 (Central European Standard Time)",
        "2:30 pm on 5 March, 2024",
        "March 5, 2024 at 14:30",
        MOMENT,
        datetime(2024, 3, 5, 14, 30),  # noqa: DTZ001 - a moment without a zone is what is tested
    ],
)
def test_one_moment_in_many_forms(written: Any) -> None:
    assert parse_when(written) == MOMENT


@pytest.mark.requirement("F-INGEST-15")
@pytest.mark.parametrize("day_first", [True, False])
def test_the_order_of_day_and_month_is_told(day_first: bool) -> None:
    found = parse_when("05/03/2024 14:30", day_first=day_first)
    assert found is not None
    assert (found.day, found.month) == ((5, 3) if day_first else (3, 5))


@pytest.mark.requirement("F-INGEST-15")
@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("05.03.2024, 14:30:00", (5, 3)),
        ("5. 3. 2024 14:30", (5, 3)),
        ("05.03.24 14:30", (5, 3)),
        ("25.03.2024 14:30", (25, 3)),
        ("05/03/2024 14:30", (3, 5)),
        ("2024.05.03 14:30", (3, 5)),
    ],
)
def test_a_date_with_dots_begins_with_the_day(written: str, expected: tuple[int, int]) -> None:
    found = parse_when(written)
    assert found is not None
    assert (found.day, found.month) == expected


@pytest.mark.requirement("F-INGEST-15")
@pytest.mark.parametrize(
    "written",
    [
        *(None, True, "", "yesterday", "next Friday", "10:30", "5 March", "2024", "March 2024", "hello 2024"),
        *(12.5, 0, -5, float("nan"), float("inf"), 10**30, "9" * 25, "2024-13-45", {"at": 1}, ["2024"]),
        *(
            "2025-02-30T10:00:00Z",
            "2024-03-05T24:30",
            "2024-03-05T25:00",
            "2024-03-05T10:00:61",
            "2023-366",
            "2024-000",
        ),
        *("9999-12-31T24:00Z", "9999-12-31T23:59:60Z", "9999-12-31T23:59:59-05:00", "-0044-03-15", "+12024-01-01"),
        *("2024-03-05 14:30 XYZ", "2024-03-05 14:30 BRST+3", "0001-01-01T00:00:00+10:00", "x" * 5000),
    ],
)
def test_what_is_no_whole_date_is_unreadable(written: Any) -> None:
    assert parse_when(written) is None
