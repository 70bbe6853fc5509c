"""Stores the proxy's conversations and their messages.

Messages are told by hashes under the space's salt, which stay when their turns are forgotten: so a client that sends
its history again does not bring them back.
"""

import hashlib
import json
import os
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

from clew.rows.lease_owner import holder_name, is_dead
from clew.rows.tombstones import hashing, hashing_of
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import ConversationRow, MessageRow
from clew.store.rows import dumps
from clew.store.table_columns import Columns
from clew.store.tables import CONVERSATION, MESSAGE, SESSION
from clew.store.turn_selections import TURN_BRANCHES

_CHAT: Final = "chat-"

SAME: Final = 64
"""Conversations that are looked at of those which hold one and the same message."""


class State(StrEnum):
    """What became of the last request of a conversation.

    Attributes:
        WAITING: its answer is not stored yet. After a kill it stays so; see `StoredConversation.is_unanswered`.
        ANSWERED: its answer is stored.
        FAILED: it got no answer at all.
        COMPACTING: its client asked for a summary of it, and has sent nothing since.
    """

    WAITING = "waiting"
    ANSWERED = "answered"
    FAILED = "failed"
    COMPACTING = "compacting"


@dataclass(frozen=True, slots=True)
class StoredConversation:
    """A conversation that passes through the proxy.

    Attributes:
        key: hash of its name, see `conversation_key`.
        session: what it is stored as; that of another conversation, where a client gave one a second name.
        next_seq: place of the session's next turn when the proxy last stored one.
        ends: branch -> place of its last turn, of that moment.
        state: what became of its last request.
        holder: the process that waits for its answer, see `lease_owner`; None where nobody waits, or nobody noted it.
    """

    key: bytes
    session: str
    client: str
    began_at: int
    seen_at: int
    own_id: str | None = None
    next_seq: int = 0
    ends: Mapping[str, int] = field(default_factory=dict)
    state: State = State.ANSWERED
    holder: str | None = None

    @property
    def is_unanswered(self) -> bool:
        """Whether its last request got no answer, and none is on its way: it failed, or its server was killed."""
        is_lost = self.state == State.WAITING and self.holder is not None and is_dead(self.holder)
        return is_lost or self.state == State.FAILED


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message of a conversation, or, of a history that was cut, all up to a message.

    Attributes:
        chain: hash of the history up to and including it; `digest`: of it alone.
        relayed: how many answers up to here the proxy relayed itself.
        turns: for each message that it speaks for, the places of its turns in the session; the last is its own.
    """

    conversation: bytes
    depth: int
    chain: bytes
    digest: bytes
    relayed: int
    turns: tuple[tuple[int, ...], ...]


class _Owner(NamedTuple):
    """What a conversation is stored as, and whose it is."""

    session: str
    client: str
    own_id: str | None
    began_at: int


_OWNERS: Final = Columns(CONVERSATION, _Owner)


def conversation_key(salt: bytes, name: str) -> bytes:
    """The key of the conversation of this name."""
    return hashing(salt)("session", name)[:16]


def message_digest(salt: bytes, digest: bytes) -> bytes:
    """The hash of a message as it is stored, given the hash of its content."""
    return hashlib.blake2b(digest, key=salt[:64], digest_size=16).digest()


def next_chain(salt: bytes, chain: bytes, digest: bytes) -> bytes:
    """The hash of a history, given that of the history before its last message, and that message's (see above)."""
    return hashlib.blake2b(chain + digest, key=salt[:64], digest_size=16).digest()


def get_conversation(reader: Reader, space: str, key: bytes) -> StoredConversation | None:
    """The conversation under a key."""
    row = CONVERSATION.get(reader, (space, key))
    return None if row is None else _conversation(row)


def put_conversation(tx: Transaction, space: str, conversation: StoredConversation) -> None:
    """Stores a conversation, replacing its row; if it waits for an answer, this process is the one that waits."""
    details = {"ends": dict(conversation.ends), "state": conversation.state, "holder": _waiter(conversation.state)}
    row = ConversationRow(
        space=space,
        conversation=conversation.key,
        session=conversation.session,
        client=conversation.client,
        own_id=conversation.own_id,
        next_seq=conversation.next_seq,
        details=dumps(details),
        began_at=conversation.began_at,
        seen_at=conversation.seen_at,
    )
    CONVERSATION.put(tx, [row])


def set_state(tx: Transaction, space: str, key: bytes, state: State) -> None:
    """Records the outcome of the last request of a conversation, if the conversation exists."""
    conversation = get_conversation(tx, space, key)
    if conversation is not None and (conversation.state, conversation.holder) != (state, _waiter(state)):
        put_conversation(tx, space, replace(conversation, state=state))


def put_messages(tx: Transaction, space: str, messages: Iterable[StoredMessage]) -> None:
    """Keeps messages."""
    MESSAGE.put(tx, (_message_row(space, message) for message in messages))


def get_messages(reader: Reader, space: str, keys: Sequence[tuple[bytes, int, bytes]]) -> list[StoredMessage | None]:
    """The messages under keys of conversation, depth and chain, asked for at once."""
    rows = MESSAGE.get_many(reader, [(space, *key) for key in keys]) if keys else []
    return [None if row is None else _message(row) for row in rows]


def messages_of(reader: Reader, space: str, key: bytes, depth: int | None = None) -> list[StoredMessage]:
    """Every message of a conversation, or those at one depth."""
    bound = (space, key) if depth is None else (space, key, depth)
    return [_message(row) for row in MESSAGE.scan(reader, bound, bound)]


