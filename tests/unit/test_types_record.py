"""The wire form of a record: primitives that JSON holds, tolerant of what a newer version adds."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from clew.errors import InputError
from clew.types import Part, Receipt, Record, Stats, Turn, VerifyReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing(Record):
    """A record of every kind of field."""

    name: str
    when: datetime | None = None
    data: bytes | None = None
    parts: tuple[Part, ...] = ()
    counts: dict[str, int] | None = None


WIRE: dict[str, Any] = {
    "name": "x",
    "when": "2024-03-05T17:00:00+00:00",
    "data": "00ff",
    "parts": [{"type": "text", "text": "a"}],
    "counts": {"a": 1},
}
THING = Thing(
    name="x",
    when=datetime(2024, 3, 5, 17, tzinfo=UTC),
    data=b"\0\xff",
    parts=(Part(type="text", text="a"),),
    counts={"a": 1},
)


@pytest.mark.requirement("F-TYPES-06")
def test_times_bytes_and_records_become_primitives_and_come_back() -> None:
    assert THING.to_dict() == WIRE
    assert Thing.from_dict(WIRE) == THING
    elsewhere = datetime(2024, 3, 5, 19, tzinfo=timezone(timedelta(hours=2)))
    assert Thing(name="x", when=elsewhere).to_dict()["when"] == WIRE["when"]


@pytest.mark.requirement("F-TYPES-06")
def test_what_is_unknown_is_absent() -> None:
    assert Thing(name="x").to_dict() == {"name": "x", "parts": []}
    assert "at" not in Turn(role="user", content="x").to_dict()


@pytest.mark.requirement("F-TYPES-06")
def test_keys_of_a_newer_version_are_ignored() -> None:
    assert Thing.from_dict({**WIRE, "mood": "good", "parts": [{"type": "text", "text": "a", "smell": 1}]}) == THING


@pytest.mark.requirement("F-TYPES-06")
@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "Thing: the record lacks name; expected the fields name, when, data, parts, counts"),
        ({**WIRE, "when": "soon"}, "Thing: the record has an invalid value"),
        ({**WIRE, "data": "zz"}, "Thing: the record has an invalid value"),
        ({**WIRE, "parts": 5}, "expected a list, got int"),
        ({**WIRE, "parts": "ab"}, "expected a list, got str"),
        ([], "Thing: expected a mapping, got list"),
        (None, "Thing: expected a mapping, got NoneType"),
    ],
)
def test_a_record_of_the_wrong_form_is_named(data: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Thing.from_dict(data)
    assert message in str(caught.value)


@pytest.mark.requirement("F-TYPES-06")
def test_values_of_any_kind_are_carried_as_they_are() -> None:
    stats = Stats(
        turns=1, sessions=1, pieces=1, vectors=0, segments=0, blobs=0, pending={}, details={"a": [1, {"b": None}]}
    )
    assert Stats.from_dict(stats.to_dict()) == stats
    shown = Receipt.from_dict({**_receipt(), "chosen": [{"rank": 1}]})
    assert shown.chosen == ({"rank": 1},)


def _receipt() -> dict[str, Any]:
    texts = {"id": "r", "kind": "recall", "query": "q", "created_at": WIRE["when"]}
    return {**texts, "settings": {}, "understood": {}, "considered": 0, "tokens": 0, "omitted": []}


@pytest.mark.requirement("F-TYPES-06")
def test_a_report_without_problems_is_fine() -> None:
    assert VerifyReport(checked={}).ok
    problem = {"kind": "turn", "where": "x", "detail": "d", "repair": "r"}
    assert not VerifyReport.from_dict({"checked": {}, "problems": [problem]}).ok
