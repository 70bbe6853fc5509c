"""Stores what is new in a request, and the answer to it. Start at `store_request`.

A history that is sent again costs what is new in it: `conversations` tells what is known, and nothing else becomes a
turn. New turns, and the hashes by which they are known next time, are written in one transaction, which looks again at
what is stored: of two requests that bring the same message at once, one stores it.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import accumulate
from typing import Final

from clew.condense.wires import Message
from clew.errors import ClosedError
from clew.ingest.echo import NO_ECHOES, Echoes
from clew.ingest.exclude import exclusion
from clew.ingest.importers.json_fields import without_none
from clew.memory.wiring import Parts
from clew.rows.conversations import State, StoredMessage, message_digest, next_chain, put_messages, set_state
from clew.rows.injections import blocks_of
from clew.rows.pause import is_session_paused
from clew.serve.proxy.exchange import Answer, ChatRequest, ClientMark, SideRequest
from clew.serve.proxy.history.conversation_lookup import answer_chain
from clew.serve.proxy.history.conversation_writer import AnswerStretch, ConversationMoved, ConversationWriter
from clew.serve.proxy.history.conversations import Conversation, Conversations, conversation_with, with_disk, with_known
from clew.serve.proxy.history.history_portions import next_portion, with_portion
from clew.serve.proxy.history.message_form import Unit, stretches_of, units_of
from clew.serve.proxy.history.message_turns import TurnMaker, calls_before
from clew.serve.proxy.history.summaries import summary_rows
from clew.store.protocol import Committed, Reader
from clew.store.turn_selections import TURN_TEXT
from clew.types.ids import parse_turn_id, turn_id
from clew.write.append import PlacedTurn
from clew.write.same_words import SOURCES

NOTHING: Final[Committed[tuple[str, ...]]] = Committed((), lambda: None)
"""What is stored of an answer that says nothing, or is not to be stored."""

_HEAD: Final = 60
"""Characters at the beginning of a message by which it is seen to be a shorter form of a stored one."""

_LEAST: Final = 12
"""Characters below which a message says too little to be seen as that."""

_LOOKED_AT: Final = 64
"""Turns that a message may be a shorter form of."""


_AGAIN: Final = 16
"""How often a request is identified again because others store something of its conversation all the time."""


@dataclass(frozen=True, slots=True)
class ConversationLog:
    """Stores the requests and answers of one space. Threads may share it.

    Attributes:
        stopping: set when the server stops: then no further portion of a long history is begun.
    """

    parts: Parts
    conversations: Conversations
    stopping: threading.Event = field(default_factory=threading.Event)

    def store_request(self, conversation: Conversation, request: ChatRequest, client: ClientMark) -> Conversation:
        """Commits what is new in a request; gives the conversation with the ids of all its turns, see `wait_for_disk`.

        A side request stores nothing. While the space or the session is paused nothing is stored either, and as long as
        this process runs, what passed then is not stored later, when it is sent again. If others stored something of
        the conversation since the request was identified, it is identified again: what comes at once is stored as if it
        came in turn.

        The worker is not woken, since it would take the interpreter from this request. Storing the answer wakes it; if
        none comes, it finds the new turns when it next looks for work.
        """
        if client.side is not None:
            self._note_side(conversation, client.side)
            return conversation
        for _ in range(_AGAIN):
            try:
                return self._store_new(conversation, request, client)
            except ConversationMoved:
                conversation = self.conversations.identify(request, client, conversation.header)
        return self._store_new(conversation, request, client, is_last=True)

    def _store_new(
        self, conversation: Conversation, request: ChatRequest, client: ClientMark, *, is_last: bool = False
    ) -> Conversation:
        """Commits what is new in a request.

        Args:
            is_last: whether it is stored whatever others stored since it was identified.

        Raises:
            ConversationMoved: it is to be identified again; what is stored of it by then is known.
        """
        if None not in conversation.held:
            return self._waiting(conversation)
        maker = self._maker(conversation, client)
        header = conversation.header
        is_there = partial(self.conversations.is_stored, request=request, client=client, header=header)
        is_stored = None if is_last else is_there
        if not conversation.is_foreign or client.name in SOURCES:
            asked = _asked(conversation)
            conversation = self._begun(conversation, request, maker, asked, is_stored)
            made, adopts = self._made(conversation, request, maker, asked), False
        elif (adopted := self._adopted(conversation, request, maker)) is not None:
            conversation, made, adopts = adopted, {}, True
        else:
            self.conversations.pass_over(conversation.units)
            return conversation
        writer = ConversationWriter(self.parts, conversation, is_stored=is_stored, adopts=adopts)
        stored = writer.write(made, State.WAITING)
        if stored is None:
            self.conversations.pass_over(conversation.units)
            return conversation
        self.conversations.remember(stored)
        return with_known(stored, conversation.known)

    def store_answer(
        self, conversation: Conversation, request: ChatRequest, client: ClientMark, answer: Answer
    ) -> Committed[tuple[str, ...]]:
        """Commits an answer, and gives the ids of its turns; one that broke off is marked as incomplete.

        Args:
            conversation: as `store_request` gave it.
            answer: as far as it came; without anything said, the request counts as one that got no answer. Of several
                answers all are stored, since nobody can tell yet from which one the client goes on.
        """
        if client.side is not None:
            self._note_summary(conversation, client.side, answer)
            return NOTHING
        said = _different(conversation, request, answer)
        if not said:
            is_begun = request.value.get("background") is True and answer.id != ""
            self._set_state(conversation, State.ANSWERED if is_begun else State.FAILED)
            if is_begun:
                self._note_begun(conversation, answer.id)
            return NOTHING
        stored = [self._store_one(conversation, client, request.wire, message) for message in said]

        def wait_for_disk() -> None:
            for one in stored:
                one.wait_for_disk()

        return Committed(tuple(name for one in stored for name in one.result), wait_for_disk)

    def _store_one(
        self, conversation: Conversation, client: ClientMark, wire: str, said: "_SaidAnswer"
    ) -> Committed[tuple[str, ...]]:
        """Commits one answer. Of several to one question each after the first opens a branch."""
        before, answer = said.before, said.answer
        if not conversation.chains or None in conversation.held:
            self.conversations.pass_over((*before, said.unit))
            return NOTHING
        asked = with_answer(conversation, before, said.unit, len(answer.messages))
        metadata = without_none(model=answer.model or None, incomplete=None if answer.complete else True)
        maker = self._maker(conversation, client)
        maker = replace(maker, metadata={**(maker.metadata or {}), **metadata})
        now, names = self.parts.reads.clock(), calls_before(())
        each = [maker.turns([message], now, names) for message in answer.messages]
        made = {len(before): [turn for turns in each for turn in turns]}
        prefilled = tuple(seq for places in conversation.held[len(before) :] for seq in places or ())
        is_whole = answer.complete and not prefilled
        stretches = {len(before): _stretches(answer.messages, list(map(len, each)))} if is_whole else {}
        named = answer.id if wire == "responses" else ""  # the ids of other formats' answers are never sent
        writer = ConversationWriter(
            self.parts, asked, relays=True, prefilled=prefilled, answer=named, stretches=stretches
        )
        stored = writer.write(made, State.ANSWERED)
        if stored is None:
            self.conversations.pass_over(asked.units)
            return NOTHING
        self.conversations.remember(stored)
        self.parts.worker.wake()
        seqs = (stored.held[-1] or ())[len(prefilled) :]
        return Committed(tuple(turn_id(stored.session, seq) for seq in seqs), stored.wait_for_disk)

    def is_excluded(self, client: ClientMark) -> bool:
        """Whether the setting `ingest.exclude` keeps out what is said in the folder in which a program works."""
        return exclusion(self.parts.reads.config.ingest.exclude).of_folder(client.folder) is not None

    def is_paused(self, session: str) -> bool:
        """Whether nothing of a session may be stored, because it is paused or its space is."""
        reads = self.parts.reads
        with reads.store.snapshot() as reader:
            return is_session_paused(reader, reads.space, session)

    def pass_over(self, request: ChatRequest, answer: Answer | None = None) -> None:
        """Takes note, in this process alone, of what was sent incognito: it is not stored later either.

        Args:
            answer: None before there is one.
        """
        self.conversations.pass_over(units_of(request.messages))
        for one in () if answer is None else (answer, *answer.others):
            self.conversations.pass_over(units_of((*request.messages, *one.messages)))

    def _maker(self, conversation: Conversation, client: ClientMark) -> TurnMaker:
        return TurnMaker(
            conversation.session,
            client.name,
            NO_ECHOES if conversation.fresh else Echoes(partial(self._blocks, conversation.session)),
            self.parts.reads.config.ingest,
            self.parts.appender.turns_of_session,
            by_program=client.subagent,
            metadata=without_none(cwd=client.folder),
        )

    def _blocks(self, session: str) -> dict[str, str]:
        reads = self.parts.reads
        with reads.store.snapshot() as reader:
            return blocks_of(reader, reads.space, session)

    def _begun(
        self,
        conversation: Conversation,
        request: ChatRequest,
        maker: TurnMaker,
        asked: int,
        is_stored: Callable[[Reader], bool] | None,
    ) -> Conversation:
        """Commits all but the last portion of a long new history, and gives the conversation with these turns.

        So a server that stops need not wait for all of it, and what is stored stays: the client's next request has the
        rest.

        Raises:
            ClosedError: the server is stopping.
        """
        while (part := next_portion(conversation)) is not None:
            if self.stopping.is_set():
                raise ClosedError("the server is stopping; the rest of this history is stored when it is sent again")
            made = self._made(part, request, maker, asked)
            stored = ConversationWriter(self.parts, part, is_stored=is_stored).write(made, State.WAITING)
            if stored is None:  # paused; the last portion is not stored either
                break
            conversation = with_portion(conversation, stored)
        return conversation

    def _made(
        self, conversation: Conversation, request: ChatRequest, maker: TurnMaker, asked: int
    ) -> dict[int, list[PlacedTurn] | None]:
        """The turns of each unit that is not stored; None for one that only shortens what is stored.

        Args:
            asked: index of the unit that asks; those before it are of an unknown time unless the history is watched.
        """
        units, now = conversation.units, self.parts.reads.clock()
        new = [i for i, places in enumerate(conversation.held) if places is None]
        names = calls_before(request.messages[_calling(units, new[0]) : units[new[0]].first])
        answers = _first_answer(units)
        made: dict[int, list[PlacedTurn] | None] = {}
        for i in new:
            messages = request.messages[units[i].first : units[i].last + 1]
            is_earlier = not conversation.is_watched and i < asked
            moment: datetime | None = None if is_earlier else now
            place = conversation.unmatched.get(i)
            stands_in = place is not None and place.is_stand_in
            begins = not stands_in and i < answers
            turns = maker.turns(messages, moment, names, stands_in=stands_in, begins=begins)
            shortens = place is not None and (units[i].results or self._shortens(conversation, turns, place.missing))
            made[i] = None if shortens else turns
        return made

    def _adopted(self, conversation: Conversation, request: ChatRequest, maker: TurnMaker) -> Conversation | None:
        """A conversation of a session that others stored: its history is aligned by content. None while paused."""
        now, appender = self.parts.reads.clock(), self.parts.appender
        names = calls_before(())
        answers = _first_answer(conversation.units)
        turns = [
            (i, turn.item)
            for i, unit in enumerate(conversation.units)
            for turn in maker.turns(request.messages[unit.first : unit.last + 1], None, names, begins=i < answers)
        ]
        held: list[tuple[int, ...]] = [() for _ in conversation.units]
        fates = appender.add_live([item for _, item in turns], now) if turns else ()
        for (i, _), fate in zip(turns, fates, strict=True):
            if fate.paused:
                return None
            if (name := fate.added or fate.known) is not None:
                held[i] = (*held[i], parse_turn_id(name)[1])
        return conversation_with(conversation, held, known=len(held))

    def _shortens(self, conversation: Conversation, turns: Sequence[PlacedTurn], missing: Sequence[int]) -> bool:
        """Whether a message is the beginning of one of the turns that are missing where it stands."""
        said = " ".join(" ".join(turn.item.turn.text for turn in turns).split())[:_HEAD]
        if len(said) < _LEAST or not missing:
            return False
        reads = self.parts.reads
        with reads.store.snapshot() as reader:
            keys = [(reads.space, conversation.session, seq) for seq in missing[:_LOOKED_AT]]
            texts = TURN_TEXT.get_many(reader, keys)
        return any(text is not None and " ".join(text.split()).startswith(said) for text in texts)

    def _note_side(self, conversation: Conversation, side: SideRequest) -> None:
        if side is SideRequest.COMPACTION:
            self._set_state(conversation, State.COMPACTING)

    def _note_summary(self, conversation: Conversation, side: SideRequest, answer: Answer) -> None:
        """Keeps by what a summary is known, if it is one of a stored conversation."""
        reads = self.parts.reads
        if side is not SideRequest.COMPACTION or not conversation.known or self.is_paused(conversation.session):
            return
        last = next((places for places in reversed(conversation.held) if places), ())
        rows = summary_rows(conversation.salt, conversation.key, answer.messages, last)
        if rows:
            reads.store.transaction(lambda tx: put_messages(tx, reads.space, rows))

    def _note_begun(self, conversation: Conversation, answer: str) -> None:
        """Keeps the id of an answer of Responses that is made in the background: what names it goes on from here."""
        reads = self.parts.reads
        if not conversation.chains or None in conversation.held or self.is_paused(conversation.session):
            return
        last = len(conversation.held) - 1
        named, held = answer_chain(conversation.salt, answer), (conversation.held[last] or (),)
        row = StoredMessage(conversation.key, last, named, conversation.digests[last], conversation.relayed, held)
        reads.store.transaction(lambda tx: put_messages(tx, reads.space, [row]))

    def _waiting(self, conversation: Conversation) -> Conversation:
        """A request that was sent before: what is stored of it may still be on its way to the disk, or have failed."""
        reads = self.parts.reads
        if not conversation.key or self.is_paused(conversation.session):
            return conversation
        done = reads.store.committed(lambda tx: set_state(tx, reads.space, conversation.key, State.WAITING))
        return with_disk(conversation, done.wait_for_disk)

    def _set_state(self, conversation: Conversation, state: State) -> None:
        reads = self.parts.reads
        if not conversation.key or self.is_paused(conversation.session):
            return
        reads.store.transaction(lambda tx: set_state(tx, reads.space, conversation.key, state), durable=False)


def _stretches(messages: Sequence[Message], counts: Sequence[int]) -> list[AnswerStretch]:
    """The parts of an answer by places among its turns, of which each message has so many."""
    starts = list(accumulate(counts, initial=0))
    return [AnswerStretch(digest, starts[first], starts[last + 1]) for first, last, digest in stretches_of(messages)]


def _asked(conversation: Conversation) -> int:
    """Index of the last new unit in which the user asks; of the first new one where none does."""
    units = conversation.units
    new = [i for i, places in enumerate(conversation.held) if places is None]
    return max((i for i in new if units[i].role == "user" and not units[i].results), default=new[0])


def _first_answer(units: Sequence[Unit]) -> int:
    """Index of the first unit that is the model's."""
    return next((i for i, unit in enumerate(units) if unit.role == "assistant"), len(units))


