"""Recognises the programs that send requests, their own ids of conversations, and requests that are no turn of one.

What is not known for certain is left open: a wrong id would merge two conversations, and a turn that is taken for a
side request would be forgotten, whereas an unknown program only has its conversations found by their history.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.condense.wires.protocol import Message, blocks, text_of
from clew.serve.proxy import client_shapes as shapes
from clew.serve.proxy.exchange import ChatRequest, ClientMark, SideRequest
from clew.serve.proxy.wires.reading import output_limits, without_query
from clew.serve.proxy.wires.responses import COMPACT, RESPONSES

_LONGEST_ID: Final = 200
_CLAUDE_SESSION: Final = re.compile(r"_session_([0-9a-fA-F-]{8,64})$")
_BILLING: Final = "x-anthropic-billing-header:"
_CLASSES: Final = {"compaction": SideRequest.COMPACTION, "auxiliary": SideRequest.AUXILIARY}
"""Values of Claude Code's `x-claude-code-request-class` that are not turns."""
_HEAD: Final = 400
"""Characters of the instructions in which a program names itself."""
_OPENING: Final = 2
"""Messages in which a program tells about its surroundings."""
_SIDE_QUESTIONS: Final = tuple(mark.words for mark in shapes.SIDE_MARKS if mark.where == "question")
_SIDE_INSTRUCTIONS: Final = tuple(mark.words for mark in shapes.SIDE_MARKS if mark.where == "instructions")
_FOLDER_END: Final = re.compile(r"[\n\r<]|\) Files")


def recognised(request: ChatRequest) -> ClientMark:
    """What a request tells of the program that sent it, in whatever format."""
    question = _last_question(request)
    mark = _side_mark(request.system, question)
    name = _name(request) or (mark.client if mark else "")
    side = _side_of_path(request) or _side_of_headers(request, name) or (mark.kind if mark else None)
    side = side or _warm_up(request, question) or _unstreamed_errand(request)
    subagent = _is_subagent(request, name) or (side is None and _is_old_subagent(request))
    session = _session(request, name, subagent=subagent)
    folder = _folder(request, name)
    main = _id(_main_session(request)) if name == "claude-code" and subagent and session is None else None
    return ClientMark(name=name, session=session, side=side, subagent=subagent, folder=folder, main=main)


def _by_agent(request: ChatRequest) -> str:
    """The name of the program, or of its library, by `User-Agent`; empty where that tells none."""
    agent = request.headers.get("user-agent", "").lower()
    return next((name for start, name in shapes.AGENTS if agent.startswith(start)), "")


def _name(request: ChatRequest) -> str:
    headers, by_agent = request.headers, _by_agent(request)
    if by_agent and by_agent not in shapes.SDKS:
        return by_agent
    title = headers.get("x-title", "").lower()
    names = (
        *(name for header, name in shapes.HEADERS if header in headers),
        *(name for value, name in shapes.TITLES if title == value),
        *(["codex"] if headers.get("originator", "").lower().startswith("codex") else []),
        *_named_in_text(request),
        by_agent,
    )
    return names[0]


def _named_in_text(request: ChatRequest) -> Iterator[str]:
    """The names that the instructions tell, or the id of the user."""
    system = request.system.lstrip()
    yield from (name for words, name in shapes.INSTRUCTIONS if system.startswith(words))
    yield from (name for words, name in shapes.IN_INSTRUCTIONS if words in system[:_HEAD])
    if _claude_session(request):
        yield "claude-code"


def _session(request: ChatRequest, name: str, *, subagent: bool) -> str | None:
    """The program's own id of the conversation; a sub-agent has one of its own, or none that is known."""
    session = _claude_code_session(request, subagent=subagent) if name == "claude-code" else None
    if name == "codex":
        session = _codex_session(request)
    if name == "cline":
        session = request.headers.get("x-task-id")
    if name == "opencode":  # elsewhere this header may name a user's session of several conversations
        session = request.headers.get("x-session-id")
    return _id(session) or (None if subagent else _told_session(request))


def _told_session(request: ChatRequest) -> str | None:
    """An id by a header or member that means one conversation, whoever sends it."""
    metadata = request.value.get("metadata")
    told = metadata if isinstance(metadata, dict) else {}
    conversation = request.value.get("conversation")
    held = conversation.get("id") if isinstance(conversation, dict) else conversation
    given = (
        *(request.headers.get(header) for header in shapes.CONVERSATIONS),
        *(told.get(member) for member in shapes.METADATA),
        held if request.wire == "responses" else None,
    )
    return next((session for value in given if (session := _id(value)) is not None), None)


def _claude_code_session(request: ChatRequest, *, subagent: bool) -> str | None:
    session = _id(_main_session(request))
    agent = _id(request.headers.get("x-claude-code-agent-id"))
    if session is None or (subagent and agent is None):
        return None
    return f"{session}/{agent}" if agent else session


def _main_session(request: ChatRequest) -> str:
    """The session of Claude Code, for which its sub-agents work, too."""
    return request.headers.get("x-claude-code-session-id", "").strip() or _claude_session(request)


def _claude_session(request: ChatRequest) -> str:
    """The session in `metadata.user_id` (or `user`, behind a translating proxy): text, or in newer versions JSON."""
    metadata = request.value.get("metadata")
    user = text_of(metadata.get("user_id")) if isinstance(metadata, dict) else text_of(request.value.get("user"))
    match = _CLAUDE_SESSION.search(user)
    if match:
        return match[1]
    told = _json_object(user)
    return text_of(told.get("session_id")) if "device_id" in told or "account_uuid" in told else ""


