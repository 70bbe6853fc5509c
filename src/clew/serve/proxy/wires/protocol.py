"""What the proxy needs to know of a wire format, beside what collapsing needs (`clew.condense.wires`)."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from clew.condense.wires import Message
from clew.serve.proxy.exchange import Answer, ChatRequest, Edit


class AnswerReader(Protocol):
    """Assembles an answer from the bytes of a stream, in pieces of any size, while they are relayed unchanged."""

    def feed(self, piece: bytes) -> None:
        """Takes the next bytes; never raises, since a stream that cannot be read is relayed all the same."""
        ...

    def answer(self) -> Answer:
        """What has come so far; `complete` tells whether the stream came to its own end."""
        ...


class ProxyWire(Protocol):
    """One wire format. Every function is pure."""

    @property
    def name(self) -> str:
        """`anthropic`, `openai`, `responses` or `gemini`."""
        ...

    @property
    def messages_member(self) -> str:
        """The member of a request's body that holds its messages."""
        ...

    def is_chat(self, method: str, path: str) -> bool:
        """Whether a request to this path, below the provider's prefix, is a chat; everything else passes through."""
        ...

    def read(self, path: str, headers: Mapping[str, str], body: bytes) -> ChatRequest:
        """Reads a request.

        Raises:
            FormatError: it is not a request of this format; the message says where.
        """
        ...

    def is_question(self, message: Message) -> bool:
        """Whether the user wrote or sent something in it, besides results of tools and what a program added."""
        ...

    def appended(self, request: ChatRequest, index: int, text: str) -> Edit:
        """Adds text at the end of a message of the user, as a part of its own where the format has parts."""
        ...

    def replaced(self, request: ChatRequest, start: int, stop: int, messages: Sequence[Message]) -> Edit:
        """Puts other messages in the place of `messages[start:stop]`; an empty range inserts before `start`."""
        ...

    def with_tools(self, request: ChatRequest, tools: Sequence[Mapping[str, Any]]) -> Edit:
        """Offers tools besides the client's own: each a mapping of `name`, `description`, `schema` (JSON Schema)."""
        ...

    def tool_results(self, answer: Answer, results: Mapping[str, str]) -> tuple[Message, ...]:
        """The messages that continue the conversation after an answer: the answer, then the results by call id."""
        ...

    def reader(self) -> AnswerReader:
        """A reader for a streamed answer."""
        ...

    def read_answer(self, body: bytes) -> Answer:
        """Reads an answer that came whole; what cannot be read gives an empty answer that is not complete."""
        ...

    def error(self, status: int, message: str) -> bytes:
        """An error in the shape of this format's API."""
        ...
