"""The common form of all data sets: conversations with named turns, and questions that name their evidence turns.

Formats are read by `clew.evaluate.datasets`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from clew.errors import FormatError
from clew.types.turn import Role, Turn

KEY: Final = "bench_id"
"""Metadata key under which a stored turn carries the data set's own id."""

_ANSWERS: Final = ("answer", "ideal_answer", "ideal_summary")

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetTurn:
    """One turn of a data set.

    Attributes:
        id: unique in its conversation.
        speaker: a person's name, or the role where the data has no names.
        at: None when the data gives no time, or one that cannot be read.
        date_text: the time as the data writes it; empty when it gives none.
    """

    id: str
    session: str
    role: Role
    speaker: str
    text: str
    at: datetime | None
    date_text: str

    def framed(self) -> str:
        """The turn as one line of a bare context: `[date] speaker: text`."""
        line = f"{self.speaker}: {self.text}"
        return f"[{self.date_text}] {line}" if self.date_text else line

    def to_turn(self) -> Turn:
        """Converts to the turn that is stored."""
        return Turn(
            role=self.role,
            content=self.text,
            session=self.session,
            speaker=self.speaker,
            at=self.at,
            metadata={KEY: self.id},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetQuestion:
    """One question and the turns that hold its answer, at least one, in the data's order.

    Attributes:
        id: unique in the data set.
        asked_at: when it is asked; None means right after the last turn.
        answer: as the data words it; empty where it gives none.
        needles: what a text has to hold literally, white space and case aside, for the answer to be read from it.
    """

    id: str
    text: str
    category: str
    evidence: tuple[str, ...]
    asked_at: datetime | None = None
    answer: str = ""
    needles: tuple[str, ...] = ()


def answer_in(item: Mapping[str, Any]) -> str:
    """The answer that a record of a question gives; empty where it gives none."""
    answer = next((item[name] for name in _ANSWERS if item.get(name) is not None), "")
    return ", ".join(map(str, answer)) if isinstance(answer, list) else str(answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetConversation:
    """A conversation to store in a fresh memory, and the questions to ask then.

    Attributes:
        turns: in conversation order.
        skipped: questions that cannot be scored, counted by reason.
    """

    name: str
    turns: tuple[DatasetTurn, ...]
    questions: tuple[DatasetQuestion, ...]
    skipped: dict[str, int] = field(default_factory=dict)

    def sessions(self) -> Iterator[tuple[DatasetTurn, ...]]:
        """The turns of each session."""
        for _, turns in groupby(self.turns, key=lambda turn: turn.session):
            yield tuple(turns)


def read_json(path: Path) -> Any:
    """Parses a JSON file.

    Raises:
        FormatError: the file cannot be read, or is not JSON.
    """
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path} is not JSON: {error}; fetch the data set again") from error


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        FormatError: it cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {error.strerror}; give the path of a data set") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not UTF-8: {error}; fetch the data set again") from error


def json_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of JSON Lines that are not blank, each with its number in the text, from 1.

    Only a line feed ends a line: strings of JSON may have other separators as they are, such as U+2028.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield number, line


def take(record: object, key: str, kind: type[T], where: str) -> T:
    """A required field of a record.

    Raises:
        FormatError: the record is not an object, lacks the field, or the field has another type.
    """
    if not isinstance(record, Mapping):
        raise FormatError(f"{where} is {type(record).__name__}; expected an object with {key!r}")
    if key not in record:
        raise FormatError(f"{where} lacks {key!r}; it has {', '.join(map(repr, list(record)[:8])) or 'no fields'}")
    value = record[key]
    if not isinstance(value, kind):
        raise FormatError(f"{where}: {key!r} is {type(value).__name__}; expected {kind.__name__}")
    return value


def role_of(name: str, where: str) -> Role:
    """A data set's role, checked.

    Raises:
        FormatError: the role is neither `user` nor `assistant`.
    """
    if name not in ("user", "assistant"):
        raise FormatError(f"{where}: the role is {name!r}; expected 'user' or 'assistant'")
    return cast(Role, name)


def moment(text: str, *formats: str) -> datetime | None:
    """The time that a text gives in one of the formats of `strptime`, in UTC; None when it is in none of them."""
    for form in formats:
        try:
            return datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue  # the next format is tried
    return None


def once(items: Iterable[str]) -> list[str]:
    """The items in order, each once."""
    return list(dict.fromkeys(items))
