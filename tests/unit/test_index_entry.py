"""Entries: limits, size, and the marks of dates."""

from datetime import UTC, datetime, timedelta

import pytest

from clew.errors import InputError
from clew.index.bm25 import bm25f
from clew.index.entry import MAX_DAYS, PieceTerms, TurnEntry, date_marks, encode
from clew.index.view import IndexView
from clew.text.terms import terms


def turn(**changes: object) -> TurnEntry:
    fields: dict[str, object] = {"ordinal": 0, "session": "s", "seq": 0, "branch": "", "speaker": None, "role": "user"}
    fields |= {"at": None, "chars": 0, "pieces": ()}
    return TurnEntry(**{**fields, **changes})  # type: ignore[arg-type]  # the fields are those of the class


@pytest.mark.requirement("F-INDEX-01")
@pytest.mark.parametrize(
    "changes",
    [{"ordinal": 2**63}, {"seq": 2**31}, {"at": 2**64}, {"chars": -1}, {"role": "narrator"}, {"stated": 2**40}],
)
def test_what_cannot_be_kept_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(InputError, match="cannot be indexed"):
        encode(turn(**changes))


@pytest.mark.requirement("F-INDEX-01")
@pytest.mark.parametrize("piece", [PieceTerms({"a": 0}, {}, 0), PieceTerms({}, {"a": -1}, 0)])
def test_a_term_is_there_or_left_out(piece: PieceTerms) -> None:
    with pytest.raises(InputError, match="expected at least 1"):
        encode(turn(pieces=(piece,)))


@pytest.mark.requirement("F-INDEX-01")
def test_a_turn_without_pieces_has_one_empty_piece() -> None:
    assert turn().pieces == (PieceTerms({}, {}, 0),)


@pytest.mark.requirement("F-INDEX-04")
def test_weights_are_one_for_each_term() -> None:
    with pytest.raises(InputError, match="1 weights for 2 terms"):
        bm25f(IndexView.of(), ["a", "b"], weights=[1.0])


@pytest.mark.requirement("F-INDEX-12")
def test_an_unknown_role_is_no_filter() -> None:
    with pytest.raises(InputError, match="role 'narrator' is unknown"):
        IndexView.of().mask(role="narrator")


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.requirement("F-INDEX-16")
@pytest.mark.parametrize(
    ("start", "end", "grain", "marks"),
    [
        ("2023-05-07", "2023-05-08", "day", ("@day=2023-05-07",)),
        ("2023-05-07", "2023-05-09", "day", ("@day=2023-05-07", "@day=2023-05-08")),
        ("2023-05-07", "2023-05-07", "day", ("@day=2023-05-07",)),
        ("2023-01-01", "2023-01-08", "week", ("@week=2022-52",)),
        ("2023-05-01", "2023-06-01", "month", ("@month=2023-05",)),
        ("2023-05-01", "2023-08-01", "quarter", ("@quarter=2023-2",)),
        ("0800-01-01", "0801-01-01", "year", ("@year=0800",)),
        ("2023-05-01", "2023-06-01", "age", ()),
    ],
)
def test_spans_of_time_have_marks(start: str, end: str, grain: str, marks: tuple[str, ...]) -> None:
    assert date_marks(day(start), day(end), grain) == marks
    assert not any(mark in terms(f"{mark} {mark.upper()}") for mark in marks)


@pytest.mark.requirement("F-INDEX-16")
def test_a_long_span_is_marked_at_its_beginning() -> None:
    start = day("9999-12-01")
    assert len(date_marks(day("2023-01-01"), day("2024-01-01"), "day")) == MAX_DAYS
    assert len(date_marks(start, start + timedelta(days=30), "day")) == 30
