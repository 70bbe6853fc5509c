"""The steps of a chat between client and upstream, in their order. Whatever they raise is caught in `prepare`.

Read, find the conversation, store what is new, put back earlier blocks, recall, choose by cost what is added and
whether old messages are shown in short, record the new block, add it; afterwards store the answer and what it cost.
They run in a thread and need no network.
"""

import secrets
import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from clew.config import ServeConfig
from clew.errors import ClewError
from clew.rank.confidence import UNLIKELY
from clew.rank.filter import Filter
from clew.recall.recall import RecallRequest, recall
from clew.serve.proxy.assembly import Draft, assembled, fitted_to
from clew.serve.proxy.chats import Chat, PreparedChat, RememberedChat
from clew.serve.proxy.clients import recognised
from clew.serve.proxy.economy.ledger import Passed, record
from clew.serve.proxy.encodings import decoded
from clew.serve.proxy.exchange import Answer, ChatRequest, TokenUsage
from clew.serve.proxy.held_calls import HeldExchange
from clew.serve.proxy.history.earlier_answers import earlier_answers
from clew.serve.proxy.history.fetched_answers import Fetch, FetchedAnswers
from clew.serve.proxy.injections import PutBack
from clew.serve.proxy.kept_answer import KeptAnswer
from clew.serve.proxy.offered_tools import OfferedTools
from clew.serve.proxy.question import asks_nothing, question_in, question_index
from clew.serve.proxy.space_memory import SpaceMemories, SpaceMemory
from clew.serve.proxy.wires.responses import RESPONSES
from clew.serve.spaces import Spaces
from clew.text.counters import counter

if TYPE_CHECKING:
    from clew.index.view import IndexView
    from clew.types import Context

_SUCCESS: Final = range(200, 300)


