"""Asks a model, a caller's own included, and makes sure of what it gives.

Borders: the adapters here keep their promises; whoever hands in an object of another make may not.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from clew.errors import ModelError
from clew.models.prompt import Completion, Prompt
from clew.models.protocol import LLM, Embedder, Matrix

_LARGEST: Final = 1e38  # what `quantize` takes
_LONGEST: Final = 1_000_000  # characters of an answer
_MOST_TOKENS: Final = 1_000_000_000  # that a model can count for one call and be believed
_STOPS: Final = ("end", "length", "refusal")


def embed_checked(embedder: Embedder, texts: Sequence[str]) -> Matrix:
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


def complete_checked(llm: LLM, prompt: Prompt, *, max_tokens: int) -> Completion:
    """What a language model answers; a count that cannot be is None.

    Raises:
        ModelError: the model failed, in whatever way, or gave something else than it promises.
    """
    try:
        answer = llm.complete(prompt, max_tokens=max_tokens)
    except ModelError:
        raise
    except Exception as error:  # it costs an annotation, never a turn, whatever it is
        raise ModelError(f"{llm.name} failed: {error!r:.200}") from error
    if not isinstance(answer, Completion) or not isinstance(answer.text, str) or answer.stop not in _STOPS:
        raise ModelError(f"{llm.name} gave {answer!r:.200}; expected a Completion with a text")
    if len(answer.text) > _LONGEST:
        raise ModelError(f"{llm.name} wrote {len(answer.text):,} characters; at most {_LONGEST:,} are read")
    return replace(
        answer,
        text=answer.text.encode("utf-8", "replace").decode(),
        tokens_in=_believed(answer.tokens_in),
        tokens_out=_believed(answer.tokens_out),
        model=answer.model if isinstance(answer.model, str) else llm.name,
    )


def _believed(count: Any) -> int | None:
    is_number = isinstance(count, int) and not isinstance(count, bool)
    return count if is_number and 0 <= count <= _MOST_TOKENS else None
