"""What passes through the proxy, as values: a chat request, changes of its body, an answer and its usage.

Borders: knows no wire format and no network.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Final

from clew.condense.wires import Message
from clew.errors import InputError


class SideRequest(StrEnum):
    """Requests that a client makes for itself: they are forwarded, and neither remembered nor given memories."""

    TITLE = "title"
    """A title, tags, a summary of the topic or follow-up questions for the client's own list of chats."""
    COUNT = "count"
    """Counting of tokens."""
    WARM_UP = "warm-up"
    """A probe of quota or connection, or filling of the provider's cache."""
    COMPACTION = "compaction"
    """The client asks for a summary of the history that it is about to drop."""
    AUXILIARY = "auxiliary"
    """Another errand of the client: classifying, choosing a model, mending an edit, guessing what to type next."""


@dataclass(frozen=True, slots=True)
class ClientMark:
    """What a request tells of the program that sent it.

    Attributes:
        name: `claude-code`, `cursor`, `codex`, `gemini-cli`, `open-webui`, `librechat`, others of docs/proxy.md, or the
            library (`openai-sdk`) when it tells no more; empty when unknown.
        session: the client's own id of the conversation; None when it gives none.
        side: why the request is not a turn of a conversation; None for a turn.
        subagent: whether a program, and no person, wrote the user's messages (a sub-agent of a coding agent).
        folder: in which the program works; None when it does not tell.
        main: for a sub-agent that has no id of its own, the id of the session that it works for.
    """

    name: str = ""
    session: str | None = None
    side: SideRequest | None = None
    subagent: bool = False
    folder: str | None = None
    main: str | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a body: byte offsets, the end exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces a stretch of a body by bytes; an empty stretch inserts. Every other byte stays as it came."""

    span: Span
    text: bytes


def edited(body: bytes, edits: Iterable[Edit]) -> bytes:
    """The body with its edits made; of two insertions at one place the first given comes first.

    Raises:
        InputError: two edits overlap, or one lies outside the body.
    """
    parts: list[bytes] = []
    offset = 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        if not offset <= edit.span.start <= edit.span.end <= len(body):
            raise InputError(f"edit of bytes {edit.span.start} to {edit.span.end}: it overlaps or leaves {len(body)}")
        parts += (body[offset : edit.span.start], edit.text)
        offset = edit.span.end
    return b"".join((*parts, body[offset:]))


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A chat request as it came.

    Attributes:
        wire: name of the format: `anthropic`, `openai` (Chat Completions), `responses` or `gemini`.
        path: the path below the provider's prefix, with its query string (`/v1/messages?beta=true`).
        headers: names in lower case; without those of Clew (`x-clew-*`).
        body: the JSON text, decompressed.
        value: the body, parsed; never changed, since only edits of `body` reach the upstream.
        messages: the conversation, in the wire's own objects, oldest first; without the system prompt.
        spans: for each message, where it is in the body.
        system: text of the system prompt, or of the developer's instructions.
        model: name of the model.
        stream: whether the answer is asked for as a stream.
        tools: names of the client's tools.
    """

    wire: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    value: dict[str, Any]
    messages: tuple[Message, ...]
    spans: tuple[Span, ...]
    system: str = ""
    model: str = ""
    stream: bool = False
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens as the provider reports them; None where it does not say.

    Attributes:
        input: input tokens in all, those read from and written to the provider's cache included, on every wire.
        cached: of these, tokens read from the cache.
        written: of these, tokens written to the cache.
        output: output tokens, reasoning included.
    """

    input: int | None = None
    cached: int | None = None
    written: int | None = None
    output: int | None = None

    def __add__(self, other: "TokenUsage") -> "TokenUsage":
        """Both together; what only one of them says is taken from it."""
        pairs = ((getattr(self, member.name), getattr(other, member.name)) for member in fields(self))
        return TokenUsage(*(one if more is None else (one or 0) + more for one, more in pairs))


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool in an answer: its id on the wire, the tool's name, and the arguments as JSON text."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A provider's answer, whole or assembled from a stream.

    Attributes:
        messages: in the wire's own objects, as a client would resend them in its next request.
        calls: the calls of tools in them, in order; those that the provider runs itself left out.
        usage: as reported.
        stop: the provider's reason for the end, in its own word; empty when the stream broke off.
        model: the model that answered.
        id: the answer's own id, which a later request of Responses may continue (`previous_response_id`).
        complete: whether the answer came to its end; False for a broken stream.
        others: the further answers, where the client asked for several (`n`, `candidateCount`); the client goes on from
            any one of them.
    """

    messages: tuple[Message, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    usage: TokenUsage = field(default_factory=TokenUsage)
    stop: str = ""
    model: str = ""
    complete: bool = True
    id: str = ""
    others: tuple["Answer", ...] = ()


PREFIX: Final = "x-clew-"
"""What the names of Clew's own headers begin with, in lower case; none of a request's reach the upstream."""
