"""What Clew asks of a model, and nothing more. Adapters live beside this module; it knows none of them."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]


class Embedder(Protocol):
    """Texts in, unit vectors out.

    Attributes:
        name: names the vectors for good, as `<model>@<revision>`. Vectors of two names are never compared.
        dim: length of each vector.
    """

    name: str
    dim: int

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Embeds texts.

        Returns:
            Shape (len(texts), dim), float32, each row of length 1 (an empty text gives a zero row).

        Raises:
            ModelError: the model failed; nothing is known about any of the texts.
        """
        ...
