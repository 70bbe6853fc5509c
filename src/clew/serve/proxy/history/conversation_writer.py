"""The transaction that stores turns of a conversation together with the hashes by which they are known next time."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, NamedTuple

from clew.memory.wiring import Parts
from clew.rows.conversations import (
    State,
    StoredConversation,
    StoredMessage,
    branch_ends,
    conversation_key,
    get_conversation,
    get_messages,
    message_digest,
    next_chain,
    put_conversation,
    put_messages,
)
from clew.serve.proxy.history.conversation_lookup import answer_chain, hashes
from clew.serve.proxy.history.conversations import Conversation, conversation_with, with_disk
from clew.serve.proxy.history.imported_agents import imported_since
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import SessionRow, SpaceRow
from clew.store.rows import to_us
from clew.store.turn_selections import TURN_BRANCHES, TURN_DIGESTS
from clew.types.ids import parse_turn_id
from clew.write.append import PlacedTurn
from clew.write.same_words import SOURCES, SpokenPieces, stored_words
from clew.write.session_writes import Fate


class ConversationMoved(Exception):
    """Raised when a request's conversation went on, or was begun by another, after it was looked at."""


Made = Mapping[int, Sequence[PlacedTurn] | None]
"""Unit -> its turns; None for one that is not stored because it only shortens what is."""

_TRIED: Final = 64
"""Turns that are tried for the one that a new turn answers; earlier ones only where so many were forgotten."""


class AnswerStretch(NamedTuple):
    """A part of an answer that a client may send alone: its hash, and the first and last place among all its turns."""

    digest: bytes
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class ConversationWriter:
    """Writes what is new of one conversation.

    Attributes:
        stretches: of answers of several messages by unit, see `AnswerStretch`.
        relays: whether what is new is an answer that the proxy relayed.
        prefilled: turns that belong to the first new unit and are stored already.
        answer: id of the answer, by which a later request may name it; empty for none.
        is_stored: whether there is a conversation by now for a request that had none; None for what was not looked up.
        adopts: whether others stored the session, so that none of its messages has a row yet.
    """

    parts: Parts
    conversation: Conversation
    relays: bool = False
    prefilled: tuple[int, ...] = ()
    answer: str = ""
    stretches: Mapping[int, Sequence[AnswerStretch]] = field(default_factory=dict)
    is_stored: Callable[[Reader], bool] | None = None
    adopts: bool = False

    def write(self, made: Made, state: State) -> Conversation | None:
        """Commits the turns where they belong; gives the conversation with all its turns, or None while paused.

        Raises:
            ConversationMoved: nothing was written, since the request is to be looked up again.
        """
        reads = self.parts.reads
        now = reads.clock()
        work = _Work(self, reads.space, made, state, to_us(now))
        done = self.parts.appender.add_placed(self.conversation.session, now, work.decide, work.settle)
        return None if done.result is None else with_disk(work.result, done.wait_for_disk)


@dataclass(frozen=True, slots=True)
class _PartlyStored:
    """A unit that was stored in part by another way: the places of its stored turns, and the other turns.

    What the program added to such a unit is not among the others.
    """

    seqs: tuple[int, ...]
    rest: Sequence[PlacedTurn]


