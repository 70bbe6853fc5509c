"""Properties of embeddings for every text and every vector."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from clew.errors import InputError
from clew.models.minilm import batches
from clew.models.prepare import clip_for_embedding
from clew.models.quantize import dequantize, quantize
from clew.models.wordpiece import END, START, WordPiece
from clew.testing import HashEmbedder

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=400)  # lone surrogates and unassigned ones too
FINITE = st.floats(-(2.0**126), 2.0**126, width=32)
MATRICES = npst.arrays(np.float32, npst.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=12), elements=FINITE)
TOKENIZER = WordPiece()


@pytest.mark.requirement("F-MODELS-10")
@given(MATRICES)
def test_quantized_vectors_are_accurate_to_half_a_step(matrix: np.typing.NDArray[np.float32]) -> None:
    codes, scales = quantize(matrix)
    assert codes.dtype == np.int8
    assert codes.shape == matrix.shape
    assert scales.dtype == np.float32
    assert scales.shape == matrix.shape[:1]
    assert np.abs(codes.astype(int)).max(initial=0) <= 127
    back = dequantize(codes, scales)
    assert back.dtype == np.float32
    largest = np.abs(matrix).max(axis=1, initial=0)
    zero = largest < 1e-30
    np.testing.assert_array_equal(scales == 0, zero)
    assert not back[zero].any()
    errors = np.abs(matrix.astype(float) - back)[~zero]
    assert (errors <= scales[~zero, None].astype(float) * (0.5 + 2**-17)).all()
    np.testing.assert_array_equal(np.abs(codes[~zero].astype(int)).max(axis=1, initial=0), np.full((~zero).sum(), 127))


@pytest.mark.requirement("F-MODELS-10")
@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 3e38])
def test_values_that_cannot_be_quantized_are_rejected(odd: float) -> None:
    matrix = np.ones((3, 2), np.float32)
    matrix[1, 0] = odd
    with pytest.raises(InputError, match="vector 1"):
        quantize(matrix)
    with pytest.raises(InputError, match="shape"):
        quantize(matrix[0])


@pytest.mark.requirement("F-MODELS-01")
@given(ANY_TEXT.flatmap(lambda text: st.integers(1, 30).map(lambda times: text * times)))
def test_a_clipped_text_is_its_two_ends(text: str) -> None:
    clipped = clip_for_embedding(text)
    assert len(clipped) == min(len(text), 1500)
    assert text.startswith(clipped[:1000])
    assert text.endswith(clipped[-500:])


@pytest.mark.requirement("F-MODELS-03", "F-MODELS-07")
@given(ANY_TEXT, st.integers(2, 300))
def test_every_text_has_token_ids(text: str, limit: int) -> None:
    ids = TOKENIZER.encode(text, limit)
    assert 2 <= len(ids) <= limit
    assert (ids[0], ids[-1]) == (START, END)
    assert all(1 <= number < 30_522 and number not in (START, END) for number in ids[1:-1])
    assert ids == TOKENIZER.encode(text.upper() if text.isascii() else text, limit)


@pytest.mark.requirement("F-MODELS-08")
@given(st.lists(st.integers(2, 256), max_size=80))
def test_batches_hold_every_text_with_words_once(lengths: list[int]) -> None:
    found = list(batches(lengths))
    assert sorted(index for batch in found for index in batch) == [i for i, n in enumerate(lengths) if n > 2]
    assert [lengths[index] for batch in found for index in batch] == sorted(n for n in lengths if n > 2)


@pytest.mark.requirement("F-MODELS-15")
@given(st.lists(ANY_TEXT, max_size=5), st.integers(1, 70))
def test_hashed_vectors_have_length_one(texts: list[str], dim: int) -> None:
    rows = HashEmbedder(dim).embed(texts)
    assert rows.shape == (len(texts), dim)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0 if text.strip() else 0.0 for text in texts], abs=1e-6)
