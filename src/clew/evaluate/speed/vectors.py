"""Vectors without a model, to measure the memory rather than the embedder."""

from collections.abc import Sequence
from typing import Final
from zlib import crc32

import numpy as np

from clew.models.prepare import unit_rows
from clew.models.protocol import Embedder, Matrix

DIM: Final = 384
"""As MiniLM's."""


class RandomEmbedder:
    """Gives each text a pseudo-random unit vector derived from its hash; about 10 microseconds a text."""

    def __init__(self) -> None:
        """Sets name and dimension; there is no other state."""
        self.name = f"random-{DIM}@1"
        self.dim = DIM

    def embed(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder`."""
        rows = np.empty((len(texts), DIM), np.float32)
        for index, text in enumerate(texts):
            seed = crc32(text.encode("utf-8", "surrogatepass"))
            rows[index] = np.random.Generator(np.random.SFC64(seed)).standard_normal(DIM, np.float32)
        return unit_rows(rows)


class EmbeddedOnce:
    """Embeds each text once: what is asked again costs a look-up, as where embedding is not to be measured."""

    def __init__(self, inner: Embedder) -> None:
        """Has the name and the dimension of `inner`."""
        self.name, self.dim = inner.name, inner.dim
        self._inner = inner
        self._known: dict[str, Matrix] = {}

    def embed(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder`."""
        lacking = [text for text in dict.fromkeys(texts) if text not in self._known]
        if lacking:
            self._known.update(zip(lacking, self._inner.embed(lacking), strict=True))
        return np.stack([self._known[text] for text in texts])
