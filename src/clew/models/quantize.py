"""Quantises vectors to one byte per number: a quarter of the space, and of the memory that an exact scan reads."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.models.protocol import Matrix

Codes = NDArray[np.int8]
Scales = NDArray[np.float32]

LEVELS: Final = 127
_SMALLEST: Final = 1e-30  # below this a scale loses precision in float32's subnormal range
_LARGEST: Final = 1e38  # above this a code times its scale may exceed float32


def quantize(matrix: Matrix) -> tuple[Codes, Scales]:
    """Quantises each row symmetrically as `codes * scale`: scale = largest magnitude / 127, ties round to even.

    `dequantize` restores every component within `scale * (1/2 + 2**-17)`: half a step, plus the rounding of the product
    to float32. A row whose largest magnitude is below 1e-30 becomes zero: scale 0, codes 0.

    Args:
        matrix: shape (n, dim), with magnitudes up to 1e38.

    Returns:
        Codes of shape (n, dim), from -127 to 127, and scales of shape (n,), which are 0 only for zero rows.

    Raises:
        InputError: the matrix does not have two dimensions, or a number is NaN or too large.
    """
    wide = np.asarray(matrix, np.float64)
    if wide.ndim != 2:
        raise InputError(f"vectors to quantize have the shape {wide.shape}; expected (n, dim)")
    largest = np.abs(wide).max(axis=1, initial=0.0)
    unfit = np.flatnonzero(~(largest <= _LARGEST))  # true for NaN as well
    if unfit.size:
        raise InputError(
            f"vector {unfit[0]} contains {largest[unfit[0]]}; expected numbers up to 1e38. Embed its text again"
        )
    scales = np.where(largest >= _SMALLEST, largest / LEVELS, 0.0).astype(np.float32)
    steps = np.where(scales > 0, scales, np.inf).astype(np.float64)[:, None]
    return np.rint(wide / steps).astype(np.int8), scales


def dequantize(codes: Codes, scales: Scales) -> Matrix:
    """Restores vectors from the result of `quantize`: shape (n, dim), float32."""
    matrix: Matrix = codes.astype(np.float32) * scales[:, None]
    return matrix
