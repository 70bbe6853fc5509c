"""BERT's forward pass in numpy, for weights in the safetensors format where no inference runtime is installed.

Supports post-layer-norm BERT encoders (Devlin et al., 2018) with the tensor names of the original model repositories;
float32 throughout. Tokenising and pooling are done elsewhere.
"""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from clew.errors import ModelUnavailable
from clew.models.protocol import Matrix

Tensor = NDArray[np.float32]
Ids = NDArray[np.int64]

EPSILON: Final = 1e-12  # layer_norm_eps of the models' configuration
_HIDDEN_SCORE: Final = np.float32(-1e9)  # far below any attention score; its exponential is exactly 0
# Abramowitz and Stegun, Handbook of Mathematical Functions (1964), 7.1.26: erf within 1.5e-7, the precision of float32.
_ERF_P: Final = 0.3275911
_ERF_A: Final = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)


@dataclass(frozen=True, slots=True)
class _Layer:
    """Weights of one encoder layer, transposed for `x @ w`; queries, keys and values side by side."""

    attention: tuple[Tensor, Tensor]
    attention_out: tuple[Tensor, Tensor]
    attention_norm: tuple[Tensor, Tensor]
    widen: tuple[Tensor, Tensor]
    narrow: tuple[Tensor, Tensor]
    norm: tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class Bert:
    """The encoder; a plain function of its weights, safe to share between threads."""

    words: Tensor
    positions: Tensor
    kind: Tensor
    norm: tuple[Tensor, Tensor]
    layers: tuple[_Layer, ...]
    heads: int

    @classmethod
    def read(cls, path: Path, *, layers: int, heads: int) -> Self:
        """Reads a safetensors file. The word table is memory-mapped, so only the rows in use are read.

        Raises:
            ModelUnavailable: the file cannot be read as a BERT encoder.
        """
        try:
            tensors = read_safetensors(path)
            return cls(
                words=tensors["embeddings.word_embeddings.weight"],
                positions=np.array(tensors["embeddings.position_embeddings.weight"]),
                kind=np.array(tensors["embeddings.token_type_embeddings.weight"][0]),
                norm=_norm(tensors, "embeddings.LayerNorm"),
                layers=tuple(_layer(tensors, f"encoder.layer.{number}") for number in range(layers)),
                heads=heads,
            )
        except (OSError, LookupError, TypeError, ValueError, struct.error) as error:
            raise ModelUnavailable(f"{path} does not contain the weights of a BERT encoder ({error!r})") from error

    def __call__(self, ids: Ids, mask: Ids) -> Tensor:
        """Computes hidden states (texts, tokens, width) from token ids and mask (1 token, 0 padding; texts, tokens)."""
        hidden = self.words[ids] + self.positions[: ids.shape[1]] + self.kind
        hidden = _normalized(hidden, self.norm)
        bias = np.where(mask[:, None, None, :] > 0, np.float32(0), _HIDDEN_SCORE)
        for layer in self.layers:
            attended = _affine(self._attend(hidden, bias, layer), layer.attention_out)
            hidden = _normalized(hidden + attended, layer.attention_norm)
            widened = _gelu(_affine(hidden, layer.widen))
            hidden = _normalized(hidden + _affine(widened, layer.narrow), layer.norm)
        return hidden

    def _attend(self, hidden: Tensor, bias: Tensor, layer: _Layer) -> Tensor:
        texts, tokens, width = hidden.shape
        size = width // self.heads
        split = _affine(hidden, layer.attention).reshape(texts, tokens, 3, self.heads, size)
        queries, keys, values = split.transpose(2, 0, 3, 1, 4)
        scores = queries @ keys.swapaxes(-1, -2) * np.float32(size**-0.5) + bias
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed: Tensor = (scores @ values).transpose(0, 2, 1, 3).reshape(texts, tokens, width)
        return mixed


def read_safetensors(path: Path) -> Mapping[str, Tensor]:
    """Maps the float32 tensors of a safetensors file into memory, by name.

    The format: the header's length (8 bytes, little endian), the header (JSON: dtype, shape and byte range of each
    tensor), the data.

    Raises:
        ValueError: the header is invalid.
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        if length > path.stat().st_size:
            raise ValueError("its header is longer than the file")
        header = json.loads(file.read(length))
    if not isinstance(header, dict):
        raise ValueError("its header is not a JSON object")
    data = np.asarray(np.memmap(path, np.uint8, "r", offset=8 + length))
    return {
        name: data[slice(*entry["data_offsets"])].view("<f4").reshape(entry["shape"])
        for name, entry in header.items()
        if name != "__metadata__" and entry["dtype"] == "F32"
    }


def _layer(tensors: Mapping[str, Tensor], at: str) -> _Layer:
    queries, keys, values = (_linear(tensors, f"{at}.attention.self.{part}") for part in ("query", "key", "value"))
    return _Layer(
        attention=(
            np.concatenate([queries[0], keys[0], values[0]], axis=1),
            np.concatenate([queries[1], keys[1], values[1]]),
        ),
        attention_out=_linear(tensors, f"{at}.attention.output.dense"),
        attention_norm=_norm(tensors, f"{at}.attention.output.LayerNorm"),
        widen=_linear(tensors, f"{at}.intermediate.dense"),
        narrow=_linear(tensors, f"{at}.output.dense"),
        norm=_norm(tensors, f"{at}.output.LayerNorm"),
    )


def _linear(tensors: Mapping[str, Tensor], at: str) -> tuple[Tensor, Tensor]:
    return np.ascontiguousarray(tensors[f"{at}.weight"].T), np.array(tensors[f"{at}.bias"])


def _norm(tensors: Mapping[str, Tensor], at: str) -> tuple[Tensor, Tensor]:
    return np.array(tensors[f"{at}.weight"]), np.array(tensors[f"{at}.bias"])


def _affine(x: Tensor, weights: tuple[Tensor, Tensor]) -> Tensor:
    matrix, bias = weights
    product: Tensor = x.reshape(-1, x.shape[-1]) @ matrix  # one large product; numpy would loop over the texts
    product += bias
    return product.reshape(*x.shape[:-1], -1)


def _normalized(x: Matrix, weights: tuple[Tensor, Tensor]) -> Tensor:
    centred: Tensor = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + np.float32(EPSILON))
    centred /= spread
    return centred * weights[0] + weights[1]


def _gelu(x: Tensor) -> Tensor:
    """`x * Phi(x)`, Phi the normal distribution function (Hendrycks and Gimpel, 2016), by the erf above."""
    z = np.abs(x) * np.float32(0.5**0.5)
    t = np.reciprocal(np.float32(_ERF_P) * z + np.float32(1))
    series = np.zeros_like(t)
    for factor in _ERF_A:
        series += np.float32(factor)
        series *= t
    tail: Tensor = series * np.exp(-np.square(z)) * np.float32(0.5)  # 1 - Phi(|x|)
    return x * np.where(x > 0, 1 - tail, tail)