def _codex_session(request: ChatRequest) -> str | None:
    """The thread, which a sub-agent has of its own; older versions name the session or the conversation alone."""
    metadata = request.value.get("client_metadata")
    told = metadata if isinstance(metadata, dict) else {}
    turn = _json_object(text_of(told.get("x-codex-turn-metadata")) or request.headers.get("x-codex-turn-metadata", ""))
    given = (
        request.headers.get("thread-id"),
        told.get("thread_id"),
        turn.get("thread_id"),
        *(request.headers.get(header) for header in ("conversation_id", "session_id", "session-id")),
        request.value.get("prompt_cache_key"),
    )
    return next((session for value in given if (session := _id(value)) is not None), None)


def _is_subagent(request: ChatRequest, name: str) -> bool:
    headers = request.headers
    if name == "claude-code":
        asked = headers.get("x-claude-code-request-class", "")
        head = request.system.lstrip()[:_HEAD]
        is_told = head.startswith(_BILLING) and "cc_is_subagent=true" in head
        is_told = is_told or any(line.startswith(shapes.SUBAGENTS) for line in _first_lines(request.system))
        is_told = is_told or shapes.SUBAGENT_NOTES in request.system
        return bool(headers.get("x-claude-code-agent-id", "").strip()) or asked in ("subagent", "workflow") or is_told
    return name == "codex" and bool(headers.get("x-openai-subagent", "").strip())


def _is_old_subagent(request: ChatRequest) -> bool:
    """Whether an agent asks that a person defined for Claude Code 1, which marks none: the main one has other words."""
    begins, holds, main = shapes.OLD_MAIN
    agent = request.headers.get("user-agent", "")
    return agent.startswith(begins) and holds in agent and bool(request.tools) and main not in request.system


def _side_of_path(request: ChatRequest) -> SideRequest | None:
    is_compaction = request.wire == RESPONSES.name and without_query(request.path).endswith(COMPACT)
    return SideRequest.COMPACTION if is_compaction else None


def _side_of_headers(request: ChatRequest, name: str) -> SideRequest | None:
    headers = request.headers
    if name == "claude-code":
        return _CLASSES.get(headers.get("x-claude-code-request-class", ""))
    if name == "codex":
        if headers.get("x-openai-subagent") == "compact":
            return SideRequest.COMPACTION
        if headers.get("x-openai-subagent") == "memory_consolidation" or "x-openai-memgen-request" in headers:
            return SideRequest.AUXILIARY
    return None


def _unstreamed_errand(request: ChatRequest) -> SideRequest | None:
    """Gemini CLI streams what it asks for its user and its agents, and nothing of what it asks for itself.

    Some of its errands carry the main instructions and have no words of their own: a search of the web is its query.
    """
    return SideRequest.AUXILIARY if _by_agent(request) == "gemini-cli" and not request.stream else None


def _side_mark(system: str, question: str) -> shapes.SideMark | None:
    """The mark of a request that a program makes for itself; its instructions may follow those that name it."""
    opening = question.lstrip()
    instructions = _first_lines(system)
    if not opening.startswith(_SIDE_QUESTIONS) and not any(map(_begins_aside, instructions)):
        return None  # as for most requests
    for mark in shapes.SIDE_MARKS:
        if mark.where == "question" and opening.startswith(mark.words):
            return mark
        if mark.where == "instructions" and any(line.startswith(mark.words) for line in instructions):
            return mark
    return None


def _begins_aside(line: str) -> bool:
    """Whether a line begins the instructions of a request that a program makes for itself."""
    return line.startswith(_SIDE_INSTRUCTIONS)


def _first_lines(system: str) -> tuple[str, ...]:
    """The lines with which the instructions begin, in which a program names itself and its task."""
    return tuple(line.lstrip() for line in system.lstrip().split("\n", 8)[:8])


def _warm_up(request: ChatRequest, question: str) -> SideRequest | None:
    """Whether a request asks for no answer to speak of: a probe of quota, or one that fills the provider's cache."""
    is_short = any(limit <= 1 for limit in output_limits(request.value))
    is_named = len(request.messages) == 1 and question.strip() == "Warmup"
    return SideRequest.WARM_UP if is_short or is_named or request.value.get("generate") is False else None


def _folder(request: ChatRequest, name: str) -> str | None:
    """The folder in which a program works, as its instructions or its first messages tell it."""
    if name not in shapes.TELL_FOLDERS:
        return None
    told = (request.system, *(text for message in request.messages[:_OPENING] for text in texts_in(message)))
    for text in told:
        for words in shapes.FOLDERS:
            _, found, rest = text.partition(words)
            if found and (path := _FOLDER_END.split(rest, maxsplit=1)[0].strip()):
                return path
    return None


def _last_question(request: ChatRequest) -> str:
    """The last text of the last message, when it is a user's."""
    if not request.messages or request.messages[-1].get("role", "user") != "user":
        return ""
    texts = texts_in(request.messages[-1])
    return texts[-1] if texts else ""


def texts_in(message: Message) -> list[str]:
    """The texts of a message, in order."""
    content = message.get("content", message.get("parts"))
    if isinstance(content, str):
        return [content]
    return [text for block in blocks(content) if (text := text_of(block.get("text")))]


def _id(value: object) -> str | None:
    """An id as it came; None for one that is empty, too long, or holds what no id holds."""
    text = value.strip() if isinstance(value, str) else ""
    return text if text and len(text) <= _LONGEST_ID and text.isprintable() else None


def _json_object(text: str) -> Mapping[str, Any]:
    if not text.startswith("{"):
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # no JSON of a known shape
        return {}
    return value if isinstance(value, dict) else {}
