"""What collapsing needs to know of a wire format, and the readers that all formats share."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from clew.errors import InputError

Message = dict[str, Any]
"""One element of a message list: an Anthropic or Chat Completions message, a Responses item, or a Gemini content."""

_TELLING: Final = (
    "file_path",
    "path",
    "notebook_path",
    "filename",
    "command",
    "cmd",
    "query",
    "pattern",
    "url",
    "description",
)
_DEEPEST: Final = 100
_LABEL: Final = 80


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call in a message list.

    Attributes:
        id: connects the call to its result; Gemini's calls often have none, then the position among the calls.
        label: `Read(src/app.py)`: the tool and the argument that tells most, in at most 80 characters of one line.
    """

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class Result:
    """A tool's result in a message list: the id of its call, and whether the tool reported an error."""

    id: str
    failed: bool = False


class Wire(Protocol):
    """One wire format. Every function is pure and never changes the message that it is given."""

    @property
    def name(self) -> str:
        """Name of the format in options: `anthropic`, `openai`, `responses` or `gemini`."""
        ...

    @property
    def tied(self) -> tuple[str, ...]:
        """Types of messages that are refused without the message that follows them."""
        ...

    @property
    def checks_reasoning(self) -> bool:
        """Whether the provider refuses an answer with tools that does not open with the reasoning it gave."""
        ...

    def calls(self, message: Message) -> tuple[Call, ...]:
        """The tool calls of a message, in order."""
        ...

    def results(self, message: Message) -> tuple[Result, ...]:
        """The tool results of a message, in order."""
        ...

    def must_stay(self, message: Message) -> bool:
        """Whether the calls or results of a message are needed by what is not in them, such as tools that they load."""
        ...

    def rest(self, message: Message) -> Message | None:
        """The message without its calls and results; None when nothing would be left.

        Everything else stays as it is, reasoning and its signatures included.
        """
        ...

    def reasons(self, message: Message) -> bool:
        """Whether a message holds reasoning that the provider may check."""
        ...

    def opens_with_reasoning(self, message: Message) -> bool:
        """Whether reasoning is the first thing in a message."""
        ...

    def is_question(self, message: Message) -> bool:
        """Whether a message holds words of the user rather than only results."""
        ...

    def between(self, before: Message) -> list[Message]:
        """Messages that the API requires between `before` and a message of the user put behind it; mostly none."""
        ...

    def note(self, text: str) -> Message:
        """A message of the user with this text."""
        ...

    def with_note(self, message: Message, text: str) -> Message:
        """A message of the user with this text before its own content."""
        ...

    def problems(self, messages: Sequence[Message]) -> list[str]:
        """What the provider would refuse in a list, each with the index of the message; empty for a valid list."""
        ...


def checked_list(messages: object) -> list[Message]:
    """A message list whose elements are objects.

    Raises:
        InputError: it is not a list of objects, or a message has more than 100 objects and lists inside each other.
    """
    if not isinstance(messages, Sequence) or isinstance(messages, str | bytes):
        raise InputError(f"messages: expected a list of messages, got {type(messages).__name__}")
    for number, message in enumerate(messages):
        if not isinstance(message, Mapping):
            raise InputError(f"message {number}: expected an object with a role, got {type(message).__name__}")
        if _is_deeper(message, _DEEPEST):
            raise InputError(f"message {number}: more than {_DEEPEST} objects and lists inside each other; flatten it")
    return [dict(message) for message in messages]


def _is_deeper(value: object, most: int) -> bool:
    """Whether more than so many objects and lists are inside each other."""
    inner: list[Any] = [value]
    for _ in range(most + 1):
        inner = [
            each
            for outer in inner
            for each in (outer.values() if isinstance(outer, Mapping) else outer)
            if isinstance(each, Mapping | list)
        ]
        if not inner:
            return False
    return True


def blocks(value: object) -> list[Message]:
    """The objects of a list of blocks; a text or anything else has none."""
    return [block for block in value if isinstance(block, dict)] if isinstance(value, list) else []


def text_of(value: object) -> str:
    """The value if it is text, else the empty text."""
    return value if isinstance(value, str) else ""


def call_label(name: object, arguments: object) -> str:
    """`Tool(argument)` on one line: the argument by a name that usually tells most, else the first that is text."""
    given = _parsed(arguments)
    values = [given[key] for key in _TELLING if isinstance(given.get(key), str)]
    values += [value for value in given.values() if isinstance(value, str)]
    said = " ".join((values[0] if values else "").split())
    line = f"{' '.join(text_of(name).split()) or 'tool'}({said})"
    return line if len(line) <= _LABEL else f"{line[: _LABEL - 2]}…)"


def _parsed(arguments: object) -> Mapping[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return {"text": arguments}
    return arguments if isinstance(arguments, Mapping) else {}
