"""Aider's chat history, `.aider.chat.history.md`: many sessions in one Markdown file.

A session begins with `# aider chat started at <time>`. Lines with `#### ` are the person's, lines with `> ` are Aider's
own output (files added, tokens, commits), all others are the assistant's. Marks inside fenced code are code, unless
Aider's own lines show that the fence was never closed. Only the start of a session has a time, which all its turns get.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from clew.ingest.importers.fences import Fence, fenced
from clew.ingest.importers.message_turns import ImportedMessage, message_turns
from clew.ingest.importers.record import ImportRecord, Skipped
from clew.ingest.importers.source import Source, text_lines
from clew.types import Part, Rejection

NAME = "aider"
_START = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
_OWN = re.compile(r"> (?:Tokens:|Applied edit to|Commit [0-9a-f]{7}|Add .* to the chat\?)")
_MARKS = {"user": "#### ", "tool": "> ", "assistant": ""}
_MARKED = tuple(mark.rstrip() for mark in _MARKS.values() if mark)


@dataclass(slots=True)
class _Message:
    """A message whose lines are being collected."""

    role: str
    where: str
    lines: list[str] = field(default_factory=list)


def is_aider(source: Source) -> bool:
    """Whether a file begins as Aider's history does."""
    with source.open() as stream:
        return stream.read(200).lstrip().startswith(b"# aider chat started at ")


def read(source: Source) -> Iterator[ImportRecord]:
    """Reads every session of one history file."""
    history = _History(source)
    for line in text_lines(source):
        if isinstance(line, Rejection):
            yield line
        else:
            yield from history.line(*line)
    yield from history.finish()


class _History:
    """Reads the lines of a history."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._started: str | None = None
        self._counts = Counter[str]()
        self._fence: Fence | None = None
        self._message: _Message | None = None

    def line(self, number: int, text: str) -> Iterator[ImportRecord]:
        start = _START.match(text)
        if start:
            yield from self.finish()
            self._started, self._fence = start[1], None
            yield Skipped("session start", self._source.where(number))
            return
        role = self._role(text)
        if self._message is None or self._message.role != role:
            yield from self.finish()
            self._message = _Message(role, self._source.where(number))
        self._message.lines.append(text[len(_MARKS[role]) :].rstrip(" ") if role != "assistant" else text)

    def finish(self) -> Iterator[ImportRecord]:
        """Gives the message whose lines were collected."""
        message, self._message = self._message, None
        text = "\n".join(message.lines).strip("\n") if message else ""
        if message is None or not text.strip():
            return
        part = Part(type="text", text=text)
        if message.role == "tool":
            part = Part(type="tool_result", text=text, name=NAME)
        started = self._started or "unknown"
        self._counts[started] += 1  # two sessions may start within one second
        yield from message_turns(
            ImportedMessage(
                source=NAME,
                session=self._source.session_for(f"aider {started}"),
                role=message.role,
                parts=(part,),
                at=self._started,
                external_id=f"{started}:{self._counts[started]}",
            ),
            message.where,
        )

    def _role(self, text: str) -> str:
        if _OWN.match(text):
            self._fence = None
        is_code = self._fence is not None
        if is_code or not text.startswith(_MARKED):
            _, self._fence = fenced(text, self._fence)
            is_code = is_code or self._fence is not None
        if is_code:
            return "assistant"
        return next(role for role, mark in _MARKS.items() if text.startswith(mark) or text == mark.rstrip())
