"""Keeps a copy of an answer while it is relayed, and reads it when it has ended."""

from collections.abc import Mapping

from clew.errors import FormatError, MissingExtra
from clew.serve.proxy.encodings import decoded
from clew.serve.proxy.exchange import Answer, TokenUsage
from clew.serve.proxy.headers import RawHeaders
from clew.serve.proxy.wires import ProxyWire


class KeptAnswer:
    """The bytes of an answer. The event loop fills it; a thread reads it afterwards."""

    def __init__(self, status: int, headers: RawHeaders, most: int) -> None:
        """Keeps at most so many bytes: of a longer answer, the beginning."""
        self.status = status
        self._headers: Mapping[bytes, bytes] = {name.lower(): value for name, value in headers}
        self._pieces: list[bytes] = []
        self._room = most
        self._most = most
        self.spent = TokenUsage()
        """Tokens of the answers before it that called Clew's tools."""
        self.is_unreadable = False
        """Whether the answer is compressed in a way that is not read here; known when it was read."""

    def take(self, piece: bytes) -> None:
        """Keeps the next piece."""
        if len(piece) <= self._room:
            self._pieces.append(piece)
            self._room -= len(piece)
        else:
            self._room = -1

    def is_empty(self, read: Answer) -> bool:
        """Whether the provider said nothing in the answer, and counted nothing, as far as can be seen."""
        is_seen = self._room >= 0 and not self.is_unreadable
        return is_seen and not (read.messages or read.complete) and read.usage == TokenUsage()

    def charged(self, read: Answer) -> TokenUsage:
        """What the provider charges: what the answer reports, all rounds in one, or `spent` where it reports none."""
        return self.spent if read.usage == TokenUsage() else read.usage

    def read(self, wire: ProxyWire, *, stream: bool) -> Answer:
        """The answer; what cannot be read is empty and not complete.

        Whether it is complete, it tells itself: a client may leave at the mark of its end, before the connection's.
        """
        body = b"".join(self._pieces)
        try:
            body = decoded(body, self._headers.get(b"content-encoding", b"").decode("latin-1"), self._most)
        except (FormatError, MissingExtra):  # sent against our request: nothing of it can be remembered
            self.is_unreadable = True
            return Answer(complete=False)
        if not stream:
            return wire.read_answer(body)
        reader = wire.reader()
        reader.feed(body)
        return reader.answer()
