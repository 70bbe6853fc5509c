"""Which carrier is used, what its vectors are like, and that nothing is loaded before it is needed."""

import hashlib
import json
import struct
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from clew.errors import ModelUnavailable
from clew.models.bert import read_safetensors
from clew.models.minilm import CARRIERS, DIM, LAYERS, MAX_TOKENS, Carrier, MiniLM, batches, find_minilm

SENTENCES = [
    "We picked Redis for the session store.",
    "Which database do we use for sessions?",
    "My grandmother's soup needs fresh dill.",
    "The recipe calls for herbs and broth.",
    "He finished the marathon in four hours.",
    "def add(a, b): return a + b",
]
# Cosines of the sentences in float32, made once with sentence-transformers 6.2 on torch 2.13.
COSINES = [
    [1.000, 0.452, 0.020, -0.011, 0.018, -0.006],
    [0.452, 1.000, -0.006, 0.050, -0.040, -0.108],
    [0.020, -0.006, 1.000, 0.401, 0.088, 0.046],
    [-0.011, 0.050, 0.401, 1.000, -0.023, 0.146],
    [0.018, -0.040, 0.088, -0.023, 1.000, 0.056],
    [-0.006, -0.108, 0.046, 0.146, 0.056, 1.000],
]

Locate = Callable[[str], Path | None]


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    embedder, reason = find_minilm()
    if embedder is None:
        pytest.skip(reason)
    return embedder


def a_carrier(home: Path, package: str, content: bytes = b"weights", kind: str = "fp32") -> Carrier:
    """A carrier whose file lies in `home`, as if its package were installed."""
    (home / package).mkdir()
    (home / package / "model").write_bytes(content)
    return Carrier(package, f"{package}/model", len(content), hashlib.sha256(content).hexdigest(), kind)


def installed_in(home: Path, *others: str) -> Locate:
    return lambda name: home / name if name in others or (home / name).is_dir() else None


# --- the choice


@pytest.mark.requirement("F-MODELS-04")
def test_the_first_good_carrier_is_taken(tmp_path: Path) -> None:
    carriers = [a_carrier(tmp_path, "one", b"first"), a_carrier(tmp_path, "two", b"second")]
    embedder, reason = find_minilm(carriers=carriers, locate=installed_in(tmp_path))
    assert embedder is not None
    assert embedder.name == f"minilm-l6-fp32@{carriers[0].sha256[:8]}-{MAX_TOKENS}"
    assert embedder.dim == 384
    assert reason == f"{embedder.name}, from one"


def _gone(home: Path) -> None:
    (home / "one" / "model").unlink()


def _changed(home: Path) -> None:
    (home / "one" / "model").write_bytes(b"tsrif")


def _cut(home: Path) -> None:
    (home / "one" / "model").write_bytes(b"fir")


def _removed(home: Path) -> None:
    _gone(home)
    (home / "one").rmdir()


@pytest.mark.requirement("F-MODELS-04")
@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_gone, "one has no readable model"),
        (_changed, "one has a model"),
        (_cut, "one has a model"),
        (_removed, "one is not installed"),
    ],
)
def test_a_carrier_that_is_not_the_pinned_one_is_passed_over(
    tmp_path: Path, spoil: Callable[[Path], None], told: str
) -> None:
    carriers = [a_carrier(tmp_path, "one", b"first"), a_carrier(tmp_path, "two", b"second")]
    spoil(tmp_path)
    embedder, reason = find_minilm(carriers=carriers, locate=installed_in(tmp_path))
    assert embedder is not None
    assert reason.endswith("from two")
    embedder, reason = find_minilm(carriers=carriers[:1], locate=installed_in(tmp_path))
    assert embedder is None
    assert told in reason


@pytest.mark.requirement("F-MODELS-04", "F-MODELS-05")
def test_without_a_carrier_the_reason_says_what_is_wrong_and_what_to_install() -> None:
    embedder, reason = find_minilm(locate=lambda _name: None)
    assert embedder is None
    assert all(f"{carrier.package} is not installed" in reason for carrier in CARRIERS)
    assert "clew[embed]" in reason
    assert "\n" not in reason


