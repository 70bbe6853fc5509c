"""The numpy forward pass, compared with the formulas written out number by number."""

import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from clew.errors import ModelUnavailable
from clew.models.bert import Bert, read_safetensors

WIDTH, WIDE, HEADS, LAYERS, WORDS, PLACES = 8, 12, 2, 2, 20, 16

Tensors = dict[str, NDArray[np.float32]]


def some_tensors() -> Tensors:
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (WORDS, WIDTH),
        "embeddings.position_embeddings.weight": (PLACES, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
        "embeddings.LayerNorm.weight": (WIDTH,),
        "embeddings.LayerNorm.bias": (WIDTH,),
    }
    for number in range(LAYERS):
        at = f"encoder.layer.{number}"
        linear = {f"{at}.attention.self.{part}": (WIDTH, WIDTH) for part in ("query", "key", "value")}
        linear[f"{at}.attention.output.dense"] = (WIDTH, WIDTH)
        linear[f"{at}.intermediate.dense"] = (WIDE, WIDTH)
        linear[f"{at}.output.dense"] = (WIDTH, WIDE)
        for name, shape in linear.items():
            shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
        for name in (f"{at}.attention.output.LayerNorm", f"{at}.output.LayerNorm"):
            shapes |= {f"{name}.weight": (WIDTH,), f"{name}.bias": (WIDTH,)}
    random = np.random.default_rng(7)
    return {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def write_safetensors(path: Path, tensors: Tensors) -> None:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, tensor in tensors.items():
        end = len(data) + tensor.nbytes
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), end]}
        data += tensor.tobytes()
    head = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + data)


def plainly(tensors: Tensors, ids: list[int]) -> NDArray[np.float64]:
    """The hidden states of one text without padding, in float64, one token and one head at a time."""

    def linear(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        return np.stack([tensors[f"{name}.weight"].astype(float) @ row + tensors[f"{name}.bias"] for row in x])

    def norm(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        unit = [(row - row.mean()) / math.sqrt(row.var() + 1e-12) for row in x]
        scaled: NDArray[np.float64] = np.stack(unit) * tensors[f"{name}.weight"].astype(float)
        return scaled + tensors[f"{name}.bias"]

    def gelu(x: float) -> float:
        return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))

    x = np.stack(
        [
            tensors["embeddings.word_embeddings.weight"][word].astype(float)
            + tensors["embeddings.position_embeddings.weight"][place]
            + tensors["embeddings.token_type_embeddings.weight"][0]
            for place, word in enumerate(ids)
        ]
    )
    x = norm(x, "embeddings.LayerNorm")
    size = WIDTH // HEADS
    for number in range(LAYERS):
        at = f"encoder.layer.{number}"
        q, k, v = (linear(x, f"{at}.attention.self.{part}") for part in ("query", "key", "value"))
        mixed = np.zeros_like(x)
        for head in range(HEADS):
            part = slice(head * size, (head + 1) * size)
            for token in range(len(ids)):
                scores = np.exp([q[token, part] @ k[other, part] / math.sqrt(size) for other in range(len(ids))])
                mixed[token, part] = (scores / scores.sum()) @ v[:, part]
        x = norm(x + linear(mixed, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
        widened = np.vectorize(gelu)(linear(x, f"{at}.intermediate.dense"))
        x = norm(x + linear(widened, f"{at}.output.dense"), f"{at}.output.LayerNorm")
    return x


@pytest.mark.requirement("F-MODELS-16")
def test_the_forward_pass_is_the_formulas(tmp_path: Path) -> None:
    tensors = some_tensors()
    write_safetensors(tmp_path / "model.safetensors", tensors)
    bert = Bert.read(tmp_path / "model.safetensors", layers=LAYERS, heads=HEADS)
    texts = [[3, 1, 4, 1, 5, 9, 2], [6, 5, 3, 5], [19]]
    ids = np.zeros((3, 7), np.int64)
    mask = np.zeros_like(ids)
    for row, text in enumerate(texts):
        ids[row, : len(text)] = text
        mask[row, : len(text)] = 1
    hidden = bert(ids, mask)
    assert hidden.dtype == np.float32
    for row, text in enumerate(texts):
        np.testing.assert_allclose(hidden[row, : len(text)], plainly(tensors, text), atol=1e-4)


@pytest.mark.requirement("F-MODELS-16")
def test_tensors_are_read_as_written(tmp_path: Path) -> None:
    tensors = some_tensors()
    write_safetensors(tmp_path / "model.safetensors", tensors)
    read = read_safetensors(tmp_path / "model.safetensors")
    assert list(read) == list(tensors)
    assert all(np.array_equal(read[name], tensor) for name, tensor in tensors.items())


@pytest.mark.requirement("F-MODELS-16")
@pytest.mark.parametrize(
    "content", [b"", b"abc", struct.pack("<Q", 4) + b"null", struct.pack("<Q", 2) + b"{}", b"x" * 99]
)
def test_another_file_is_an_unavailable_model(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    with pytest.raises(ModelUnavailable, match=r"model\.safetensors"):
        Bert.read(path, layers=LAYERS, heads=HEADS)
    with pytest.raises(ModelUnavailable, match=r"nothing\.safetensors"):
        Bert.read(tmp_path / "nothing.safetensors", layers=LAYERS, heads=HEADS)
