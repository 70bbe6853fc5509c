"""Every record survives its wire form, and every id its parsing, whatever their contents."""

import copy
import inspect
import json
import types
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

import clew.types
from clew.memory import Memory
from clew.rank.filter import Filter
from clew.types import Part, Record, Turn, parse_turn_id, turn_id
from clew.types.turn import ORIGINS, PART_TYPES, ROLES


def records_in(hint: Any) -> Iterator[type[Record]]:
    """The records that an annotation names, with those in their fields."""
    for inner in get_args(hint):
        yield from records_in(inner)
    if isinstance(hint, type) and issubclass(hint, Record) and hint is not Record:
        yield hint
        for inner in get_type_hints(hint).values():
            yield from records_in(inner)


RETURNED = {
    record
    for _, method in inspect.getmembers(Memory, inspect.isfunction)
    for record in records_in(get_type_hints(method).get("return"))
}
"""What a memory's methods return."""

RECORDS = sorted(
    RETURNED | {record for kind in vars(clew.types).values() for record in records_in(kind)} | {Filter},
    key=lambda record: record.__name__,
)
moments = st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  # given a zone
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
values = st.recursive(plain, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2))
SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(max_size=8),
    int: st.integers(0, 2**40),
    float: st.floats(allow_nan=False),
    bool: st.booleans(),
    bytes: st.binary(max_size=5),
    datetime: moments,
    Any: values,
}
CHOICES = {("Turn", "role"): ROLES, ("Turn", "origin"): ORIGINS, ("Part", "type"): PART_TYPES}


def of_kind(hint: Any) -> st.SearchStrategy[Any]:
    """Values of an annotation."""
    if get_args(hint):
        return of_parts(get_origin(hint), get_args(hint))
    if hint is type(None):
        return st.none()
    if isinstance(hint, type) and issubclass(hint, Enum):
        return st.sampled_from(list(hint))
    if isinstance(hint, type) and issubclass(hint, Record):
        return records(hint)
    return SCALARS[hint]


def of_parts(origin: Any, arguments: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    """Values of an annotation that is made of others."""
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(of_kind, arguments))
    if origin in (tuple, Sequence):
        return st.lists(of_kind(arguments[0]), max_size=2).map(tuple)
    return st.dictionaries(st.text(max_size=5), of_kind(arguments[1]), max_size=2)


def records(cls: type[Record]) -> st.SearchStrategy[Record]:
    """Records of a type, made from its annotations."""
    fields = {
        name: st.sampled_from(CHOICES[cls.__name__, name]) if (cls.__name__, name) in CHOICES else of_kind(hint)
        for name, hint in get_type_hints(cls).items()
    }
    if cls is Turn:
        fields["session"] = st.text(min_size=1, max_size=8).filter(str.strip)
        fields["content"] = st.text(max_size=8) | st.lists(records(Part), max_size=2).map(tuple)
    return st.builds(cls, **fields)


@pytest.mark.requirement("F-TYPES-06")
@pytest.mark.parametrize("cls", RECORDS, ids=lambda cls: cls.__name__)
def test_every_record_survives_its_wire_form(cls: type[Record]) -> None:
    @given(records(cls))
    def survives(record: Record) -> None:
        wire = json.dumps(record.to_dict())
        assert cls.from_dict(json.loads(wire)) == record
        assert cls.from_dict({**json.loads(wire), "a newer version's": 1}) == record
        assert copy.deepcopy(record) == record  # which pickles it
        assert repr(record).startswith(f"{cls.__name__}(")

    survives()


names = st.text(st.characters(), min_size=1, max_size=20)


@pytest.mark.requirement("F-TYPES-05")
@given(names, st.integers(0, 10**18 - 1))
def test_an_id_gives_back_session_and_place(session: str, seq: int) -> None:
    assert parse_turn_id(turn_id(session, seq)) == (session, seq)
    assert turn_id(session, seq).isascii()


@pytest.mark.requirement("F-TYPES-05")
@given(names, names, st.integers(0, 99), st.integers(0, 99))
def test_no_two_turns_share_an_id(one: str, other: str, first: int, second: int) -> None:
    assert (turn_id(one, first) == turn_id(other, second)) == ((one, first) == (other, second))
