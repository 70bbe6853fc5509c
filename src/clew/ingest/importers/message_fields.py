"""Reads the role, parts and speaker of one message: OpenAI's, Anthropic's, Gemini's, and loose records."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from clew.errors import TurnRejected
from clew.ingest.formats.blocks import call_part, result_parts, to_parts
from clew.ingest.formats.responses import item_parts
from clew.ingest.importers.json_fields import dict_of, first_of, objects_of, text_of
from clew.ingest.importers.message_turns import ROLES
from clew.types import Part

TEXTS = ("content", "text", "value", "message", "body", "utterance", "parts")
"""Members that may hold a message's content."""

TIMES = (
    *("at", "timestamp", "created_at", "create_time", "datetime", "date", "time", "ts"),
    *("sent_at", "timestamp_ms", "createdAt", "sentAt"),
)
IDS = ("external_id", "id", "uuid", "message_id", "dia_id")
SESSIONS = (
    *("session", "session_id", "sessionId", "conversation_id", "conversationId", "conversation"),
    *("thread_id", "chat_id"),
)
_ROLES = ("role", "from", "sender")
_SPEAKERS = ("speaker", "name", "author", "username", "user_name", "sender_name")
_A_NAME = re.compile(r"[^a-z_\-]")  # roles are words of small letters; a name has a capital, a blank or another script
_CALLING = ("tool_calls", "function_call", "tool_call_id", "refusal", "reasoning_content", "reasoning", "audio")
_FIELDS = ("branch", "parent", "origin", "metadata", "type")

READ = frozenset((*TEXTS, *TIMES, *IDS, *SESSIONS, *_ROLES, *_SPEAKERS, *_CALLING, *_FIELDS))
"""Members that are read; all others are kept in the turn's metadata."""

_OF_WORDS = frozenset(("role", "content"))
"""All members of most messages of a request."""
_SPOKEN = ("user", "assistant", "system")

JsonObject = Mapping[str, Any]


class MessageContent(NamedTuple):
    """What a message of another program is, before it is a turn.

    Attributes:
        role: as the source writes it.
        speaker: the name of a person, if the source names one.
    """

    role: str
    parts: tuple[Part, ...]
    speaker: str | None = None


def read_message(value: JsonObject) -> MessageContent:
    """The content of a message in any of the shapes that are known.

    Raises:
        TurnRejected: it is not a message: it has neither a role nor a text.
    """
    if value.keys() == _OF_WORDS and value["role"] in _SPOKEN:  # as below, in a third of the time
        return MessageContent(value["role"], to_parts(value["content"]))
    role = text_of(value, *_ROLES) or text_of(dict_of(value, "author"), "role")
    speaker = text_of(value, *_SPEAKERS) or text_of(dict_of(value, "author"), "name")
    if role is not None and "role" not in value and role.strip().lower() not in ROLES and _A_NAME.search(role):
        role, speaker = None, speaker or role  # `from` and `sender` name people, too
    if role is None or value.get("type") in ("message", "reasoning"):
        parts = item_parts(value)
        if parts is not None:
            return MessageContent(*parts)
    if role is None and first_of(value, *TEXTS) is None:
        raise TurnRejected(
            f"no message: expected role and content, found {', '.join(map(repr, [*value][:8])) or 'nothing'}"
        )
    if role is None:
        role = speaker if speaker is not None and speaker.strip().lower() in ROLES else "user"
    if speaker is not None and speaker.strip().lower() in ROLES:
        speaker = None
    if role.strip().lower() in ("tool", "function"):
        content = first_of(value, *TEXTS)
        return MessageContent(role, result_parts(content, value.get("tool_call_id"), name=speaker))
    return MessageContent(role, tuple(_parts(value)), speaker)


def _parts(value: JsonObject) -> Iterator[Part]:
    """The parts of a message in the order in which they were made: reasoning, text, calls."""
    reasoning = text_of(value, "reasoning_content", "reasoning")
    if reasoning is not None:
        yield Part(type="thinking", text=reasoning)
    yield from to_parts(first_of(value, *TEXTS))
    spoken = text_of(dict_of(value, "audio"), "transcript")
    if spoken is not None:
        yield Part(type="text", text=spoken, extra={"spoken": True})
    refusal = text_of(value, "refusal")
    if refusal is not None:
        yield Part(type="text", text=refusal, extra={"refusal": True})
    yield from map(_call, objects_of(value, "tool_calls"))
    legacy = dict_of(value, "function_call")
    if legacy:
        yield call_part(legacy.get("name"), legacy.get("arguments", {}), None)


def _call(call: JsonObject) -> Part:
    """A call as `{id, function: {name, arguments}}`, `{id, custom: {name, input}}`, or `{id, name, arguments}`."""
    raw = dict_of(call, "function") or dict_of(call, "custom") or call
    return call_part(raw.get("name"), first_of(raw, "arguments", "input", "args") or {}, call.get("id"))
