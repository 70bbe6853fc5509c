"""Any function from texts to rows of numbers, as an `Embedder`.

Borders: knows no particular model; endpoints.py and libraries.py make the functions.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from clew.errors import ModelError
from clew.models.prepare import embed_with
from clew.models.protocol import Matrix

Ask = Callable[[list[str]], Sequence[Any]]
"""Gets at most `BATCH` texts, none of them blank; gives a row of numbers for each. Raises nothing but `ModelError`s."""

BATCH: Final = 64  # texts of one request: well within what every provider takes


class FunctionEmbedder:
    """An embedder around a function. How long its vectors are is learnt from the first answer."""

    def __init__(self, name: str, ask: Ask) -> None:
        self.name = name
        self._ask = ask
        self._dim: int | None = None

    @property
    def dim(self) -> int:
        """Length of each vector; asks the model if it has not answered yet, which may raise a `ModelError`."""
        return self._dim or self.embed(["dimension"]).shape[1]

    @dim.setter
    def dim(self, learnt: int) -> None:
        self._dim = learnt

    def embed(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder`.

        Raises:
            ModelUnavailable: the model cannot be loaded or reached.
            ModelError: it failed, or answered with something else than one row of `dim` finite numbers a text.
        """
        matrix = embed_with(self._rows, texts, self._dim, self.name)
        if matrix.shape[1] == 0:  # nothing but blank texts, and no answer yet to learn from
            return np.zeros((len(texts), self.dim), np.float32)
        self.dim = matrix.shape[1]
        return matrix

    def _rows(self, texts: list[str]) -> list[Any]:
        rows: list[Any] = []
        for start in range(0, len(texts), BATCH):
            batch = texts[start : start + BATCH]
            answer = self._ask(batch)
            if len(answer) != len(batch):
                raise ModelError(f"{self.name} answered with {len(answer)} vectors for {len(batch)} texts")
            rows += answer
        return rows
