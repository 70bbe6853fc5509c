"""JSON documents under keys, kept as turns: the newest version counts, the earlier ones stay until the key is deleted.

Borders: one conversation holds the documents of one `Documents`. Keys are not parsed.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from clew.adapters.given import given_memory
from clew.adapters.session_log import SessionLog
from clew.errors import InputError, shown
from clew.memory import Memory
from clew.memory.arguments import given_session
from clew.types.turn import Role, Turn
from clew.write.prepare import admit, prepare

KEY: Final = "document"
VALUE: Final = "value"


@dataclass(frozen=True, slots=True)
class Document:
    """The newest version of a document.

    Attributes:
        value: as it was put, secrets masked as in every turn (`ingest.secrets`).
        created, updated: when the first and the newest version were stored.
        turn_ids: the turns that hold the versions, oldest first.
    """

    key: str
    value: dict[str, Any]
    created: datetime
    updated: datetime
    turn_ids: tuple[str, ...]


class Documents:
    """The documents of one conversation of a memory. Threads and processes may share them."""

    def __init__(self, memory: Memory, session: str, role: Role = "user") -> None:
        """Opens the documents of a conversation; `role` says who writes them."""
        self.memory, self.session = given_memory(memory), given_session(session)
        self._role = role
        self._log = SessionLog(self.memory, self.session)

    def all(self) -> dict[str, Document]:
        """Every document by its key, in the order in which the keys were first put."""
        documents: dict[str, Document] = {}
        for turn in self._log.refresh():
            key, value = turn.metadata.get(KEY), turn.metadata.get(VALUE)
            if not isinstance(key, str) or not isinstance(value, dict) or turn.ingested_at is None:
                continue  # a turn of somebody else in this conversation
            before = documents.get(key)
            documents[key] = Document(
                key,
                value,
                turn.ingested_at if before is None else before.created,
                turn.ingested_at,
                (*(() if before is None else before.turn_ids), str(turn.id)),
            )
        return documents

    def get(self, key: str) -> Document | None:
        """The newest version of a document; None if there is none."""
        return self.all().get(self.stored_key(key))

    def stored_key(self, key: str) -> str:
        """A key as `all` has it: secrets masked, and what no database keeps escaped."""
        return self._as_stored(self._turn(key, {}))[0]

    def put(self, key: str, value: Mapping[str, Any]) -> None:
        """Stores a version of a document; the value that it already has adds nothing.

        Raises:
            InputError: the value is not JSON.
        """
        turn = self._turn(key, _checked(key, value))
        name, stored = self._as_stored(turn)
        before = self.all().get(name)
        if before is None or before.value != stored:
            self.memory.add(turn)

    def delete(self, key: str) -> bool:
        """Forgets a document with all its versions, for good; False if there was none."""
        document = self.get(key)
        if document is None:
            return False
        self.memory.forget(turn_ids=document.turn_ids)
        return True

    def _turn(self, key: str, value: dict[str, Any]) -> Turn:
        """The turn that holds a version of a document."""
        metadata = {KEY: key, VALUE: value}
        return Turn(role=self._role, content=readable(value), session=self.session, metadata=metadata)

    def _as_stored(self, turn: Turn) -> tuple[str, dict[str, Any]]:
        """Key and value as they are stored: secrets masked, and what no database keeps escaped."""
        metadata = prepare(admit(turn), self.memory.config.ingest).turn.metadata
        return metadata[KEY], metadata[VALUE]


def _checked(key: str, value: Mapping[str, Any]) -> dict[str, Any]:
    try:
        checked = json.loads(json.dumps(value, ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"the value of {shown(key, 80)} cannot be written as JSON: {error}; give plain data"
        ) from error
    if not isinstance(checked, dict):
        raise InputError(f"the value of {shown(key, 80)}: expected a mapping, got {type(value).__name__}")
    return checked


def readable(value: Any) -> str:
    """A JSON value as lines that words can be found in: texts alone, other members as `name: value`."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        lines = [f"{name}: {readable(inner)}" for name, inner in value.items()]
        if len(lines) == 1 and isinstance(next(iter(value.values())), str):
            return str(next(iter(value.values()))) or lines[0]
        return "\n".join(lines) or "{}"
    if isinstance(value, list):
        return "\n".join(f"- {readable(element)}" for element in value) or "[]"
    return json.dumps(value)
