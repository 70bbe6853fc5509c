"""Fakes for the tests of those who build on Clew: an embedder without a model, a clock that stands still."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

import numpy as np

from clew.errors import InputError
from clew.models.prepare import unit_rows
from clew.models.protocol import Matrix
from clew.text.terms import terms


class HashEmbedder:
    """An embedder that hashes the terms of a text: texts that share words are similar, others almost orthogonal.

    Each term, as the search index cuts and stems them, adds 1 or -1 to one component; both come from its BLAKE2b hash
    (feature hashing: Weinberger et al., 2009). Two unrelated texts of `n` terms each have a cosine near 0, within about
    `1 / sqrt(dim)`. A text without terms (stop words, signs) goes by its words as they stand. The same everywhere.
    """

    def __init__(self, dim: int = 64, revision: int = 1) -> None:
        """Embedders of two revisions are two models: their vectors have nothing to do with each other."""
        if dim < 1:
            raise InputError(f"HashEmbedder(dim={dim!r}); expected 1 or more")
        self.name = f"hash-{dim}@{revision}"
        self.dim = dim
        self._salt = b"" if revision == 1 else str(revision).encode()

    def embed(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder`; never fails."""
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in terms(text) or text.split():
                self._add(row, term)
            if text.strip() and not row.any():  # its terms cancel each other
                self._add(row, text)
        return unit_rows(rows)

    def _add(self, row: Matrix, term: str) -> None:
        digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8, salt=self._salt).digest()
        number = int.from_bytes(digest, "little")
        row[(number >> 1) % self.dim] += 1.0 if number & 1 else -1.0


class FrozenClock:
    """A clock that moves only when told to. It is what `clock=` takes: called, it gives an aware UTC datetime."""

    def __init__(self, start: datetime) -> None:
        """Starts at an aware datetime.

        Raises:
            InputError: `start` has no time zone.
        """
        if start.tzinfo is None:
            raise InputError(f"FrozenClock({start!r}) has no time zone; expected an aware datetime, such as in UTC")
        self._now = start.astimezone(UTC)

    def __call__(self) -> datetime:
        """The time at which the clock stands, as `now` gives it."""
        return self._now

    def now(self) -> datetime:
        """The time at which the clock stands."""
        return self._now

    def advance(self, seconds: float) -> datetime:
        """Moves the clock, backwards if negative, and gives the new time."""
        self._now += timedelta(seconds=seconds)
        return self._now
