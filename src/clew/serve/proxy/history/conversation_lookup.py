"""Which stored conversation a request belongs to. Start at `Look`, and find it by name or by history.

The rules, in this order:

1.  The session that the request names (`X-Clew-Session`) is the conversation.
2.  The client's own id is, under the client's name, so that two clients' ids cannot meet. A new id of what goes on from
    a stored conversation, by the rules below, is a second name for that one. The id of Gemini CLI, whose requests have
    none, is looked up in its file for what would be a new conversation by the rules below.
3.  Otherwise the conversation is that of the stored answer which the request names (`previous_response_id`).
4.  Otherwise the longest beginning of the history that is stored decides, if it has an answer that the proxy relayed,
    or is just about to store, or that broke off, or if it ends with a question that got none, or if it is the whole
    history with an answer in it (a retry). So a system prompt, a first
    message or examples that a program sends with every request join nobody. Of several conversations with this
    beginning one that ends there goes on, the one last used if there are several: up to here they are the same word for
    word. If all of them went on, nobody can tell which one is meant, and the request opens a new conversation.
5.  Otherwise the last answer in the history that is stored decides, if the message before it is stored before it, too,
    and in one conversation alone: the client dropped the front or the middle.
6.  Otherwise the conversation decides whose summary, which the client asked for, the history begins with.
7.  Otherwise, for a sub-agent of Claude Code that names only the session it works for, what was imported of the
    sub-agents of that session decides, see `imported_agents`.
8.  Otherwise it is a new conversation. A first message alone is the one stored before only where that got no answer at
    all, also since the server that waited for it was killed, or where the client says that it tries again.

Two sub-agents that are told the same at the same time are two conversations from their first message on, by rule 8. As
long as they also find the same, each of their requests goes on from one that ends there, see `_twin`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from clew.condense.wires import Message
from clew.ingest.importers.claude_code import agent_in
from clew.rows.conversations import (
    SAME,
    State,
    StoredConversation,
    StoredMessage,
    conversation_key,
    get_conversation,
    get_messages,
    is_unnamed,
    message_digest,
    messages_of,
    next_chain,
    with_chain,
    with_digest,
)
from clew.serve.proxy.exchange import ChatRequest, ClientMark
from clew.serve.proxy.history.message_form import Unit, is_sealed, messages_apart, words_of
from clew.serve.proxy.history.summaries import summarised
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.write.same_words import SOURCES

_NEAR: Final = 8
"""Messages at the end of a history that are looked up one by one: most histories go on from one of these."""

RETRY: Final = "x-stainless-retry-count"
"""The header by which the SDKs of OpenAI and Anthropic count how often they sent a request before."""

_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_IN_FILES: Final = frozenset(("gemini-cli",))
"""Programs that name a conversation in their own file of it alone; see `gemini_sessions`."""

_SHORT: Final = 2
"""Messages in a row, the anchor included, by which a history without its beginning is recognised."""


@dataclass(frozen=True, slots=True)
class NamedConversation:
    """A conversation by its name: the header's or the client's; `is_own` for the latter."""

    name: str
    is_own: bool


@dataclass(frozen=True, slots=True)
class Look:
    """A history that is looked for.

    Attributes:
        upto: how many turns the space has, forgotten ones included.
        ends: by units that were looked at, the stored messages with which the same history ends.
    """

    reader: Reader
    space: str
    salt: bytes
    units: tuple[Unit, ...]
    digests: tuple[bytes, ...]
    chains: tuple[bytes, ...]
    client: ClientMark
    messages: Sequence[Message]
    upto: int = 0
    is_retry: bool = False
    ends: dict[int, list[StoredMessage]] = field(default_factory=dict)

    def ending(self, i: int) -> list[StoredMessage]:
        """The stored messages at the end of the same history as this one up to a unit, `SAME` of them at most."""
        rows = self.ends.get(i)
        if rows is None:
            rows = self.ends[i] = with_chain(self.reader, self.space, self.chains[i])
        return rows

    def is_stored_of(self, key: bytes, i: int) -> bool:
        """Whether a conversation has this history up to a unit."""
        known = self.ends.get(i)
        if known is not None and len(known) < SAME:  # all of them
            return any(row.conversation == key and row.depth == i for row in known)
        return get_messages(self.reader, self.space, [(key, i, self.chains[i])]) != [None]

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


def looked_up(
    look: Look, named: NamedConversation | None, answered: StoredConversation | None
) -> StoredConversation | None:
    """The stored conversation of a request; None for a new one.

    Args:
        answered: the one whose answer the request names as what it goes on from.
    """
    if named is not None:
        stored = get_conversation(look.reader, look.space, conversation_key(look.salt, named.name))
        if stored is not None or not named.is_own:
            return stored
    return answered or _by_history(look)


def _by_history(look: Look) -> StoredConversation | None:
    """The conversation that a history goes on from."""
    at = look.deepest(lambda i: bool(look.ending(i)))
    if at >= 0:
        pairs = [pair for end in look.ending(at) if (pair := _of(look, end)) is not None]
        chosen = _twin(look, at, pairs) or _chosen(look, at, pairs)
        if chosen is not None:
            return chosen
    return _by_tail(look, at) or _by_summary(look)


def _of(look: Look, message: StoredMessage) -> tuple[StoredMessage, StoredConversation] | None:
    """A stored message with its conversation; None if it cannot be that of the request.

    It has to be of the same client. A conversation with a name of its own belongs to requests that give a name.
    """
    stored = get_conversation(look.reader, look.space, message.conversation)
    if stored is None or stored.client != look.client.name:
        return None
    is_silent = is_unnamed(stored.session) or (look.client.name in _IN_FILES and stored.own_id is not None)
    is_silent = is_silent or _works_for(stored, look.client.main)
    return (message, stored) if look.client.session is not None or is_silent else None


def _works_for(stored: StoredConversation, main: str | None) -> bool:
    """Whether a conversation is that of a sub-agent which named this session in its requests, and no id of its own."""
    agent = agent_in(stored.session)
    return agent is not None and agent[0] == main == stored.own_id


def _chosen(
    look: Look, at: int, pairs: Sequence[tuple[StoredMessage, StoredConversation]]
) -> StoredConversation | None:
    """Of conversations that begin like the history, the one that it goes on from."""
    fit = [(end, stored) for end, stored in pairs if end.relayed or _is_again(look, at, end, stored)]
    if not fit and look.client.session is None:
        fit = [(end, stored) for end, stored in pairs if broken_answer(look, stored, at) is not None][-1:]
    if len(fit) > 1:
        ending = [(end, stored) for end, stored in fit if not goes_on(look, end)]
        relayed = [pair for pair in ending if pair[0].relayed]
        failed = [pair for pair in ending if pair[1].is_unanswered]
        fit = sorted(relayed or failed, key=lambda each: each[1].seen_at)[-1:]
    return fit[0][1] if fit else None


def _twin(look: Look, at: int, pairs: Sequence[tuple[StoredMessage, StoredConversation]]) -> StoredConversation | None:
    """Of sub-agents at work side by side the one whose message was stored before, but for another of them.

    Their conversations are equal as long as they are told and find the same. One that waits for the answer to what its
    tools gave does not send it again, and a sub-agent asks for no other answer. So the message comes from another one,
    if there is one that ends with the last answer. What a person typed may be sent twice, with the same beginning as a
    stranger's: that is not a twin.
    """
    if at < len(look.units) - 1 or look.is_retry or look.client.session is not None or not pairs:
        return None
    answer = max((i for i in range(at) if look.units[i].role == "assistant"), default=-1)
    waiting = (stored.state == State.WAITING and not stored.is_unanswered for _, stored in pairs)
    is_working = look.units[at].results and all(waiting)
    if answer < 0 or not (look.client.subagent or is_working):
        return None
    ends = (_of(look, end) for end in look.ending(answer))
    equal = [pair[1] for pair in ends if pair is not None and pair[0].relayed and not goes_on(look, pair[0])]
    return max(equal, key=lambda stored: stored.seen_at, default=None)


def _is_again(look: Look, at: int, end: StoredMessage, stored: StoredConversation) -> bool:
    """Whether a history without a relayed answer was sent before, or goes on from an answer on its way, or from none.

    One with an id of its own never is: it would have come with that id before.
    """
    if look.client.session is not None:
        return False
    if at < len(look.units) - 1:
        is_answered = look.units[at + 1].role == "assistant"
        return stored.state == State.WAITING if is_answered else stored.is_unanswered and not goes_on(look, end)
    return stored.is_unanswered or look.is_retry or look.has_answer(at)


def broken_answer(look: Look, stored: StoredConversation, at: int) -> StoredMessage | None:
    """The stored answer behind a unit of a history, if it broke off and the history has a beginning of it, or nothing.

    A client that leaves in the middle of a stream has read less than the proxy relayed.

    Args:
        stored: a conversation that has the history up to this unit.
    """
    if at >= len(look.units) - 1:
        return None
    unit = look.units[at + 1]
    begun = words_of(look.messages, unit) if unit.role == "assistant" else ""
    if begun is None:
        return None
    for message in messages_of(look.reader, look.space, stored.key, at + 1):
        follows = message.relayed and next_chain(look.salt, look.chains[at], message.digest) == message.chain
        places = message.turns[-1] if follows else ()
        row = TURN.get(look.reader, (look.space, stored.session, places[0])) if places else None
        turn = None if row is None else turn_from_row(row)
        if turn is None or turn.role != "assistant" or not turn.metadata.get("incomplete"):
            continue
        if " ".join(turn.text.split()).startswith(begun):
            return message
    return None


def goes_on(look: Look, end: StoredMessage) -> bool:
    """Whether a message follows this one in its conversation."""
    after = messages_of(look.reader, look.space, end.conversation, end.depth + 1)
    return any(next_chain(look.salt, end.chain, message.digest) == message.chain for message in after)


def _by_tail(look: Look, beginning: int) -> StoredConversation | None:
    """The conversation that a history without its beginning goes on from.

    Args:
        beginning: index of the last unit of a stored beginning that decided nothing: the tail has to lie behind it.
    """
    answers = [i for i, unit in enumerate(look.units[:-1]) if unit.role == "assistant" and i > beginning]
    anchor = max(answers, default=0)
    is_alone = anchor == 0  # as after a compaction by the provider, which no other conversation can begin with
    if not answers or (is_alone and not is_sealed(look.messages, look.units[0])):
        return None
    fit: dict[bytes, StoredConversation] = {}
    for message in with_digest(look.reader, look.space, look.digests[anchor]):
        pair = _of(look, message)
        if pair is not None and message.relayed and (is_alone or _follows(look, message, anchor)):
            fit[message.conversation] = pair[1]
    return next(iter(fit.values())) if len(fit) == 1 else None


def _by_summary(look: Look) -> StoredConversation | None:
    """The conversation whose summary a history begins with, if it is one alone."""
    rows = summarised(look.reader, look.space, look.salt, look.messages, look.units)
    conversations = [pair[1] for row in rows if (pair := _of(look, row)) is not None]
    return conversations[0] if len(conversations) == 1 else None


def _follows(look: Look, message: StoredMessage, anchor: int) -> bool:
    """Whether the unit before the anchor is stored right before this message."""
    wanted = look.digests[anchor - _SHORT + 1 : anchor]
    before = messages_of(look.reader, look.space, message.conversation, message.depth - 1)
    return any(
        each.digest in wanted and next_chain(look.salt, each.chain, message.digest) == message.chain for each in before
    )


def named_by(client: ClientMark, header: str | None) -> NamedConversation | None:
    """What a request calls its conversation, by the header `X-Clew-Session` or by the client's own id.

    An id of Claude Code, Codex or Gemini CLI is a UUID, and the name of the session when its own file is imported, too.
    """
    if header is not None and header.strip():
        return NamedConversation(header.strip(), False)
    own = (client.session or "").strip()
    if not own:
        return None
    is_alone = client.name in SOURCES and _UUID.fullmatch(own) is not None
    return NamedConversation(own if is_alone else f"{client.name or 'client'}/{own}", True)


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


def continued(
    reader: Reader, space: str, salt: bytes, request: ChatRequest
) -> tuple[StoredMessage, StoredConversation] | None:
    """The answer that a request names as the one it goes on from (Responses), with its conversation."""
    named = request.value.get("previous_response_id")
    rows = with_chain(reader, space, answer_chain(salt, named)) if isinstance(named, str) and named else []
    # An answer that was made in the background is found twice: where its question ends, and where it stands itself.
    end = max(rows, key=lambda each: each.depth, default=None)
    stored = None if end is None else get_conversation(reader, space, end.conversation)
    return None if end is None or stored is None else (end, stored)
