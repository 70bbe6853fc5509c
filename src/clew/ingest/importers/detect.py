"""Detects the format of a file from its shape, by the members that only one format has."""

from collections.abc import Callable

from clew.errors import FormatError
from clew.ingest.importers import (
    aider,
    chatgpt,
    claude_code,
    claude_export,
    codex,
    copilot_cli,
    cursor,
    gemini_cli,
    gemini_takeout,
    instructions,
    letta,
    markdown,
    mem0,
    messenger,
    open_webui,
    opencode,
    openhands,
    plain_text,
    slack,
    specstory,
    subtitles,
    swe_agent,
    telegram,
    vscode,
    zep,
)
from clew.ingest.importers.file_shape import JSON_SUFFIXES, PREFIX, FileShape, file_shape
from clew.ingest.importers.messages import ANTHROPIC, LISTS, LOOSE, OPENAI
from clew.ingest.importers.source import Source, json_document, parse
from clew.types import Rejection

_ZIP = b"PK\3\4"
_MARKDOWN_SUFFIXES = (".md", ".markdown")
_WAYS = ("", *(f"{key}.[]." for key in LISTS))  # to the messages: at the top, or in a conversation
_ANTHROPIC_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking", "document")
_OPENAI_NAMES = ("tool_calls", "tool_call_id", "function_call", "role=tool", "role=developer", "type=function_call")
_SMALL = 1 << 16  # bytes
_HEAD = 1 << 10  # likewise
_OPENAI_BLOCKS = ("image_url", "input_text", "output_text", "input_image", "input_audio", "refusal")
_LOOSE_NAMES = ("speaker", "session", "session_id", "conversation_id", "at", "timestamp", "created_at", "text", "id")


def detect_source(source: Source) -> str:
    """The name of a file's format.

    Raises:
        FormatError: the format is unknown.
    """
    if cursor.is_cursor(source):
        return cursor.NAME
    shape = file_shape(source)
    if shape.kind == "binary":
        with source.open() as stream:
            if stream.read(len(_ZIP)) == _ZIP:
                raise FormatError(f"{source.label} is a damaged zip: its end is missing; fetch or pack it again")
        raise FormatError(f"{source.label} is not text; expected a conversation as JSON, JSONL, Markdown or text")
    is_markdown = source.label.lower().endswith(_MARKDOWN_SUFFIXES)
    is_text = shape.kind == "text" or (is_markdown and shape.kind == "lines")  # an example may be a line of JSON
    known = next((name for name, begins in _TEXTS if begins(source)), None) if is_text else None
    if known is not None:
        return known
    if is_text and _is_page(source):
        raise FormatError(
            f"{source.label} is an HTML page, whose markup would be read as words; export the conversation as JSON or "
            "text, or copy what the page shows into a text file"
        )
    if is_text and (bare := _bare_values(source)) is not None:
        raise FormatError(
            f"{source.label} holds {bare}, of which nothing can be read: expected JSON objects, one a turn, with text, "
            "role or speaker, session and at; words that are to be kept belong in a text file (.txt)"
        )
    if is_text or shape.kind == "empty":
        return markdown.NAME if is_markdown else plain_text.NAME
    found = next((name for name, has_signs in _SIGNS if has_signs(shape)), None) or _messages(shape)
    if found is None:
        raise _unknown(source, shape)
    return found


def _unknown(source: Source, shape: FileShape) -> FormatError:
    """Why JSON holds no conversation, as far as that can be told."""
    if shape.kind != "lines" and (empty := _emptiness(source)) is not None:
        return FormatError(f"{source.label} holds no turns: {empty}; there is nothing to import")
    if not shape.paths and isinstance(broken := json_document(source), Rejection):
        return FormatError(f"{source.label} holds no conversation: {broken.reason}")
    if slack.is_listing(source):
        return FormatError(
            f"{source.label} lists users or channels of a Slack workspace, no messages; import the folder or the "
            "zip of the export"
        )
    seen = ", ".join(sorted(path for path in shape.paths if "." not in path and "=" not in path)[:8])
    return FormatError(
        f"{source.label} holds JSON of no known format (members: {seen or 'none'}); "
        "name the format if it is one of those that `clew import --help` lists, or write one JSON object a turn, "
        "with text, role or speaker, session and at"
    )


