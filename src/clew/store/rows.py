"""A turn as a row of TURN and back, and the forms in which rows hold times and JSON."""

import json
from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from itertools import repeat
from typing import Any, Final, cast, overload

from clew.errors import ClewError, StoreCorrupt, shown
from clew.store.row_types import TurnRow
from clew.types.ids import turn_id
from clew.types.record import bulk_maker, maker
from clew.types.turn import ORIGINS, ROLES, Part, Turn

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

_NOTHING: Final = (None,) * 6
_turn: Final = maker(Turn)
_part: Final = maker(Part)
_turns: Final = bulk_maker(Turn)
_parts: Final = bulk_maker(Part)
_TURN_FIELDS: Final = tuple(each.name for each in fields(Turn))


@overload
def to_us(moment: datetime) -> int: ...
@overload
def to_us(moment: datetime | None) -> int | None: ...
def to_us(moment: datetime | None) -> int | None:
    """Microseconds since 1970 UTC; None stays None."""
    return None if moment is None else (moment - EPOCH) // _MICROSECOND


@overload
def from_us(value: int) -> datetime: ...
@overload
def from_us(value: int | None) -> datetime | None: ...
def from_us(value: int | None) -> datetime | None:
    """The moment that `to_us` was given."""
    return None if value is None else EPOCH + value * _MICROSECOND


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
_STRICT: Final = json.JSONEncoder(sort_keys=True, ensure_ascii=False, allow_nan=False)
"""Kept, since `json.dumps` with these settings makes a new one for each call."""


def dumps(value: Any) -> str:
    """JSON text with a fixed form, so that equal values are equal bytes."""
    return _ENCODER.encode(value)


def check_json(value: Any) -> None:
    """Does nothing for a value that can be written as JSON.

    Raises:
        TypeError, ValueError, RecursionError: it cannot, or holds a number that JSON has not (NaN or an infinity) or a
            key that is not text, which would come back as another one.
    """
    _STRICT.encode(value)
    _check_keys(value)


def _check_keys(value: Any) -> None:
    if isinstance(value, dict):
        wrong = next((key for key in value if not isinstance(key, str)), None)
        if wrong is not None or None in value:
            raise TypeError(f"the key {shown(wrong)} is not text")
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        _check_keys(item)


def turn_row(space: str, turn: Turn, digest: bytes) -> TurnRow:
    """A stored turn (with seq, ordinal and ingested_at) as a row of TURN."""
    places = turn.seq, turn.ordinal, to_us(turn.ingested_at)
    return placed_row(space, turn, digest, *cast("tuple[int, int, int]", places))


def placed_row(space: str, turn: Turn, digest: bytes, seq: int, ordinal: int, ingested_at: int) -> TurnRow:
    """A turn at its places as a row of TURN.

    Args:
        ingested_at: in microseconds, as `to_us` gives it.
    """
    return TurnRow(
        space,
        turn.session,
        seq,
        ordinal,
        digest,
        to_us(turn.at),
        turn.external_id,
        turn.branch,
        turn.parent,
        turn.role,
        turn.speaker,
        cast(str, turn.origin),
        turn.source,
        ingested_at,
        dumps(turn.metadata) if turn.metadata else None,
        None if _is_plain(turn) else dumps([part.to_dict() for part in turn.parts]),
        turn.text,
    )


def turn_from_row(row: TurnRow) -> Turn:
    """The turn that a whole row of TURN holds.

    Raises:
        StoreCorrupt: it was damaged so that it cannot be read.
    """
    try:
        return _turn_from(row)
    except (ClewError, ValueError, TypeError, AttributeError, OverflowError) as error:  # the row may hold anything
        raise StoreCorrupt(
            f"the turn {turn_id(row.session, row.seq)!r} is damaged: {error}; `clew verify` names all that are, and "
            "`clew restore-backup FILE` puts a backup back"
        ) from error


def turns_from_rows(rows: Sequence[TurnRow]) -> list[Turn]:
    """`turn_from_row` of each row; rows of one text part without metadata are read together, in a third of the time."""
    plain = [row for row in rows if _is_plain_row(row)]
    try:
        built = iter(_plain_turns(plain))
    except (ValueError, TypeError, OverflowError):  # a damaged row, which is read by itself to say which it is
        return list(map(turn_from_row, rows))
    if len(plain) == len(rows):
        return list(built)
    return [next(built) if _is_plain_row(row) else turn_from_row(row) for row in rows]


def _is_plain_row(row: TurnRow) -> bool:
    """Whether a row holds one text part and no metadata, as most do, and was checked when it was stored."""
    whole = row.parts is None and not row.metadata and row.text
    return bool(whole) and row.role in ROLES and row.origin in ORIGINS


def _plain_turns(rows: Sequence[TurnRow]) -> list[Turn]:
    if not rows:
        return []
    column = dict(zip(TurnRow._fields, zip(*rows, strict=True), strict=True))
    nothing = repeat(None)
    parts = _parts(len(rows), repeat("text"), column["text"], *[nothing] * len(_NOTHING))
    built = {
        "content": zip(parts, strict=True),
        "at": map(from_us, column["at"]),
        "metadata": iter(dict, None),  # a new one for each
        "ingested_at": map(from_us, column["ingested_at"]),
    }
    return _turns(len(rows), *[built[name] if name in built else column[name] for name in _TURN_FIELDS])


def _turn_from(row: TurnRow) -> Turn:
    metadata = json.loads(row.metadata) if row.metadata else {}
    values: tuple[Any, ...] = (
        row.role,
        (_part("text", row.text, *_NOTHING),)
        if row.parts is None
        else tuple([Part.from_dict(part) for part in json.loads(row.parts)]),
        row.session,
        row.speaker,
        from_us(row.at),
        row.external_id,
        row.parent,
        row.branch,
        row.origin,
        row.source,
        metadata,
        row.seq,
        row.ordinal,
        from_us(row.ingested_at),
        row.text,
    )
    if row.text and row.role in ROLES and row.origin in ORIGINS and isinstance(metadata, dict):
        return _turn(*values)  # as it was checked when it was stored
    return Turn(**dict(zip(_TURN_FIELDS, values, strict=True)))


def _is_plain(turn: Turn) -> bool:
    """Whether the row's text alone gives the parts back."""
    if len(turn.parts) != 1:
        return False
    part = turn.parts[0]
    rest = (part.name, part.call_id, part.blob, part.media_type, part.data, part.extra)
    return part.type == "text" and part.text == turn.text and rest == _NOTHING
