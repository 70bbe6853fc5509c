"""Codex's rollout files: one record on each line, `{timestamp, type, payload}`; older files hold the bare payloads.

The conversation is in the `response_item` records. `event_msg` records repeat it for the screen and are skipped, except
a rollback, after which a branch begins. Most records have no id: calls are identified by their `call_id`, others by
session and line, which appending never changes. A sub-agent is a session of its own, called by its thread, as
it is when it comes through the proxy.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from clew.ingest import client_marks as marks
from clew.ingest.branches import SUBAGENTS
from clew.ingest.formats.blocks import to_parts
from clew.ingest.formats.responses import item_parts
from clew.ingest.importers.json_fields import dict_of, first_of, text_of, without_none
from clew.ingest.importers.message_turns import (
    ImportedMessage,
    ToolNames,
    injected,
    last_id,
    mark_injected,
    message_turns,
    split_attached,
)
from clew.ingest.importers.record import FileEnd, ImportRecord, Skipped
from clew.ingest.importers.source import JsonRecord, Source, followed_json_lines
from clew.types import Part, Rejection

NAME = "codex"
_UUID_AT_END = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")

Payload = Mapping[str, Any]


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads one rollout file."""
    rollout = _Rollout(source)
    for item in followed_json_lines(source):
        if isinstance(item, Rejection | FileEnd):
            yield item
        else:
            yield from rollout.record(item)


class _Rollout:
    """Reads the records of one rollout file."""

    def __init__(self, source: Source) -> None:
        match = _UUID_AT_END.search(source.stem)
        self._source = source
        self._own = match[0] if match else source.stem  # the session, until the first record names it
        self._is_named = False
        self._session = source.session_for(self._own)
        self._branch = ""
        self._parent: str | None = None
        self._parent_thread: str | None = None
        self._last: str | None = None
        self._before_prompts: list[str | None] = []
        self._context: dict[str, Any] = {}
        self._calls = ToolNames()

    def record(self, item: JsonRecord) -> Iterator[ImportRecord]:
        kind = text_of(item.value, "type")
        raw = item.value.get("payload")
        payload = raw if isinstance(raw, dict) else item.value
        if kind is None:
            yield from self._bare(item)
        elif kind == "session_meta":
            self._name(payload)
            yield Skipped(kind, item.where)
        elif kind == "turn_context":
            self._note(payload)
            yield Skipped(kind, item.where)
        elif kind == "compacted" and (parts := to_parts(payload.get("message"))):
            parts = injected(parts) if self._last else parts  # without the turns before, the summary is all there is
            yield from self._turns(item, "assistant", parts, self._numbered(item))
        elif kind == "compacted":
            yield Skipped(kind, item.where)
        elif kind == "event_msg":
            yield self._event(item, payload)
        else:
            yield from self._item(item, payload, (text_of(payload, "type") or kind) if raw is not None else kind)

    def _bare(self, item: JsonRecord) -> Iterator[ImportRecord]:
        """A record without a type: the session header of an older file, or a note of its state."""
        if text_of(item.value, "record_type"):
            yield Skipped(f"record_type:{text_of(item.value, 'record_type')}", item.where)
        elif text_of(item.value, "id") and "timestamp" in item.value:
            self._name(item.value)
            yield Skipped("session_meta", item.where)
        else:
            yield Rejection(where=item.where, reason="no record of Codex: it has no type")

    def _name(self, meta: Payload) -> None:
        """Takes the session's name from the first session record; later ones are copies from a forked session."""
        if self._is_named:
            return
        self._is_named = True
        self._own = text_of(meta, "id") or self._own
        self._parent_thread = _spawned_by(meta)
        self._session = self._source.session_for(self._own)
        if self._parent_thread and self._source.session:
            self._branch = f"{SUBAGENTS}{self._own}"
        self._note(meta)
        git = dict_of(meta, "git")
        self._context |= without_none(git_branch=text_of(git, "branch"), forked_from=text_of(meta, "forked_from_id"))

    def _note(self, payload: Payload) -> None:
        self._context |= without_none(cwd=text_of(payload, "cwd"), model=text_of(payload, "model"))

    def _event(self, item: JsonRecord, payload: Payload) -> ImportRecord:
        kind = text_of(payload, "type") or "unknown"
        count = payload.get("num_turns")
        if kind == "thread_rolled_back" and isinstance(count, int) and 0 < count <= len(self._before_prompts):
            self._parent = self._before_prompts[-count]
            del self._before_prompts[-count:]
            self._branch = f"rollback:{item.place}"
        return Skipped(f"event_msg:{kind}", item.where)

    def _item(self, item: JsonRecord, payload: Payload, kind: str) -> Iterator[ImportRecord]:
        found = item_parts({**payload, "type": kind})
        if found is None or (kind == "reasoning" and not found[1]):
            yield Skipped(kind if found is None else "reasoning without text", item.where)
            return
        role, parts = found
        call_id = text_of(payload, "call_id")
        external_id = self._numbered(item) if call_id is None else f"{call_id}:output" if role == "tool" else call_id
        if role == "developer":
            parts = injected(parts)
        elif role == "user":
            parts = split_attached(mark_injected(parts, marks.CODEX))
            if any(part.type != "injected" for part in parts):
                self._before_prompts.append(self._last)
        yield from self._turns(item, role, parts, external_id)

    def _turns(self, item: JsonRecord, role: str, parts: tuple[Part, ...], external_id: str) -> Iterator[ImportRecord]:
        message = ImportedMessage(
            skip_blank=True,
            source=NAME,
            session=self._session,
            role=role,
            parts=self._calls.name(parts),
            at=first_of(item.value, "timestamp"),
            external_id=external_id,
            parent=self._parent,
            branch=self._branch,
            origin="assistant" if role == "user" and self._parent_thread else None,
            metadata=dict(self._context),
        )
        self._parent, self._last = None, last_id(message) or self._last
        yield from message_turns(message, item.where)

    def _numbered(self, item: JsonRecord) -> str:
        raw = dict_of(item.value, "payload") or item.value
        return text_of(raw, "id") or f"{self._own}:{item.place}"


def _spawned_by(meta: Payload) -> str | None:
    """The session that a subagent works for: `source.subagent.thread_spawn.parent_thread_id`."""
    spawn = dict_of(dict_of(dict_of(meta, "source"), "subagent"), "thread_spawn")
    return text_of(spawn, "parent_thread_id")
