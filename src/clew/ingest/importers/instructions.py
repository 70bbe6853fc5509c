"""Files of instructions to agents: `CLAUDE.md`, `AGENTS.md` and the like, section by section.

They are known by their names. A section ends at the next heading of level one or two outside fenced code. Its turn has
the role `system`, since nobody said it in a conversation, and the headings above it. A section that was changed since
the last import is another turn.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Final

from clew.ingest.importers.json_fields import without_none
from clew.ingest.importers.kept_notes import digest_of
from clew.ingest.importers.message_turns import ImportedMessage, message_turns
from clew.ingest.importers.record import ImportRecord, Skipped
from clew.ingest.importers.source import Source
from clew.ingest.importers.transcript import heading_text, unfenced_lines
from clew.types import Part, Rejection

NAME: Final = "instructions"
FILES: Final = frozenset(("claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md"))
"""Names of such files, in lower case."""

_HEADING: Final = re.compile(r"(#{1,2})\s++(.+)")
_HOLDERS: Final = (".claude", ".codex", ".gemini")
"""Folders in a project, or in a home, that hold its instructions."""


@dataclass(slots=True)
class _Section:
    """A section whose lines are still being collected."""

    where: str
    heading: str = ""
    lines: list[str] = field(default_factory=list)
    size: int = 0


def is_instructions(source: Source) -> bool:
    """Whether a file has the name of one that instructs agents."""
    return PurePosixPath(source.label.replace("\\", "/").rpartition("!")[2]).name.lower() in FILES


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads a file of instructions."""
    title = ""
    section = _Section(source.where(1))
    for line in unfenced_lines(source):
        if isinstance(line, Rejection):
            yield line
            continue
        number, text, is_open = line
        match = _HEADING.match(text) if is_open else None
        if match:
            yield from _finished(source, section, title)
            heading = heading_text(match[2]) or "#"
            title = heading if match[1] == "#" else title
            section = _Section(source.where(number), heading)
        section.lines.append(text)
        section.size += len(text)
    yield from _finished(source, section, title)


def _finished(source: Source, section: _Section, title: str) -> Iterator[ImportRecord]:
    body = "\n".join(section.lines).strip()
    if not body:
        return
    if section.heading and len(body.splitlines()) == 1:
        yield Skipped("heading without text", section.where)
        return
    if section.size > source.limits.max_line_bytes:
        yield source.too_long("section", section.where)
        return
    folder = _project(source.path)
    name = folder.name if folder else source.stem
    message = ImportedMessage(
        source=NAME,
        session=source.session_for(f"{NAME} {name}"),
        role="system",
        parts=(Part(type="text", text=f"{title}\n\n{body}" if title not in ("", section.heading) else body),),
        at=_changed(source.path),
        external_id=f"{section.heading}:{digest_of(body)}",
        metadata=without_none(cwd=str(folder) if folder else None, title=f"Instructions: {name}"),
    )
    yield from message_turns(message, section.where)


def _project(path: Path | None) -> Path | None:
    """The folder that the instructions are about; None for a member of a zip."""
    if path is None:
        return None
    folder = path.absolute().parent
    return folder.parent if folder.name in _HOLDERS else folder


def _changed(path: Path | None) -> str | None:
    """When the file was last changed; None when that is not known."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat() if path else None
    except (OSError, ValueError, OverflowError):
        return None  # it was taken away meanwhile, or its time is beyond the year 9999
