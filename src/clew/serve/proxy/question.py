"""What the user asks in a request, as words for a recall, and where."""

import re
from collections.abc import Sequence
from typing import Final

from clew.condense.wires import Message
from clew.condense.wires import wire as list_wire
from clew.ingest.encoding import escape_surrogates
from clew.ingest.exchange import own_words
from clew.serve.proxy.wires import ProxyWire
from clew.text.small_talk import BESIDE_COURTESIES, COURTESIES

_LONGEST: Final = 4_000
"""Characters of a question: a pasted file asks nothing that its beginning and end do not."""
_BESIDE: Final = ("user", "system", "developer")
"""Roles of messages that a program may add after the user's own."""

_REPLIES: Final = (
    COURTESIES
    | BESIDE_COURTESIES
    | frozenset("yes yep yeah no nope sure fine please go on ahead continue do it that".split())
)
"""Words of greetings, thanks and consent. A message of these alone names nothing that could be looked up."""
_WORDS: Final = re.compile(r"\w+")


def question_index(wire: ProxyWire, messages: Sequence[Message]) -> int | None:
    """The message that asks, if this is the first request of its turn.

    It need not be the last: programs add reminders in messages of their own. None when the model has spoken or called a
    tool since, as in the later requests of an agent's turn: a block stays where the turn's first request has it.
    """
    for index in range(len(messages) - 1, -1, -1):
        if wire.is_question(messages[index]):
            return index
        if not _is_beside(wire, messages[index]):
            return None
    return None


def _is_beside(wire: ProxyWire, message: Message) -> bool:
    """Whether a message may stand after a question that the model has not answered."""
    role = message.get("role", "user" if "parts" in message else None)
    return role in _BESIDE and not list_wire(wire.name).results(message)


def question_in(message: Message) -> str:
    """The words of the user in the message that asks, as a recall takes them."""
    return question_of(own_words(message))


def question_of(text: str) -> str:
    """A message as a recall takes it: halves of characters are escaped, and the middle of a long one is left out."""
    text = text.strip()
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}\n{text[-_LONGEST // 2 :]}"
    return escape_surrogates(text)


def asks_nothing(text: str) -> bool:
    """Whether a message ("Thanks!", a thumb up) gives a recall nothing to look for; what has a question mark does."""
    return "?" not in text and _REPLIES.issuperset(_WORDS.findall(text.casefold()))
