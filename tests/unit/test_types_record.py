"""The wire form of a record: primitives that JSON holds, tolerant of what a newer version adds."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, cast

import pytest

from clew.errors import InputError
from clew.types import (
    Context,
    ContextItem,
    IngestReport,
    Omission,
    Part,
    Receipt,
    Record,
    Stats,
    Turn,
    VerifyReport,
)
from clew.types.context import DeferredItems
from clew.types.entity import Entity
from clew.types.record import DeferredValue, changed


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
def test_a_deep_list_in_place_of_a_word_is_named() -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(InputError, match="expected a text, got list"):
        Entity.from_dict({"name": "Ann", "turns": 1, "type": deep})


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


def deferred_context(made: list[str]) -> Context:
    """A context whose items and omissions note when they are made."""

    def items() -> tuple[ContextItem, ...]:
        made.append("items")
        return (
            ContextItem(
                turn_ids=("a:turn:1", "a:turn:2"),
                rendering="full",
                text="words",
                tokens=3,
                rank=1,
                score=0.5,
                signals={},
                session="a",
            ),
        )

    def omitted() -> tuple[Omission, ...]:
        made.append("omitted")
        return ()

    return Context(
        text="block",
        tokens=5,
        budget=9,
        items=cast("tuple[ContextItem, ...]", DeferredItems(items, lambda: ["a:turn:1", "a:turn:2"])),
        omitted=cast("tuple[Omission, ...]", DeferredValue(omitted)),
        receipt_id="r1",
    )


@pytest.mark.requirement("F-READING-01")
def test_deferred_fields_are_made_when_they_are_read_and_once() -> None:
    made: list[str] = []
    context = deferred_context(made)
    later = changed(context, budget=7, confidence=0.25)
    assert (later.text, later.budget, later.confidence, later.turn_ids) == ("block", 7, 0.25, ["a:turn:1", "a:turn:2"])
    assert made == []
    assert later.items is later.items
    assert later.items is context.items
    assert (later.turn_ids, made) == (["a:turn:1", "a:turn:2"], ["items"])
    assert later.omitted == ()
    assert made == ["items", "omitted"]


@pytest.mark.requirement("F-READING-01")
def test_a_record_with_deferred_fields_equals_compares_and_is_written_as_any_other() -> None:
    context = deferred_context([])
    plain = Context(text="block", tokens=5, budget=9, items=context.items, omitted=(), receipt_id="r1")
    assert deferred_context([]) == plain
    assert repr(deferred_context([])) == repr(plain)
    assert deferred_context([]).to_dict() == plain.to_dict()
    assert replace(deferred_context([]), budget=1).items == plain.items
    assert copy.copy(deferred_context([])) == plain
    assert plain.turn_ids == ["a:turn:1", "a:turn:2"]
    assert Context.from_dict(plain.to_dict()).items == plain.items


@pytest.mark.requirement("F-READING-01")
def test_a_deferred_value_that_fails_is_made_again_by_the_next_reader() -> None:
    answers: list[BaseException | str] = [OSError("no"), "made"]

    def make() -> str:
        answer = answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    value = DeferredValue(make)
    with pytest.raises(OSError, match="no"):
        value.value()
    assert (value.value(), value.value()) == ("made", "made")


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting(Record):
    """A record with a required field that may be None."""

    place: str | None
    people: Sequence[str] = ()


@pytest.mark.requirement("F-TYPES-06")
def test_a_required_field_that_is_none_comes_back() -> None:
    assert Meeting(place=None).to_dict() == {"people": []}
    assert Meeting.from_dict({}) == Meeting(place=None)
    assert Meeting.from_dict({"people": ["Ann"]}) == Meeting(place=None, people=("Ann",))
    with pytest.raises(InputError, match="lacks name"):
        Thing.from_dict({})


@pytest.mark.requirement("F-TYPES-06")
def test_a_record_shows_what_it_holds_in_a_few_lines() -> None:
    assert repr(THING).startswith("Thing(name='x', when=datetime.datetime(2024, 3, 5, 17, 0, tzinfo=")
    assert "parts=(Part(type='text', text='a'),), counts={'a': 1})" in repr(THING)
    assert repr(Thing(name="x")) == "Thing(name='x')"
    assert repr(Turn(role="user", content="hello")) == (
        "Turn(role='user', content=(Part(type='text', text='hello'),), origin='user')"
    )
    many = repr(IngestReport(added=9_000, known=0, turn_ids=tuple(f"s:turn:{seq}" for seq in range(9_000))))
    assert "'s:turn:19', ... 8,980 more)" in many
    assert len(many) < 500
    assert len(repr(Turn(role="user", content="word " * 100_000))) < 1_500
    assert "[... 499,000 more characters]" in repr(Part(type="text", text="word " * 100_000))
    assert repr(Thing(name="x", parts=(Part(type="text"),) * 9)).count("Part(") == 5


@pytest.mark.requirement("F-TYPES-06")
def test_bytes_and_what_is_deep_in_metadata_are_shown_in_a_few_lines() -> None:
    image = repr(Part(type="image", data=b"\x00" * 5_000_000))
    assert "[... 4,999,000 more bytes]" in image
    assert len(image) < 5_000
    within: list[Any] = []
    within.append(within)
    assert "metadata={'a': [[[... 1 more]]]}" in repr(Turn(role="user", content="x", metadata={"a": within}))
    wide = repr(Turn(role="user", content="x", metadata={"a": [[["word"] * 20] * 20] * 20}))
    assert len(wide) < 1_500
