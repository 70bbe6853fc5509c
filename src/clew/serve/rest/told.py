"""How the API tells records: as they are, and a turn with the id by which other endpoints take it."""

from typing import Any

from clew.types import Hit, Turn
from clew.types.record import Record


def told(record: Record) -> dict[str, Any]:
    """A record as JSON."""
    if isinstance(record, Turn):
        return {"id": record.id, **record.to_dict()}
    if isinstance(record, Hit):
        return {**record.to_dict(), "turn": told(record.turn)}
    return record.to_dict()
