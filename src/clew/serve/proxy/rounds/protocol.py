"""What joining the rounds of a tool loop needs of a wire format."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from clew.condense.wires import Message
from clew.serve.proxy.exchange import ChatRequest, ToolCall

IsOurs = Callable[[str], bool]
"""Whether a tool's name is one that the proxy offered."""


class JoinedStream(Protocol):
    """The stream that a client sees. What it sees of the first round alone is what the provider sent, byte for byte."""

    def feed(self, piece: bytes) -> bytes:
        """Takes the next bytes of a round; gives what can be relayed now."""
        ...

    def next_round(self) -> bytes:
        """Ends a round that is followed by another; gives what was held of it and is for the client."""
        ...

    def finish(self) -> bytes:
        """Ends the last round; gives the end of the stream, with the usage of all rounds."""
        ...

    def failed(self, error: bytes) -> bytes:
        """Ends the stream with an error, given as the provider's own body of it, where a later round failed."""
        ...


class RoundJoiner(Protocol):
    """One wire format. Every function is pure, but for the stream that `stream` makes."""

    def may_offer(self, request: ChatRequest) -> bool:
        """Whether the client leaves the choice of tools to the model and wants one answer."""
        ...

    def last_round(self) -> Mapping[str, Any]:
        """Members of a request's body that keep the model from calling any tool."""
        ...

    def whole(self, rounds: Sequence[dict[str, Any]], is_ours: IsOurs) -> dict[str, Any]:
        """One answer made of the answers of all rounds, without our calls, with the usage of all."""
        ...

    def stream(self, is_ours: IsOurs) -> JoinedStream:
        """A stream before its first byte."""
        ...

    def is_answer(self, message: Message) -> bool:
        """Whether a message of a request is the model's, or a part of its answer."""
        ...

    def calls_of(self, message: Message) -> tuple[ToolCall, ...]:
        """The calls in a message of a request; without an id where the format needs none."""
        ...

    def results_member(self) -> str | None:
        """The member of a message that lists results; None where each result is a message of its own."""
        ...

    def is_stored(self, request: ChatRequest, /) -> bool:
        """Whether the provider stores the answer, with our calls in it, for requests that name it."""
        ...

    def sendable(self, request: ChatRequest, messages: Iterable[Message], /) -> tuple[Message, ...]:
        """Of messages that the provider gave in answers to a request, those that it takes back in a further one."""
        ...
