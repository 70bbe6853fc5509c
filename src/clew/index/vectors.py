"""Exact cosine search over all vectors of a space.

Dot products of int8 codes are computed in integers, so results are the same on every machine; queries are quantised
like the stored vectors (docs/index.md says what that costs). All queries are compared with a chunk of rows in one pass.
"""

from collections.abc import Collection
from typing import Final

import numpy as np
import simsimd
from numpy.typing import NDArray

from clew.errors import InputError
from clew.index.vector_segment import LIFT, UnsignedCodes, VectorBlock, raised
from clew.index.view import IndexView
from clew.models.protocol import Matrix
from clew.models.quantize import quantize

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
    asked, offsets = raised(codes)
    level = offsets.astype(np.float64) + LIFT * LIFT * codes.shape[1]
    result = np.full((len(codes), len(view.turns.ordinal)), np.nan)
    for block in view.vectors.get(model, ()):
        if block.raised.shape[1] != codes.shape[1]:
            raise InputError(
                f"the queries have length {codes.shape[1]}, the vectors of {model!r} {block.raised.shape[1]}; "
                "expected equal lengths: embed the question with the model of the vectors"
            )
        _scan(result, block, asked, level, scales.astype(np.float64))
    return result


def has_vector(view: IndexView, model: str) -> NDArray[np.bool_]:
    """Which turns have a vector of this model."""
    found = np.zeros(len(view.turns.ordinal), dtype=bool)
    for block in view.vectors.get(model, ()):
        found[block.positions[block.positions >= 0]] = True
    return found


def vectors_at(view: IndexView, model: str, positions: Collection[int]) -> dict[int, NDArray[np.float32]]:
    """The stored (quantised) vectors of some turns by position; turns without a vector are absent."""
    found: dict[int, NDArray[np.float32]] = {}
    wanted = np.array(sorted(positions), dtype=np.intp)
    for block in view.vectors.get(model, ()):
        if block.unbroken:
            rows = wanted - block.positions[0]
            rows = rows[(rows >= 0) & (rows < len(block.positions))]
        else:
            rows = np.flatnonzero(np.isin(block.positions, wanted))
        for row in rows:
            found[int(block.positions[row])] = block.codes(row).astype(np.float32) * np.float32(block.scales[row])
    return found


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
        found = np.add.outer(level, block.offsets[rows])
        found += np.asarray(simsimd.cdist(block.raised[rows], asked, metric="dot")).T
        if block.unbroken:
            first = int(positions[0])
            into = result[:, first : first + len(positions)]
            np.multiply.outer(scales, block.scales[rows], out=into)
            into *= found
        else:
            known = positions >= 0
            steps = np.multiply.outer(scales, block.scales[rows])
            result[:, positions[known]] = (found * steps)[:, known]
