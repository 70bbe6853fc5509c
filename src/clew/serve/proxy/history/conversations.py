"""Which conversation a request belongs to, and what of its history is stored already.

Start at `Conversations.identify`.

`conversation_lookup` has the rules by which it is found.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from clew.memory.wiring import Parts
from clew.rows.conversations import (
    State,
    StoredConversation,
    StoredMessage,
    conversation_key,
    get_conversation,
    has_messages,
    is_unnamed,
    messages_of,
    new_name,
    next_chain,
)
from clew.rows.pause import paused_since
from clew.serve.proxy.exchange import ChatRequest, ClientMark
from clew.serve.proxy.history.conversation_lookup import (
    RETRY,
    Look,
    NamedConversation,
    broken_answer,
    continued,
    hashes,
    looked_up,
    named_by,
)
from clew.serve.proxy.history.cut_history import Alignment, Unmatched, align_cut
from clew.serve.proxy.history.gemini_sessions import session_in_file
from clew.serve.proxy.history.imported_agents import imported_agent, places_elsewhere
from clew.serve.proxy.history.message_form import MessageReader, Unit
from clew.serve.proxy.history.stored_path import StoredPath, read_path
from clew.store.protocol import Reader
from clew.store.row_types import SpaceRow
from clew.store.tables import SESSION, SPACE
from clew.types.ids import turn_id
from clew.types.record import copier

_PATHS: Final = 64
"""Conversations whose paths, and whose hashes, are remembered."""

_LONG: Final = 32
"""Messages from which on hashes are remembered."""

_ADDED: Final = 8
"""Messages at the end of a history that may be new, while the hashes of those before them are remembered."""

_PASSED: Final = 50_000
"""Messages that are kept in mind because they must not be stored."""


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
        own_id: the client's own id of it; of a sub-agent without one, that of the session for which it works.
        salt: of the space, under which what is stored is hashed; empty while the space has no turn.
        key: hash of its name; empty as long.
        name: by which it was named; equal to `session` but for the second name of a conversation.
        units, digests, chains: the history, see `message_form`; hashes are empty while the space has no turn.
        held: for each unit the places of its turns in the session; None for one that is to be stored.
        unmatched: units before the last stored one that are not stored as they are.
        relayed: answers in the stored part that the proxy relayed.
        recorded: how many units at the beginning are stored under their own hashes, so that only later ones need rows.
        header: the name that the request gives it by `X-Clew-Session`, if it does.
        upto: how many turns the space had when the request was looked at.
        seen: how many the session had when the proxy last stored one, as it was then; None for no stored conversation.
        is_new: whether its name was made for this request, so that no row can have it.
        is_paused: whether its session was paused by itself: then its requests are incognito.
        seed: hash of what the history goes on from, where the provider keeps that and the request only names it.
        last: place of the last turn of that; None for a request with its whole history.
        elsewhere: turns of the request that are stored in another session, by session and place.
        wait_for_disk: returns when all that is stored of it is durable; raises StoreError if nobody can tell.
    """

    session: str
    fresh: bool
    known: int
    cut: bool
    messages: int
    client: str = ""
    own_id: str | None = None
    salt: bytes = b""
    key: bytes = b""
    name: str = ""
    units: tuple[Unit, ...] = ()
    digests: tuple[bytes, ...] = ()
    chains: tuple[bytes, ...] = ()
    held: tuple[tuple[int, ...] | None, ...] = ()
    unmatched: dict[int, Unmatched] = field(default_factory=dict)
    relayed: int = 0
    recorded: int = 0
    header: str | None = None
    upto: int = 0
    seen: int | None = None
    is_new: bool = False
    is_paused: bool = False
    seed: bytes = b""
    last: int | None = None
    elsewhere: tuple[tuple[str, int], ...] = ()
    wait_for_disk: Callable[[], None] = field(default=lambda: None, compare=False)

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
    def is_known_to_its_end(self) -> bool:
        """Whether its last message is stored."""
        return bool(self.held) and self.held[-1] is not None

    @property
    def is_watched(self) -> bool:
        """Whether the proxy relayed an answer of it, or the client cut it: then what is new was said only now."""
        return self.relayed > 0 or self.cut or self.last is not None

    @property
    def shown(self) -> list[tuple[str, int]]:
        """The stored turns that the request holds, by session and place, as `recall` takes them."""
        before = () if self.last is None else range(self.last + 1)
        own = [(self.session, seq) for places in (before, *self.held) for seq in places or ()]
        return [*self.elsewhere, *own]


