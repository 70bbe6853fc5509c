"""Reads conversations from the files of other programs, record by record; start at `read_path`."""

import logging
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from clew.errors import FormatError, InputError
from clew.ingest.encoding import is_encodable
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
    messages,
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
from clew.ingest.importers.databases import Database, database_of
from clew.ingest.importers.detect import detect_source
from clew.ingest.importers.files import (
    UNREADABLE,
    file_end,
    file_source,
    find_sessions,
    find_sources,
    is_single,
)
from clew.ingest.importers.follow import FollowedFile
from clew.ingest.importers.record import (
    DATABASE,
    LISTING,
    QUEUED,
    UNKNOWN,
    UNSPOKEN,
    Delivered,
    FileEnd,
    ImportedTurn,
    ImportLimits,
    ImportRecord,
    IsUnchanged,
    SessionTitle,
    Skipped,
)
from clew.ingest.importers.source import Source
from clew.types import Rejection

__all__ = [
    "FORMATS",
    "QUEUED",
    "Delivered",
    "FileEnd",
    "FollowedFile",
    "ImportLimits",
    "ImportRecord",
    "ImportedTurn",
    "Importer",
    "SessionTitle",
    "Skipped",
    "detect",
    "file_end",
    "find_sessions",
    "follow",
    "is_single",
    "read_path",
]


log = logging.getLogger("clew.ingest")


@dataclass(frozen=True, slots=True)
class Importer:
    """One input format: its name, a short description, and the function that reads it."""

    name: str
    about: str
    read: Callable[[Source], Iterator[ImportRecord]]


_IMPORTERS = (
    Importer(claude_code.NAME, "Claude Code sessions (JSONL)", claude_code.read),
    Importer(codex.NAME, "Codex sessions (rollout JSONL)", codex.read),
    Importer(gemini_cli.NAME, "Gemini CLI sessions (JSON, JSONL) and logs", gemini_cli.read),
    Importer(copilot_cli.NAME, "GitHub Copilot CLI sessions (events.jsonl)", copilot_cli.read),
    Importer(vscode.NAME, "VS Code chats with GitHub Copilot (exported, or its session files)", vscode.read),
    Importer(opencode.NAME, "OpenCode sessions (what `opencode export` prints)", opencode.read),
    Importer(cursor.NAME, "Cursor sessions (state.vscdb)", cursor.read),
    Importer(aider.NAME, "Aider chat history (.aider.chat.history.md)", aider.read),
    Importer(specstory.NAME, "SpecStory histories (.specstory/history/*.md)", specstory.read),
    Importer(openhands.NAME, "OpenHands events (JSON, event files, output.jsonl)", openhands.read),
    Importer(swe_agent.NAME, "SWE-agent trajectories (.traj)", swe_agent.read),
    Importer(gemini_takeout.NAME, "Gemini in Google Takeout (My Activity, JSON)", gemini_takeout.read),
    Importer(chatgpt.NAME, "ChatGPT account export (zip or conversations.json)", chatgpt.read),
    Importer(claude_export.NAME, "Claude account export (zip or conversations.json)", claude_export.read),
    Importer(open_webui.NAME, "Open WebUI chat exports (JSON)", open_webui.read),
    Importer(mem0.NAME, "mem0 and OpenMemory exports (JSON, JSONL)", mem0.read),
    Importer(letta.NAME, "Letta agent files (.af) and messages", letta.read),
    Importer(zep.NAME, "Zep threads, episodes and facts (JSON)", zep.read),
    Importer(slack.NAME, "Slack workspace export (zip, or the days of a channel)", slack.read),
    Importer(telegram.NAME, "Telegram export (result.json)", telegram.read),
    Importer(messenger.NAME, "Facebook Messenger and Instagram messages (JSON)", messenger.read),
    Importer(instructions.NAME, "CLAUDE.md, AGENTS.md, GEMINI.md", instructions.read),
    Importer(
        messages.OPENAI,
        "OpenAI message lists (Chat Completions, Responses)",
        partial(messages.read, name=messages.OPENAI),
    ),
    Importer(messages.ANTHROPIC, "Anthropic message lists", partial(messages.read, name=messages.ANTHROPIC)),
    Importer(messages.LOOSE, "JSON or JSONL, a turn in each record", partial(messages.read, name=messages.LOOSE)),
    Importer(subtitles.NAME, "meetings as WebVTT or SubRip (Zoom, Teams, Meet)", subtitles.read),
    Importer(markdown.NAME, "Markdown transcripts", markdown.read),
    Importer(plain_text.NAME, "plain text, WhatsApp chats", plain_text.read),
)
FORMATS: Mapping[str, Importer] = MappingProxyType({importer.name: importer for importer in _IMPORTERS})
"""Every format by its name."""

_FOLLOWED = frozenset((claude_code.NAME, codex.NAME))
"""Formats that a program appends to line by line."""

_CALLED_AFTER_FILES = frozenset(
    (
        plain_text.NAME,
        markdown.NAME,
        subtitles.NAME,
        swe_agent.NAME,
        aider.NAME,
        specstory.NAME,
        messages.LOOSE,
        messages.OPENAI,
        messages.ANTHROPIC,
    )
)
"""Formats whose sessions are called after their file where they have no name of their own; Aider's after a second."""

_SPOKEN = {plain_text.NAME: plain_text.has_speakers, markdown.NAME: markdown.has_speakers}