class Pipeline:
    """What is done to every chat. Threads share it."""

    def __init__(self, spaces: Spaces, config: ServeConfig) -> None:
        self._spaces, self._config = SpaceMemories(spaces, config), config
        self._tools = OfferedTools(aliases=config.aliases)
        self._unread = _Unread()

    def stop(self) -> None:
        """Ends what takes long, since the server stops."""
        self._spaces.stop()

    def close(self) -> None:
        """Waits for what is done behind the scenes, before the memories are closed."""
        self._spaces.close()

    def read(self, chat: Chat) -> ChatRequest:
        """The request of a chat.

        Raises:
            FormatError: the body is not a request of its format, or is compressed in a way that is not read here.
            MissingExtra: no decoder of its encoding is installed.
        """
        return chat.wire.read(chat.path, chat.headers, decoded(chat.raw, chat.encoding, self._config.read_bytes))

    def store(self, chat: Chat, request: ChatRequest) -> PreparedChat:
        """A request as it came, with its place in the memory; what is new of it is stored.

        Raises:
            ClewError: a memory cannot be opened, written or read.
        """
        space = self._spaces.get(chat.principal.space)
        client = recognised(request)
        if chat.options.incognito or space.log.is_excluded(client):
            return _incognito(space, request)
        conversation = space.conversations.identify(request, client, chat.options.session)
        if conversation.is_paused:
            return _incognito(space, request)
        before = _index_of(space) if self._adds(chat) and client.side is None else None
        is_repeated = conversation.is_known_to_its_end
        conversation = space.log.store_request(conversation, request, client)
        remembered = RememberedChat(space, conversation, client, before, is_repeated)
        stored_in = conversation.session if client.side is None else None
        return PreparedChat(request=request, remembered=remembered, session=stored_in)

    def add(self, chat: Chat, stored: PreparedChat) -> PreparedChat:
        """What goes upstream in place of a request that `store` has given; a command's answer as it is.

        What was stored is on the disk when this returns or raises.

        Raises:
            ClewError: the memory cannot be written or read.
        """
        request, remembered = stored.request, stored.remembered
        if request is None:
            return stored
        wants_tools = self._config.tools if chat.options.tools is None else chat.options.tools
        if remembered is None or remembered.client.side is not None:  # incognito, or a request of the client for itself
            return self.cut_to_fit(chat, stored)
        try:
            if chat.ticket.is_given_up:  # nothing waits for a block any more
                return stored
            before = None
            if not request.messages:
                prepared = self.cut_to_fit(chat, stored)
            elif not self._adds(chat):
                prepared = assembled(Draft(chat, request, remembered, has_tools=wants_tools), stored, None)
            else:
                before = remembered.space.injections.put_back(remembered.conversation, request, chat.wire)
                prepared = self._with_blocks(chat, request, remembered, before, stored, has_tools=wants_tools)
            rows = None if before is None else before.rows
            return self._tools.offered_in(chat, prepared, request, wanted=wants_tools, rows=rows)
        finally:
            remembered.conversation.wait_for_disk()

    def hold(self, prepared: PreparedChat, exchange: HeldExchange) -> None:
        """Keeps calls of Clew's tools that were answered beside calls of the client's own."""
        self._tools.hold(prepared, exchange)

    def fetched(self, space: str, fetch: Fetch, answer: KeptAnswer) -> None:
        """Stores an answer that was made in the background, once it is whole.

        Raises:
            ClewError: the memory cannot be opened, written or read.
        """
        if _refusal(answer) is None:
            FetchedAnswers(self._spaces.get(space).log.parts).store(fetch, answer.read(RESPONSES, stream=fetch.stream))

    def cut_to_fit(self, chat: Chat, prepared: PreparedChat) -> PreparedChat:
        """What goes upstream in place of a request without the memory: itself, cut where there is a window.

        Raises:
            FormatError: it cannot be read.
        """
        if not self._config.window:
            return prepared
        return fitted_to(chat, prepared.request or self.read(chat), prepared, self._config.window)

    def after(self, chat: Chat, prepared: PreparedChat, answer: KeptAnswer | None) -> Callable[[], None]:
        """Stores an answer; one that never came, or was an error, counts as none.

        Returns:
            What remains once others can read it: to keep a row of the ledger, to take it all into the index, and to
            wait for the disk.
        """
        request, remembered = prepared.request, prepared.remembered
        if request is None:
            return _nothing
        said, refused = Answer(complete=False), _refusal(answer)
        if answer is not None and refused is None:
            said = answer.read(chat.wire, stream=request.stream)
            refused = "no answer" if answer.is_empty(said) else None
        if prepared.incognito:
            self._spaces.get(chat.principal.space).log.pass_over(request, said)
        if prepared.incognito or remembered is None:
            return _nothing
        stored = remembered.space.log.store_answer(remembered.conversation, request, remembered.client, said)
        usage = said.usage if answer is None else answer.charged(said)
        asks = remembered.before is not None  # questions are answered here, and the next one shall find all this ready
        self._unread.add(chat.principal.space, asks=asks)

        def finish() -> None:
            try:  # while the disk is at work
                is_last = self._unread.take(chat.principal.space, asks=asks)
                self._log_cost(request, prepared, remembered, usage, refused)
                if is_last:
                    remembered.space.memory.reads.refresh()
            finally:
                stored.wait_for_disk()

        return finish

    def _log_cost(
        self,
        request: ChatRequest,
        prepared: PreparedChat,
        remembered: RememberedChat,
        usage: TokenUsage,
        refused: str | None,
    ) -> None:
        """Keeps a row of the ledger, unless the session is paused."""
        reads = remembered.space.memory.reads
        passed = Passed(
            id=secrets.token_hex(4),
            at=reads.clock(),
            wire=request.wire,
            model=request.model,
            client=remembered.client.name,
            session=remembered.conversation.session,
            decision=prepared.decision,
            usage=usage,
            receipt=prepared.receipt,
            failed=None if prepared.unchanged is None else str(prepared.unchanged),
            refused=refused,
        )
        record(reads.store, reads.space, passed, remembered.space.economy.price(request.model))

    def _with_blocks(
        self,
        chat: Chat,
        request: ChatRequest,
        remembered: RememberedChat,
        before: PutBack,
        stored: PreparedChat,
        *,
        has_tools: bool,
    ) -> PreparedChat:
        """What goes upstream but for the tools, with the blocks of earlier questions and one for this question."""
        space, conversation = remembered.space, remembered.conversation
        asked = question_index(chat.wire, request.messages)
        draft = Draft(chat, request, remembered, before.edits, has_tools=has_tools)
        if asked is None or asked in before.indexes or not self._config.budget:
            return assembled(draft, stored, None)
        context = self._recalled(request, remembered, before, asked)
        lost = space.lost.text(request, remembered, before.texts, self._config.budget)
        text = "\n\n".join(part for part in (lost, context.text if context is not None else "") if part)
        formed = space.injections.formed(conversation, asked, text) if text else None
        if formed is None:
            return assembled(draft, stored, None)
        block = chat.wire.appended(request, asked, formed[1])
        record = partial(self._recorded, chat, remembered, formed, text, context, asked)
        receipt = context.receipt_id if context is not None else None
        draft = Draft(chat, request, remembered, before.edits, block, has_tools=has_tools, record=record)
        return assembled(draft, stored, receipt)

    def _adds(self, chat: Chat) -> bool:
        return self._config.inject if chat.options.inject is None else chat.options.inject

    def _recalled(
        self, request: ChatRequest, remembered: RememberedChat, before: PutBack, asked: int
    ) -> "Context | None":
        """What is remembered for the question at a request's end; None when nothing is to be added.

        What the request itself still holds is left out, as is what stands in its earlier blocks, and what this question
        was answered with before: somebody who asks for another answer does not want the old one.

        Args:
            asked: index of the message that asks.
        """
        question = question_in(request.messages[asked])
        memory, view = remembered.space.memory, remembered.before
        if asks_nothing(question) or (memory.is_empty if view is None else not len(view.turns.ordinal)):
            return None
        count, floor = counter(memory.config.counter), self._config.floor
        wanted = RecallRequest(self._config.budget, count, view=view, floor=floor)
        replaced = earlier_answers(memory.parts, remembered.conversation) if remembered.is_repeated else ()
        shown = [*remembered.conversation.shown, *before.shown, *replaced]
        context = recall(memory.reads, question, wanted, Filter(), shown)
        is_likely = context.confidence is None or context.confidence >= UNLIKELY
        return context if context.text and is_likely else None

    def _recorded(
        self,
        chat: Chat,
        remembered: RememberedChat,
        formed: tuple[str, str],
        text: str,
        context: "Context | None",
        asked: int,
    ) -> bool:
        """Records a block before it is sent; False when the request went on without it, or it cannot be kept.

        From here on nobody gives up on the request, so the disk is waited for before.
        """
        remembered.conversation.wait_for_disk()
        if not chat.ticket.take():
            return False
        turns = context.turn_ids if context is not None else []
        receipt = context.receipt_id if context is not None else None
        is_kept = remembered.space.injections.record(
            remembered.conversation, asked, formed, turns=turns, receipt=receipt
        )
        if is_kept:
            remembered.space.lost.brought_back(remembered.conversation.session, text)
        return is_kept


