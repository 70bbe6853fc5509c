"""Statements and facts as compressed JSON of their rows, and back.

What can be told from elsewhere is left out: a statement's turn and time stand with the turn, its maker in the row's
key, and a fact says only what differs from its first statement.
"""

import json
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple

from clew.errors import InputError
from clew.knowledge.groups import group_key, subject_key
from clew.knowledge.slots import slot_of
from clew.store.knowledge_row_types import FactRow, StatementRow
from clew.store.rows import dumps, from_us, to_us
from clew.types.facts import Effect, Fact, FactStatus, FactType, Mood, Statement, maker_mark

Place = tuple[int, int]
"""Where a fact stands: the ordinal of the turn of its first statement, and the number of that statement."""

StatementData = Mapping[str, Any]
"""What a row says of a statement, as JSON has it, with its maker and the time of its turn (`said_at`)."""

_ID: Final = re.compile(r"(?P<turn>.+):fact:(?P<mark>[mue]?)(?P<number>\d{1,9})(?P<part>x?)", re.DOTALL)
_MARKS: Final = ("", "m", "u", "e")
_PARTS: Final = ("", "x")
_MAKERS: Final = 4
_STEP: Final = _MAKERS * len(_PARTS)

_ENUMS: Final[Mapping[str, type[StrEnum]]] = {
    "status": FactStatus,
    "type": FactType,
    "mood": Mood,
    "effect": Effect,
}
_TIMES: Final = frozenset({"valid_from", "valid_to", "due_from", "due_to", "recorded_at"})
_TUPLES: Final = frozenset({"because", "rests_on"})
_PLACES: Final = frozenset({"superseded_by", "stale_because"})
_STATEMENT: Final = {each.name: each.default for each in fields(Statement)}
_NOT_STORED: Final = frozenset({"id", "group", "confirmed_at", "statements", "standing", "links"})
_FACT: Final = tuple(each.name for each in fields(Fact) if each.name not in _NOT_STORED)
_WORDS: Final = frozenset({"subject", "object", "scope", "instead_of", "when", "where", "reason", "rests_on"})
_ELSEWHERE: Final = frozenset({"turn", "said_at", "provenance", "ordinal"})

_DICTIONARY: Final = (
    b'"because":[0],"instead_of":"","reason":"","rests_on":["","mood":"negated","effect":"ceases","effect":"corrects",'
    b'"effect":"retracts","effect":"adds","retracted":true,"stale_because":[,"superseded_by":[,"sources":[,"due_from":17,'
    b'"due_to":17,"valid_to":17,"status":"abandoned","status":"ceased","status":"recurring","status":"completed",'
    b'"status":"planned","scope":"","where":"","when":"last week","when":"yesterday","when":"tomorrow","type":"world",'
    b'"verb":"is named"}"verb":"works at"}"verb":"works as"}"verb":"lives in"}"verb":"prefers"}"verb":"owns"}'
    b'"verb":"has"}"verb":"likes"}"type":"experience","verb":"buys"}"verb":"visits"}"verb":"goes to"}'
    b'"verb":"decides on"}"verb":"uses"}"valid_from":17},{"object":"the ","subject":"user","support":0.,'
    b'"type":"personal","verb":"}][{"object":"'
)
"""What rows often have, the most frequent last: compression and expansion start with it, so it never changes."""


@dataclass(frozen=True, slots=True)
class TurnMark:
    """What rows of statements leave to their turn.

    Attributes:
        name: the turn's id.
        at: its event time.
    """

    name: str
    at: datetime | None


def place_of(fact: str, ordinal_of: Callable[[str], int]) -> Place:
    """Where a fact stands.

    Args:
        fact: its id.
        ordinal_of: returns the ordinal of a turn by its id.

    Raises:
        InputError: that is not the id of a fact.
    """
    found = _ID.fullmatch(fact)
    if found is None:
        raise InputError(f"{fact!r:.200} is not the id of a fact; expected <turn>:fact:<number>, as facts print it")
    within = _MAKERS * _PARTS.index(found["part"]) + _MARKS.index(found["mark"])
    return ordinal_of(found["turn"]), int(found["number"]) * _STEP + within


def fact_id(turn: str, place: int) -> str:
    """The id of the fact at a place of a turn."""
    number, within = divmod(place, _STEP)
    part, mark = divmod(within, _MAKERS)
    return f"{turn}:fact:{_MARKS[mark]}{number}{_PARTS[part]}"


def statement_row(space: str, ordinal: int, provenance: str, statements: Sequence[Statement]) -> StatementRow:
    """The row of all that one maker found in a turn."""
    said = [_said(place, each) for place, each in enumerate(statements)]
    return StatementRow(space, ordinal, str(provenance), _packed(said))


