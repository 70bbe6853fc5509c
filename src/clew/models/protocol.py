"""The protocols of embedders, name recognisers and language models; the adapters are in the modules beside this one."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.models.json_answers import ask_json
from clew.models.prompt import Completion, Prompt, Schema
from clew.models.schema import shortened
from clew.types.entity import NameSpan

Matrix = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors.

    Attributes:
        name: permanent name of the vectors, as `<model>@<revision>`. Vectors of different names are never compared.
        dim: length of each vector.
    """

    name: str
    dim: int

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Embeds texts.

        Returns:
            Shape (len(texts), dim), float32; each row has length 1, that of an empty text is zero.

        Raises:
            ModelError: the model failed for all texts.
        """
        ...


class Recogniser(Protocol):
    """Finds names in texts.

    Attributes:
        name: permanent name of the model, as `<library>:<model>@<version>`; its results are stored under this name.
    """

    name: str

    def recognise(self, texts: Sequence[str]) -> list[tuple[NameSpan, ...]]:
        """Finds names.

        Returns:
            One tuple per text, with its names in text order and without overlaps.

        Raises:
            ModelUnavailable: the model cannot be loaded.
            ModelError: the model failed for all texts.
        """
        ...


class LLM(Protocol):
    """Completes prompts. A subclass implements `complete` and inherits `complete_json`.

    Clew itself only calls `complete`, since it counts and records each call.

    Attributes:
        name: name of the model, as `<vendor>:<model>`; used by recorded answers and provenance (`model:<name>`).
    """

    name: str

    def complete(self, prompt: Prompt, *, max_tokens: int) -> Completion:
        """Completes a prompt with one call.

        Args:
            max_tokens: most output tokens.

        Raises:
            ModelUnavailable: the model cannot be loaded or reached; nothing was billed.
            RequestRefused: the server refuses this request; nothing was billed.
            ModelError: the call failed or timed out; it may have been billed.
        """
        ...

    def complete_json(self, prompt: Prompt, schema: Schema, *, max_tokens: int) -> Any:
        """Asks for a JSON value, at most twice more if the answer does not match the schema.

        Args:
            max_tokens: most output tokens of each answer.

        Raises:
            ModelError: as `complete`; or the model refused, or never returned a matching value.
            InputError: `clew.models.schema` does not support the schema.
        """
        return ask_json(self.complete, prompt, schema, max_tokens=max_tokens)


class BriefLLM(LLM):
    """A language model whose JSON answers have at most so many tokens; lists are asked to have fewer items accordingly.

    Attributes:
        answer_tokens: most tokens of one answer; 0 for as many as are asked for.
    """

    answer_tokens: int

    def complete_json(self, prompt: Prompt, schema: Schema, *, max_tokens: int) -> Any:
        """See `LLM.complete_json`."""
        if 0 < self.answer_tokens < max_tokens:
            schema, max_tokens = shortened(schema, self.answer_tokens, max_tokens), self.answer_tokens
        return super().complete_json(prompt, schema, max_tokens=max_tokens)
