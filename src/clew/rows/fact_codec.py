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

from clew.errors import InputError, shown
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
    """The ordinal of the turn in which a fact is stored, and its place there.

    Args:
        fact: its id.
        ordinal_of: returns the ordinal of a turn by its id.

    Raises:
        InputError: that is not the id of a fact.
    """
    match = _ID.fullmatch(fact)
    if match is None:
        raise InputError(
            f"{shown(fact, 200)} is not the id of a fact; expected <turn>:fact:<number>, as facts print it"
        )
    within = _MAKERS * _PARTS.index(match["part"]) + _MARKS.index(match["mark"])
    return ordinal_of(match["turn"]), int(match["number"]) * _STEP + within


def fact_id(turn: str, place: int) -> str:
    """The id of the fact at this place of a turn."""
    number, within = divmod(place, _STEP)
    part, mark = divmod(within, _MAKERS)
    return f"{turn}:fact:{_MARKS[mark]}{number}{_PARTS[part]}"


def statement_row(space: str, ordinal: int, provenance: str, statements: Sequence[Statement]) -> StatementRow:
    """The row of all that one maker found in a turn."""
    values = [_statement_values(place, statement) for place, statement in enumerate(statements)]
    return StatementRow(space, ordinal, str(provenance), _packed(values))


def bases_of(rows: Sequence[StatementRow], mark_of: Callable[[int], TurnMark]) -> dict[Place, StatementData]:
    """The stored fields of statements, by the places of the facts that begin with them.

    Args:
        mark_of: returns a turn by its ordinal.
    """
    bases: dict[Place, StatementData] = {}
    every = json.loads(f"[{','.join([data_text(row.data) for row in rows])}]")
    for row, statements in zip(rows, every, strict=True):
        usual = {"provenance": row.provenance, "said_at": to_us(mark_of(row.ordinal).at)}
        mark = _MARKS.index(maker_mark(row.provenance))
        for number, values in enumerate(statements):
            bases[row.ordinal, values.get("ordinal", number) * _STEP + mark] = usual | values
    return bases


def statement_data(statement: Statement) -> StatementData:
    """The fields of a statement as a row has them."""
    usual = {"provenance": statement.provenance, "said_at": to_us(statement.said_at)}
    return {**usual, **_statement_values(statement.ordinal, statement)}


def statements_of(row: StatementRow, turn: TurnMark) -> list[Statement]:
    """The statements of a row."""
    usual = {"turn": turn.name, "said_at": turn.at, "provenance": row.provenance}
    stored = json.loads(data_text(row.data))
    return [Statement(**{"ordinal": place, **usual, **_values(values)}) for place, values in enumerate(stored)]


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
    changes: dict[str, Any] = {}
    for name in _FACT:
        value = getattr(fact, name)
        if name in _PLACES and value is not None:
            value = place_of(value, ordinal_of)
        elif name == "sources":
            value = [ordinal_of(turn) for turn in value]
        value = _plain(name, value)
        if name not in expected or expected[name] != value:
            changes[name] = value
    return FactRow(space, *place, _packed(changes))


class FactText(NamedTuple):
    """A row of a fact, unpacked."""

    ordinal: int
    place: int
    text: str


@dataclass(frozen=True, slots=True)
class FactData:
    """The row of a fact, decoded.

    Attributes:
        changes: fields that differ from those that follow from its first statement, as in JSON.
    """

    ordinal: int
    place: int
    changes: Mapping[str, Any]

    def turns(self) -> set[int]:
        """Ordinals of the turns whose ids the fact names."""
        changes = self.changes
        others = {changes[name][0] for name in _PLACES & changes.keys() if changes[name] is not None}
        return {self.ordinal, *changes.get("sources", ())} | others


def fact_text(place: Place, data: bytes) -> FactText:
    """The data of a row of a fact, unpacked."""
    return FactText(*place, data_text(data))


def facts_data(rows: Sequence[FactText]) -> list[FactData]:
    """Rows of facts, decoded. They are parsed as one JSON text, which is faster, since most are short."""
    every = json.loads(f"[{','.join([row.text for row in rows])}]")
    return [FactData(row.ordinal, row.place, changes) for row, changes in zip(rows, every, strict=True)]


def fact_values(data: FactData, base: StatementData | None) -> Mapping[str, Any] | None:
    """All fields of a fact as in JSON; None if its first statement is missing and the row does not have its fields.

    Args:
        base: the stored fields of its first statement; None if there is no statement of its id.
    """
    values = _expected(base, data.ordinal)
    values.update(data.changes)
    return values if "subject" in values else None


