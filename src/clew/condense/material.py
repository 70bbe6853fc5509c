"""What a recap is made of: each turn's prose, its tool calls, and the evidence and statements in what it says."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from clew.condense.session_titles import title_of
from clew.condense.statements import STATED, statements
from clew.condense.wires.protocol import call_label
from clew.text.evidence import evidence
from clew.text.shown_names import said_by, shown_speaker
from clew.text.spoken import without_fillers
from clew.types.turn import Part, Turn

_COMMANDS: Final = ("command", "cmd", "script")
_PATHS: Final = ("file_path", "path", "notebook_path", "filename")
_SHORTEST: Final = 3  # characters of a value worth keeping
_LONGEST: Final = 200
_LONGEST_SENTENCE: Final = 400
_WORDLESS: Final = "(no prose)"
_RESULT: Final = 120  # characters of a result's beginning
_FENCED: Final = re.compile(r"^[ \t]*```.*?(?:^[ \t]*```[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_MARKUP: Final = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|-{3,}[ \t]*$)|\*\*", re.MULTILINE)
_ENTRY: Final = re.compile(r"^[ \t]*[-*][ \t]+(?=\S)", re.MULTILINE)
_NOTE: Final = re.compile(r"<([\w-]{1,40})(?:\s[^<>]{0,200})?>.{0,200000}?</\1>\s*", re.DOTALL)
_COMMAND_WORDS: Final = re.compile(r"<command-args>([^<]{1,20000})</command-args>")
"""What a person wrote after a command of Claude Code."""
_NOTES: Final = 20  # before the words of one text
_TAG_LINE: Final = re.compile(r"^[ \t]*</?[\w-]{1,40}>[ \t]*$", re.MULTILINE)
_DURATION: Final = re.compile(r"\d+(?:\.\d+)?\s?(?:ms|s|secs?|seconds?)", re.IGNORECASE)
_STEP: Final = re.compile(r"\d+\. [A-Z]|\d{7,} [a-z]{4}")  # or a commit and its title: `7909310 test`
_LISTED_TIME: Final = re.compile(r"(?:[A-Za-z]{3}|\d{1,2}) \d{1,2} \d\d:\d\d|\d{4}")
"""When a listed file was changed, or four digits in what a tool printed."""
_TEMPLATE: Final = re.compile(r"\{\w{1,40}\}")  # `Error: {e}` in code
_BRACKETS: Final = (")(", "][", "}{")
_COLOUR: Final = re.compile(r"[\[;]\d{1,3}m")  # what is left of a terminal's colours
_HINT: Final = re.compile(r"\b(?:use|run|try|or)[: ]+[\"'`]{1,2}\Z")
"""What stands before the command that a program's output advises: `(use "git add <file>..." to update ...)`."""
_LEAD: Final = 10  # characters that such words take
_LANGUAGE: Final = frozenset(
    (
        "nil null none true false return pass break continue if else elif for while do switch case default try catch "
        "finally throw throws raise import export from package func function def fn class struct enum interface type "
        "let const var val new delete this self super public private protected static void int bool boolean float "
        "double string str char byte list dict set map array object any number undefined async await yield in is not "
        "and or print println main init"
    ).split()
)
"""Words that are in every program."""


class Mark(NamedTuple):
    """A value or sentence that may be needed again, and its kind (see `evidence` and `statements`)."""

    kind: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecapTurn:
    """One turn as a recap sees it.

    Attributes:
        seq: place in the session.
        origin: whose words they are, see `Turn`; `injected` for the summary that a client wrote of what it dropped.
        prose: what was said to a reader: no tool calls, no results, no notes of the client, no sounds of a speaker; of
            such a summary, what it says was wanted.
        marks: in order, repeated ones included.
        calls: labels of its tool calls.
        results: the call that each of its tools' results answers, else the result's beginning.
        characters: length of the turn's whole text.
        importance: 1 to 10; 0 while it is not analysed.
        overlays: score by name, 0 to 10.
    """

    seq: int
    role: str
    origin: str
    speaker: str | None
    at: datetime | None
    prose: str
    marks: tuple[Mark, ...]
    calls: tuple[str, ...]
    results: tuple[str, ...]
    characters: int
    importance: float = 0.0
    is_shift: bool = False
    overlays: Mapping[str, float] = field(default_factory=dict)

    @property
    def one_line(self) -> str:
        """What the turn says on one line: its prose, else what was called or what came of it."""
        results = "; ".join(f"result of {text}" for text in self.results if text)
        return self.prose or "; ".join(self.calls) or results or _WORDLESS

    @property
    def by_user(self) -> bool:
        """Whether the turn has words of a user."""
        return self.role == self.origin == "user"

    @property
    def name(self) -> str:
        """Who speaks, as a reader knows them."""
        return speaker_name(self.speaker, self.role, self.origin)