@dataclass(slots=True)
class _Work:
    """One run of the transaction; it may be run again, so that `decide` begins anew.

    Attributes:
        held: for each unit the places of its turns; None for one that is to be stored.
        order: the unit of each turn of `turns`.
        first: index of the first unit after everything that was stored when the request was looked at.
        ends: branch -> place of its last turn.
        said: units of which the program's own file brought in turns meanwhile.
    """

    writer: ConversationWriter
    space: str
    made: Made
    state: State
    now: int
    result: Conversation = field(init=False)
    stored: StoredConversation | None = None
    held: list[tuple[int, ...] | None] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    turns: list[PlacedTurn] = field(default_factory=list)
    ends: dict[str, int] = field(default_factory=dict)
    said: dict[int, _PartlyStored] = field(default_factory=dict)
    first: int = 0
    next_seq: int = 0

    def __post_init__(self) -> None:
        self.result = self.writer.conversation

    def decide(self, tx: Transaction, space: SpaceRow, session: SessionRow) -> Sequence[PlacedTurn]:
        """Where the turns go, given what is stored now."""
        conversation = self.writer.conversation
        key = conversation_key(space.salt, conversation.session)
        self.result = conversation
        if conversation.key != key:  # the space had no turn when the request was looked at
            digests, chains = hashes(space.salt, conversation.units, conversation.seed)
            self.result = replace(conversation, salt=space.salt, key=key, digests=digests, chains=chains)
        self.held, self.order, self.turns = list(conversation.held), [], []
        self.next_seq = session.next_seq
        self.stored = get_conversation(tx, self.space, key)
        if self.writer.is_stored is not None and self._has_moved(tx, space, self.writer.is_stored):
            raise ConversationMoved
        if self.stored is not None and self.stored.next_seq == session.next_seq:
            self.ends = dict(self.stored.ends)
        else:  # somebody else wrote to the session, or it is new
            self.ends = branch_ends(tx, self.space, session.session) if session.next_seq else {}
        inside = conversation.unmatched
        new = (i for i, places in enumerate(self.held) if places is None and i not in inside)
        self.first = min(new, default=len(self.held))
        self._take_stored(tx)
        is_alone = self.stored is not None and self.stored.next_seq == session.next_seq
        is_known = is_alone and not conversation.is_foreign
        self.said = {} if is_known or not session.next_seq else self._said_in_file(tx, session.session)
        if conversation.elsewhere:
            self._leave_elsewhere(tx, conversation)
        if inside:
            self._find_earlier(tx, session.session)
        for i in sorted(inside):
            self._place_inside(tx, i)
        self._place_after(tx)
        return self.turns

    def settle(self, tx: Transaction, space: SpaceRow, fates: Sequence[Fate]) -> None:
        """Keeps the hashes of what is stored now, and the state of the conversation."""
        turns: dict[int, list[int]] = {i: [] for i, places in enumerate(self.held) if places is None}
        if self.first in turns:
            turns[self.first] += self.writer.prefilled
        for i, said in self.said.items():
            turns[i] += said.seqs
        for i, turn, fate in zip(self.order, self.turns, fates, strict=True):
            if fate.added is not None:
                seq = parse_turn_id(fate.added)[1]
                turns[i].append(seq)
                self.ends[turn.branch] = seq
                self.next_seq = seq + 1
        held = [tuple(turns[i]) if places is None else places for i, places in enumerate(self.held)]
        put_messages(tx, self.space, self._rows(held, turns))
        if self.writer.answer:
            named = answer_chain(space.salt, self.writer.answer)
            message = self._message(len(held) - 1, (held[-1],), self._relayed())
            put_messages(tx, self.space, [replace(message, chain=named)])
        self._put_conversation(tx, space.salt)
        count = len(held)
        stored = conversation_with(self.result, held, known=count, recorded=count, relayed=self._relayed())
        self.result = replace(stored, seen=self.next_seq)

    def _has_moved(self, tx: Reader, space: SpaceRow, is_stored: Callable[[Reader], bool]) -> bool:
        """Whether the conversation may have changed since the request was looked up, which must then be done again."""
        looked_at = self.writer.conversation
        if self.stored is not None or looked_at.seen is not None:
            return self.stored is None or self.stored.next_seq != looked_at.seen
        return space.next_ordinal != looked_at.upto and is_stored(tx)

    def _take_stored(self, tx: Reader) -> None:
        """Takes what was stored of the new units since the request was looked at."""
        new = range(self.first, len(self.held))
        keys = [(self.result.key, i, self.result.chains[i]) for i in new]
        for i, message in zip(new, get_messages(tx, self.space, keys), strict=True):
            if message is None:
                return
            self.held[i] = message.turns[-1]

    def _said_in_file(self, tx: Reader, session: str) -> dict[int, _PartlyStored]:
        """The units to be stored of which an import of the program's own file has stored some turns.

        Where the proxy knows no message of the session, turns count whoever stored them.
        """
        if self.result.client not in SOURCES:
            return {}
        from_file = None if self.writer.conversation.is_foreign else True
        words = stored_words(tx, self.space, session, from_file=from_file)
        partly: dict[int, _PartlyStored] = {}
        for i, places in enumerate(self.held):
            turns = self.made.get(i) if places is None else None
            each = [(turn, words.find(turn.item.turn)) for turn in turns or ()]
            seqs = tuple(sorted({seq for _, said in each for seq in said}))
            if seqs:
                rest = [turn for turn, said in each if not said and turn.item.turn.origin != "injected"]
                partly[i] = _PartlyStored(seqs, rest)
        return partly

    def _leave_elsewhere(self, tx: Reader, conversation: Conversation) -> None:
        """Leaves out what an import has stored in a branch of another session since the request was looked at."""
        words = SpokenPieces(imported_since(tx, self.space, conversation.session, conversation.elsewhere))
        for i, places in enumerate(self.held):
            if places is None:
                said = self.said.get(i, _PartlyStored((), self.made.get(i) or ()))
                self.said[i] = replace(said, rest=[turn for turn in said.rest if not words.find(turn.item.turn)])

    def _find_earlier(self, tx: Reader, session: str) -> None:
        """Finds units in what others had stored before the first turn that the proxy knows of the session.

        A window of the session came first, and now more of it.
        """
        start = next((i for i, places in enumerate(self.held) if places), 0)
        first = (self.held[start] or (0,))[0]
        early = [i for i in sorted(self.writer.conversation.unmatched, reverse=True) if i < start]
        if not early or not first:
            return
        places: dict[bytes, list[int]] = {}
        for row in TURN_DIGESTS.scan(tx, (self.space, session), (self.space, session, first - 1)):
            places.setdefault(row.hash, []).append(row.seq)
        limit = first
        for i in early:
            seqs: list[int] = []
            for turn in reversed(self._turns(i)):
                same = places.get(turn.item.digest, ())
                if not (before := bisect_left(same, seqs[-1] if seqs else limit)):
                    break
                seqs.append(same[before - 1])
            else:
                if seqs:
                    limit = seqs[-1]
                    self.said[i] = _PartlyStored(tuple(reversed(seqs)), ())

    def _place_inside(self, tx: Reader, i: int) -> None:
        """Places the turns of a unit that was put between stored ones: they answer the one before."""
        before = self._before(tx, i)
        branch = "" if before is None else before[1]
        for n, turn in enumerate(self._turns(i)):
            follows = before[0] if before is not None and n == 0 else None
            self._add(i, replace(turn, branch=branch, follows=follows))

    def _place_after(self, tx: Reader) -> None:
        """Places the turns of the units at the end: in the branch that ends before them, or in a new one."""
        new = [i for i in range(self.first, len(self.held)) if self.held[i] is None]
        pairs = [(i, turn) for i in new for turn in self._turns(i)]
        if not pairs:
            return
        nearest = next(self._seqs_before(new[0]), None)
        own = self.ends if self.stored is None else self.stored.ends
        branch = next((name for name, end in own.items() if end == nearest), None)
        follows, opens = None, False
        if branch is not None:  # what others added, or was put inside, may stand at its end now
            follows = nearest if self.turns or self.ends.get(branch) != nearest else None
        elif (before := self._before(tx, new[0])) is not None:
            branch, follows, opens = self._new_branch(), before[0], True
        for n, (i, turn) in enumerate(pairs):
            is_first = n == 0
            self._add(
                i,
                replace(
                    turn,
                    branch=branch or "",
                    follows=follows if is_first else None,
                    opens=opens and is_first,
                ),
            )

    def _turns(self, i: int) -> Sequence[PlacedTurn]:
        """The turns of a unit that are to be stored."""
        said = self.said.get(i)
        return (self.made.get(i) or ()) if said is None else said.rest

    def _add(self, i: int, turn: PlacedTurn) -> None:
        self.order.append(i)
        self.turns.append(turn)

    def _seqs_before(self, i: int) -> Iterator[int]:
        """The places of the turns before a unit, the nearest first; those of forgotten turns included."""
        if i == self.first:
            yield from reversed(self.writer.prefilled)
        for places in reversed(self.held[:i]):
            yield from reversed(places or ())
        if self.result.last is not None:
            yield self.result.last

    def _before(self, tx: Reader, i: int) -> tuple[int, str] | None:
        """The nearest turn before a unit that is stored still, and its branch."""
        session = self.result.session
        for seq in islice(self._seqs_before(i), _TRIED):
            row = TURN_BRANCHES.get(tx, (self.space, session, seq))
            if row is not None:
                return seq, row.branch
        return None

    def _new_branch(self) -> str:
        """A name that no branch has, as `clew.ingest.identity` gives them."""
        number = 1
        while f"edit-{number}" in self.ends:
            number += 1
        return f"edit-{number}"

    def _relayed(self) -> int:
        return self.result.relayed + self.writer.relays

    def _rows(self, held: Sequence[tuple[int, ...]], turns: Mapping[int, Sequence[int]]) -> Iterator[StoredMessage]:
        """The messages that are not known yet under this history; all that lined up with another one are in one row.

        Of a session that others stored each has its own: a later window of it is lined up with these alone.
        """
        if self.writer.adopts:
            yield from (self._message(i, (held[i],), self.result.relayed) for i in range(self.first))
        elif self.first > self.result.recorded:
            yield self._message(self.first - 1, tuple(held[: self.first]), self.result.relayed)
        for i in range(self.first, len(held)):
            if i in turns:
                yield self._message(i, (held[i],), self._relayed())
                yield from self._stretches(i, held[i])

    def _stretches(self, i: int, held: tuple[int, ...]) -> Iterator[StoredMessage]:
        """The parts of an answer, as if the history had each in its place; none if not all of it is stored."""
        result = self.result
        stretches = self.writer.stretches.get(i, ())
        if not stretches or len(held) != max(stretch.stop for stretch in stretches):
            return
        before = result.chains[i - 1] if i else result.seed
        for stretch in stretches:
            digest = message_digest(result.salt, stretch.digest)
            chain, turns = next_chain(result.salt, before, digest), (held[stretch.start : stretch.stop],)
            yield StoredMessage(result.key, i, chain, digest, self._relayed(), turns)

    def _message(self, i: int, turns: tuple[tuple[int, ...], ...], relayed: int) -> StoredMessage:
        result = self.result
        return StoredMessage(result.key, i, result.chains[i], result.digests[i], relayed, turns)

    def _put_conversation(self, tx: Transaction, salt: bytes) -> None:
        result, stored = self.result, self.stored
        held = StoredConversation(
            key=result.key,
            session=result.session,
            client=result.client if stored is None else stored.client,
            began_at=self.now if stored is None else stored.began_at,
            seen_at=self.now,
            own_id=result.own_id if stored is None else stored.own_id,
            next_seq=self.next_seq,
            ends=self.ends,
            state=self.state,
        )
        put_conversation(tx, self.space, held)
        if result.name != result.session:
            name = conversation_key(salt, result.name)
            put_conversation(tx, self.space, replace(held, key=name, own_id=result.own_id))