def bases_of(rows: Sequence[StatementRow], mark_of: Callable[[int], TurnMark]) -> dict[Place, StatementData]:
    """What rows say of their statements as JSON has it, by the places of the facts that begin with them.

    Args:
        mark_of: returns a turn by its ordinal.
    """
    found: dict[Place, StatementData] = {}
    every = json.loads(f"[{','.join([data_text(row.data) for row in rows])}]")
    for row, statements in zip(rows, every, strict=True):
        usual = {"provenance": row.provenance, "said_at": to_us(mark_of(row.ordinal).at)}
        mark = _MARKS.index(maker_mark(row.provenance))
        for number, said in enumerate(statements):
            found[row.ordinal, said.get("ordinal", number) * _STEP + mark] = usual | said
    return found


def statement_data(statement: Statement) -> StatementData:
    """The same of a statement."""
    usual = {"provenance": statement.provenance, "said_at": to_us(statement.said_at)}
    return {**usual, **_said(statement.ordinal, statement)}


def statements_of(row: StatementRow, turn: TurnMark) -> list[Statement]:
    """The statements of a row."""
    usual = {"turn": turn.name, "said_at": turn.at, "provenance": row.provenance}
    said = json.loads(data_text(row.data))
    return [Statement(**{"ordinal": place, **usual, **_values(each)}) for place, each in enumerate(said)]


def is_readable(row: StatementRow) -> bool:
    """Whether the statements of a row can be read."""
    try:
        statements_of(row, TurnMark("", None))
    except Exception:  # noqa: BLE001  # the row may hold anything
        return False
    return True


def fact_row(space: str, place: Place, fact: Fact, base: Statement | None, ordinal_of: Callable[[str], int]) -> FactRow:
    """The row of a fact.

    Args:
        base: its first statement; None if it has none of this id.
        ordinal_of: returns the ordinal of a turn by its id.
    """
    expected = _expected(None if base is None else statement_data(base), place[0])
    said: dict[str, Any] = {}
    for name in _FACT:
        value = getattr(fact, name)
        if name in _PLACES and value is not None:
            value = place_of(value, ordinal_of)
        elif name == "sources":
            value = [ordinal_of(turn) for turn in value]
        value = _plain(name, value)
        if name not in expected or expected[name] != value:
            said[name] = value
    return FactRow(space, *place, _packed(said))


class FactText(NamedTuple):
    """A row of a fact, unpacked."""

    ordinal: int
    place: int
    text: str


@dataclass(frozen=True, slots=True)
class FactData:
    """What a row says of a fact.

    Attributes:
        said: what differs from its first statement, as JSON has it.
    """

    ordinal: int
    place: int
    said: Mapping[str, Any]

    def turns(self) -> set[int]:
        """Ordinals of the turns by whose ids it is told."""
        others = {self.said[name][0] for name in _PLACES & self.said.keys() if self.said[name] is not None}
        return {self.ordinal, *self.said.get("sources", ())} | others


def fact_text(place: Place, data: bytes) -> FactText:
    """The data of a row of a fact, unpacked."""
    return FactText(*place, data_text(data))


def facts_data(rows: Sequence[FactText]) -> list[FactData]:
    """What rows say of facts; they are read as one text, since most of them are short."""
    every = json.loads(f"[{','.join([row.text for row in rows])}]")
    return [FactData(row.ordinal, row.place, said) for row, said in zip(rows, every, strict=True)]


def told_in(data: FactData, base: StatementData | None) -> Mapping[str, Any] | None:
    """All fields of a fact as JSON has them; None where the statement is missing that the row says nothing of.

    Args:
        base: what is said of its first statement; None if it has none of its id.
    """
    told = _expected(base, data.ordinal)
    told.update(data.said)
    return told if "subject" in told else None


def fact_of(data: FactData, base: StatementData | None, mark_of: Callable[[int], TurnMark]) -> Fact | None:
    """The fact of a row, without its statements; None as for `told_in`.

    Args:
        base: as for `told_in`.
        mark_of: returns a turn by its ordinal.
    """
    told = told_in(data, base)
    return None if told is None else fact_told(data, told, mark_of)


