"""The steps of a chat between client and upstream, in their order. Whatever they raise is caught in `prepare`.

Read, tell conversation from side request, recall, add. They run in a thread and need no network.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.config import ServeConfig
from clew.memory import Memory
from clew.rank.confidence import UNLIKELY
from clew.rank.filter import Filter
from clew.recall.recall import RecallRequest, recall
from clew.serve.proxy.chats import Chat, PreparedChat, decoded
from clew.serve.proxy.exchange import ChatRequest, Edit, edited
from clew.serve.proxy.question import question_of, question_place
from clew.serve.spaces import Spaces
from clew.text.counters import counter

if TYPE_CHECKING:
    from clew.types import Context


@dataclass(frozen=True, slots=True)
class ChatPlace:
    """Where in the memory a chat belongs."""

    memory: Memory
    session: str


class Pipeline:
    """What is done to every chat. Threads share it."""

    def __init__(self, spaces: Spaces, config: ServeConfig) -> None:
        self._spaces, self._config = spaces, config

    def read(self, chat: Chat) -> ChatRequest:
        """The request of a chat.

        Raises:
            FormatError: the body is no request of its format, or is compressed in a way that is not read here.
        """
        return chat.wire.read(chat.path, chat.headers, decoded(chat.raw, chat.encoding, self._config.read_bytes))

    def run(self, chat: Chat, request: ChatRequest) -> PreparedChat:
        """What goes upstream in place of a request.

        Raises:
            ClewError: a memory cannot be opened or read.
        """
        client = chat.wire.client(request)
        if chat.options.incognito or client.side is not None:
            return PreparedChat(request=request)
        memory = self._spaces.get(chat.principal.space)
        edits: list[Edit] = []
        context = self._recalled(chat, request, memory)
        place = question_place(chat.wire, request.messages)
        if context is not None and place is not None and chat.ticket.take():
            edits.append(chat.wire.appended(request, place, context.text))
        if not edits:
            return PreparedChat(request=request)
        return PreparedChat(
            body=edited(request.body, edits), request=request, receipt=context.receipt_id if context else None
        )

    def _recalled(self, chat: Chat, request: ChatRequest, memory: Memory) -> "Context | None":
        """What is remembered for the question at a request's end; None when nothing is to be added."""
        wants = self._config.inject if chat.options.inject is None else chat.options.inject
        if not wants or not request.messages or not self._config.budget:
            return None
        question = question_of(chat.wire, request.messages)
        if not question or memory.is_empty:
            return None
        budget = RecallRequest(self._config.budget, counter(memory.config.counter))
        context = recall(memory.reads, question, budget, Filter())
        is_likely = context.confidence is None or context.confidence >= UNLIKELY
        return context if context.items and is_likely else None