def detect(path: Path) -> str:
    """The name of a file's format; for a directory or zip, of the first member whose format is known.

    Raises:
        FormatError: there is no file, or none of a known format.
    """
    for source in find_sources(path, None, ImportLimits()):
        if isinstance(source, Source) and is_single(path):
            return _format_of(source, None)
        if isinstance(source, Source) and isinstance(found := _member_format(source), str):
            return found
    raise FormatError(f"{path} holds no file of a known format; expected one of {', '.join(FORMATS)}")


def read_path(
    path: Path,
    format: str | None = None,  # noqa: A002 - the word that the command line uses
    *,
    session: str | None = None,
    limits: ImportLimits | None = None,
    is_unchanged: IsUnchanged | None = None,
) -> Iterator[ImportRecord]:
    """Reads a file, all files of a directory, or all members of a zip.

    Nothing is dropped silently: each record is a turn, a rejection with its reason, or skipped by kind. All texts can
    be encoded as UTF-8; what could not is escaped (`clew.ingest.encoding`). Only one record is in memory at a time.

    Args:
        format: a name of FORMATS; None detects each file's format from its first bytes. A text without speakers is
            then read only if its file was named itself.
        session: puts every turn into this session instead of the one that the source names.
        is_unchanged: tells files that need not be opened again; the others are each followed by a `FileEnd`.

    Raises:
        FormatError: nothing can be read at the path as a whole, or its format is unknown.
        InputError: the path or the session's name holds NUL or a lone surrogate.
    """
    _check_names(path, session)
    if format is not None and format not in FORMATS:
        raise FormatError(f"{format!r} is not a format; expected one of {', '.join(FORMATS)}")
    for source in find_sources(path, session, limits or ImportLimits(), is_unchanged):
        if not isinstance(source, Source):
            yield source
        elif is_single(path):
            yield from _read_file(source, _format_of(source, format))
        else:
            yield from _read_member(source, format)


def follow(
    path: Path,
    format: str | None = None,  # noqa: A002 - as above
    *,
    session: str | None = None,
    limits: ImportLimits | None = None,
) -> FollowedFile | None:
    """A file that can be read on when it has grown; None for a folder, a zip, and formats that are read as a whole.

    Raises:
        FormatError: see `read_path`.
        InputError: see `read_path`.
    """
    _check_names(path, session)
    if (format is not None and format not in _FOLLOWED) or not is_single(path):
        return None
    source = file_source(path, session, limits or ImportLimits())
    name = _format_of(source, format)
    try:
        can_go_on = name in _FOLLOWED and source.is_plain()
    except UNREADABLE as error:
        raise FormatError(f"{source.label} cannot be read: {error}") from error
    return FollowedFile(path, source, partial(_read_file, name=name)) if can_go_on else None


def _check_names(path: Path, session: str | None) -> None:
    """Refuses names that no file and no session can have."""
    try:
        is_path = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        is_path = False
    if not is_path:
        raise InputError(f"the path {str(path)!r} holds NUL or a lone surrogate; give the name of a file or folder")
    if session is not None and not is_encodable(session):
        raise InputError(f"the session name {session!r} holds NUL or a lone surrogate; give a name without them")


def _format_of(source: Source, name: str | None) -> str:
    """The name of the format of a file that was named itself: the one given, else the one detected."""
    try:
        if (database := _database(source, name)) is not None:
            raise FormatError(f"{source.label} {database.advice}")
        return name or detect_source(source)
    except UNREADABLE as error:
        raise FormatError(f"{source.label} cannot be read: {error}") from error


def _database(source: Source, name: str | None) -> Database | None:
    """The database that a file is, unless it is Cursor's or to be read as such."""
    found = database_of(source)
    if found is None or found.kind != DATABASE:
        return found
    return None if name == cursor.NAME or (name is None and cursor.is_cursor(source)) else found


def _read_member(source: Source, name: str | None) -> Iterator[ImportRecord]:
    """Reads one of many files; a file that cannot be read is reported and does not stop the others."""
    found = _member_format(source, name)
    if isinstance(found, str):
        yield from _read_file(source, found)
    else:
        yield found


def _member_format(source: Source, name: str | None = None) -> str | Skipped | Rejection:
    try:
        if (database := _database(source, name)) is not None:
            database.warn(source.label)
            return Skipped(database.kind, source.label)
        detected = name or detect_source(source)
        if name is None and detected in _SPOKEN and not _SPOKEN[detected](source):
            return Skipped(UNSPOKEN, source.label)
    except FormatError:
        return Skipped(LISTING if slack.is_listing(source) else UNKNOWN, source.label)
    except UNREADABLE as error:
        return Rejection(where=source.label, reason=f"cannot be read: {error}")
    return detected


def _read_file(source: Source, name: str) -> Iterator[ImportRecord]:
    try:
        if source.is_latin():
            log.warning("%s is not UTF-8; it was read as Windows-1252 (Latin-1)", source.label)
        for record in FORMATS[name].read(source):
            if isinstance(record, ImportedTurn) and (
                source.former is not None or _is_called_after(source, record, name)
            ):
                yield replace(record, chat=source.former or record.chat, file=source.file)
            else:
                yield record
    except UNREADABLE as error:
        yield Rejection(where=source.label, reason=f"reading stopped here: {error}")


def _is_called_after(source: Source, record: ImportedTurn, name: str) -> bool:
    """Whether nothing in the name of a turn's session tells it from another file's."""
    if source.session is not None or source.file is None or name not in _CALLED_AFTER_FILES or record.names_session:
        return False
    return name == aider.NAME or record.turn.session == source.stem or record.turn.session.startswith(f"{source.stem}:")
