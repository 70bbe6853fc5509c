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
from typing import Any, Final

from clew.errors import InputError
from clew.knowledge.groups import group_key, subject_key
from clew.knowledge.slots import slot_of
from clew.store.knowledge_row_types import FactRow, StatementRow
from clew.store.rows import dumps, from_us, to_us
from clew.types.facts import Effect, Fact, FactStatus, FactType, Mood, Statement

Place = tuple[int, int]
"""Where a fact stands: the ordinal of the turn of its first statement, and the number of that statement."""

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
        ordinal_of: gives the ordinal of a turn by its id.

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


def statements_of(row: StatementRow, turn: TurnMark) -> list[Statement]:
    """The statements of a row."""
    usual = {"turn": turn.name, "said_at": turn.at, "provenance": row.provenance}
    said = json.loads(data_text(row.data))
    return [Statement(**{"ordinal": place, **usual, **_values(each)}) for place, each in enumerate(said)]


def fact_row(space: str, place: Place, fact: Fact, base: Statement | None, ordinal_of: Callable[[str], int]) -> FactRow:
    """The row of a fact.

    Args:
        base: its first statement; None if it has none of this id.
        ordinal_of: gives the ordinal of a turn by its id.
    """
    expected = _expected(base)
    said: dict[str, Any] = {}
    for name in _FACT:
        value = getattr(fact, name)
        if name in expected and expected[name] == value:
            continue
        if name in _PLACES and value is not None:
            value = place_of(value, ordinal_of)
        elif name == "sources":
            value = [ordinal_of(turn) for turn in value]
        said[name] = _plain(name, value)
    return FactRow(space, *place, _packed(said))


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


def fact_data(row: FactRow) -> FactData:
    """What a row says of a fact."""
    return FactData(row.ordinal, row.place, json.loads(data_text(row.data)))


def fact_of(data: FactData, base: Statement | None, mark_of: Callable[[int], TurnMark]) -> Fact | None:
    """The fact of a row, without its statements; None where the statement is missing that it says nothing of.

    Args:
        base: as in `fact_row`.
        mark_of: gives a turn by its ordinal.
    """
    said = _values(data.said)
    for name in _PLACES & said.keys():
        if said[name] is not None:
            ordinal, place = said[name]
            said[name] = fact_id(mark_of(ordinal).name, place)
    latest = mark_of(said["sources"][-1] if said.get("sources") else data.ordinal)
    if "sources" in said:
        said["sources"] = tuple(mark_of(ordinal).name for ordinal in said["sources"])
    told = {**_expected(base), **said}
    if "subject" not in told:
        return None
    group = group_key(subject_key(told["subject"]), told["verb"], told["object"], told["scope"])
    return Fact(id=fact_id(mark_of(data.ordinal).name, data.place), group=group, confirmed_at=latest.at, **told)


def is_over(row: FactRow) -> bool:
    """Whether a fact was replaced or withdrawn, without reading more of it."""
    text = data_text(row.data)  # within a value each quotation mark has a backslash before it, so these are fields
    return '"superseded_by":[' in text or '"retracted":true' in text


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


def _expected(base: Statement | None) -> dict[str, Any]:
    """The fields of a fact as they usually follow from its first statement; of one without, those that none needs."""
    if base is None:
        absent = ("scope", "when", "where", "slot", "superseded_by", "stale_because")
        return {**dict.fromkeys(absent), "retracted": False}
    slot = slot_of(base.verb, base.scope)
    dated = base.status == FactStatus.PLANNED
    return {
        **{name: getattr(base, name) for name in _FACT if name in _STATEMENT},
        "slot": None if slot is None else slot.name,
        "valid_from": base.said_at if dated or base.valid_from is None else base.valid_from,
        "due_from": base.valid_from if dated else None,
        "due_to": base.valid_to if dated else None,
        "valid_to": None if dated else base.valid_to,
        "recorded_at": base.said_at,
        "sources": (base.turn,),
        "superseded_by": None,
        "stale_because": None,
        "retracted": False,
    }


def _plain(name: str, value: Any) -> Any:
    """A value as JSON has it."""
    return to_us(value) if name in _TIMES else value


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