_as_new = copier(Conversation, "is_new", "upto", "salt", "key", "digests", "chains")
_with_held = copier(Conversation, "held", "known", "recorded", "relayed")
with_known = copier(Conversation, "known")
"""A conversation with another count of known messages."""
with_disk = copier(Conversation, "wait_for_disk")
"""A conversation with another way to wait for the disk."""


@dataclass(frozen=True, slots=True)
class _Hashed:
    """A history with its hashes, see `Conversation`."""

    units: tuple[Unit, ...]
    digests: tuple[bytes, ...]
    chains: tuple[bytes, ...]


class Conversations:
    """The conversations of one space. Threads may share it; every decision is made from rows."""

    def __init__(self, parts: Parts) -> None:
        self._parts, self._store, self._space = parts, parts.reads.store, parts.reads.space
        self.reader = MessageReader()
        self._passed: OrderedDict[bytes, None] = OrderedDict()
        self._paths: OrderedDict[bytes, tuple[bytes, StoredPath]] = OrderedDict()  # of each conversation the last
        self._hashed: OrderedDict[tuple[bytes, bytes, bytes], _Hashed] = OrderedDict()  # salt, seed, last message
        self._imported: OrderedDict[str, tuple[tuple[str, int], ...]] = OrderedDict()
        self._lock = threading.Lock()

    def identify(self, request: ChatRequest, client: ClientMark, header: str | None = None) -> Conversation:
        """The conversation of a request, and what of it is stored; nothing is written.

        Args:
            header: the value of `X-Clew-Session`.
        """
        conversation = self._identified(request, client, header)
        if header is not None:
            conversation = replace(conversation, header=header)
        if not (conversation.fresh and is_unnamed(conversation.session)):
            return conversation
        own = session_in_file(request, client)
        return conversation if own is None else self._identified(request, replace(client, session=own), header)

    def is_stored(self, reader: Reader, request: ChatRequest, client: ClientMark, header: str | None) -> bool:
        """Whether the conversation of a request is stored by now, by its history or the names that it gives."""
        space = SPACE.get(reader, (self._space,))
        if space is None:
            return False
        goes_on = continued(reader, self._space, space.salt, request)
        look = self._look(reader, space, request, client, goes_on)
        return looked_up(look, named_by(client, header), None if goes_on is None else goes_on[1]) is not None

    def _identified(self, request: ChatRequest, client: ClientMark, header: str | None) -> Conversation:
        """The conversation as far as the request alone names it."""
        named = named_by(client, header)
        with self._store.snapshot() as reader:
            space = SPACE.get(reader, (self._space,))
            if space is None:
                conversation = _new(tuple(self.reader.units(request)), client, named, len(request.messages))
                return self._without_passed(self._paused(reader, conversation))
            goes_on = continued(reader, self._space, space.salt, request)
            look = self._look(reader, space, request, client, goes_on)
            stored = looked_up(look, named, None if goes_on is None else goes_on[1])
            if stored is None:
                return self._without_passed(self._paused(reader, self._begun(look, named)))
            name = named.name if named else stored.session
            conversation = _new(
                look.units, client, NamedConversation(name, False), len(request.messages), stored.session
            )
            key = conversation_key(space.salt, stored.session)
            if stored.key != key:  # found by a second name, in whose row is what was known when that was last used
                stored = get_conversation(reader, self._space, key) or stored
            if goes_on is not None and goes_on[1].session == stored.session:
                conversation = replace(
                    conversation, seed=goes_on[0].chain, last=max(goes_on[0].turns[-1], default=None)
                )
            if client.main is not None:
                conversation = replace(conversation, elsewhere=self._elsewhere(reader, stored.session))
            return self._without_passed(self._paused(reader, self._resolved(look, conversation, key, stored)))

    def _look(
        self,
        reader: Reader,
        space: SpaceRow,
        request: ChatRequest,
        client: ClientMark,
        goes_on: tuple[StoredMessage, StoredConversation] | None,
    ) -> Look:
        """What is looked for.

        Args:
            goes_on: what `continued` gives.
        """
        units = tuple(self.reader.units(request))
        digests, chains = self._hashes(space.salt, units, b"" if goes_on is None else goes_on[0].chain)
        is_retry = request.headers.get(RETRY, "0") not in ("", "0")
        return Look(
            reader,
            self._space,
            space.salt,
            units,
            digests,
            chains,
            client,
            request.messages,
            space.next_ordinal,
            is_retry,
        )

    def _hashes(self, salt: bytes, units: tuple[Unit, ...], seed: bytes) -> tuple[tuple[bytes, ...], tuple[bytes, ...]]:
        """The hashes of a history; those of the beginning that another request had before are not made again."""
        if len(units) < _LONG:
            return hashes(salt, units, seed)
        before = _Hashed((), (), ())
        with self._lock:
            for end in range(len(units), len(units) - _ADDED, -1):
                kept = self._hashed.get((salt, seed, units[end - 1].digest))
                if kept is not None and kept.units == units[:end]:
                    before = kept
                    break
        known = len(before.units)
        digests, chains = hashes(salt, units[known:], before.chains[-1] if known else seed)
        made = _Hashed(units, before.digests + digests, before.chains + chains)
        with self._lock:
            self._hashed[salt, seed, units[-1].digest] = made
            self._hashed.move_to_end((salt, seed, units[-1].digest))
            while len(self._hashed) > _PATHS:
                self._hashed.popitem(last=False)
        return made.digests, made.chains

    def _paused(self, reader: Reader, conversation: Conversation) -> Conversation:
        """The conversation, marked as paused where its session was paused by itself."""
        is_paused = not conversation.is_new and paused_since(reader, self._space, conversation.session) is not None
        return replace(conversation, is_paused=True) if is_paused else conversation

    def _begun(self, look: Look, named: NamedConversation | None) -> Conversation:
        """A conversation of which the proxy has stored nothing; of a sub-agent perhaps a file has brought in some."""
        imported = None if named else imported_agent(look, self._parts, self._parts.reads.clock())
        if imported is None:
            fresh = _new(look.units, look.client, named, len(look.messages))
            key = conversation_key(look.salt, fresh.session)
            if named is not None:
                return self._resolved(look, fresh, key, None)
            return _as_new(fresh, True, look.upto, look.salt, key, look.digests, look.chains)
        name = NamedConversation(imported.session, True)
        key = conversation_key(look.salt, imported.session)
        stored = get_conversation(look.reader, look.space, key)
        conversation = _new(look.units, look.client, name, len(look.messages))
        conversation = replace(conversation, elsewhere=self._elsewhere(look.reader, imported.session))
        conversation = self._resolved(look, conversation, key, stored)
        held = [
            () if places is None and i in imported.elsewhere else places for i, places in enumerate(conversation.held)
        ]
        return conversation_with(conversation, held, known=held.index(None) if None in held else len(held))

    def _elsewhere(self, reader: Reader, session: str) -> tuple[tuple[str, int], ...]:
        """The turns of a sub-agent's session that are stored in that for which it works; they are read once."""
        with self._lock:
            kept = self._imported.get(session)
        if kept is None:
            kept = places_elsewhere(reader, self._space, session)
            with self._lock:
                self._imported[session] = kept
                while len(self._imported) > _PATHS:
                    self._imported.popitem(last=False)
        return kept

    def _resolved(
        self, look: "Look", conversation: Conversation, key: bytes, stored: StoredConversation | None
    ) -> Conversation:
        """The conversation with what is stored of the history."""
        at = look.deepest(lambda i: look.is_stored_of(key, i))
        path = self._path(look, key, at) if at >= 0 else StoredPath()
        is_whole = stored is not None and conversation.last is None
        alignment = _aligned(look, key, at, path, stored) if is_whole else None
        held: tuple[tuple[int, ...] | None, ...]
        if alignment is None:
            known, cut, relayed, turns = at + 1, path.cut, path.relayed, path.turns
            is_answered = 0 <= at < len(look.units) - 2 and look.units[at + 1].role == "assistant"
            broken = broken_answer(look, stored, at) if is_answered and stored is not None else None
            if broken is not None:
                known, relayed, turns = known + 1, broken.relayed, (*turns, broken.turns[-1])
            held = (*turns, *(None for _ in look.units[known:]))
        else:
            held, known, cut, relayed = alignment.held, alignment.known, alignment.cut, alignment.relayed
        is_pruned = is_whole and known == 0 and not has_messages(look.reader, look.space, key)
        is_whole = is_whole and not is_pruned  # its history is lined up by what it says
        is_empty = stored is None and SESSION.get(look.reader, (look.space, conversation.session)) is None
        resolved = replace(
            conversation,
            fresh=is_empty,
            cut=cut or (is_whole and known == 0),
            salt=look.salt,
            key=key,
            digests=look.digests,
            chains=look.chains,
            unmatched=_summary(stored) if is_whole and known == 0 else dict(alignment.unmatched) if alignment else {},
            relayed=relayed,
            recorded=at + 1 if alignment is None or known > at + 1 else 0,
            upto=look.upto,
            seen=stored.next_seq if stored is not None and stored.key == key else None,
        )
        return conversation_with(resolved, held, known=known)

    def remember(self, conversation: Conversation) -> None:
        """Takes the path of a history that is stored now, so that its next request reads none of it."""
        if conversation.units and None not in conversation.held:
            turns = tuple(places or () for places in conversation.held)
            path = StoredPath(turns, conversation.relayed, conversation.cut)
            self._keep(conversation.key, conversation.chains[-1], path)

    def pass_over(self, units: Sequence[Unit]) -> None:
        """Remembers, in this process only, a history that must not be stored when it is sent again."""
        with self._lock:
            for chain in _plain_chains(units):
                self._passed[chain] = None
            while len(self._passed) > _PASSED:
                self._passed.popitem(last=False)

    def _without_passed(self, conversation: Conversation) -> Conversation:
        """The conversation, in which what was passed over is known as nothing; its last message is said anew."""
        if not self._passed or None not in conversation.held[:-1]:
            return conversation
        with self._lock:
            passed = [chain in self._passed for chain in _plain_chains(conversation.units[:-1])]
        held = [
            () if places is None and over else places for places, over in zip(conversation.held, passed, strict=False)
        ]
        return replace(conversation, held=(*held, conversation.held[-1]))

    def _path(self, look: "Look", key: bytes, at: int) -> StoredPath:
        chain = look.chains[at]
        with self._lock:
            kept = self._paths.get(key)
        if kept is not None and kept[0] == chain:
            return kept[1]
        path = read_path(look, key, at)
        self._keep(key, chain, path)
        return path

    def _keep(self, key: bytes, chain: bytes, path: StoredPath) -> None:
        with self._lock:
            self._paths[key] = (chain, path)
            self._paths.move_to_end(key)
            while len(self._paths) > _PATHS:
                self._paths.popitem(last=False)


