"""What Clew asks of a model, and nothing more. Adapters live beside this module; it knows none of them."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.models.json_answers import ask_json
from clew.models.prompt import Completion, Prompt, Schema
from clew.types.entity import NameSpan

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


class Recogniser(Protocol):
    """Texts in, the names that they hold out.

    Attributes:
        name: names the model for good, as `<library>:<model>@<version>`; what it said is kept under it.
    """

    name: str

    def recognise(self, texts: Sequence[str]) -> list[tuple[NameSpan, ...]]:
        """Finds names.

        Returns:
            As many as there are texts, each in the order of places; spans do not overlap.

        Raises:
            ModelUnavailable: the model cannot be loaded.
            ModelError: it failed; nothing is known about any of the texts.
        """
        ...


class LLM(Protocol):
    """A prompt in, an answer out. Whoever subclasses this writes `complete`; `complete_json` comes with it.

    Clew itself calls `complete` alone, since each call is counted and recorded.

    Attributes:
        name: names the model, as `<vendor>:<model>`; recorded answers and provenance (`model:<name>`) go by it.
    """

    name: str

    def complete(self, prompt: Prompt, *, max_tokens: int) -> Completion:
        """Asks once.

        Args:
            max_tokens: most tokens that the model may write.

        Raises:
            ModelUnavailable: the model cannot be loaded or reached; it did nothing.
            RequestRefused: its server refuses this request; it did nothing.
            ModelError: it failed, or did not answer in time; it may have worked.
        """
        ...

    def complete_json(self, prompt: Prompt, schema: Schema, *, max_tokens: int) -> Any:
        """Asks for a JSON value, and asks again (twice at most) when the answer is none that the schema allows.

        Args:
            max_tokens: most tokens of each answer.

        Raises:
            ModelError: as `complete`; or the model refused, or never gave such a value.
            InputError: the schema is none that `clew.models.schema` knows.
        """
        return ask_json(self.complete, prompt, schema, max_tokens=max_tokens)
