"""What a scripted upstream is told: which reply each request gets, and how it fails.

Borders: knows no wire format and no network.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final


class FaultKind(StrEnum):
    """Ways in which real upstreams fail."""

    RATE_LIMIT = "rate-limit"
    """Status 429 with `retry-after`."""
    OVERLOADED = "overloaded"
    """Status 529 (Anthropic) or 503 with `retry-after`."""
    HTML_ERROR = "html-error"
    """Status 500 with a page of HTML, as a load balancer sends it."""
    RESET_BEFORE = "reset-before"
    """The connection breaks before the first byte of the answer."""
    RESET_AFTER = "reset-after"
    """The connection breaks when `after` bytes of the body have been sent."""
    CUT = "cut"
    """The body ends in good order when `after` bytes of it have been sent: a stream without its last events."""
    STALL = "stall"
    """Nothing comes any more when `after` bytes of the body have been sent, until the client goes away."""
    ERROR_EVENT = "error-event"
    """An error in the stream, after `after` bytes of events; in an answer that is not a stream, status 500."""
    WRONG_TYPE = "wrong-type"
    """The usual body, with a wrong content type."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A failure; `after` counts bytes of the body, and means nothing to those that send no part of it."""

    kind: FaultKind
    after: int = 0
    retry_after: int = 1


@dataclass(frozen=True, slots=True)
class Pace:
    """How a body is sent: in pieces of these sizes, over and over, with a pause of so many seconds before each.

    Without sizes, a stream is sent event by event and everything else at once.
    """

    sizes: tuple[int, ...] = ()
    pause: float = 0.0


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call of a tool that the model makes."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """What the model says to one request.

    Attributes:
        text: its words; may be empty when it calls tools.
        calls: the tools that it calls, after its words.
        thinking: its reasoning, sent where the request asks for reasoning; signed, and checked when it comes back.
        output_tokens: as reported; None counts the words.
    """

    text: str = ""
    calls: tuple[ToolUse, ...] = ()
    thinking: str = ""
    fault: Fault | None = None
    pace: Pace = field(default_factory=Pace)
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """A request as it arrived.

    Attributes:
        number: counts from 0, in order of arrival.
        path: as sent, with its query string.
        headers: pairs in the order of arrival, names in lower case.
        body: the bytes of the body as they came; compressed if they were.
        wire: `anthropic`, `openai`, `responses`, `gemini`, or empty for a path that is not a chat.
        value: the parsed body; None when it is not a JSON object.
    """

    number: int
    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    wire: str = ""
    value: dict[str, Any] | None = None

    def header(self, name: str) -> str | None:
        """The first header of that name (in lower case); None without one."""
        return next((value for key, value in self.headers if key == name), None)


Script = Callable[[RecordedRequest], Reply]
"""From a request to the model's reply; called by one thread at a time."""

OK: Final = Reply("OK.")


def always(reply: Reply) -> Script:
    """A model that gives the same reply each time."""
    return lambda _request: reply


def in_turn(replies: Iterable[Reply | str]) -> Script:
    """A model that gives these replies one after the other; the last one again and again."""
    waiting = [Reply(reply) if isinstance(reply, str) else reply for reply in replies] or [OK]
    lock = threading.Lock()

    def script(_request: RecordedRequest) -> Reply:
        with lock:
            return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return script
