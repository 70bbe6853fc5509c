"""Calls models and checks their answers: adapters keep the protocols, but callers may pass models of their own."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from clew.errors import ConfigError, ModelError, ModelUnavailable
from clew.models.prepare import clip_for_embedding
from clew.models.prompt import Completion, Prompt
from clew.models.protocol import LLM, Embedder, Matrix

_LARGEST: Final = 1e38  # what `quantize` takes
_LONGEST: Final = 1_000_000  # characters of an answer
_MOST_TOKENS: Final = 1_000_000_000  # that a model can count for one call and be believed
_STOPS: Final = ("end", "length", "refusal")


def embed_checked(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    """Embeds texts, long ones in part (`clip_for_embedding`); returns shape (len(texts), `embedder.dim`).

    Raises:
        ModelUnavailable: the embedder says that a setting is wrong.
        ModelError: the embedder raised any other exception, or its answer violates the protocol.
    """
    try:
        matrix = np.asarray(embedder.embed([clip_for_embedding(text) for text in texts]), dtype=np.float32)
        expected = (len(texts), embedder.dim)
    except ModelError:
        raise
    except ConfigError as error:  # as that of a key, which is read with each call
        raise ModelUnavailable(f"{_name(embedder)} cannot be asked: {error}") from error
    except Exception as error:  # whatever it is, it may cost vectors but never turns
        raise ModelError(f"{_name(embedder)} failed: {error!r}") from error
    if matrix.shape != expected:
        raise ModelError(f"{_name(embedder)} returned the shape {matrix.shape}; expected {expected}")
    if not (np.abs(matrix) <= _LARGEST).all():  # false for NaN as well
        raise ModelError(f"{_name(embedder)} returned a number that is not finite; expected vectors of length 1")
    return matrix


def warm_up(embedder: Embedder) -> None:
    """Lets an embedder load its model ahead of the first text, if it has a method `warm_up`.

    Raises:
        ModelError: the embedder raised any exception.
    """
    load = getattr(embedder, "warm_up", None)
    if not callable(load):
        return
    try:
        load()
    except ModelError:
        raise
    except Exception as error:  # as in `embed_checked`
        raise ModelError(f"{_name(embedder)} cannot be loaded: {error!r}") from error


def complete_checked(llm: LLM, prompt: Prompt, *, max_tokens: int) -> Completion:
    """Calls a language model once; implausible token counts are replaced by None.

    Raises:
        ModelUnavailable: the model says that a setting is wrong.
        ModelError: the model raised any other exception, or its answer violates the protocol.
    """
    try:
        answer = llm.complete(prompt, max_tokens=max_tokens)
    except ModelError:
        raise
    except ConfigError as error:  # as in `embed_checked`
        raise ModelUnavailable(f"{_name(llm)} cannot be asked: {error}") from error
    except Exception as error:  # whatever it is, it may cost an annotation but never a turn
        raise ModelError(f"{_name(llm)} failed: {error!r:.200}") from error
    if not isinstance(answer, Completion) or not isinstance(answer.text, str) or answer.stop not in _STOPS:
        raise ModelError(f"{_name(llm)} returned {answer!r:.200}; expected a Completion with a text")
    if len(answer.text) > _LONGEST:
        raise ModelError(f"{_name(llm)} wrote {len(answer.text):,} characters; at most {_LONGEST:,} are read")
    return replace(
        answer,
        text=answer.text.encode("utf-8", "replace").decode(),
        tokens_in=_believed(answer.tokens_in),
        tokens_out=_believed(answer.tokens_out),
        model=answer.model if isinstance(answer.model, str) else _name(llm),
    )


def _name(model: object) -> str:
    """The name of a model, also of one that violates the protocol by having none."""
    return str(getattr(model, "name", type(model).__name__))


def _believed(count: Any) -> int | None:
    is_number = isinstance(count, int) and not isinstance(count, bool)
    return count if is_number and 0 <= count <= _MOST_TOKENS else None