def speaker_name(speaker: str | None, role: str, origin: str | None = None) -> str:
    """Who speaks, as a reader knows them: what an agent asks of a sub-agent, in the user's place, is the agent's."""
    if role == "user" and origin == "assistant":
        role = origin
    if speaker and speaker.casefold() != role:
        return shown_speaker(said_by(speaker, role))
    return {"user": "User", "assistant": "Assistant"}.get(role, role)


class TurnScores(NamedTuple):
    """What the analysis says of a turn."""

    importance: float = 0.0
    is_shift: bool = False
    overlays: Mapping[str, float] = MappingProxyType({})


def recap_turns(turns: Iterable[tuple[Turn, TurnScores]], labels: dict[str, str] | None = None) -> list[RecapTurn]:
    """Reads stored turns in their order; a result is named by the call that it answers.

    Args:
        labels: labels of calls before the turns, by call id; those of these turns are added.
    """
    labels = {} if labels is None else labels
    found = []
    for turn, scores in turns:
        for part in turn.parts:
            if part.type == "tool_call" and part.call_id:
                labels[part.call_id] = call_label(part.name, part.text)
        found.append(_recap_turn(turn, scores, labels))
    return found


def call_labels(turns: Iterable[Turn]) -> dict[str, str]:
    """Labels of the calls of turns, by call id."""
    calls = (part for turn in turns for part in turn.parts if part.type == "tool_call")
    return {part.call_id: call_label(part.name, part.text) for part in calls if part.call_id}


def _recap_turn(turn: Turn, scores: TurnScores, labels: Mapping[str, str]) -> RecapTurn:
    calls = [part for part in turn.parts if part.type == "tool_call"]
    results = [part for part in turn.parts if part.type == "tool_result"]
    prose = without_fillers(prose_of(turn))
    marks = _marks(turn, prose, calls)
    is_told = is_summary(turn)
    if is_told:
        prose = title_of((), prose) or ""
        marks = [mark for mark in marks if mark.kind not in STATED]
    return RecapTurn(
        seq=turn.seq or 0,
        role=turn.role,
        origin="injected" if is_told else turn.origin or turn.role,
        speaker=turn.speaker,
        at=turn.at,
        prose=prose,
        marks=tuple(marks),
        results=tuple(labels.get(part.call_id or "") or _beginning(part.text) for part in results),
        calls=tuple(call_label(part.name, part.text) for part in calls),
        characters=len(turn.text),
        importance=scores.importance,
        is_shift=scores.is_shift,
        overlays=scores.overlays,
    )


def is_summary(turn: Turn) -> bool:
    """Whether a turn is a client's summary of turns that it dropped, which repeats decisions and makes none."""
    return turn.metadata.get("summary") is True


def prose_of(turn: Turn) -> str:
    """The text of a turn without tool calls, results, reasoning, notes of the client, code blocks and markup."""
    texts = (_without_notes(part.text.strip()) for part in turn.parts if part.type == "text")
    return plain_prose("\n".join(text for text in texts if text))


def _without_notes(text: str) -> str:
    """A text without the notes in tags that a client puts before the words; empty where one does not end."""
    if not text.startswith("<"):
        return text
    asked = _COMMAND_WORDS.search(text)
    if asked is not None:
        return asked[1].strip()
    for _ in range(_NOTES):
        note = _NOTE.match(text)
        if note is None:
            break
        text = text[note.end() :]
    return "" if text.startswith("<") else _TAG_LINE.sub("", text)


