"""Lists of messages: OpenAI's and Anthropic's, and the loose forms that people write: JSON arrays and JSONL.

One reader serves all, because each message shows its own form. Messages come in a list, one on each line, or inside
conversations (`messages`, `traj`, `conversations`, ...) that come in these ways. A message without a session goes to
the file's session; a conversation without an id is named by its position in the file.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from clew.errors import TurnRejected
from clew.ingest.export import ExportReader, is_exported, learned_in, quest_in
from clew.ingest.formats.blocks import to_parts
from clew.ingest.importers.file_shape import file_shape
from clew.ingest.importers.json_fields import dict_of, first_of, text_of, without_none
from clew.ingest.importers.message_fields import IDS, READ, SESSIONS, TEXTS, TIMES, read_message
from clew.ingest.importers.message_turns import ImportedMessage, ToolNames, asked_in, has_content, message_turns
from clew.ingest.importers.record import ImportedTurn, ImportRecord, Skipped
from clew.ingest.importers.source import JsonRecord, Source, json_document, json_header, json_lines, json_list
from clew.types import Rejection

OPENAI, ANTHROPIC, LOOSE = "openai-messages", "anthropic-messages", "jsonl"

LISTS = ("messages", "traj", "trajectory", "conversation", "conversations", "dialog", "dialogue", "input", "output")
"""Where a conversation keeps its messages."""

_LONGEST_HEADER = 4 << 20

JsonObject = Mapping[str, Any]


def read(source: Source, name: str) -> Iterator[ImportRecord]:
    """Reads one file of messages; `name` becomes the source of its turns."""
    shape = file_shape(source)
    reader = _MessageReader(source, name)
    if shape.kind == "list":
        yield from reader.records(json_list(source, None))
    elif shape.kind != "object":
        yield from reader.records(json_lines(source))
    else:
        header = json_header(source, _LONGEST_HEADER)
        keys = [key for key in LISTS if any(path.startswith(f"{key}.[]") for path in shape.paths)]
        if not keys:
            yield from reader.records(iter([json_document(source)]))
            return
        reader.session = source.session_for(text_of(header, *SESSIONS, *IDS))
        yield from reader.opening(header, source.label)
        for key in keys:
            yield from reader.records(json_list(source, key))


class _MessageReader:
    """Reads messages, one session after the other."""

    def __init__(self, source: Source, name: str) -> None:
        self.session = source.session_for(None)
        self._source = source
        self._name = name
        self._title: str | None = None
        self._calls = ToolNames()
        self._exported = ExportReader()

    def records(self, items: Iterator[JsonRecord | Rejection]) -> Iterator[ImportRecord]:
        """Reads each item: a message, or a conversation with all its messages."""
        for item in items:
            if isinstance(item, Rejection):
                yield item
            elif is_exported(item.value):
                yield from self._own(item)
            elif key := _list_in(item.value):
                yield from self._conversation(item, key)
            else:
                yield from self._message(item.value, item.where)

    def opening(self, value: JsonObject, where: str) -> Iterator[ImportRecord]:
        """Reads what a conversation has before its messages: its title, and the instructions to the assistant."""
        self._title = text_of(value, "title")
        for key in ("system", "instructions", "input"):
            parts = to_parts(value.get(key)) if key != "input" or isinstance(value.get(key), str) else ()
            if parts:
                message = ImportedMessage(
                    source=self._name,
                    session=self.session,
                    role="user" if key == "input" else "system",
                    parts=parts,
                    metadata=without_none(title=self._title),
                )
                yield from message_turns(message, f"{where}:{key}")

    def _conversation(self, item: JsonRecord, key: str) -> Iterator[ImportRecord]:
        own = text_of(item.value, *SESSIONS, *IDS) or f"{self._source.stem}:{item.place}"
        outer, self.session = self.session, self._source.session_for(own)
        yield from self.opening(item.value, item.where)
        for n, raw in enumerate(item.value[key]):
            where = f"{item.where}.{key}[{n}]"
            if isinstance(raw, dict):
                yield from self._message(raw, where)
            else:
                yield Rejection(where=where, reason=f"expected a message, found {type(raw).__name__} {raw!r:.40}")
        self.session = outer

    def _own(self, item: JsonRecord) -> Iterator[ImportRecord]:
        learned = learned_in(item.value)
        if learned is not None:
            yield Skipped("learned values", item.where, learned)
            return
        quest = quest_in(item.value)
        if quest is not None:
            session = str(quest.get("session", ""))
            own = {**quest, "session": self._source.session_for(session) if session else ""}
            yield Skipped("record of a quest", item.where, quest=own)
            return
        try:
            turn = self._exported.turn(item.value)
        except TurnRejected as error:
            yield Rejection(where=item.where, reason=str(error))
            return
        if turn is None:
            yield Skipped("original of the next turn", item.where)
        else:
            session = self._source.session_for(turn.session)
            turn = turn if session == turn.session else replace(turn, session=session)
            yield ImportedTurn(turn, item.where, names_session=True)

    def _message(self, value: JsonObject, where: str) -> Iterator[ImportRecord]:
        inner = dict_of(value, "message")
        if inner:
            value = {**{name: raw for name, raw in value.items() if name != "message"}, **inner}
        try:
            role, parts, speaker = read_message(value)
        except TurnRejected as error:
            yield Rejection(where=where, reason=str(error))
            return
        content = first_of(value, *TEXTS)
        if not (has_content(parts) or isinstance(content, str | list | None)):
            expected = "expected text or a list of blocks"
            yield Rejection(where=where, reason=f"the content is {type(content).__name__} {content!r:.40}; {expected}")
            return
        if role == "user":
            parts = asked_in(parts)
        own = text_of(value, *SESSIONS)
        message = ImportedMessage(
            source=self._name,
            session=self._source.session_for(own) if own else self.session,
            role=role,
            parts=self._calls.name(parts),
            at=first_of(value, *TIMES),
            external_id=text_of(value, *IDS),
            speaker=speaker,
            parent=text_of(value, "parent"),
            branch=text_of(value, "branch") or "",
            origin=value.get("origin"),
            metadata=self._metadata(value),
        )
        yield from message_turns(message, where)

    def _metadata(self, value: JsonObject) -> dict[str, Any]:
        """The message's own metadata, and every member that is not read otherwise."""
        rest = {name: raw for name, raw in value.items() if name not in READ and raw is not None}
        return {**without_none(title=self._title), **rest, **dict_of(value, "metadata")}


def _list_in(value: JsonObject) -> str | None:
    """The member that holds the messages of a conversation; None if the value is a message itself."""
    if any(name in value for name in ("role", "text")):
        return None
    lists = (key for key in LISTS if isinstance(value.get(key), list))
    return next((key for key in lists if any(isinstance(raw, dict) for raw in value[key])), None)
