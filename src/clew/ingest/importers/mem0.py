"""Memories of mem0: what `get_all()` returns, as a list or under `results`, and the export of OpenMemory.

mem0 keeps sentences that a model wrote about a user, not what was said. Those of one run are a session (`run_id`), the
others a session for each user, agent or program. The time of a memory is that of its last change, which made its text.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.ingest.importers.file_shape import file_shape
from clew.ingest.importers.json_fields import dict_of, first_of, list_of, text_of, without_none
from clew.ingest.importers.kept_notes import note_turns
from clew.ingest.importers.record import ImportRecord, Skipped
from clew.ingest.importers.source import JsonRecord, Source, json_header, json_lines, json_list, read_each
from clew.types import Rejection

NAME: Final = "mem0"
LISTS: Final = ("results", "memories")
"""Members of a document that hold its memories."""
_OWNERS: Final = ("user_id", "agent_id", "app_id", "app")
_DELETED: Final = "deleted"


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads an export, memory by memory."""
    shape = file_shape(source)
    owner: str | None = None
    if shape.kind == "object":
        key = next((name for name in LISTS if any(path.startswith(f"{name}.[]") for path in shape.paths)), LISTS[0])
        items = json_list(source, key)
        owner = text_of(dict_of(json_header(source), "user"), "user_id", "name")
    else:
        items = json_list(source, None) if shape.kind == "list" else json_lines(source)
    yield from read_each(items, lambda item: _memory(source, item, owner))


def _memory(source: Source, item: JsonRecord, owner: str | None) -> Iterator[ImportRecord]:
    """One memory; `owner` is the user whose export it is."""
    value = item.value
    text = text_of(value, "memory", "content")
    if value.get("state") == _DELETED:
        yield Skipped("deleted memory", item.where)
        return
    if text is None:
        reason = f"no memory: expected text in 'memory' or 'content', found {', '.join(map(repr, [*value][:8]))}"
        yield Rejection(where=item.where, reason=reason)
        return
    whose = owner or text_of(value, *_OWNERS)
    own = text_of(value, "run_id") or (f"{NAME} {whose}" if whose else NAME)
    yield from note_turns(
        text,
        item.where,
        source=NAME,
        session=source.session_for(own),
        name=text_of(value, "id"),
        at=first_of(value, "updated_at", "created_at"),
        metadata=_metadata(value),
    )


def _metadata(value: Mapping[str, Any]) -> dict[str, Any]:
    known = without_none(
        categories=list_of(value, "categories") or None,
        created_at=text_of(value, "created_at"),
        expires=text_of(value, "expiration_date"),
        state=text_of(value, "state"),
        agent=text_of(value, "agent_id"),
        app=text_of(value, "app", "app_id"),
    )
    return {**dict_of(value, "metadata"), **known}