def conversation_with(
    base: Conversation,
    held: Sequence[tuple[int, ...] | None],
    *,
    known: int,
    recorded: int | None = None,
    relayed: int | None = None,
) -> Conversation:
    """A conversation with what is held of its units, and with other counts where they are given.

    Args:
        known: counts units.
    """
    return _with_held(
        base,
        tuple(held),
        base.units[known - 1].last + 1 if known else 0,
        base.recorded if recorded is None else recorded,
        base.relayed if relayed is None else relayed,
    )


def _plain_chains(units: Sequence[Unit]) -> list[bytes]:
    """Hashes of the history up to each unit that need no salt, since they are not stored."""
    chains, chain = [], b""
    for unit in units:
        chain = hashlib.blake2b(chain + unit.digest, digest_size=16).digest()
        chains.append(chain)
    return chains


def _new(
    units: tuple[Unit, ...],
    client: ClientMark,
    named: NamedConversation | None,
    messages: int,
    session: str | None = None,
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
        own_id=client.session or client.main,
        units=units,
        held=(None,) * len(units),
    )


def _summary(stored: StoredConversation | None) -> dict[int, Unmatched]:
    """What a history that shares nothing with the stored one begins with, after its client asked for a summary."""
    asked_for = stored is not None and stored.state == State.COMPACTING
    return {0: Unmatched((), is_stand_in=True)} if asked_for else {}


def _aligned(look: Look, key: bytes, at: int, path: StoredPath, stored: StoredConversation | None) -> Alignment | None:
    """How a history lines up that does not just go on from a stored beginning; None where it does, or is an edit.

    A client that sends the first messages and the last ones may send the same ones twice: where few words were said
    again ("yes", "ok"). Where the last ones are the end of a branch, without a gap, it goes on from there, rather than
    editing what followed them the first time.
    """
    if at >= len(look.units) - 1:
        return None
    ends = {} if stored is None else stored.ends
    if at >= 0 and (not path.turns[at] or path.turns[at][-1] in ends.values()):
        after = messages_of(look.reader, look.space, key, at + 1)
        if not any(next_chain(look.salt, look.chains[at], message.digest) == message.chain for message in after):
            return None
    alignment = align_cut(look.units, look.digests, messages_of(look.reader, look.space, key), look.pieces)
    if alignment is None or alignment.known <= at:
        return None
    is_end = (alignment.held[at] or (None,))[-1] in ends.values()
    return alignment if alignment.known > at + 1 or (path.cut and is_end and alignment.gaps == 1) else None