def _is_page(source: Source) -> bool:
    """Whether a text begins as a page of HTML does, and its name says so or it declares itself one."""
    with source.open() as stream:
        head = stream.read(_HEAD).lstrip().lower()
    is_named = source.label.lower().endswith((".html", ".htm"))
    return head.startswith(b"<!doctype html") or (is_named and head.startswith(b"<"))


def _bare_values(source: Source) -> str | None:
    """What a file called JSON holds if all is null, numbers, strings, true and false; None for any other text."""
    if not source.label.lower().endswith(JSON_SUFFIXES):
        return None
    with source.open() as stream:
        data = stream.read(PREFIX + 1)
    whole = data if len(data) <= PREFIX else data[: data.rfind(b"\n") + 1]
    written = [line.strip() for line in whole.splitlines() if line.strip()]
    try:
        values = [parse(line) for line in written]
    except ValueError:
        return None  # some program calls its text so
    if not values or any(isinstance(value, (dict, list)) for value in values):
        return None
    first = written[0].decode("utf-8", "replace")
    return f"nothing but the JSON value {first:.40}" + (" and others without members" if len(values) > 1 else "")


def _emptiness(source: Source) -> str | None:
    """What is empty in a small JSON document whose list, lists or members are all empty; None if something is in it."""
    with source.open() as stream:
        data = stream.read(_SMALL + 1)
    if len(data) > _SMALL:
        return None
    try:
        document = parse(data)
    except ValueError:
        return None
    if document in ([], {}):
        return f"its JSON {'list' if document == [] else 'object'} is empty"
    if not isinstance(document, dict) or any(isinstance(value, list) and value for value in document.values()):
        return None
    names = [name for name, value in document.items() if value == []]
    return f"the list {names[0]!r:.60} is empty" if names else None


def _is_claude_code(shape: FileShape) -> bool:
    is_record = shape.has("type", "sessionId") and shape.has_any("uuid", "message", "operation")
    return is_record or shape.has_any("leafUuid", "type=file-history-snapshot", "type=queue-operation")


def _is_codex(shape: FileShape) -> bool:
    return shape.has("type", "payload") or shape.has("id", "timestamp", "instructions") or shape.has("record_type")


def _is_copilot_cli(shape: FileShape) -> bool:
    return shape.has("type", "data", "parentId", "timestamp")


def _is_vscode(shape: FileShape) -> bool:
    """A session as a whole, or the first line of a log of changes to it."""
    is_whole = shape.has_any("responderUsername", "requesterUsername", "requests.[].requestId")
    return (shape.has("requests") and is_whole) or (
        shape.has("kind", "v") and shape.has_any("v.requests", "v.sessionId")
    )


def _is_opencode(shape: FileShape) -> bool:
    return shape.has("info", "messages.[].info")  # the parts may begin late: a message's changed files are before them


def _is_gemini_cli(shape: FileShape) -> bool:
    return (
        shape.has_any("$set", "$rewindTo")
        or shape.has("sessionId", "projectHash")
        or (shape.kind == "list" and shape.has("sessionId", "messageId", "message"))
    )


def _is_chatgpt(shape: FileShape) -> bool:
    return shape.has("mapping") or shape.has("conversations.[].mapping")


def _is_claude_export(shape: FileShape) -> bool:
    return shape.has_any("chat_messages", "conversations.[].chat_messages")


def _is_openhands(shape: FileShape) -> bool:
    if shape.has("kind", "source", "timestamp"):  # its SDK
        of_model = shape.has_any("llm_message", "system_prompt", "forgotten_event_ids")
        if of_model or shape.has("tool_name", "tool_call_id"):
            return True
    return any(
        (
            shape.has_any(f"{way}observation", f"{way}action")
            and shape.has_any(f"{way}args", f"{way}extras", f"{way}cause")
        )
        or shape.has(f"{way}action", f"{way}thought", f"{way}observation")
        for way in ("", "history.[].")
    ) and not shape.has("trajectory")


def _is_swe_agent(shape: FileShape) -> bool:
    return shape.has("trajectory.[].action", "trajectory.[].observation")


def _is_gemini_takeout(shape: FileShape) -> bool:
    return shape.kind == "list" and shape.has("header", "title", "time", "products")


def _is_open_webui(shape: FileShape) -> bool:
    """A chat with its tree of messages, or an old one with a list and the models that answered."""
    ways = ("", "chat.")
    return any(
        shape.has(f"{way}history.currentId") or shape.has(f"{way}history.messages", f"{way}models") for way in ways
    ) or shape.has("chat.messages", "chat.models")