def fact_told(data: FactData, told: Mapping[str, Any], mark_of: Callable[[int], TurnMark]) -> Fact:
    """The fact of a row by its fields, see `told_in`."""
    marks = [mark_of(ordinal) for ordinal in told["sources"]]
    return Fact(
        id=fact_id(mark_of(data.ordinal).name, data.place),
        subject=told["subject"],
        verb=told["verb"],
        object=told["object"],
        status=_STATUS[told["status"]],
        type=_TYPE[told["type"]],
        scope=told["scope"],
        when=told["when"],
        where=told["where"],
        group=group_key(subject_key(told["subject"]), told["verb"], told["object"], told["scope"]),
        slot=told["slot"],
        valid_from=from_us(told["valid_from"]),
        valid_to=from_us(told["valid_to"]),
        due_from=from_us(told["due_from"]),
        due_to=from_us(told["due_to"]),
        recorded_at=from_us(told["recorded_at"]),
        confirmed_at=(marks[-1] if marks else mark_of(data.ordinal)).at,
        sources=tuple([mark.name for mark in marks]),
        support=told["support"],
        provenance=told["provenance"],
        superseded_by=_named(told["superseded_by"], mark_of),
        stale_because=_named(told["stale_because"], mark_of),
        retracted=told["retracted"],
    )


_STATUS: Final[Mapping[str, FactStatus]] = {each.value: each for each in FactStatus}
_TYPE: Final[Mapping[str, FactType]] = {each.value: each for each in FactType}


def _named(place: Sequence[int] | None, mark_of: Callable[[int], TurnMark]) -> str | None:
    """The id of the fact at a place."""
    return None if place is None else fact_id(mark_of(place[0]).name, place[1])


def is_over(row: FactText) -> bool:
    """Whether a fact was replaced or withdrawn or has ended, without reading more of it."""
    return _OVER.search(row.text) is not None


_OVER: Final = re.compile(r'"(?:superseded_by":\[|retracted":true|status":"(?:ceased|abandoned)")')
"""Within a value each quotation mark has a backslash before it, so these are fields."""


def said_in(row: StatementRow | FactRow) -> str:
    """The words of a row that come from a turn: all but verbs, and what Clew calls things."""
    found: list[str] = []
    said = json.loads(data_text(row.data))
    for each in said if isinstance(said, list) else [said]:
        for name in _WORDS & each.keys():
            value = each[name]
            found += value if isinstance(value, list) else [value or ""]
    return "\n".join(found)


def data_text(data: bytes) -> str:
    """The JSON in the data of a row of these tables."""
    packed = zlib.decompressobj(-zlib.MAX_WBITS, zdict=_DICTIONARY)
    return (packed.decompress(data) + packed.flush()).decode("utf-8", "surrogatepass")


def _packed(value: Any) -> bytes:
    packed = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_DEFAULT_STRATEGY, _DICTIONARY)
    return packed.compress(dumps(value).encode("utf-8", "surrogatepass")) + packed.flush()


def _said(place: int, statement: Statement) -> dict[str, Any]:
    said = {
        name: _plain(name, value)
        for name, usual in _STATEMENT.items()
        if name not in _ELSEWHERE and (value := getattr(statement, name)) != usual
    }
    return said if statement.ordinal == place else {**said, "ordinal": statement.ordinal}


def _expected(base: StatementData | None, ordinal: int) -> dict[str, Any]:
    """The fields of a fact as they usually follow from its first statement; of one without, those that none needs.

    Args:
        ordinal: of the turn of that statement.
    """
    if base is None:
        absent = ("scope", "when", "where", "slot", "superseded_by", "stale_because")
        return {**dict.fromkeys(absent), "retracted": False}
    told = {**_USUAL, **base}
    slot, at = slot_of(told["verb"], told["scope"]), base["said_at"]
    told |= {"slot": None if slot is None else slot.name, "recorded_at": at, "sources": [ordinal]}
    if told["status"] == FactStatus.PLANNED:
        told |= {"due_from": told["valid_from"], "due_to": told["valid_to"], "valid_from": at, "valid_to": None}
    elif told["valid_from"] is None:
        told["valid_from"] = at
    return told


_USUAL: Final[Mapping[str, Any]] = {
    **{name: usual for name, usual in _STATEMENT.items() if name in _FACT},
    **dict.fromkeys(("due_from", "due_to", "superseded_by", "stale_because")),
    "retracted": False,
}


def _plain(name: str, value: Any) -> Any:
    """A value as JSON has it."""
    if name in _TIMES:
        return to_us(value)
    return list(value) if isinstance(value, tuple) else value


def _values(said: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(said)
    for name in found.keys() & (_ENUMS.keys() | _TIMES | _TUPLES):
        value = found[name]
        if name in _ENUMS:
            found[name] = _ENUMS[name](value)
        elif name in _TUPLES:
            found[name] = tuple(value)
        else:
            found[name] = from_us(value)
    return found
