"""Blocks that are put into messages: recorded before they are sent, and put back with the same bytes ever after.

A provider's prompt cache knows a request by its first bytes. So a block that was put into a message stands there in
every later request, until the client drops the message, or edits it, or a turn that the block quotes is forgotten.
"""

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from operator import attrgetter
from typing import Final

from clew.ingest.echo import framed
from clew.memory.wiring import Parts
from clew.rows.injections import Injection, in_use, injection_rows, keep_unless_paused, quoted_turns, retire
from clew.serve.proxy.exchange import ChatRequest, Edit
from clew.serve.proxy.history.conversations import Conversation
from clew.serve.proxy.wires.protocol import ProxyWire
from clew.store.row_types import InjectionRow
from clew.types.ids import parse_turn_id

_DIGITS: Final = 8
"""Of a block's id, which tells the blocks of one session apart."""


@dataclass(frozen=True, slots=True)
class PutBack:
    """What stands in a request again.

    Attributes:
        edits: to be made in the request.
        indexes: of the messages that have a block again, which need no other.
        shown: turns that these blocks quote, by session and place, as `recall` takes them.
        texts: of these blocks.
        rows: all rows of the session, held exchanges included; None where they were not read.
    """

    edits: list[Edit] = field(default_factory=list)
    indexes: frozenset[int] = frozenset()
    shown: tuple[tuple[str, int], ...] = ()
    texts: tuple[str, ...] = ()
    rows: Sequence[InjectionRow] | None = None


@dataclass(frozen=True, slots=True)
class Injections:
    """The blocks of the conversations of one space. Threads may share it."""

    parts: Parts

    def record(
        self,
        conversation: Conversation,
        index: int,
        formed: tuple[str, str],
        *,
        turns: Iterable[str],
        receipt: str | None = None,
    ) -> bool:
        """Keeps a block that is about to be put into a message.

        A kill of the process does not lose it; a power failure may until the answer is stored, which costs one miss of
        the provider's cache, whereas to wait for the disk here would delay every answer.

        False if it cannot be kept, because the session is paused or the message is not stored: then nothing may be put
        into it, since it could not be put back.

        Args:
            conversation: as `store_request` gave it.
            index: of the message in the request.
            formed: the id of the block and the text to append to the message, as `formed` gave them.
            turns: ids of the turns that the block quotes.
        """
        reads = self.parts.reads
        unit = _unit(conversation, index)
        if unit is None:
            return False
        name, text = formed
        chain, now = conversation.chains[unit], reads.clock()
        injection = Injection(
            session=conversation.session,
            id=name,
            chain=chain,
            digest=conversation.digests[unit],
            block=text,
            turns=tuple(turns),
            at=now,
            receipt=receipt,
        )
        return keep_unless_paused(reads.store, reads.space, injection)

    def formed(self, conversation: Conversation, index: int, block: str) -> tuple[str, str] | None:
        """The id of a block, and the text that is appended to its message; None where it could not be put back."""
        unit = _unit(conversation, index)
        if unit is None or not any(conversation.held):
            return None
        said = conversation.chains[unit] + block.encode("utf-8", "surrogatepass")
        name = hashlib.blake2b(said, digest_size=_DIGITS // 2).hexdigest()
        return name, framed(block, name)

    def put_back(self, conversation: Conversation, request: ChatRequest, wire: ProxyWire) -> PutBack:
        """The blocks that stood in messages of this request before, at the same places, with the same bytes.

        Blocks of messages that a client dropped when it cut its history are retired.
        """
        reads = self.parts.reads
        if conversation.fresh or not conversation.chains:
            return PutBack()
        with reads.store.snapshot() as reader:
            rows = injection_rows(reader, reads.space, conversation.session)
        kept = in_use(rows)
        if not kept:
            return PutBack(rows=rows)
        indexes = _indexes(conversation, kept)
        first = {index: row for row, index in reversed(list(zip(kept, indexes, strict=True))) if index is not None}
        placed = [(row, index) for index, row in sorted(first.items())]  # of several, of requests at once, the oldest
        if conversation.cut and None in indexes:
            gone = [row for row, index in zip(kept, indexes, strict=True) if index is None]
            retire(reads.store, reads.space, gone, reads.clock())
        return PutBack(
            [wire.appended(request, index, row.block) for row, index in placed],
            frozenset(index for _, index in placed),
            tuple(chain.from_iterable(_quoted(quoted_turns(row)) for row, _ in placed)),
            tuple(row.block for row, _ in placed),
            rows,
        )

    def retire_all(self, conversation: Conversation) -> None:
        """Ends the putting back of a conversation's blocks, because its history was rewritten without them."""
        reads = self.parts.reads
        with reads.store.snapshot() as reader:
            kept = in_use(injection_rows(reader, reads.space, conversation.session))
        retire(reads.store, reads.space, kept, reads.clock())


@lru_cache(maxsize=512)  # every request of a conversation asks for all of its blocks again
def _quoted(turns: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """Turns by session and place."""
    return tuple(map(parse_turn_id, turns))


def _unit(conversation: Conversation, index: int) -> int | None:
    """The unit of the history to which a message of the request belongs."""
    at = bisect_right(conversation.units, index, key=attrgetter("first")) - 1
    return at if at >= 0 and index <= conversation.units[at].last else None


def _indexes(conversation: Conversation, rows: Sequence[InjectionRow]) -> list[int | None]:
    """Indexes of the messages in which blocks stand; of a history that was cut, of the one message with this content.

    None for a block whose message the request does not hold.
    """
    ends = list(map(attrgetter("last"), conversation.units))
    at_chain = dict(zip(reversed(conversation.chains), reversed(ends), strict=True))  # of equal ones the first
    places = [at_chain.get(row.chain) for row in rows]
    if not conversation.cut or None not in places:
        return places
    counts, at_digest = Counter(conversation.digests), dict(zip(conversation.digests, ends, strict=True))
    return [
        at_digest[row.digest] if index is None and counts[row.digest] == 1 else index
        for row, index in zip(rows, places, strict=True)
    ]
