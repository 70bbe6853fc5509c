"""Claude Code's session files: one record on each line, joined by `parentUuid`.

Every message is a turn; several lines with one `message.id` are blocks of one answer, each with a uuid of its own. Text
that the client itself writes into the conversation (reminders, command output, compaction summaries) is `injected`.
A sub-agent that has an id is a session of its own, called as it is when it comes through the proxy; sidechains without
one are branches, and so is what follows when the person returns to an earlier message. All other records are skipped by
kind.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from clew.ingest import client_marks as marks
from clew.ingest.branches import SUBAGENTS
from clew.ingest.compaction import KnownHistory, compacted_tokens
from clew.ingest.formats.blocks import to_parts
from clew.ingest.importers.json_fields import dict_of, text_of, without_none
from clew.ingest.importers.message_turns import (
    ImportedMessage,
    ToolNames,
    injected,
    last_id,
    mark_injected,
    message_turns,
    split_attached,
    unsaid_command,
)
from clew.ingest.importers.record import QUEUED, Delivered, FileEnd, ImportRecord, SessionTitle, Skipped
from clew.ingest.importers.source import JsonRecord, Source, followed_json_lines
from clew.types import Origin, Part, Rejection

NAME = "claude-code"
_TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle"}
_AGENT = "agent:"
"""What the branch of a sub-agent with an id begins with, while a file is read; its turns are in no branch."""


def agent_session(session: str, agent: str) -> str:
    """The name of a sub-agent's session, by either way in which it comes."""
    return f"{NAME}/{session}/{agent}"


