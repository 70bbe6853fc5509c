"""A chat on its way through the proxy, as values: what came, what goes upstream in its place, and what was answered."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from clew.serve.access import Principal
from clew.serve.proxy.exchange import ChatRequest, ClientMark
from clew.serve.proxy.headers import RequestOptions
from clew.serve.proxy.wires import ProxyWire

if TYPE_CHECKING:
    from clew.index.view import IndexView
    from clew.serve.agent_tools.toolbox import Toolbox
    from clew.serve.proxy.commands import LocalAnswer
    from clew.serve.proxy.economy.decide import Decision
    from clew.serve.proxy.history.conversations import Conversation
    from clew.serve.proxy.space_memory import SpaceMemory


class ChatTicket:
    """Whether a request still waits for its preparation. Shared by the event loop and a thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken = False
        self._given_up = False

    @property
    def is_given_up(self) -> bool:
        """Whether the request has gone on without its preparation."""
        return self._given_up

    def take(self) -> bool:
        """Says that a block is about to be recorded as sent; False when the request has gone on without it."""
        with self._lock:
            self._taken = not self._given_up
            return self._taken

    def give_up(self) -> bool:
        """Says that the request goes on; False when a block was recorded already, for which it must wait."""
        with self._lock:
            self._given_up = not self._taken
            return self._given_up


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat request as it came.

    Attributes:
        path: below the provider's prefix, with its query string.
        headers: names in lower case, without those of Clew.
        raw: the body as it came.
        encoding: its content encoding; empty for none.
    """

    wire: ProxyWire
    path: str
    headers: Mapping[str, str]
    raw: bytes
    encoding: str
    principal: Principal
    options: RequestOptions
    ticket: ChatTicket


@dataclass(frozen=True, slots=True)
class RememberedChat:
    """A chat that is remembered: whose memory it belongs to, and which conversation it goes on with.

    Attributes:
        before: the index from before the request was stored; None where it was not read.
        is_repeated: whether its last message was stored before, so that answers to it may be stored, too.
    """

    space: "SpaceMemory"
    conversation: "Conversation"
    client: ClientMark
    before: "IndexView | None" = None
    is_repeated: bool = False


class Unchanged(StrEnum):
    """Why nothing was added to a chat although it might have been; the value is the label of the metric."""

    ERROR = "error"
    """Something of the memory failed."""
    SLOW = "slow"
    """The memory took longer than `serve.patience`."""
    BUSY = "busy"
    """More requests wait for the threads than they will get through."""
    UNREADABLE = "unreadable"
    """The body is not a request of its format."""
    COMPRESSED = "compressed"
    """The body is compressed in a way that is not read here, or for which no decoder is installed."""
    STOPPING = "stopping"
    """The server is stopping, and its memories are closed; nothing failed."""


@dataclass(frozen=True, slots=True)
class PreparedChat:
    """What goes upstream.

    Attributes:
        body: in place of the body that came; None for that body itself, byte for byte.
        request: as it was read; None when it was not.
        remembered: the memory and the conversation that it belongs to; None when it is not remembered.
        receipt: of the block that was added.
        session: the conversation in which the chat is stored; None when it is not.
        unchanged: why the memory did not take part; None when it did, or was not asked to.
        reply: the answer, where the proxy gives it itself; nothing goes upstream then.
        box: the tools that are offered in it; None for none.
        decision: what was decided about it, for the ledger; None when nothing was.
        cut: whether turns were left out to fit the window, since the memory failed.
        incognito: whether nothing of it is stored, looked up or added.
    """

    body: bytes | None = None
    request: ChatRequest | None = None
    remembered: "RememberedChat | None" = None
    receipt: str | None = None
    session: str | None = None
    unchanged: Unchanged | None = None
    reply: "LocalAnswer | None" = None
    box: "Toolbox | None" = None
    decision: "Decision | None" = None
    cut: bool = False
    incognito: bool = False
