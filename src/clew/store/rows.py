"""Turns and receipts as rows, and back. The one place that knows which column holds which field."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast

from clew.store.tables import TURN, Row
from clew.types.turn import Origin, Part, Role, Turn

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)

_NOTHING: Final = (None,) * 6

TURN_COLUMNS: Final = {name: place for place, name in enumerate(TURN.names)}


def to_us(moment: datetime | None) -> int | None:
    """Microseconds since 1970 UTC; None stays None."""
    return None if moment is None else (moment - EPOCH) // _MICROSECOND


def from_us(value: int | None) -> datetime | None:
    """The moment that `to_us` was given."""
    return None if value is None else EPOCH + value * _MICROSECOND


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
"""Kept, since `json.dumps` with these settings makes a new one for each call."""


def dumps(value: Any) -> str:
    """JSON text with a fixed form, so that equal values are equal bytes."""
    return _ENCODER.encode(value)


def turn_row(space: str, turn: Turn, digest: bytes) -> Row:
    """A stored turn (with seq, ordinal and ingested_at) as a row of TURN."""
    return placed_row(space, turn, digest, turn.seq, turn.ordinal, to_us(turn.ingested_at))


def placed_row(
    space: str, turn: Turn, digest: bytes, seq: int | None, ordinal: int | None, ingested_at: int | None
) -> Row:
    """A turn at its places as a row of TURN.

    Args:
        ingested_at: in microseconds, as `to_us` gives it.
    """
    return (
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
        turn.origin,
        turn.source,
        ingested_at,
        dumps(turn.metadata) if turn.metadata else None,
        None if _is_plain(turn) else dumps([part.to_dict() for part in turn.parts]),
        turn.text,
    )


def turn_from_row(row: Row) -> Turn:
    """The turn that a whole row of TURN holds."""
    field = dict(zip(TURN.names, row, strict=True))
    text = cast(str, field["text"])
    parts = cast("str | None", field["parts"])
    metadata = cast("str | None", field["metadata"])
    return Turn(
        role=cast(Role, field["role"]),
        content=text if parts is None else tuple(Part.from_dict(part) for part in json.loads(parts)),
        session=cast(str, field["session"]),
        speaker=cast("str | None", field["speaker"]),
        at=from_us(cast("int | None", field["at"])),
        external_id=cast("str | None", field["external_id"]),
        parent=cast("str | None", field["parent"]),
        branch=cast(str, field["branch"]),
        origin=cast(Origin, field["origin"]),
        source=cast("str | None", field["source"]),
        metadata=json.loads(metadata) if metadata else {},
        seq=cast(int, field["seq"]),
        ordinal=cast(int, field["ordinal"]),
        ingested_at=from_us(cast("int | None", field["ingested_at"])),
        text=text,
    )


def _is_plain(turn: Turn) -> bool:
    """Whether the row's text alone gives the parts back."""
    if len(turn.parts) != 1:
        return False
    part = turn.parts[0]
    rest = (part.name, part.call_id, part.blob, part.media_type, part.data, part.extra)
    return part.type == "text" and part.text == turn.text and rest == _NOTHING