@pytest.mark.requirement("F-MODELS-04")
def test_int8_weights_need_the_runtime(tmp_path: Path) -> None:
    carriers = [a_carrier(tmp_path, "one", kind="int8")]
    embedder, reason = find_minilm(carriers=carriers, locate=installed_in(tmp_path))
    assert embedder is None
    assert "needs onnxruntime" in reason
    embedder, _ = find_minilm(carriers=carriers, locate=installed_in(tmp_path, "onnxruntime"))
    assert embedder is not None


@pytest.mark.requirement("F-MODELS-04")
def test_weights_that_cannot_be_loaded_are_an_unavailable_model(tmp_path: Path) -> None:
    for kind in ("fp32", "int8"):
        embedder = MiniLM(a_carrier(tmp_path, kind, b"no weights", kind), tmp_path / kind / "model")
        with pytest.raises(ModelUnavailable, match="model"):
            embedder.embed(["hello"])


@pytest.mark.requirement("F-MODELS-14")
def test_nothing_is_loaded_before_the_first_text() -> None:
    program = (
        "import sys\n"
        "from clew.models.choose import choose_embedder\n"
        "import clew.models.recorded, clew.models.quantize\n"
        "embedder, _ = choose_embedder('auto')\n"
        "heavy = {'onnxruntime', 'tokenizers', 'torch', 'fastembed', 'sentence_transformers'}\n"
        "raise SystemExit(', '.join(heavy & set(sys.modules)) or None)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


# --- the vectors


@pytest.mark.requirement("F-MODELS-06")
def test_cosines_are_those_of_the_reference(minilm: MiniLM) -> None:
    rows = minilm.embed(SENTENCES)
    assert rows.dtype == np.float32
    assert rows.shape == (len(SENTENCES), 384)
    np.testing.assert_allclose(rows @ rows.T, COSINES, atol=0.006)


@pytest.mark.requirement("F-MODELS-02", "F-MODELS-08")
def test_a_vector_does_not_depend_on_its_company(minilm: MiniLM) -> None:
    texts = [" ".join(SENTENCES[n % 6].split()[: 1 + n % 7]) for n in range(40)] + [
        "",
        "\u200b",
        " ".join(SENTENCES) * 9,
    ]
    together = minilm.embed(texts)
    alone = np.vstack([minilm.embed([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=2e-6)
    np.testing.assert_array_equal(together, minilm.embed(texts))
    lengths = np.linalg.norm(together, axis=1)
    assert lengths[40:42].tolist() == [0, 0]
    assert np.delete(lengths, [40, 41]) == pytest.approx(1, abs=1e-6)


@pytest.mark.requirement("F-MODELS-03")
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\ud800", id="a lone surrogate"),
        pytest.param("a\udfffb", id="a lone surrogate in a word"),
        pytest.param("\x00\x01\x7f", id="control characters"),
        pytest.param("🍜" * 50, id="emoji"),
        pytest.param("e\u0301" * 3000, id="accents"),
        pytest.param("x" * 100_000, id="one long word"),
        pytest.param("喝茶" * 50_000, id="Han"),
        pytest.param("a " * 50_000, id="100 KB"),
    ],
)
def test_any_text_can_be_embedded(minilm: MiniLM, text: str) -> None:
    rows = minilm.embed([text, "plain"])
    assert np.isfinite(rows).all()
    assert rows[1] @ minilm.embed(["plain"])[0] == pytest.approx(1, abs=1e-5)


@pytest.mark.requirement("F-MODELS-01")
def test_only_the_two_ends_of_a_long_text_count(minilm: MiniLM) -> None:
    start, middle, end = "soup " * 200, "marathon " * 500, "dill " * 100
    rows = minilm.embed([start + middle + end, start + end])
    np.testing.assert_allclose(rows[0], rows[1], atol=2e-6)


@pytest.mark.requirement("F-MODELS-17")
def test_a_text_costs_no_more_than_128_tokens(minilm: MiniLM) -> None:
    words = ["tea"] * 84 + ["rain"] * 42  # with [CLS] and [SEP] 128 tokens
    longer = [*words[:84], *["stone"] * 60, *words[84:]]
    rows = minilm.embed([" ".join(words), " ".join(longer)])
    np.testing.assert_allclose(rows[0], rows[1], atol=2e-6)


@pytest.mark.requirement("F-MODELS-08")
def test_threads_may_share_it() -> None:
    embedder, reason = find_minilm(threads=2)
    if embedder is None:
        pytest.skip(reason)
    expected = embedder.embed(SENTENCES)
    fresh, _ = find_minilm()
    assert fresh is not None
    with ThreadPoolExecutor(6) as pool:  # the first of them loads the model, the others wait for it
        for row, answer in zip(expected, pool.map(lambda text: fresh.embed([text])[0], SENTENCES), strict=True):
            np.testing.assert_allclose(answer, row, atol=2e-6)


@pytest.mark.requirement("F-MODELS-16")
def test_float32_weights_run_without_the_runtime(tmp_path: Path) -> None:
    path = tmp_path / "model"
    _write_hollow_weights(path)
    assert read_safetensors(path)["encoder.layer.5.output.LayerNorm.bias"].tolist() == [3.0] * DIM
    embedder = MiniLM(Carrier("one", "one/model", 0, "0" * 64, "fp32"), path)
    rows = embedder.embed(["hello there", "", "you"])
    np.testing.assert_allclose(rows[[0, 2]], np.full((2, DIM), DIM**-0.5), atol=1e-6)
    assert not rows[1].any()


def _write_hollow_weights(path: Path) -> None:
    """A file of the model's shape, all zeros but for the last bias: every token's last state is that bias."""
    shapes: dict[str, list[int]] = {
        "embeddings.word_embeddings.weight": [30522, DIM],
        "embeddings.position_embeddings.weight": [512, DIM],
        "embeddings.token_type_embeddings.weight": [2, DIM],
        "embeddings.LayerNorm.weight": [DIM],
        "embeddings.LayerNorm.bias": [DIM],
    }
    for number in range(LAYERS):
        at = f"encoder.layer.{number}"
        for part in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            shapes |= {f"{at}.{part}.weight": [DIM, DIM], f"{at}.{part}.bias": [DIM]}
        shapes |= {f"{at}.intermediate.dense.weight": [4 * DIM, DIM], f"{at}.intermediate.dense.bias": [4 * DIM]}
        shapes |= {f"{at}.output.dense.weight": [DIM, 4 * DIM], f"{at}.output.dense.bias": [DIM]}
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{at}.{part}.weight": [DIM], f"{at}.{part}.bias": [DIM]}
    header, end = {}, 0
    for name, shape in shapes.items():
        start, end = end, end + 4 * int(np.prod(shape))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [start, end]}
    head = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(head)) + head)
        file.truncate(8 + len(head) + end)  # what lies between is zeros and takes no room on the disk
        file.seek(8 + len(head) + end - 4 * DIM)
        file.write(np.full(DIM, 3, "<f4").tobytes())


# --- the batches


@pytest.mark.requirement("F-MODELS-08")
def test_batches_hold_every_text_once_with_little_padding() -> None:
    lengths = [2, 256, 3, 40, 40, 2, *range(3, 257), *[34] * 100]
    found = list(batches(lengths))
    assert sorted(index for batch in found for index in batch) == [i for i, n in enumerate(lengths) if n > 2]
    for batch in found:
        sizes = [lengths[index] for index in batch]
        assert sizes == sorted(sizes)
        assert sizes[-1] <= sizes[0] + max(4, sizes[0] // 8)
        assert sizes[-1] * len(sizes) <= 1024 or len(sizes) == 1
    assert len(found) < 80
