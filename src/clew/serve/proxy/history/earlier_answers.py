"""The answers that a question got before, when a client asks it again in the same place: those are being replaced.

Start at `earlier_answers`. Borders: reads rows, and writes none.
"""

from collections.abc import Collection
from typing import Final

from clew.memory.wiring import Parts
from clew.rows.conversations import StoredMessage, messages_of, next_chain
from clew.serve.proxy.history.conversations import Conversation
from clew.store.protocol import Reader
from clew.store.turn_selections import TURN_ACTORS

_LONGEST: Final = 400
"""Messages of one answer that are followed: an agent's calls and their results are messages each."""


def earlier_answers(parts: Parts, conversation: Conversation) -> tuple[tuple[str, int], ...]:
    """The turns of the answers to a request's last message that are stored already, by session and place.

    They end before what the user said next. A client that asks for another answer, or asks again because it lost the
    first one, should not be shown that one as a memory.
    """
    if not conversation.chains:
        return ()
    reads, session = parts.reads, conversation.session
    seqs: set[int] = set()
    histories: set[bytes] = {conversation.chains[-1]}
    first = len(conversation.chains)
    with reads.store.snapshot() as reader:
        for depth in range(first, first + _LONGEST):
            messages = [
                message
                for message in messages_of(reader, reads.space, conversation.key, depth)
                if _goes_on_from(conversation.salt, histories, message)
                and not _is_of_user(reader, reads.space, session, message.turns[-1])
            ]
            if not messages:
                break
            seqs.update(seq for message in messages for seq in message.turns[-1])
            histories = {message.chain for message in messages}
    return tuple((session, seq) for seq in sorted(seqs))


def _goes_on_from(salt: bytes, histories: Collection[bytes], message: StoredMessage) -> bool:
    return any(next_chain(salt, history, message.digest) == message.chain for history in histories)


def _is_of_user(reader: Reader, space: str, session: str, places: Collection[int]) -> bool:
    turns = TURN_ACTORS.get_many(reader, [(space, session, seq) for seq in places])
    return any(turn is not None and turn.role == "user" for turn in turns)