def _is_letta(shape: FileShape) -> bool:
    is_file = shape.has("agents.[].messages") or shape.has("core_memory", "agent_type")
    return is_file or (shape.kind in ("list", "lines") and shape.has("message_type", "date"))


def _is_mem0(shape: FileShape) -> bool:
    """A memory with its hash or owner; OpenMemory's have a state and categories."""
    return any(
        shape.has(f"{way}memory", f"{way}id") or shape.has(f"{way}content", f"{way}state", f"{way}{labels}")
        for way in ("", *(f"{key}.[]." for key in mem0.LISTS))
        for labels in ("categories", "category_ids")
    )


def _is_zep(shape: FileShape) -> bool:
    """Facts and summaries of the graph, messages with the kind of their role or of a thread, or a dump of them."""
    return (
        any(
            shape.has(f"{way}fact", f"{way}source_node_uuid")
            or shape.has(f"{way}uuid", f"{way}summary", f"{way}labels")
            for way in ("", "edges.[].", "facts.[].", "nodes.[].")
        )
        or any(
            shape.has(f"{way}role_type", f"{way}content") or shape.has(f"{way}uuid", f"{way}processed", f"{way}content")
            for way in ("", "messages.[].", "episodes.[].", "threads.[].messages.[].", "sessions.[].messages.[].")
        )
        or shape.has("messages.[].uuid", "row_count", "total_count")
    )


def _is_slack(shape: FileShape) -> bool:
    """A day of a channel: messages with the time that is their id, by users or programs of the workspace."""
    return shape.kind == "list" and shape.has("type=message", "ts") and shape.has_any("user", "bot_id", "username")


def _is_telegram(shape: FileShape) -> bool:
    return any(shape.has(f"{way}messages.[].date", f"{way}messages.[].type") for way in ("", "chats.list.[].")) and (
        shape.has_any("messages.[].from_id", "messages.[].actor_id", "messages.[].date_unixtime", "chats.list")
    )


def _is_messenger(shape: FileShape) -> bool:
    return shape.has("messages.[].sender_name", "messages.[].timestamp_ms")


def _is_export(shape: FileShape) -> bool:
    return shape.has("role", "content", "session", "origin") or shape.has("blob", "data")


_TEXTS: tuple[tuple[str, Callable[[Source], bool]], ...] = (
    (aider.NAME, aider.is_aider),
    (specstory.NAME, specstory.is_specstory),
    (subtitles.NAME, subtitles.is_subtitles),
    (instructions.NAME, instructions.is_instructions),
)
"""Texts that one program alone writes, by how they begin or what they are called."""

_SIGNS: tuple[tuple[str, Callable[[FileShape], bool]], ...] = (
    (LOOSE, _is_export),
    (claude_export.NAME, _is_claude_export),
    (chatgpt.NAME, _is_chatgpt),
    (open_webui.NAME, _is_open_webui),
    (gemini_cli.NAME, _is_gemini_cli),
    (claude_code.NAME, _is_claude_code),
    (codex.NAME, _is_codex),
    (copilot_cli.NAME, _is_copilot_cli),
    (vscode.NAME, _is_vscode),
    (opencode.NAME, _is_opencode),
    (swe_agent.NAME, _is_swe_agent),
    (openhands.NAME, _is_openhands),
    (gemini_takeout.NAME, _is_gemini_takeout),
    (letta.NAME, _is_letta),
    (zep.NAME, _is_zep),
    (mem0.NAME, _is_mem0),
    (slack.NAME, _is_slack),
    (telegram.NAME, _is_telegram),
    (messenger.NAME, _is_messenger),
)


def _messages(shape: FileShape) -> str | None:
    """Which provider's message list it is: by members that only one provider writes, or that loose records add."""
    if _has(shape, *(f"content.[].type={block}" for block in _ANTHROPIC_BLOCKS), "content.[].source"):
        return ANTHROPIC
    if _has(shape, *_OPENAI_NAMES, *(f"content.[].type={block}" for block in _OPENAI_BLOCKS)):
        return OPENAI
    if not _has(shape, "role", "from", "sender", "speaker", "text", "content", "utterance"):
        return None
    if shape.has("system") and shape.kind == "object":
        return ANTHROPIC
    return LOOSE if shape.kind == "lines" or _has(shape, *_LOOSE_NAMES) else OPENAI


def _has(shape: FileShape, *names: str) -> bool:
    return shape.has_any(*(way + name for way in _WAYS for name in names))
