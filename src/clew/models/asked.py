"""Asks an embedder, a caller's own included, and makes sure of what it gives.

Borders: the adapters here keep their promises; whoever hands in an object of another make may not.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from clew.errors import ModelError
from clew.models.protocol import Embedder, Matrix

_LARGEST: Final = 1e38  # what `quantize` takes


def ask(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    """The vectors of some texts, shape (len(texts), `embedder.dim`).

    Raises:
        ModelError: the embedder failed, in whatever way, or gave something else than it promises.
    """
    try:
        matrix = np.asarray(embedder.embed(texts), dtype=np.float32)
        expected = (len(texts), embedder.dim)
    except ModelError:
        raise
    except Exception as error:  # it costs vectors, never turns, whatever it is
        raise ModelError(f"{embedder.name} failed: {error!r}") from error
    if matrix.shape != expected:
        raise ModelError(f"{embedder.name} gave the shape {matrix.shape}; expected {expected}")
    if not (np.abs(matrix) <= _LARGEST).all():  # NaN is not below anything
        raise ModelError(f"{embedder.name} gave a number that is not finite; expected vectors of length 1")
    return matrix
