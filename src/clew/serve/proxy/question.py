"""What the user asks in a request, as words for a recall."""

from collections.abc import Sequence
from typing import Final

from clew.condense.wires import Message
from clew.ingest.exchange import own_words
from clew.serve.proxy.wires import ProxyWire

_LONGEST: Final = 4_000
"""Characters of a question: a pasted file asks nothing that its beginning and end do not."""


def question_of(wire: ProxyWire, messages: Sequence[Message]) -> str:
    """The words of the user at the end of a conversation; empty when its last message is none of the user's."""
    if not messages or not wire.is_question(messages[-1]):
        return ""
    text = own_words(messages[-1]).strip()
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}\n{text[-_LONGEST // 2 :]}"
