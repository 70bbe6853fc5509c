"""The exact scan over the vectors of a space.

Int8 is multiplied by int8 into whole numbers, so the result is the same on every machine; the query is rounded as the
rows were (what that costs: docs/index.md). All forms of a question are held against a row while it is at hand.
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
"""Vectors looked at in one go: few enough that what is told of them is still in the processor's cache."""


def cosine(view: IndexView, model: str, queries: Matrix) -> NDArray[np.float64]:
    """Cosine of each query to each turn.

    Args:
        model: whose vectors; those of another model are never looked at.
        queries: shape (q, dim), unit rows.

    Returns:
        Shape (q, turns). NaN for a turn that has no vector of this model.

    Raises:
        InputError: the queries' length is not that of the vectors.
    """
    codes, scales = quantize(queries)
    asked, offsets = raised(codes)
    level = offsets.astype(np.float64) + LIFT * LIFT * codes.shape[1]
    result = np.full((len(codes), len(view.turns.ordinal)), np.nan)
    for block in view.vectors.get(model, ()):
        if block.raised.shape[1] != codes.shape[1]:
            raise InputError(
                f"queries of length {codes.shape[1]} against vectors of length {block.raised.shape[1]} of {model!r}; "
                "expected the same: embed the question with the model of the vectors"
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
    """The vectors of some turns by position, rounded as they are kept; turns without one are absent."""
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
    """Fills in what one block knows; `level` is what the questions bring to each product beside `block.offsets`."""
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
