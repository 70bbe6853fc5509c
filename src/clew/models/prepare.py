"""The steps around every embedding model: clipping texts before, checking and normalising vectors afterwards.

Each adapter passes its model in as a function from texts to rows.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from clew.errors import ModelError
from clew.models.protocol import Matrix

HEAD: Final = 1000
TAIL: Final = 500
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def clip_for_embedding(text: str) -> str:
    """The part of a text that is embedded: all of it up to 1,500 characters, else the first 1,000 and the last 500.

    A long message usually states its subject at the beginning and its conclusion at the end. The source (SIGMA) used
    the first 1,500 characters; these two lengths are Clew's.
    """
    return text if len(text) <= HEAD + TAIL else text[:HEAD] + text[-TAIL:]


def embed_with(model: Callable[[list[str]], Any], texts: Sequence[str], dim: int | None, name: str) -> Matrix:
    """Clips the texts, embeds those that are not blank, and returns unit rows in the order of `texts`.

    Args:
        model: takes clipped texts without lone surrogates, none of them blank; returns one row of numbers per text.
        texts: the caller's texts.
        dim: expected length of each row; None accepts any.
        name: name of the embedder, for error messages.

    Returns:
        Shape (len(texts), dim), float32. Blank texts, and rows that the model left at zero, are zero rows. With `dim`
        None and nothing but blank texts, dim is 0.

    Raises:
        ModelError: the answer has another shape, or a number in it is not finite.
    """
    clipped = [clip_for_embedding(text) for text in texts]
    asked = [index for index, text in enumerate(clipped) if text.strip()]
    if not asked:
        return np.zeros((len(texts), dim or 0), np.float32)
    answer = model([_well_formed(clipped[index]) for index in asked])
    rows = _checked(answer, len(asked), dim, name)
    matrix = np.zeros((len(texts), rows.shape[1]), np.float32)
    matrix[asked] = unit_rows(rows)
    return matrix


def unit_rows(rows: NDArray[np.floating[Any]]) -> Matrix:
    """Each row divided by its Euclidean length (computed in float64); a zero row stays zero."""
    largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0).astype(np.float64)
    wide = rows / np.where(largest > 0, largest, 1.0)  # so that no square overflows or vanishes
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return (wide / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def _well_formed(text: str) -> str:
    """Lone surrogates have no UTF-8 form, which most models ask for; each becomes U+FFFD, the replacement character."""
    return _SURROGATE.sub("\ufffd", text)


def _checked(answer: Any, count: int, dim: int | None, name: str) -> NDArray[np.float64]:
    try:
        rows = np.asarray(answer, dtype=np.float64)  # servers send text: what overflows float32 must not warn
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"{name} answered with something else than rows of numbers ({error})") from error
    expected = f"{count} vectors of {dim if dim is not None else 'any'} numbers"
    if rows.ndim != 2 or rows.shape[0] != count or rows.shape[1] == 0 or dim not in (None, rows.shape[1]):
        raise ModelError(f"{name} answered with the shape {rows.shape}; expected {expected}. Is it an embedding model?")
    if not np.isfinite(rows).all():
        raise ModelError(f"{name} answered with a number that is not finite; expected {expected}")
    return rows
