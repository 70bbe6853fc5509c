"""Statements that another memory wrote down about a person: what importers of such memories share.

They are the words of a program, not of the person, so their role is `assistant`. A statement that was changed since the
last import is another turn, because its external id holds a digest of its text.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from clew.ingest.importers.message_turns import ImportedMessage, message_turns
from clew.ingest.importers.record import ImportRecord
from clew.types import Part


def digest_of(text: str) -> str:
    """Tells two versions of a statement apart."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def note_turns(
    text: str,
    where: str,
    *,
    source: str,
    session: str,
    name: str | None,
    at: object = None,
    metadata: dict[str, Any] | None = None,
) -> Iterator[ImportRecord]:
    """The turn of one statement.

    Args:
        name: the statement's id in its source; None when it has none.
    """
    message = ImportedMessage(
        source=source,
        session=session,
        role="assistant",
        parts=(Part(type="text", text=text),),
        at=at,
        external_id=f"{name}:{digest_of(text)}" if name else digest_of(text),
        metadata=metadata or {},
    )
    yield from message_turns(message, where)
