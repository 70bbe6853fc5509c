"""A provider's prompt cache: which leading part of a prompt was read before and is still warm.

Two kinds: with marks that the client sets (Anthropic), and automatic (OpenAI, Gemini). Both know a prompt by its bytes
alone, so that one changed byte makes everything behind it cold.
"""

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

BYTES_PER_TOKEN: Final = 4
"""The scripted upstream counts tokens by bytes, so that expected figures can be computed by hand."""

LEAST: Final = 1024
"""Tokens of the shortest prefix that is cached (OpenAI; Anthropic's larger models)."""

STEP: Final = 128
"""Automatic caches hold prefixes whose length is a multiple of so many tokens (OpenAI)."""

LOOKBACK: Final = 20
"""Blocks before a mark among which Anthropic looks for an earlier entry."""

FIVE_MINUTES: Final = 300.0
HOUR: Final = 3600.0


@dataclass(frozen=True, slots=True)
class PromptPiece:
    """A block of a prompt; `ttl` is the seconds for which a cache mark on it asks, None without a mark."""

    data: bytes
    ttl: float | None = None


@dataclass(frozen=True, slots=True)
class CacheResult:
    """Tokens of a prompt: all of them, those read from the cache, and those written to it (5 minutes, 1 hour)."""

    total: int
    read: int = 0
    written: int = 0
    written_long: int = 0


@dataclass
class PromptCache:
    """The entries of all organisations (`owner` below: API key and model) with their time of expiry."""

    clock: Callable[[], float]
    _expiry: dict[tuple[str, bytes], tuple[float, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def clear(self) -> None:
        """Forgets everything, as if all times to live were over."""
        with self._lock:
            self._expiry.clear()

    def marked(self, owner: str, pieces: Sequence[PromptPiece]) -> CacheResult:
        """A prompt whose client sets the marks: each mark reads the longest earlier entry near it, and writes."""
        ends, digests = _lengths(pieces), list(_digests(pieces))
        with self._lock:
            now = self.clock()
            marks = [index for index, piece in enumerate(pieces) if piece.ttl is not None]
            read = 0
            for mark in marks:
                for index in range(mark, max(mark - LOOKBACK, -1), -1):
                    if self._warm(owner, digests[index], now):
                        read = max(read, ends[index])
                        break
            written = [0, 0]
            place = read
            for mark in marks:
                ttl, end = pieces[mark].ttl or FIVE_MINUTES, ends[mark]
                if end < LEAST:
                    continue
                if end > place:
                    written[ttl > FIVE_MINUTES] += end - place
                    place = end
                self._expiry[owner, digests[mark]] = (now + ttl, ttl)
        return CacheResult(ends[-1] if ends else 0, read, written[0] + written[1], written[1])

    def automatic(self, owner: str, pieces: Sequence[PromptPiece]) -> CacheResult:
        """A prompt that is cached without being asked, in steps of `STEP` tokens."""
        data = b"\x00".join(piece.data for piece in pieces)
        size = STEP * BYTES_PER_TOKEN
        steps = [PromptPiece(data[start : start + size]) for start in range(0, len(data) - size + 1, size)]
        read = 0
        with self._lock:
            now = self.clock()
            for number, digest in enumerate(_digests(steps), 1):
                if self._warm(owner, digest, now) and read == (number - 1) * STEP:
                    read = number * STEP
                self._expiry[owner, digest] = (now + FIVE_MINUTES, FIVE_MINUTES)
        return CacheResult(-(-len(data) // BYTES_PER_TOKEN), read if read >= LEAST else 0)

    def _warm(self, owner: str, digest: bytes, now: float) -> bool:
        """Whether there is an entry; reading it makes it last anew."""
        entry = self._expiry.get((owner, digest))
        if entry is None or entry[0] < now:
            return False
        self._expiry[owner, digest] = (now + entry[1], entry[1])
        return True


def _lengths(pieces: Sequence[PromptPiece]) -> list[int]:
    """Tokens up to the end of each piece."""
    ends, total = [], 0
    for piece in pieces:
        total += len(piece.data)
        ends.append(-(-total // BYTES_PER_TOKEN))
    return ends


def _digests(pieces: Sequence[PromptPiece]) -> Iterator[bytes]:
    running = hashlib.sha256()
    for piece in pieces:
        running.update(len(piece.data).to_bytes(8, "big") + piece.data)
        yield running.digest()
