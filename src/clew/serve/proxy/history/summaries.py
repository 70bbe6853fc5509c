"""Finds the conversation that a summary stands for, when a client compacts a history by itself.

The client asks the model for the summary through the proxy, and begins its next history with it. The longest lines of
the answer are kept as hashes, by which that history is known, whatever the client writes around them. Of a history
that OpenAI seals for the client, the sealed text is.
"""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

from clew.condense.wires import Message
from clew.ingest.formats.sdk import texts_of
from clew.rows.conversations import StoredMessage, message_digest, next_chain, with_chains
from clew.serve.proxy.history.message_form import Unit, is_sealed, units_of
from clew.store.protocol import Reader

_LEAST: Final = 40
"""Characters of a line that another summary would not have by chance."""
_KEPT: Final = 8
"""Lines of a summary that are kept."""
_LOOKED_AT: Final = 16
"""Lines of a history's beginning that are looked up: the client's own may be longer than some of the summary."""
_BEGINNING: Final = 2
"""Messages in which the summary is looked for."""


def summary_rows(
    salt: bytes, conversation: bytes, answer: Sequence[Message], last: tuple[int, ...]
) -> list[StoredMessage]:
    """What is kept of a summary of a conversation; its places are below those of messages.

    Beside what is sealed stand messages of the user, word for word, with which other conversations may begin, too.

    Args:
        last: places of the turns of the last message that it stands for, behind which a sealed history goes on.
    """
    sealed = _sealed(salt, answer, units_of(answer))
    return [
        StoredMessage(conversation, -1 - n, next_chain(salt, b"summary", digest), digest, 1, (last if sealed else (),))
        for n, digest in enumerate(sealed or _digests(salt, answer, _KEPT))
    ]


def summarised(
    reader: Reader, space: str, salt: bytes, messages: Sequence[Message], units: Sequence[Unit]
) -> list[StoredMessage]:
    """Rows of the conversations whose summary a history begins with, one for each.

    Args:
        units: of the messages.
    """
    digests = _sealed(salt, messages, units) or _digests(salt, messages[:_BEGINNING], _LOOKED_AT)
    rows = with_chains(reader, space, [next_chain(salt, b"summary", digest) for digest in digests])
    return list({row.conversation: row for row in rows}.values())


def _sealed(salt: bytes, messages: Sequence[Message], units: Sequence[Unit]) -> list[bytes]:
    """The hashes of what the provider sealed: no line of it can be read, but no other is the same."""
    return [message_digest(salt, unit.digest) for unit in units if is_sealed(messages, unit)]


def _digests(salt: bytes, messages: Iterable[Message], most: int) -> list[bytes]:
    lines = {" ".join(line.split()) for message in messages for text in texts_of(message) for line in text.splitlines()}
    longest = sorted((line for line in lines if len(line) >= _LEAST), key=lambda line: (-len(line), line))[:most]
    plain = (hashlib.blake2b(line.encode("utf-8", "surrogatepass"), digest_size=16).digest() for line in longest)
    return [message_digest(salt, digest) for digest in plain]
