"""Claude's account export: `conversations.json`, alone or in its zip.

A conversation holds `chat_messages`, each with content blocks, the text of attachments, and the names of files. Newer
exports say which message each one answers (`parent_message_uuid`): then the path to the current or last message is the
main branch, and edits are other branches. Texts of attachments are parts of the message that they belong to.
"""

from collections.abc import Iterator
from typing import Any

from clew.ingest.formats.blocks import to_parts
from clew.ingest.importers.accounts import conversations
from clew.ingest.importers.json_fields import first_of, objects_of, text_of, texts_of, without_none
from clew.ingest.importers.message_tree import BranchPosition, branch_positions
from clew.ingest.importers.message_turns import ImportedMessage, ToolNames, last_id, message_turns
from clew.ingest.importers.record import ImportRecord, Skipped
from clew.ingest.importers.source import JsonRecord, Source
from clew.types import Part, Rejection

NAME = "claude-export"
_ROOT = "00000000-"  # what the first message of a conversation answers, and every edit of it


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads an export, conversation by conversation."""
    for item in conversations(source):
        if isinstance(item, Rejection):
            yield item
        elif not isinstance(item.value.get("chat_messages"), list):
            yield Rejection(where=item.where, reason="no conversation of Claude: it has no chat_messages")
        else:
            yield from _ClaudeConversation(source, item).records()


class _ClaudeConversation:
    """Reads the messages of one conversation."""

    def __init__(self, source: Source, item: JsonRecord) -> None:
        self._where = item.where
        self._value = item.value
        self._session = source.session_for(text_of(item.value, "uuid", "id"))
        self._title = text_of(item.value, "name", "title")
        self._calls = ToolNames()
        self._last: dict[str | None, str | None] = {}  # message -> the last turn on the way to it, its own included

    def records(self) -> Iterator[ImportRecord]:
        messages: dict[str, tuple[str, dict[str, Any]]] = {}
        previous: str | None = None
        parents: dict[str, str | None] = {}
        for n, raw in enumerate(self._value["chat_messages"]):
            where = f"{self._where}.chat_messages[{n}]"
            if not isinstance(raw, dict):
                yield Rejection(where=where, reason=f"expected an object, found {raw!r:.60}")
                continue
            name = text_of(raw, "uuid") or f"#{n}"
            name = name if name not in messages else f"{name}#{n}"
            messages[name] = (where, raw)
            parent = text_of(raw, "parent_message_uuid") or previous
            parents[name] = parent if parent in messages or str(parent).startswith(_ROOT) else previous
            previous = name
        if not self._value["chat_messages"]:
            yield Skipped("conversation without messages", self._where)
        for position in branch_positions(parents, text_of(self._value, "current_leaf_message_uuid")):
            before = self._last[position.node] = self._last.get(parents[position.node])
            yield from self._message(position, before, *messages[position.node])

    def _message(
        self, position: BranchPosition, before: str | None, where: str, raw: dict[str, Any]
    ) -> Iterator[ImportRecord]:
        files = texts_of(raw, "files", "file_name")
        message = ImportedMessage(
            skip_blank=True,
            source=NAME,
            session=self._session,
            role=text_of(raw, "sender", "role") or "missing",
            parts=self._calls.name(_parts(raw)),
            at=first_of(raw, "created_at", "updated_at"),
            external_id=text_of(raw, "uuid"),
            parent=before if position.parent is not None else None,
            branch=position.branch,
            metadata=without_none(title=self._title, model=text_of(raw, "model"), files=files or None),
        )
        self._last[position.node] = last_id(message) or before
        yield from message_turns(message, where)


def _parts(raw: dict[str, Any]) -> tuple[Part, ...]:
    """Content blocks, or the plain text where an older export has no blocks; then the texts of attachments."""
    parts = to_parts(raw.get("content")) or to_parts(text_of(raw, "text"))
    return (*parts, *(part for attachment in objects_of(raw, "attachments") for part in _attached(attachment)))


def _attached(attachment: dict[str, Any]) -> Iterator[Part]:
    text = text_of(attachment, "extracted_content")
    if text is not None:
        yield Part(type="text", text=text, name=text_of(attachment, "file_name"), media_type="text/plain")
