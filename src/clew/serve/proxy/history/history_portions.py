"""A long history that is new to the memory, in portions that are stored one after the other."""

from dataclasses import replace
from typing import Final

from clew.serve.proxy.history.conversation_lookup import hashes
from clew.serve.proxy.history.conversations import Conversation

PORTION: Final = 1_000
"""Messages, or runs of messages, in a portion: a second or less of work, and a short transaction."""


def next_portion(conversation: Conversation) -> Conversation | None:
    """The conversation up to the end of the next portion; None when the rest is one, or does not just go on.

    A portion ends before an answer: a history that goes on from there is known again, as one that waits for it.
    """
    if conversation.is_foreign or conversation.unmatched or None not in conversation.held:
        return None
    count = len(conversation.units)
    least = conversation.held.index(None) + PORTION
    end = next((i for i in range(least, count) if conversation.units[i].role == "assistant"), None)
    if end is None:
        return None
    units, held = conversation.units[:end], conversation.held[:end]
    return replace(
        conversation,
        units=units,
        held=held,
        digests=conversation.digests[:end],
        chains=conversation.chains[:end],
        messages=units[-1].last + 1,
    )


def with_portion(conversation: Conversation, stored: Conversation) -> Conversation:
    """The conversation once its beginning is stored.

    Args:
        stored: the beginning, as it was written.
    """
    if conversation.key != stored.key:  # the space had no turn when the request was looked at
        digests, chains = hashes(stored.salt, conversation.units, conversation.seed)
        conversation = replace(conversation, salt=stored.salt, key=stored.key, digests=digests, chains=chains)
    held = (*stored.held, *conversation.held[len(stored.held) :])
    return replace(conversation, held=held, recorded=stored.recorded, relayed=stored.relayed, seen=stored.seen)