def plain_prose(text: str) -> str:
    """A text without code blocks and markup; each entry of a list is a paragraph, so that none runs into the next."""
    if "```" in text:
        text = _FENCED.sub(" ", text)
    if "#" in text or "**" in text or "---" in text:
        text = _MARKUP.sub("", text)
    if "-" in text or "*" in text:
        text = _ENTRY.sub("\n", text)
    return text.strip()


def _marks(turn: Turn, prose: str, calls: Sequence[Part]) -> list[Mark]:
    named = [mark for part in calls for mark in called_values(part)]
    for part in turn.parts:
        if part.type in ("text", "tool_result"):
            is_result = part.type == "tool_result"
            said = (
                Mark(kind, part.text[start:end])
                for start, end, kind in evidence(part.text)
                if not (kind == "number" and is_result and _COLOUR.match(part.text, start - 1))
                and not (kind == "command" and is_result and _HINT.search(part.text, max(0, start - _LEAD), start))
                and not (kind == "identifier" and part.text[max(0, start - 1) : start] == "\\")  # `\nTo` in a string
            )
            named += [mark for mark in said if not _is_idle(mark, is_result=is_result)]
    marks = [Mark(mark.kind, _tidy(mark)) for mark in named]
    told = [Mark(kind, " ".join(prose[start:end].split())) for start, end, kind in statements(prose)]
    values = [mark for mark in marks if _SHORTEST <= len(mark.value) <= _LONGEST]
    return values + [mark for mark in told if len(mark.value) <= _LONGEST_SENTENCE]


def _tidy(mark: Mark) -> str:
    """A value on one line, without quotes and, where it is a path, the full stop of its sentence."""
    value = " ".join(mark.value.strip("` \t\n").split())
    if mark.kind == "error":
        return _without_loose_end(value)
    return value[:-1] if mark.kind == "path" and value.endswith(".") and not value.endswith("..") else value


def _without_loose_end(error: str) -> str:
    """An error without what closes the code around it: `TypeError: no such key` of `TypeError: no such key")`."""
    while error:
        last = error[-1]
        is_loose = any(last == close and error.count(close) > error.count(opened) for close, opened in _BRACKETS)
        if not (is_loose or last in ";," or (last in "\"'" and error.count(last) % 2)):
            break
        error = error[:-1].rstrip()
    return error


def _is_idle(mark: Mark, *, is_result: bool) -> bool:
    """Whether a value need not be kept, because nobody will need it again.

    How long a program took, when a listed file was changed, a word of a programming language, half an error or one in
    code (`catch (TypeError) {`, `Error: {e}`), the heading of a step (`2. Commit`), a commit with its title
    (`7909310 test`), a line of a file of settings that looks like a command (`config:`).
    """
    if mark.kind == "error":
        return (
            mark.value.endswith((":", ",", "{", "(")) or "=>" in mark.value or _TEMPLATE.search(mark.value) is not None
        )
    if mark.kind == "date":
        return is_result and _LISTED_TIME.fullmatch(" ".join(mark.value.split())) is not None
    if mark.kind == "command":
        return mark.value.endswith(":") or not any(map(str.isalpha, mark.value))
    if mark.kind == "number":
        return _STEP.match(mark.value) is not None or (is_result and _DURATION.fullmatch(mark.value) is not None)
    return mark.kind == "identifier" and mark.value.strip("`").removesuffix("()").casefold() in _LANGUAGE


def _beginning(text: str) -> str:
    line = " ".join(text[: 4 * _RESULT].split())
    return line if len(line) <= _RESULT else f"{line[: _RESULT - 1]}…"


def called_values(part: Part) -> list[Mark]:
    """The command and the paths that a tool was called with.

    One word beside a path names what an editor is to do (`view`, `insert`), and is not a command.
    """
    try:
        given: Any = json.loads(part.text)
    except (ValueError, RecursionError):  # arguments that are plain text have no names
        return []
    if not isinstance(given, dict):
        return []
    named = [(kind, given.get(name)) for kind, names in (("command", _COMMANDS), ("path", _PATHS)) for name in names]
    marks = [Mark(kind, value) for kind, value in named if isinstance(value, str)]
    has_path = any(mark.kind == "path" for mark in marks)
    return [
        mark for mark in marks if not (has_path and mark.kind == "command" and mark.value.replace("_", "").isalpha())
    ]
