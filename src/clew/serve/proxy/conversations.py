"""Which conversation a request belongs to, and what of its history is stored already.

Start at `Conversations.identify`.

The rules, in this order:

1.  The session that the request names (`X-Clew-Session`) is the conversation.
2.  The client's own id is, under the client's name, so that two clients' ids cannot meet. A new id whose history goes
    on from a stored conversation is a second name for that one.
3.  Otherwise the longest beginning of the history that is stored decides, if it has an answer that the proxy relayed,
    or is just about to store, or if it is the whole history with an answer in it (a retry). So a system prompt, a first
    message or examples that a program sends with every request join nobody. Of several conversations with this
    beginning one that ends there goes on, the one last used if there are several: up to here they are the same word for
    word. If all of them went on, nobody can tell which one is meant, and the request opens a new conversation.
4.  Otherwise the last answer in the history that is stored decides, if the message before it is stored before it, too,
    and in one conversation alone: the client dropped the front or the middle.
5.  Otherwise the conversation decides whose summary, which the client asked for, the history begins with.
6.  Otherwise it is a new conversation. A first message alone is the one stored before only where that got no answer at
    all, or where the client says that it tries again.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from clew.condense.wires import Message
from clew.memory.wiring import Parts
from clew.rows.conversations import (
    State,
    StoredConversation,
    StoredMessage,
    conversation_key,
    get_conversation,
    get_messages,
    is_unnamed,
    message_digest,
    messages_of,
    new_name,
    next_chain,
    with_chain,
    with_digest,
)
from clew.serve.proxy.cut_history import Alignment, Unmatched, align_cut
from clew.serve.proxy.exchange import ChatRequest, ClientMark
from clew.serve.proxy.message_form import MessageReader, Unit, messages_apart
from clew.serve.proxy.summaries import summarised
from clew.store.protocol import Reader
from clew.store.tables import SESSION, SPACE
from clew.types.ids import turn_id

_NEAR: Final = 8
"""Messages at the end of a history that are looked up one by one: most histories go on from one of these."""

_PATHS: Final = 64
"""Conversations whose paths are remembered."""

_RETRY: Final = "x-stainless-retry-count"
"""The header by which the SDKs of OpenAI and Anthropic count how often they sent a request before."""

_PASSED: Final = 50_000
"""Messages that are kept in mind because they must not be stored."""

_SHORT: Final = 2
"""Messages in a row, the anchor included, by which a history without its beginning is recognised."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The conversation of a request.

    Attributes:
        session: what it is stored as.
        fresh: whether nothing of it is stored.
        known: how many messages at the beginning of the request were stored before, or stand for such.
        cut: whether the client dropped or replaced something that is stored: it truncated, or compacted.
        messages: how many the request has.
        client: the program that sends it.
        own_id: the client's own id of it.
        key: hash of its name; empty while the space has no turn.
        name: by which it was named; equal to `session` but for the second name of a conversation.
        units, digests, chains: the history, see `message_form`; hashes are empty while the space has no turn.
        held: for each unit the places of its turns in the session; None for one that is to be stored.
        unmatched: units before the last stored one that are not stored as they are.
        relayed: answers in the stored part that the proxy relayed.
        recorded: how many units at the beginning are stored under their own hashes, so that only later ones need rows.
        seed: hash of what the history goes on from, where the provider keeps that and the request only names it.
        last: place of the last turn of that; None for a request with its whole history.
    """

    session: str
    fresh: bool
    known: int
    cut: bool
    messages: int
    client: str = ""
    own_id: str | None = None
    key: bytes = b""
    name: str = ""
    units: tuple[Unit, ...] = ()
    digests: tuple[bytes, ...] = ()
    chains: tuple[bytes, ...] = ()
    held: tuple[tuple[int, ...] | None, ...] = ()
    unmatched: dict[int, Unmatched] = field(default_factory=dict)
    relayed: int = 0
    recorded: int = 0
    seed: bytes = b""
    last: int | None = None

    @property
    def turn_ids(self) -> tuple[tuple[str, ...], ...]:
        """For each message of the request the ids of its turns; none for one that is not stored (yet)."""
        ids: list[tuple[str, ...]] = [()] * self.messages
        for unit, places in zip(self.units, self.held, strict=True):
            if places:
                ids[unit.last] = tuple(turn_id(self.session, seq) for seq in places)
        return tuple(ids)

    @property
    def is_foreign(self) -> bool:
        """Whether its session was stored by others, so that the proxy knows none of its messages."""
        return not (self.fresh or self.known or self.cut) and self.last is None

    @property
    def shown(self) -> list[tuple[str, int]]:
        """The stored turns that the request holds, by session and place, as `recall` takes them."""
        before = () if self.last is None else range(self.last + 1)
        return [(self.session, seq) for places in (before, *self.held) for seq in places or ()]


@dataclass(frozen=True, slots=True)
class _Path:
    """What is stored of the beginning of a history.

    Attributes:
        turns: for each unit the places of its turns.
        cut: whether the history lacked something when it came.
    """

    turns: tuple[tuple[int, ...], ...] = ()
    relayed: int = 0
    cut: bool = False


@dataclass(frozen=True, slots=True)
class _Named:
    """A conversation by its name: the header's or the client's; `is_own` for the latter."""

    name: str
    is_own: bool


class Conversations:
    """The conversations of one space. Threads may share it; every decision is made from rows."""

    def __init__(self, parts: Parts) -> None:
        self._store, self._space = parts.reads.store, parts.reads.space
        self.reader = MessageReader()
        self._passed: OrderedDict[bytes, None] = OrderedDict()
        self._paths: OrderedDict[bytes, tuple[bytes, _Path]] = OrderedDict()  # of each conversation the last
        self._lock = threading.Lock()

    def identify(self, request: ChatRequest, client: ClientMark, header: str | None = None) -> Conversation:
        """The conversation of a request, and what of it is stored; nothing is written.

        Args:
            header: the value of `X-Clew-Session`.
        """
        units = tuple(self.reader.units(request))
        named = _named(client, header)
        with self._store.snapshot() as reader:
            space = SPACE.get(reader, (self._space,))
            if space is None:
                return _new(units, client, named, len(request.messages))
            goes_on = _continued(reader, self._space, space.salt, request)
            seed = b"" if goes_on is None else goes_on[0].chain
            digests, chains = hashes(space.salt, units, seed)
            is_retry = request.headers.get(_RETRY, "0") not in ("", "0")
            look = _Look(reader, self._space, space.salt, units, digests, chains, client, request.messages, is_retry)
            if goes_on is not None and named is None:
                stored: StoredConversation | None = goes_on[1]
            else:
                stored = _by_name(look, named) if named else _by_history(look)
            if stored is None:
                fresh = _new(units, client, named, len(request.messages))
                key = conversation_key(space.salt, fresh.session)
                return self._without_passed(self._resolved(look, fresh, key, None))
            name = named.name if named else stored.session
            found = _new(units, client, _Named(name, False), len(request.messages), stored.session)
            key = conversation_key(space.salt, stored.session)
            if goes_on is not None and goes_on[1].session == stored.session:
                found = replace(found, seed=seed, last=max(goes_on[0].turns[-1], default=None))
            return self._without_passed(self._resolved(look, found, key, stored))

    def _resolved(
        self, look: "_Look", found: Conversation, key: bytes, stored: StoredConversation | None
    ) -> Conversation:
        """The conversation with what is stored of the history."""
        at = look.deepest(lambda i: get_messages(look.reader, look.space, [(key, i, look.chains[i])]) != [None])
        path = self._path(look, key, at) if at >= 0 else _Path()
        is_whole = stored is not None and found.last is None
        alignment = _aligned(look, key, at) if is_whole else None
        held: tuple[tuple[int, ...] | None, ...]
        if alignment is None:
            held = (*path.turns, *(None for _ in look.units[at + 1 :]))
            known, cut, relayed = at + 1, path.cut, path.relayed
        else:
            held, known, cut, relayed = alignment.held, alignment.known, alignment.cut, alignment.relayed
        is_empty = stored is None and SESSION.get(look.reader, (look.space, found.session)) is None
        resolved = replace(
            found,
            fresh=is_empty,
            cut=cut or (is_whole and known == 0),
            key=key,
            digests=look.digests,
            chains=look.chains,
            unmatched=_summary(stored) if is_whole and known == 0 else dict(alignment.unmatched) if alignment else {},
            relayed=relayed,
            recorded=at + 1,
        )
        return conversation_with(resolved, held, known=known)

    def remember(self, conversation: Conversation) -> None:
        """Takes the path of a history that is stored now, so that its next request reads none of it."""
        if conversation.units and None not in conversation.held:
            turns = tuple(places or () for places in conversation.held)
            path = _Path(turns, conversation.relayed, conversation.cut)
            self._keep(conversation.key, conversation.chains[-1], path)

    def pass_over(self, units: Sequence[Unit]) -> None:
        """Takes note of a history that must not be stored when it is sent again; in this process alone."""
        with self._lock:
            for chain in _plain_chains(units):
                self._passed[chain] = None
            while len(self._passed) > _PASSED:
                self._passed.popitem(last=False)

    def _without_passed(self, found: Conversation) -> Conversation:
        """The conversation, in which what was passed over is known as nothing."""
        if not self._passed or None not in found.held:
            return found
        with self._lock:
            passed = [chain in self._passed for chain in _plain_chains(found.units)]
        held = [() if places is None and over else places for places, over in zip(found.held, passed, strict=True)]
        return replace(found, held=tuple(held))

    def _path(self, look: "_Look", key: bytes, at: int) -> _Path:
        chain = look.chains[at]
        with self._lock:
            kept = self._paths.get(key)
        if kept is not None and kept[0] == chain:
            return kept[1]
        path = _read_path(look, key, at)
        self._keep(key, chain, path)
        return path

    def _keep(self, key: bytes, chain: bytes, path: _Path) -> None:
        with self._lock:
            self._paths[key] = (chain, path)
            self._paths.move_to_end(key)
            while len(self._paths) > _PATHS:
                self._paths.popitem(last=False)


def hashes(salt: bytes, units: Sequence[Unit], seed: bytes = b"") -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
    """The hashes of messages as they are stored: of each alone, and of the history up to each, see `Conversation`."""
    digests, chains, chain = [], [], seed
    for unit in units:
        digest = message_digest(salt, unit.digest)
        chain = next_chain(salt, chain, digest)
        digests.append(digest)
        chains.append(chain)
    return tuple(digests), tuple(chains)


def answer_chain(salt: bytes, answer: str) -> bytes:
    """The hash by which a history is found that goes on from an answer of this id."""
    return next_chain(salt, b"answer", message_digest(salt, answer.encode("utf-8", "surrogatepass")))


def _continued(
    reader: Reader, space: str, salt: bytes, request: ChatRequest
) -> tuple[StoredMessage, StoredConversation] | None:
    """The answer that a request names as the one it goes on from (Responses), with its conversation."""
    named = request.value.get("previous_response_id")
    found = with_chain(reader, space, answer_chain(salt, named)) if isinstance(named, str) and named else []
    stored = get_conversation(reader, space, found[0].conversation) if found else None
    return None if stored is None else (found[0], stored)


def conversation_with(base: Conversation, held: Sequence[tuple[int, ...] | None], *, known: int) -> Conversation:
    """A conversation with what is held of its units; `known` counts units."""
    return replace(base, held=tuple(held), known=base.units[known - 1].last + 1 if known else 0)


def _plain_chains(units: Sequence[Unit]) -> list[bytes]:
    """Hashes of the history up to each unit that need no salt, since they are not stored."""
    chains, chain = [], b""
    for unit in units:
        chain = hashlib.blake2b(chain + unit.digest, digest_size=16).digest()
        chains.append(chain)
    return chains


def _named(client: ClientMark, header: str | None) -> _Named | None:
    if header is not None and header.strip():
        return _Named(header.strip(), False)
    if client.session is not None and client.session.strip():
        return _Named(f"{client.name or 'client'}/{client.session.strip()}", True)
    return None


def _new(
    units: tuple[Unit, ...], client: ClientMark, named: _Named | None, messages: int, session: str | None = None
) -> Conversation:
    """A conversation of which nothing is stored; one that nobody names gets a name of its own."""
    name = new_name() if named is None else named.name
    return Conversation(
        session=session or name,
        name=name,
        fresh=True,
        known=0,
        cut=False,
        messages=messages,
        client=client.name,
        own_id=client.session,
        units=units,
        held=tuple(None for _ in units),
    )


@dataclass(frozen=True, slots=True)
class _Look:
    """A history that is looked for."""

    reader: Reader
    space: str
    salt: bytes
    units: tuple[Unit, ...]
    digests: tuple[bytes, ...]
    chains: tuple[bytes, ...]
    client: ClientMark
    messages: Sequence[Message]
    is_retry: bool = False

    def pieces(self, unit: Unit) -> list[tuple[Unit, bytes]]:
        """The messages of a unit of several, each by itself, with their hashes as they are stored."""
        apart = messages_apart(self.messages, unit)
        return [(each, message_digest(self.salt, each.digest)) for each in apart]

    def deepest(self, is_stored: Callable[[int], bool]) -> int:
        """Index of the last unit up to which the history is stored; -1 for none.

        What is stored of a history is a beginning of it. So its end is looked at unit by unit, and the rest by halves.
        """
        high = len(self.units)
        while high > max(0, len(self.units) - _NEAR):
            high -= 1
            if is_stored(high):
                return high
        low = -1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if is_stored(middle) else (low, middle)
        return low

    def has_answer(self, at: int) -> bool:
        """Whether an answer is among the units up to one."""
        return any(unit.role == "assistant" for unit in self.units[: at + 1])


def _by_name(look: _Look, named: _Named) -> StoredConversation | None:
    stored = get_conversation(look.reader, look.space, conversation_key(look.salt, named.name))
    return _by_history(look) if stored is None and named.is_own else stored


def _by_history(look: _Look) -> StoredConversation | None:
    """The conversation that a history goes on from."""
    at = look.deepest(lambda i: bool(with_chain(look.reader, look.space, look.chains[i])))
    if at >= 0:
        ends = with_chain(look.reader, look.space, look.chains[at])
        chosen = _chosen(look, at, [pair for end in ends if (pair := _of(look, end)) is not None])
        if chosen is not None:
            return chosen
    return _by_tail(look, at) or _by_summary(look)


def _of(look: _Look, message: StoredMessage) -> tuple[StoredMessage, StoredConversation] | None:
    """A message with its conversation, if that is one of the same client, which would name it if it had a name."""
    stored = get_conversation(look.reader, look.space, message.conversation)
    if stored is None or stored.client != look.client.name:
        return None
    return (message, stored) if look.client.session is not None or is_unnamed(stored.session) else None


def _chosen(
    look: _Look, at: int, found: Sequence[tuple[StoredMessage, StoredConversation]]
) -> StoredConversation | None:
    """Of conversations that begin like the history, the one that it goes on from."""
    is_whole = at == len(look.units) - 1
    fit = [
        (end, stored)
        for end, stored in found
        if end.relayed
        or (is_whole and (stored.state == State.FAILED or look.is_retry or look.has_answer(at)))
        or (not is_whole and stored.state == State.WAITING and look.units[at + 1].role == "assistant")
    ]
    if len(fit) > 1:
        ending = [(end, stored) for end, stored in fit if not _goes_on(look, end)]
        relayed = [each for each in ending if each[0].relayed]
        fit = sorted(relayed, key=lambda each: each[1].seen_at)[-1:]
    return fit[0][1] if fit else None


def _goes_on(look: _Look, end: StoredMessage) -> bool:
    """Whether a message follows this one in its conversation."""
    after = messages_of(look.reader, look.space, end.conversation, end.depth + 1)
    return any(next_chain(look.salt, end.chain, each.digest) == each.chain for each in after)


def _by_tail(look: _Look, beginning: int) -> StoredConversation | None:
    """The conversation that a history without its beginning goes on from.

    Args:
        beginning: index of the last unit of a stored beginning that decided nothing: the tail has to lie behind it.
    """
    answers = [i for i, unit in enumerate(look.units[:-1]) if unit.role == "assistant" and i > max(0, beginning)]
    if not answers:
        return None
    anchor = answers[-1]
    fit: dict[bytes, StoredConversation] = {}
    for message in with_digest(look.reader, look.space, look.digests[anchor]):
        pair = _of(look, message)
        if pair is not None and message.relayed and _follows(look, message, anchor):
            fit[message.conversation] = pair[1]
    return next(iter(fit.values())) if len(fit) == 1 else None


def _by_summary(look: _Look) -> StoredConversation | None:
    """The conversation whose summary a history begins with, if it is one alone."""
    rows = summarised(look.reader, look.space, look.salt, look.messages)
    found = [pair[1] for row in rows if (pair := _of(look, row)) is not None]
    return found[0] if len(found) == 1 else None


def _follows(look: _Look, message: StoredMessage, anchor: int) -> bool:
    """Whether the unit before the anchor is stored right before this message."""
    wanted = look.digests[anchor - _SHORT + 1 : anchor]
    before = messages_of(look.reader, look.space, message.conversation, message.depth - 1)
    return any(
        each.digest in wanted and next_chain(look.salt, each.chain, message.digest) == message.chain for each in before
    )


def _summary(stored: StoredConversation | None) -> dict[int, Unmatched]:
    """What a history that shares nothing with the stored one begins with, after its client asked for a summary."""
    asked_for = stored is not None and stored.state == State.COMPACTING
    return {0: Unmatched((), is_stand_in=True)} if asked_for else {}


def _read_path(look: _Look, key: bytes, at: int) -> _Path:
    """The turns of a stored beginning, read in one scan."""
    stored = {(each.depth, each.chain): each for each in messages_of(look.reader, look.space, key)}
    turns: list[tuple[int, ...]] = []
    relayed, cut, place = 0, False, at
    while place >= 0:
        message = stored.get((place, look.chains[place]))
        if message is None:
            turns.append(())
            place -= 1
            continue
        relayed = max(relayed, message.relayed)
        cut = cut or len(message.turns) > 1
        turns += reversed(message.turns)
        place -= len(message.turns)
    turns.reverse()
    return _Path(tuple(turns[-at - 1 :]), relayed, cut)


def _aligned(look: _Look, key: bytes, at: int) -> Alignment | None:
    """How a history lines up that does not just go on from a stored beginning; None where it does, or is an edit."""
    if at >= len(look.units) - 1:
        return None
    if at >= 0:
        after = messages_of(look.reader, look.space, key, at + 1)
        if not any(next_chain(look.salt, look.chains[at], each.digest) == each.chain for each in after):
            return None
    found = align_cut(look.units, look.digests, messages_of(look.reader, look.space, key), look.pieces)
    return found if found is not None and found.known > at + 1 else None
