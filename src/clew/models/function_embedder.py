"""Turns a function from texts to rows of numbers into an `Embedder`.

The functions for particular models are in endpoints.py and libraries.py.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from clew.errors import ModelError
from clew.models.prepare import embed_with
from clew.models.protocol import Matrix

Ask = Callable[[list[str]], Sequence[Any]]
"""Takes at most `BATCH` texts, none of them blank; returns one row of numbers per text. Raises only `ModelError`s."""

BATCH: Final = 64  # texts per request, well below the limit of every provider


class FunctionEmbedder:
    """An embedder around a function. The length of its vectors is taken from the first answer."""

    def __init__(self, name: str, ask: Ask) -> None:
        self.name = name
        self._ask = ask
        self._dim: int | None = None

    @property
    def dim(self) -> int:
        """Length of each vector; calls the model if there was no answer yet, which may raise a `ModelError`."""
        return self._dim or self.embed(["dimension"]).shape[1]

    @dim.setter
    def dim(self, learnt: int) -> None:
        self._dim = learnt

    def embed(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder`.

        Raises:
            ModelUnavailable: the model cannot be loaded or reached.
            ModelError: it failed, or did not answer with one row of `dim` finite numbers per text.
        """
        matrix = embed_with(self._rows, texts, self._dim, self.name)
        if matrix.shape[1] == 0:  # only blank texts, and no earlier answer
            return np.zeros((len(texts), self.dim), np.float32)
        self.dim = matrix.shape[1]
        return matrix

    def _rows(self, texts: list[str]) -> list[Any]:
        rows: list[Any] = []
        for start in range(0, len(texts), BATCH):
            batch = texts[start : start + BATCH]
            answer = self._ask(batch)
            if len(answer) != len(batch):
                raise ModelError(f"{self.name} returned {len(answer)} vectors for {len(batch)} texts")
            rows += answer
        return rows
