"""Exact cosine search over all vectors of a space.

Dot products of int8 codes are computed in integers, so results are the same on every machine; queries are quantised
like the stored vectors (docs/search-index.md says what that costs). All queries are compared with a chunk of rows in
one pass.
"""

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np
import simsimd
from numpy.typing import NDArray

from clew.errors import InputError
from clew.index.incremental_cache import CacheKey
from clew.index.kernel import in_c
from clew.index.vector_segment import LIFT, UnsignedCodes, VectorBlock, raised
from clew.index.view import IndexView
from clew.models.protocol import Matrix
from clew.models.quantize import Codes, Scales, quantize

_LIKENESS: Final = CacheKey[dict[tuple[str, int], float]]("likeness")

SAMPLED: Final = 128
"""Turns that are compared to find how alike the turns of a space are."""

CHUNK: Final = 8192
"""Vectors compared in one pass: few enough that the results stay in the processor's cache."""


def cosine(view: IndexView, model: str, queries: Matrix) -> NDArray[np.float64]:
    """Cosine similarity of each query to each turn.

    Args:
        model: name of the model whose vectors are compared; vectors of other models are never used.
        queries: unit vectors, shape (q, dim).

    Returns:
        Shape (q, turns); NaN for turns without a vector of this model.

    Raises:
        InputError: queries and vectors differ in length.
    """
    codes, scales = quantize(queries)
    blocks = view.vectors.get(model, ())
    for block in blocks:
        if block.raised.shape[1] != codes.shape[1]:
            raise InputError(
                f"the queries have length {codes.shape[1]}, the vectors of {model!r} {block.raised.shape[1]}; "
                "expected equal lengths: embed the question with the model of the vectors"
            )
    result = np.full((len(codes), len(view.turns.ordinal)), np.nan)
    scan(result, blocks, codes, scales)
    return result


@in_c
def scan(result: NDArray[np.float64], blocks: Sequence[VectorBlock], codes: Codes, scales: Scales) -> None:
    """Fills in the cosines of all blocks.

    Args:
        result: of each query and each turn.
        codes, scales: of the queries.
    """
    asked, offsets = raised(codes)
    level = offsets.astype(np.float64) + LIFT * LIFT * codes.shape[1]  # each query's constant part, see `LIFT`
    for block in blocks:
        _scan(result, block, asked, level, scales.astype(np.float64))


def has_vector(view: IndexView, model: str) -> NDArray[np.bool_]:
    """Which turns have a vector of this model."""
    covered = np.zeros(len(view.turns.ordinal), dtype=bool)
    for block in view.vectors.get(model, ()):
        covered[block.positions[block.positions >= 0]] = True
    return covered


def vectors_at(view: IndexView, model: str, positions: Collection[int]) -> dict[int, NDArray[np.float32]]:
    """The stored (quantised) vectors of some turns by position; turns without a vector are absent."""
    vectors: dict[int, NDArray[np.float32]] = {}
    wanted = np.array(sorted(positions), dtype=np.intp)
    for block in view.vectors.get(model, ()):
        if block.unbroken:
            rows = wanted - block.positions[0]
            rows = rows[(rows >= 0) & (rows < len(block.positions))]
        else:
            rows = np.flatnonzero(np.isin(block.positions, wanted))
        for row in rows:
            vectors[int(block.positions[row])] = block.codes(row).astype(np.float32) * np.float32(block.scales[row])
    return vectors


def likeness(view: IndexView, model: str) -> float:
    """How alike the turns of a space are: the mean cosine of two of them, 0 to 1; 0 where they have no vectors.

    It is that of `SAMPLED` turns at equal steps of the first 2^n turns, so it is computed again only when the space has
    doubled. Turns without a vector are left out.
    """
    size = len(view.turns.ordinal)
    first = 1 << max(0, size.bit_length() - 1)
    known = view.shared(_LIKENESS, dict)
    if (model, first) in known:
        return known[model, first]
    places = range(0, min(first, size), max(1, first // SAMPLED))
    vectors = list(vectors_at(view, model, places).values())
    alike = _mean_cosine(np.stack(vectors).astype(np.float64)) if len(vectors) > 1 else 0.0
    if len(vectors) == len(places):
        known[model, first] = alike
    return alike


def _mean_cosine(vectors: NDArray[np.float64]) -> float:
    """The mean cosine of two different ones of some unit vectors, at least 0."""
    total = float(np.square(vectors.sum(axis=0)).sum() - np.square(vectors).sum())
    return max(0.0, total / (len(vectors) * (len(vectors) - 1)))


def _scan(
    result: NDArray[np.float64],
    block: VectorBlock,
    asked: UnsignedCodes,
    level: NDArray[np.float64],
    scales: NDArray[np.float64],
) -> None:
    """Fills in the cosines of one block. `level` is each query's constant part of the dot products (see `LIFT`)."""
    for low in range(0, len(block.positions), CHUNK):
        rows = slice(low, low + CHUNK)
        positions = block.positions[rows]
        cosines = np.add.outer(level, block.offsets[rows])
        cosines += np.asarray(simsimd.cdist(block.raised[rows], asked, metric="dot")).T
        if block.unbroken:
            first = int(positions[0])
            into = result[:, first : first + len(positions)]
            np.multiply.outer(scales, block.scales[rows], out=into)
            into *= cosines
        else:
            known = positions >= 0
            steps = np.multiply.outer(scales, block.scales[rows])
            result[:, positions[known]] = (cosines * steps)[:, known]