class _Unread:
    """How many answers of each space are stored and not taken into the index yet: the last one is, with all others."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count: Counter[str] = Counter()

    def add(self, space: str, *, asks: bool) -> None:
        """Counts an answer; one in whose chats nothing is asked of the memory does not count."""
        with self._lock:
            self._count[space] += asks

    def take(self, space: str, *, asks: bool) -> bool:
        """Counts it no longer, and says whether it was the last."""
        with self._lock:
            self._count[space] -= asks
            return asks and not self._count[space]


def _index_of(space: SpaceMemory) -> "IndexView | None":
    """The index before a request is stored; None where it cannot be read, which the recall will meet and tell.

    A question is asked of what was there before it: of the request's own turns none is shown, and to take them in takes
    as long as a fifth of a recall. That is done when the answer has been relayed.
    """
    try:
        return space.memory.reads.live.view()
    except ClewError:  # the request is stored all the same
        return None


def _incognito(space: SpaceMemory, request: ChatRequest) -> PreparedChat:
    space.log.pass_over(request)
    return PreparedChat(request=request, incognito=True)


def _nothing() -> None:
    """What remains of an exchange of which nothing is stored."""


def _refusal(answer: KeptAnswer | None) -> str | None:
    """Why a request was not answered; None when it was, if only in part."""
    if answer is None:
        return "no answer"
    return None if answer.status in _SUCCESS else f"status {answer.status}"