def fact_of(data: FactData, base: StatementData | None, mark_of: Callable[[int], TurnMark]) -> Fact | None:
    """The fact of a row, without its statements; None as for `fact_values`.

    Args:
        base: as for `fact_values`.
        mark_of: returns a turn by its ordinal.
    """
    values = fact_values(data, base)
    return None if values is None else fact_from_values(data, values, mark_of)


def fact_from_values(data: FactData, values: Mapping[str, Any], mark_of: Callable[[int], TurnMark]) -> Fact:
    """The fact of a row with these fields, see `fact_values`."""
    marks = [mark_of(ordinal) for ordinal in values["sources"]]
    return Fact(
        id=fact_id(mark_of(data.ordinal).name, data.place),
        subject=values["subject"],
        verb=values["verb"],
        object=values["object"],
        status=_STATUS[values["status"]],
        type=_TYPE[values["type"]],
        scope=values["scope"],
        when=values["when"],
        where=values["where"],
        group=group_key(subject_key(values["subject"]), values["verb"], values["object"], values["scope"]),
        slot=values["slot"],
        valid_from=from_us(values["valid_from"]),
        valid_to=from_us(values["valid_to"]),
        due_from=from_us(values["due_from"]),
        due_to=from_us(values["due_to"]),
        recorded_at=from_us(values["recorded_at"]),
        confirmed_at=(marks[-1] if marks else mark_of(data.ordinal)).at,
        sources=tuple([mark.name for mark in marks]),
        support=values["support"],
        provenance=values["provenance"],
        superseded_by=_named(values["superseded_by"], mark_of),
        stale_because=_named(values["stale_because"], mark_of),
        retracted=values["retracted"],
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
"""In a value each quotation mark has a backslash before it, so these are fields."""


def words_of_turns(row: StatementRow | FactRow) -> str:
    """The words of a row that come from turns: all but verbs and Clew's own terms."""
    words: list[str] = []
    stored = json.loads(data_text(row.data))
    for values in stored if isinstance(stored, list) else [stored]:
        for name in _WORDS & values.keys():
            value = values[name]
            words += value if isinstance(value, list) else [value or ""]
    return "\n".join(words)


def data_text(data: bytes) -> str:
    """The JSON in the data of a row of these tables."""
    packed = zlib.decompressobj(-zlib.MAX_WBITS, zdict=_DICTIONARY)
    return (packed.decompress(data) + packed.flush()).decode("utf-8", "surrogatepass")


def _packed(value: Any) -> bytes:
    packed = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, 9, zlib.Z_DEFAULT_STRATEGY, _DICTIONARY)
    return packed.compress(dumps(value).encode("utf-8", "surrogatepass")) + packed.flush()


def _statement_values(place: int, statement: Statement) -> dict[str, Any]:
    values = {
        name: _plain(name, value)
        for name, usual in _STATEMENT.items()
        if name not in _ELSEWHERE and (value := getattr(statement, name)) != usual
    }
    return values if statement.ordinal == place else {**values, "ordinal": statement.ordinal}


def _expected(base: StatementData | None, ordinal: int) -> dict[str, Any]:
    """The fields of a fact that follow from its first statement; without one, the fields that may be absent.

    Args:
        ordinal: that of the statement's turn.
    """
    if base is None:
        absent = ("scope", "when", "where", "slot", "superseded_by", "stale_because")
        return {**dict.fromkeys(absent), "retracted": False}
    values = {**_USUAL, **base}
    slot, at = slot_of(values["verb"], values["scope"]), base["said_at"]
    values |= {"slot": None if slot is None else slot.name, "recorded_at": at, "sources": [ordinal]}
    if values["status"] == FactStatus.PLANNED:
        values |= {"due_from": values["valid_from"], "due_to": values["valid_to"], "valid_from": at, "valid_to": None}
    elif values["valid_from"] is None:
        values["valid_from"] = at
    return values


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


def _values(stored: Mapping[str, Any]) -> dict[str, Any]:
    values = dict(stored)
    for name in values.keys() & (_ENUMS.keys() | _TIMES | _TUPLES):
        value = values[name]
        if name in _ENUMS:
            values[name] = _ENUMS[name](value)
        elif name in _TUPLES:
            values[name] = tuple(value)
        else:
            values[name] = from_us(value)
    return values
