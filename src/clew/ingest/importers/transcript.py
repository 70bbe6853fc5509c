"""Transcripts: a label names the speaker of the text that follows, until the next label.

Each format defines what a label looks like. This module surveys a file for its labels, joins the lines of a message,
and falls back to paragraphs in a file without labels.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from clew.ingest.importers.fences import Fence, fenced
from clew.ingest.importers.json_fields import without_none
from clew.ingest.importers.message_turns import ROLES, ImportedMessage, message_turns
from clew.ingest.importers.record import ImportRecord, Skipped
from clew.ingest.importers.source import Source, text_lines
from clew.types import Part, Rejection

LABELS = {
    **ROLES,
    **dict.fromkeys(("you", "me", "i", "you said", "prompt", "question", "q"), "user"),
    **dict.fromkeys(
        ("chatgpt said", "claude said", "response", "answer", "a", "copilot", "grok", "cursor"), "assistant"
    ),
    **dict.fromkeys(("gpt-4", "gpt-4o", "gpt-5", "claude responded", "gemini said"), "assistant"),
    "tool result": "tool",
}
"""Words that label a message instead of a name, in lower case -> role."""

_EDGE = re.compile(r"^[\W_]+|[\W_]+$")
_DASHES_OF_RULE = 3  # at least, in a line between this message and the next
_EARLY = 5  # a transcript has a label in its first lines; a text with a colon only later is none
_MANY = 50_000  # different names; no conversation has so many, so names seen once are dropped


@dataclass(frozen=True, slots=True)
class SpeakerLabel:
    """The label of a message: the speaker, the time if there is one, and the rest of the line.

    Attributes:
        name: as written; None for a system line of the program that wrote the file.
        is_program: whether the text is the program's all the same, as for an omitted image; further lines are the
            speaker's, and then all is kept.
    """

    name: str | None
    text: str
    at: object = None
    is_program: bool = False


LabelFinder = Callable[[str], SpeakerLabel | None]
NumberedLine = tuple[int, str, bool]
"""A line's number, its text, and whether it may carry a label."""
LineReader = Callable[[Source], Iterator[NumberedLine | Rejection]]


@dataclass(slots=True)
class _OpenMessage:
    """A message whose lines are still being collected."""

    where: str
    label: SpeakerLabel
    lines: list[str] = field(default_factory=list)
    size: int = 0
    title: str | None = None


def clean_name(name: str) -> str:
    """A label without surrounding symbols: `🧑 User:` is `User`."""
    return _EDGE.sub("", name)


def heading_text(text: str) -> str:
    """The text of a Markdown heading behind its opening marks, without the marks that may close it."""
    return text.rstrip().rstrip("#").rstrip()


def open_lines(source: Source) -> Iterator[NumberedLine | Rejection]:
    """The lines of a file; each may carry a label."""
    for line in text_lines(source):
        yield line if isinstance(line, Rejection) else (*line, True)


def unfenced_lines(source: Source) -> Iterator[NumberedLine | Rejection]:
    """The lines of a file; only lines outside fenced code may carry a label.

    The line that opens the code may carry one too ("Ann: ```"). A fence that is never closed holds nothing.
    """
    unclosed = _unclosed(source)
    fence: Fence | None = None
    for line in text_lines(source):
        if isinstance(line, Rejection):
            yield line
            continue
        is_open, fence = fenced(line[1], fence)
        if line[0] == unclosed:
            fence = None
        yield (*line, is_open)


def _unclosed(source: Source) -> int | None:
    """The number of the line whose fence is never closed."""
    fence: Fence | None = None
    opened: int | None = None
    for line in text_lines(source):
        if not isinstance(line, Rejection):
            before = fence
            _, fence = fenced(line[1], fence)
            opened = opened if fence is before else line[0]
    return None if fence is None else opened


def names_in(source: Source, lines: LineReader, match: LabelFinder) -> frozenset[str]:
    """The names that label messages: words for roles, and names that occur twice or more.

    Args:
        match: parses a line that looks like a label.

    Returns:
        The names; empty if none of them labels one of the first lines.
    """
    counts: Counter[str] = Counter()
    first: list[str] = []
    nonblank = 0
    for line in lines(source):
        if isinstance(line, Rejection) or not line[1].strip():
            continue
        nonblank += 1
        label = match(line[1]) if line[2] else None
        if label is not None and label.name is not None:
            counts[label.name] += 1
            if nonblank <= _EARLY:
                first.append(label.name)
        if len(counts) > _MANY:
            counts = Counter({name: count for name, count in counts.items() if count > 1})
    names = frozenset(name for name, count in counts.items() if count > 1 or name.lower() in LABELS)
    return names if not names.isdisjoint(first) else frozenset()


def labelled(
    source: Source, name: str, lines: LineReader, match: LabelFinder, title: str | None = None
) -> Iterator[ImportRecord]:
    """Reads a file by the labels that `match` finds; text before the first label is skipped."""
    draft: _OpenMessage | None = None
    for line in lines(source):
        if isinstance(line, Rejection):
            yield line
            continue
        number, text, open_to_labels = line
        label = match(text) if open_to_labels else None
        if label is not None:
            yield from _finished(source, name, draft)
            draft = _OpenMessage(source.where(number), label, [label.text], title=title)
        elif draft is not None:
            draft.size += len(text)
            if draft.size <= source.limits.max_line_bytes:
                draft.lines.append(text)
        elif text.strip():
            yield Skipped("text before the first message", source.where(number))
    yield from _finished(source, name, draft)


def paragraphs(source: Source, name: str, lines: LineReader) -> Iterator[ImportRecord]:
    """Reads a text without labels: each paragraph is a turn of the user."""
    draft: _OpenMessage | None = None
    for line in lines(source):
        if isinstance(line, Rejection):
            yield line
            continue
        number, text, outside = line
        if not text.strip() and outside:
            yield from _finished(source, name, draft)
            draft = None
        else:
            draft = draft or _OpenMessage(source.where(number), SpeakerLabel("user", ""))
            draft.lines.append(text)
            draft.size += len(text)
            if draft.size > source.limits.max_line_bytes:
                yield from _finished(source, name, draft)
                draft = None
    yield from _finished(source, name, draft)


def _finished(source: Source, name: str, draft: _OpenMessage | None) -> Iterator[ImportRecord]:
    if draft is None:
        return
    if draft.size > source.limits.max_line_bytes:
        yield source.too_long("message", draft.where)
        return
    if draft.label.name is None or (draft.label.is_program and not any(map(str.strip, draft.lines[1:]))):
        yield Skipped("line of the program", draft.where)
        return
    role = LABELS.get(draft.label.name.lower())
    message = ImportedMessage(
        source=name,
        session=source.session_for(None),
        role=role or "user",
        parts=(Part(type="text", text=without_rule("\n".join(draft.lines)).strip("\n")),),
        at=draft.label.at,
        speaker=None if role else draft.label.name,
        metadata=without_none(title=draft.title),
    )
    yield from message_turns(message, draft.where)


def without_rule(text: str) -> str:
    """A message without the line of dashes that separates it from the next, and the blank lines before that."""
    end = text.rstrip()
    before = end.rstrip("-")
    gap = before[len(before.rstrip()) :]
    if len(end) - len(before) < _DASHES_OF_RULE or "\n" not in gap:
        return text
    return before.rstrip() + gap[: gap.index("\n")]
