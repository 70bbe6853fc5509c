"""Turns as lines of JSON that `import` reads back.

A line is a turn as `Turn.to_dict` gives it, or an original that the next turn refers to:
`{"blob": <SHA-256>, "data": <base64>}`. So a reader needs no more than one turn with its originals at a time. Behind
the turns there may be what is kept of quests (`CarriedQuest`), `{"quest": {...}}` each, and what was learned from the
turns, numbers by name: `{"learned": {...}}`.
"""

import hashlib
import json
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

from clew.errors import InputError, NotFoundError, TurnRejected
from clew.ingest.encoding import is_encodable, unescape
from clew.ingest.media import inline
from clew.ingest.strings import map_value
from clew.types import Turn

_TURN_KEYS = frozenset(("role", "content", "session", "origin", "text"))
_AGAIN = "export the space again"


def export_lines(turns: Iterable[Turn], get_blob: Callable[[str], bytes]) -> Iterator[str]:
    """The export lines of these turns, without line ends; a turn's originals come right before it.

    Args:
        get_blob: returns the bytes of a blob by its SHA-256.
    """
    for turn in turns:
        for digest in dict.fromkeys(part.blob for part in turn.parts if part.blob is not None):
            yield _line({"blob": digest, "data": b64encode(get_blob(digest)).decode()})
        yield _line(turn.to_dict())


def learned_line(values: Mapping[str, float]) -> str:
    """The export line that carries learned values."""
    return _line({"learned": dict(sorted(values.items()))})


def quest_line(quest: Mapping[str, Any]) -> str:
    """The export line that carries what is kept of a quest."""
    return _line({"quest": dict(quest)})


def quest_in(record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What a record holds of a quest; None if it is no such record."""
    quest = record.get("quest")
    return quest if record.keys() == {"quest"} and isinstance(quest, Mapping) else None


def learned_in(record: Mapping[str, Any]) -> dict[str, float] | None:
    """The numeric learned values of a record; None if it is not a record of learned values."""
    learned = record.get("learned")
    if record.keys() != {"learned"} or not isinstance(learned, Mapping):
        return None
    numbers = ((str(name), _number(value)) for name, value in learned.items())
    return {name: number for name, number in numbers if number is not None}


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if isfinite(value) else None
    except OverflowError:  # an integer beyond every float
        return None


def is_exported(record: Mapping[str, Any]) -> bool:
    """Whether a record is a line of one of Clew's own exports."""
    return (
        _is_blob(record)
        or learned_in(record) is not None
        or quest_in(record) is not None
        or (record.keys() >= _TURN_KEYS and isinstance(record["content"], list))
    )


class ExportReader:
    """Reads the records of an export in order, keeping blobs until the turn that needs them."""

    def __init__(self) -> None:
        self._blobs: dict[str, bytes] = {}

    def turn(self, record: Mapping[str, Any]) -> Turn | None:
        """The turn of a record with its originals inlined, as it was before it was stored; None for a blob record.

        Fields that the store assigned (`seq`, `ordinal`, `ingested_at`) are dropped.

        Raises:
            TurnRejected: the record is damaged, or an original that it needs does not stand before it.
        """
        if _is_blob(record):
            self._keep(record)
            return None
        blobs, self._blobs = self._blobs, {}
        try:
            turn = Turn.from_dict(map_value(dict(record), _as_exported))
            return inline(replace(turn, seq=None, ordinal=None, ingested_at=None), _getter(blobs))
        except TurnRejected:
            raise
        except (InputError, NotFoundError) as error:
            raise TurnRejected(f"damaged export: {error}; {_AGAIN}") from error
        except UnicodeDecodeError as error:
            raise TurnRejected(f"damaged export: the original of a text is not UTF-8; {_AGAIN}") from error

    def _keep(self, record: Mapping[str, Any]) -> None:
        try:
            data = b64decode(str(record["data"]), validate=True)
        except (NotBase64, ValueError) as error:
            raise TurnRejected(
                f"damaged export: the original {record['blob']!r:.70} is not base64; {_AGAIN}"
            ) from error
        if hashlib.sha256(data).hexdigest() != record["blob"]:
            raise TurnRejected(
                f"damaged export: the original {record['blob']!r:.70} does not match its SHA-256; {_AGAIN}"
            )
        self._blobs[str(record["blob"])] = data


def _is_blob(record: Mapping[str, Any]) -> bool:
    return record.keys() == {"blob", "data"}


def _line(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def _as_exported(text: str) -> str:
    """Reverts the escaping done on import: an exported text was escaped when it was first stored."""
    before = unescape(text)
    return before if is_encodable(before) else text


def _getter(blobs: Mapping[str, bytes]) -> Callable[[str], bytes]:
    def get(digest: str) -> bytes:
        if digest not in blobs:
            raise NotFoundError(f"the original {digest!r:.70} does not stand before its turn")
        return blobs[digest]

    return get