def agent_in(session: str) -> tuple[str, str] | None:
    """The session for which a sub-agent works and its id, told by the name of its own session; None for another."""
    main, _, agent = session.removeprefix(f"{NAME}/").rpartition("/")
    return (main, agent) if main and session == agent_session(main, agent) else None


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads one session file."""
    session = _SessionReader(source)
    for item in followed_json_lines(source):
        if isinstance(item, FileEnd):
            yield from session.finish()
            yield item
        elif isinstance(item, Rejection):
            yield item
        else:
            yield from session.record(item)
    yield from session.finish()


_TASK_NOTE: Final = re.compile(r'\s*\{\s*"task_id":')
"""How a note of the client opens that a task in the background has ended."""


@dataclass(slots=True)
class _BranchState:
    """How far one branch of the conversation was read."""

    last: str | None = None  # external id of the branch's last turn
    count: int = 0
    last_prompt: int = 0  # count at the person's last message


@dataclass(frozen=True, slots=True)
class _Position:
    """The position of a record: its branch, and the turn that it comes after."""

    branch: str
    last: str | None
    count: int


@dataclass(slots=True)
class _SessionReader:
    source: Source
    title: str | None = None
    calls: ToolNames = field(default_factory=ToolNames)
    positions: dict[str, _Position] = field(default_factory=dict)
    branches: dict[str, _BranchState] = field(default_factory=dict)
    queued: dict[str, JsonRecord] = field(default_factory=dict)
    removed: dict[str, tuple[JsonRecord, str | None]] = field(default_factory=dict)  # with the time of removal
    finished: dict[str, str] = field(default_factory=dict)  # queued messages that were given, with their ids
    known: KnownHistory = field(default_factory=KnownHistory)
    session: str | None = None
    late_title: SessionTitle | None = None

    def record(self, item: JsonRecord) -> Iterator[ImportRecord]:
        kind = item.value.get("type")
        if not isinstance(kind, str):
            yield Rejection(where=item.where, reason="no record of Claude Code: it has no type")
        elif kind in ("user", "assistant"):
            yield from self._message(item, kind)
        elif kind == "attachment":
            yield from self._attachment(item)
        elif kind == "system":
            yield from self._system(item)
        elif kind == "queue-operation":
            self._queue(item)
            yield self._skip(item, kind)
        else:
            self._note_title(kind, item)
            yield self._skip(item, kind)

    def _queue(self, item: JsonRecord) -> None:
        """Notes what was typed while the assistant worked, and that it was taken out of the queue.

        Of one text that is queued again, the first that was taken out counts: it may have been given already.
        """
        text = text_of(item.value, "content")
        if item.value.get("operation") == "enqueue" and text is not None:
            if not (marks.gives_a_setting(text) or _TASK_NOTE.match(text)):
                self.queued[text.strip()] = item
        elif item.value.get("operation") == "remove":
            for waiting, first in self.queued.items():
                self.removed.setdefault(waiting, (first, text_of(item.value, "timestamp")))
            self.queued.clear()

    def finish(self) -> Iterator[ImportRecord]:
        """The messages that were taken out of the queue and occur nowhere else in the file, and a late title.

        It is called again when a file that is followed has grown.
        """
        for text in self.removed:
            yield from self._given(text)
        if self.late_title is not None:
            yield self.late_title

    def _before_answer(self, at: str | None) -> Iterator[ImportRecord]:
        """The messages that were taken out of the queue before this answer, and so were seen by who gave it.

        A delivered one stands in the file between the queue's record and the answer, if it stands there at all.
        """
        for text, (_, removed_at) in self.removed.items():
            if at is None or removed_at is None or removed_at <= at:
                yield from self._given(text)

    def _given(self, text: str) -> Iterator[ImportRecord]:
        """A message of the queue, unless it was given already."""
        item, _ = self.removed[text]
        if text not in self.finished:
            self.finished[text] = f"{QUEUED}{text_of(item.value, 'timestamp') or item.place}"
            parts = mark_injected((Part(type="text", text=text),), marks.CLAUDE_CODE)
            message = ImportedMessage(
                source=NAME,
                session=self.source.session_for(text_of(item.value, "sessionId")),
                role="user",
                parts=parts,
                at=item.value.get("timestamp"),
                external_id=self.finished[text],
                metadata=self._metadata(item.value, None),
            )
            yield from message_turns(message, item.where)

    def _dequeue(self, item: JsonRecord, parts: tuple[Part, ...]) -> Iterator[ImportRecord]:
        """Forgets a queued message that came as a message of its own, and says so if it was given before."""
        for text in (part.text.strip() for part in parts):
            self.queued.pop(text, None)
            self.removed.pop(text, None)
            if text in self.finished:
                yield Delivered(self.finished.pop(text), item.where)

    def _message(self, item: JsonRecord, kind: str) -> Iterator[ImportRecord]:
        message = dict_of(item.value, "message")
        parts = self.calls.name(to_parts(message.get("content")))
        yield from self._dequeue(item, parts)
        if kind == "assistant" and item.value.get("isSidechain") is not True:
            yield from self._before_answer(text_of(item.value, "timestamp"))
        if item.value.get("isCompactSummary") is True and self._lacks_summarised():
            yield from self._turns(item, "assistant", parts, text_of(message, "model"))
            return
        self.known.has_messages = self.known.has_messages or kind == "assistant"
        self.known.chars += sum(len(part.text) for part in parts)
        if parts and all(part.type == "thinking" and not part.text for part in parts):
            yield self._skip(item, "thinking without text")
            return
        if _is_from_client(item.value, message):
            parts = injected(parts)
        elif kind == "user":
            parts = tuple(map(unsaid_command, split_attached(mark_injected(parts, marks.CLAUDE_CODE))))
        yield from self._turns(item, kind, parts, text_of(message, "model"))

    def _lacks_summarised(self) -> bool:
        """Whether most of what a summary replaces is not in this file; what follows counts for the next one."""
        lacks, self.known.chars = self.known.lacks_summarised, 0
        return lacks

    def _system(self, item: JsonRecord) -> Iterator[ImportRecord]:
        subtype = text_of(item.value, "subtype")
        if subtype != "compact_boundary":
            yield self._skip(item, f"system:{subtype or 'unknown'}")
            return
        self.known.compacted_tokens = compacted_tokens(dict_of(item.value, "compactMetadata"))
        text = text_of(item.value, "content") or "Conversation compacted"
        yield from self._turns(item, "system", (Part(type="injected", text=text),), None)

    def _attachment(self, item: JsonRecord) -> Iterator[ImportRecord]:
        """A message typed while the assistant worked, or a file mentioned in one; other attachments are skipped."""
        raw = dict_of(item.value, "attachment")
        kind = text_of(raw, "type") or "unknown"
        if kind == "queued_command":
            parts = to_parts(raw.get("prompt"))
            by_person = raw.get("commandMode", "prompt") == "prompt"
            yield from self._dequeue(item, parts)
            parts = mark_injected(parts, marks.CLAUDE_CODE) if by_person else injected(parts)
            yield from self._turns(item, "user", parts, None)
        elif kind == "file" and (text := text_of(dict_of(dict_of(raw, "content"), "file"), "content")):
            name = text_of(raw, "displayPath", "filename")
            yield from self._turns(item, "user", (Part(type="injected", text=text, name=name),), None)
        else:
            yield self._skip(item, f"attachment:{kind}")

    def _turns(self, item: JsonRecord, role: str, parts: tuple[Part, ...], model: str | None) -> Iterator[ImportRecord]:
        value = item.value
        uuid = text_of(value, "uuid")
        is_prompt = role == "user" and any(part.type in ("text", "image") and part.call_id is None for part in parts)
        before = self._before(value)
        branch = self._branch(value, before, is_prompt=is_prompt)
        state = self.branches.setdefault(branch, _BranchState())
        is_same = before is not None and (before.branch == branch or _AGENT not in before.branch + branch)
        agent = branch.removeprefix(_AGENT) if branch.startswith(_AGENT) else None
        session = self.source.session_for(text_of(value, "sessionId"))
        if agent is None:
            self.session, self.late_title = session, None
        message = ImportedMessage(
            skip_blank=True,
            source=NAME,
            session=session if agent is None else agent_session(session, agent),
            role=role,
            parts=parts,
            at=value.get("timestamp"),
            external_id=uuid,
            parent=before.last if before and before.last != state.last and is_same else None,
            branch=branch if agent is None else "",
            origin=_origin(value, role),
            metadata=self._metadata(value, model),
        )
        state.last = last_id(message) or state.last
        state.count += 1
        if is_prompt:
            state.last_prompt = state.count
        if uuid:
            self.positions[uuid] = _Position(branch, state.last, state.count)
        yield from message_turns(message, item.where)

    def _before(self, value: dict[str, Any]) -> _Position | None:
        return self.positions.get(text_of(value, "parentUuid", "logicalParentUuid") or "")

    def _branch(self, value: dict[str, Any], before: _Position | None, *, is_prompt: bool) -> str:
        """A record's branch: its sidechain, a new branch if the person went back, otherwise its parent's branch."""
        uuid, agent = text_of(value, "uuid") or "unknown", text_of(value, "agentId")
        if value.get("isSidechain") is True:
            if agent is not None:
                return f"{SUBAGENTS if self.source.session else _AGENT}{agent}"
            is_inside = before is not None and before.branch.startswith(SUBAGENTS)
            return before.branch if before and is_inside else f"{SUBAGENTS}{uuid}"
        if before is None:
            return ""
        if is_prompt and before.count < self.branches[before.branch].last_prompt:
            return f"rewind:{uuid}"
        return before.branch

    def _skip(self, item: JsonRecord, kind: str) -> Skipped:
        """Skips a record; its children are placed after the record before it."""
        uuid, before = text_of(item.value, "uuid"), self._before(item.value)
        if uuid and before:
            self.positions[uuid] = before
        return Skipped(kind, item.where)

    def _note_title(self, kind: str, item: JsonRecord) -> None:
        value, before = item.value, self.title
        if kind in _TITLES:
            self.title = text_of(value, _TITLES[kind]) or before
        elif kind == "summary" and text_of(value, "leafUuid") in self.positions:  # else it is of another session
            self.title = text_of(value, "summary") or before
        if self.title is not None and self.title != before and self.session is not None:
            self.late_title = SessionTitle(self.session, self.title, item.where)

    def _metadata(self, value: dict[str, Any], model: str | None) -> dict[str, Any]:
        compacted = dict_of(value, "compactMetadata")
        return without_none(
            title=self.title,
            model=model,
            cwd=text_of(value, "cwd"),
            git_branch=text_of(value, "gitBranch"),
            compacted=compacted or None,
            summary=True if value.get("isCompactSummary") is True else None,
        )


def _is_from_client(value: dict[str, Any], message: dict[str, Any]) -> bool:
    """Whether the client wrote the message itself: a note, a compaction summary, or an error report."""
    flags = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
    return any(value.get(flag) is True for flag in flags) or message.get("model") == "<synthetic>"


def _origin(value: dict[str, Any], role: str) -> Origin | None:
    """In a sidechain, the prompts come from the assistant of the main branch."""
    return "assistant" if role == "user" and value.get("isSidechain") is True else None
