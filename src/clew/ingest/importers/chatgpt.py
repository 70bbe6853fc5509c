"""ChatGPT's account export: `conversations.json`, alone or in its zip with the images that lie beside it.

A conversation is a tree of messages (`mapping`). The path to `current_node` is the main branch; edits and regenerated
answers are other branches. Empty and hidden messages are skipped; the person's custom instructions, which the client
puts before each conversation, are `injected`.
"""

from collections.abc import Iterator
from typing import Any

from clew.ingest.importers.accounts import conversations
from clew.ingest.importers.chatgpt_content import to_parts
from clew.ingest.importers.json_fields import dict_of, text_of, texts_of, without_none
from clew.ingest.importers.message_tree import BranchPosition, branch_positions
from clew.ingest.importers.message_turns import ImportedMessage, last_id, message_turns
from clew.ingest.importers.record import ImportRecord, Skipped
from clew.ingest.importers.source import JsonRecord, Source
from clew.types import Rejection

NAME = "chatgpt"
_INSTRUCTIONS = ("user_editable_context", "model_editable_context")


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads an export, conversation by conversation."""
    for item in conversations(source):
        if isinstance(item, Rejection):
            yield item
        elif not isinstance(item.value.get("mapping"), dict):
            yield Rejection(where=item.where, reason="no conversation of ChatGPT: it has no mapping of messages")
        else:
            yield from _ChatGptConversation(source, item).records()


class _ChatGptConversation:
    """Reads the messages of one conversation."""

    def __init__(self, source: Source, item: JsonRecord) -> None:
        value = item.value
        self._source = source
        self._where = item.where
        self._mapping: dict[str, Any] = value["mapping"]
        self._shown = text_of(value, "current_node")
        self._session = source.session_for(text_of(value, "conversation_id", "id"))
        self._title = text_of(value, "title")
        self._last: dict[str | None, str | None] = {}  # node -> the last turn on the way to it, its own included

    def records(self) -> Iterator[ImportRecord]:
        nodes = {node: raw if isinstance(raw, dict) else {} for node, raw in self._mapping.items()}
        parents = {node: text_of(raw, "parent") for node, raw in nodes.items()}
        if not nodes:
            yield Skipped("conversation without messages", self._where)
        for position in branch_positions(parents, self._shown):
            before = self._last[position.node] = self._last.get(parents[position.node])
            yield from self._message(position, before, dict_of(nodes[position.node], "message"))

    def _message(self, position: BranchPosition, before: str | None, raw: dict[str, Any]) -> Iterator[ImportRecord]:
        where = f"{self._where}.mapping[{position.node}]"
        author, content, metadata = dict_of(raw, "author"), dict_of(raw, "content"), dict_of(raw, "metadata")
        role = text_of(author, "role") or "missing"
        if _is_hidden(content, metadata):
            yield Skipped("hidden message", where)
            return
        parts = to_parts(content, author, text_of(raw, "recipient"), self._source.asset)
        if not raw or (not parts and role != "user"):
            yield Skipped("empty node", where)
            return
        files = texts_of(metadata, "attachments", "name")
        message = ImportedMessage(
            skip_blank=True,
            source=NAME,
            session=self._session,
            role=role,
            parts=parts,
            at=raw.get("create_time"),
            external_id=text_of(raw, "id") or position.node,
            parent=before if position.parent is not None else None,
            branch=position.branch,
            metadata=without_none(title=self._title, model=text_of(metadata, "model_slug"), files=files or None),
        )
        self._last[position.node] = last_id(message) or before
        yield from message_turns(message, where)


def _is_hidden(content: dict[str, Any], metadata: dict[str, Any]) -> bool:
    is_instruction = content.get("content_type") in _INSTRUCTIONS
    return metadata.get("is_visually_hidden_from_conversation") is True and not is_instruction