def _calling(units: Sequence[Unit], at: int) -> int:
    """Index of the first message whose tool calls may have their results in the unit at `at`."""
    while at > 0 and units[at - 1].role != "assistant":
        at -= 1
    return units[at - 1].first if at > 0 else 0


@dataclass(frozen=True, slots=True)
class _SaidAnswer:
    """An answer that says something.

    Attributes:
        before: the units before it.
        unit: the answer, with what the request gives as its beginning, if it does.
    """

    before: tuple[Unit, ...]
    unit: Unit
    answer: Answer


def _different(conversation: Conversation, request: ChatRequest, answer: Answer) -> list[_SaidAnswer]:
    """The answers to a request that say something; of those that say the same, the first."""
    said: dict[bytes, _SaidAnswer] = {}
    for one in (answer, *answer.others):
        if (found := _after(conversation, request, one)) is not None:
            said.setdefault(found.unit.digest, found)
    return list(said.values())


def _after(conversation: Conversation, request: ChatRequest, answer: Answer) -> _SaidAnswer | None:
    """An answer behind the units of its request; None for one that says nothing."""
    units = conversation.units
    count = len(request.messages)
    if not any(unit.role == "assistant" for unit in units_of(answer.messages)):
        return None
    begun = bool(units) and units[-1].role == "assistant"
    start = units[-1].first if begun else count
    said = units_of((*request.messages[start:], *answer.messages))[-1]
    moved = replace(said, first=said.first + start, last=said.last + start)
    return _SaidAnswer(units[:-1] if begun else units, moved, answer)


def with_answer(conversation: Conversation, before: Sequence[Unit], said: Unit, messages: int) -> Conversation:
    """The conversation with an answer that is to be stored, after its first so many units."""
    count, salt = len(before), conversation.salt
    digest = message_digest(salt, said.digest)
    chain = next_chain(salt, conversation.chains[count - 1] if count else conversation.seed, digest)
    longer = replace(
        conversation,
        units=(*before, said),
        messages=conversation.messages + messages,
        digests=(*conversation.digests[:count], digest),
        chains=(*conversation.chains[:count], chain),
        unmatched={},
        recorded=min(conversation.recorded, count),
        fresh=False,
    )
    return conversation_with(longer, (*conversation.held[:count], None), known=count)