def has_messages(reader: Reader, space: str, key: bytes) -> bool:
    """Whether anything is known of the messages of a conversation; nothing is when they were pruned."""
    return bool(MESSAGE.scan(reader, (space, key), (space, key), limit=1))


def with_chain(reader: Reader, space: str, chain: bytes) -> list[StoredMessage]:
    """The messages at the end of one and the same history, one for each conversation, `SAME` of them at most."""
    return _indexed(reader, space, "chain", chain)


def with_chains(reader: Reader, space: str, chains: Sequence[bytes]) -> list[StoredMessage]:
    """What `with_chain` gives for each of these, asked for at once."""
    if not chains:
        return []
    rows = MESSAGE.scan_many(reader, [(space, chain) for chain in chains], index="chain")
    seen: Counter[bytes] = Counter()
    chained: list[StoredMessage] = []
    for row in rows:
        seen[row.chain] += 1
        if seen[row.chain] <= SAME:
            chained.append(_message(row))
    return chained


def with_digest(reader: Reader, space: str, digest: bytes) -> list[StoredMessage]:
    """The messages with one and the same content."""
    return _indexed(reader, space, "digest", digest)


def branch_ends(reader: Reader, space: str, session: str) -> dict[str, int]:
    """Branch -> place of its last turn, read from the turns themselves."""
    key = (space, session)
    return {row.branch: row.seq for row in TURN_BRANCHES.scan(reader, key, key)}


def new_name() -> str:
    """A name for a conversation that only its history identifies."""
    return f"{_CHAT}{secrets.token_hex(8)}"


def is_unnamed(session: str) -> bool:
    """Whether a session has only the name that Clew gave to it."""
    return session.startswith(_CHAT)


def drop_session(tx: Transaction, space: str, session: str) -> int:
    """Deletes the row of the conversation that is stored as this session; returns how many there were.

    The row of one that only its history names stays: its name says nothing, and without it the forgotten messages would
    not be recognised when they are sent again.
    """
    hashed = hashing_of(tx, space)
    if hashed is None or is_unnamed(session):
        return 0
    key = (space, hashed("session", session)[:16])
    return tx.delete(CONVERSATION.name, key, key)


def agents_of(reader: Reader, space: str, client: str, main: str) -> list[str]:
    """The sessions of sub-agents without a name that work for a session of a program, the first one first."""
    rows = _OWNERS.scan(reader, (space,), (space,))
    agents = [row for row in rows if row.own_id == main and row.client == client and is_unnamed(row.session)]
    return [row.session for row in sorted(agents, key=lambda row: row.began_at)]


def unused_conversations(reader: Reader, space: str, before: int, most: int) -> list[ConversationRow]:
    """Conversations with messages that were last seen before a time, and whose sessions are still stored."""
    rows = list(CONVERSATION.scan(reader, (space,), (space,)))
    nameless = _nameless(rows)
    unused: list[ConversationRow] = []
    for row in rows:
        if row.seen_at >= before:
            continue
        holds_more = has_messages(reader, space, row.conversation) or row.session in nameless
        if holds_more and SESSION.get(reader, (space, row.session)) is not None:
            unused.append(row)
        if len(unused) == most:
            break
    return unused


def drop_messages(tx: Transaction, space: str, conversations: Iterable[ConversationRow]) -> int:
    """Deletes the messages of conversations, and the rows of those without a name; returns how many rows."""
    nameless = _nameless(CONVERSATION.scan(tx, (space,), (space,)))
    count = 0
    for row in conversations:
        key = (space, row.conversation)
        count += tx.delete(MESSAGE.name, key, key)
        count += tx.delete(CONVERSATION.name, key, key) if row.session in nameless else 0
    return count


def _nameless(rows: Iterable[ConversationRow]) -> set[str]:
    """Sessions that have no name but that which Clew gave them: a second name is a row of its own."""
    counts = Counter(row.session for row in rows)
    return {session for session, count in counts.items() if count == 1 and is_unnamed(session)}


def _indexed(reader: Reader, space: str, index: str, value: bytes) -> list[StoredMessage]:
    key = (space, value)
    return [_message(row) for row in MESSAGE.scan(reader, key, key, index=index, limit=SAME)]


def _conversation(row: ConversationRow) -> StoredConversation:
    details = json.loads(row.details)
    return StoredConversation(
        key=row.conversation,
        session=row.session,
        client=row.client,
        began_at=row.began_at,
        seen_at=row.seen_at,
        own_id=row.own_id,
        next_seq=row.next_seq,
        ends=details["ends"],
        state=State(details["state"]),
        holder=details.get("holder"),
    )


def _waiter(state: State) -> str | None:
    """This process, where it waits for an answer."""
    return _own_name(os.getpid()) if state == State.WAITING else None


@cache
def _own_name(_process: int) -> str:
    """The name of this process, which a fork of it does not share."""
    return holder_name()


def _message_row(space: str, message: StoredMessage) -> MessageRow:
    turns = "|".join(",".join(map(str, places)) for places in message.turns)
    span = len(message.turns)
    return MessageRow(
        space, message.conversation, message.depth, message.chain, message.digest, span, message.relayed, turns
    )


def _message(row: MessageRow) -> StoredMessage:
    turns = tuple(tuple(map(int, filter(None, places.split(",")))) for places in row.turns.split("|"))
    return StoredMessage(row.conversation, row.depth, row.chain, row.digest, row.relayed, turns)
