"""Aider's chat history, `.aider.chat.history.md`: many sessions in one Markdown file.

A session begins with `# aider chat started at <time>`. Lines with `#### ` are the person's, lines with `> ` are Aider's
own output (files added, tokens, commits), all others are the assistant's. Marks inside fenced code are code, unless
Aider's own lines show that the fence was never closed. Aider ends its lines with two blanks, so a quotation without
them is the assistant's. What the model thought stands between tags or headings of its own. What an architect answered
is written once more as the message to the editor. Only the start of a session has a time, which all its turns get.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from clew.ingest.importers.fences import Fence, fenced
from clew.ingest.importers.message_turns import ImportedMessage, message_turns
from clew.ingest.importers.record import ImportRecord, Skipped
from clew.ingest.importers.source import Source, read_each, text_lines
from clew.types import Part

NAME = "aider"
_START = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
_OWN = re.compile(r"> (?:Tokens:|Applied edit to|Commit [0-9a-f]{7}|Add .* to the chat\?)")
_BREAK = "  "
"""How Aider ends each of its own lines; an editor may have removed it from a whole file."""
_THOUGHT_TAG = re.compile(r"<(thinking-content-[0-9a-f]+|think)>")
_THINKING, _ANSWER = "► **THINKING**", "► **ANSWER**"
"""The headings of what a model thought and of its answer, each below a line of dashes."""
_ECHOED = re.compile(r"/(?:ask|code|architect|context)\s+(?P<words>.+)", re.DOTALL)
"""Commands of which Aider writes the words once more, as the message that it sends."""
_HANDED_ON = 8
"""Words of an answer from which a message that repeats it is the architect's; a person may say a shorter one again."""
_CARRIED_OUT = re.compile(
    r"/(?:ask|code|architect|context)"
    r"|/(?:add|chat-mode|clear|copy|copy-context|drop|edit(?:or)?|editor-model|exit|help|load|ls|map|map-refresh|models?"
    r"|multiline-mode|ok|paste|quit|read-only|reasoning-effort|report|reset|save|settings|think-tokens|tokens|voice"
    r"|weak-model)(?: [^\n]*)?"
)
"""Commands that Aider carries out by itself: they ask the model for nothing."""
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
    yield from read_each(text_lines(source), lambda line: history.line(*line))
    yield from history.finish()


class _History:
    """Reads the lines of a history."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._started: str | None = None
        self._counts = Counter[str]()
        self._fence: Fence | None = None
        self._message: _Message | None = None
        self._held: tuple[_Message, str] | None = None  # a command whose words may follow once more
        self._answer: list[str] = []  # words of the last answer
        self._has_breaks = False

    def line(self, number: int, text: str) -> Iterator[ImportRecord]:
        start = _START.match(text)
        if start:
            yield from self.finish()
            self._started, self._fence, self._answer = start[1], None, []
            yield Skipped("session start", self._source.where(number))
            return
        role = self._role(text)
        if self._message is None or self._message.role != role:
            yield from self._end()
            self._message = _Message(role, self._source.where(number))
        self._message.lines.append(text[len(_MARKS[role]) :].rstrip(" ") if role != "assistant" else text)

    def finish(self) -> Iterator[ImportRecord]:
        """Gives what was collected when a session ends, or the file."""
        yield from self._end()
        yield from self._release()

    def _end(self) -> Iterator[ImportRecord]:
        """Gives the message whose lines were collected."""
        message, self._message = self._message, None
        text = "\n".join(message.lines).strip("\n") if message else ""
        if message is None or not text.strip():
            return
        yield from self._release(text if message.role == "user" else None)
        if message.role == "user" and _ECHOED.fullmatch(text):
            self._held = message, text
        elif message.role == "user" and self._is_handed_on(text):
            self._counts[self._started or "unknown"] += 1
            yield Skipped("answer of the architect, sent to the editor", message.where)
        else:
            yield from self._turns(message, text)
        if message.role != "tool":
            self._answer = _without_thought(text)[1].split() if message.role == "assistant" else []

    def _is_handed_on(self, text: str) -> bool:
        """Whether a message is the answer before it, which the architect sends to the editor."""
        return len(self._answer) >= _HANDED_ON and text.split() == self._answer

    def _release(self, echo: str | None = None) -> Iterator[ImportRecord]:
        """Gives the command that was held back, unless the next message has its words once more."""
        held, self._held = self._held, None
        if held is None:
            return
        message, text = held
        command = _ECHOED.fullmatch(text)
        if command is not None and echo is not None and command["words"].split() == echo.split():
            self._counts[self._started or "unknown"] += 1
            yield Skipped("command that is sent in the next message", message.where)
        else:
            yield from self._turns(message, text)

    def _turns(self, message: _Message, text: str) -> Iterator[ImportRecord]:
        started = self._started or "unknown"
        self._counts[started] += 1  # two sessions may start within one second
        yield from message_turns(
            ImportedMessage(
                source=NAME,
                session=self._source.session_for(f"aider {started}"),
                role=message.role,
                parts=tuple(_parts(message.role, text)),
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
        role = next(role for role, mark in _MARKS.items() if text.startswith(mark) or text == mark.rstrip())
        if role == "tool":
            self._has_breaks |= text.endswith(_BREAK)
            follows = self._message is not None and self._message.role == role
            is_quotation = self._has_breaks and not (follows or text.endswith(_BREAK) or _OWN.match(text))
            return "assistant" if is_quotation else role
        return role


def _parts(role: str, text: str) -> Iterator[Part]:
    """The parts of a message: what was thought apart, and a command to Aider as what a client does."""
    if role == "tool":
        yield Part(type="tool_result", text=text, name=NAME)
        return
    if role == "assistant":
        thought, text = _without_thought(text)
        if thought:
            yield Part(type="thinking", text=thought)
    is_command = role == "user" and _CARRIED_OUT.fullmatch(text.rstrip()) is not None
    if text.strip():
        yield Part(type="injected" if is_command else "text", text=text)


def _without_thought(text: str) -> tuple[str, str]:
    """What the model thought before its answer, empty where nothing tells, and the rest of the message."""
    marked = text.lstrip()
    tag = _THOUGHT_TAG.match(marked)
    heading = marked.lstrip("-").lstrip()
    end = ""
    if tag is not None:
        thought, end, answer = marked[tag.end() :].partition(f"</{tag[1]}>")
    elif heading.startswith(_THINKING):
        thought, end, answer = heading.removeprefix(_THINKING).partition(_ANSWER)
        thought = thought.rstrip().rstrip("-")
    return (thought.strip(), answer.lstrip()) if end else ("", text)
