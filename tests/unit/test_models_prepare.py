"""What is done to texts before a model sees them, and to its answer."""

from typing import Any

import numpy as np
import pytest

from clew.errors import ModelError
from clew.models.prepare import clip_for_embedding, embed_with, unit_rows


@pytest.mark.requirement("F-MODELS-01")
@pytest.mark.parametrize("length", [0, 1, 1499, 1500])
def test_text_up_to_1500_characters_is_kept(length: int) -> None:
    text = ("abcdefghij" * 150)[:length]
    assert clip_for_embedding(text) == text


@pytest.mark.requirement("F-MODELS-01")
@pytest.mark.parametrize("length", [1501, 2000, 100_000])
def test_longer_text_is_its_first_1000_and_last_500_characters(length: int) -> None:
    text = "".join(chr(0x4E00 + n % 20_000) for n in range(length))
    assert clip_for_embedding(text) == text[:1000] + text[length - 500 :]


@pytest.mark.requirement("F-MODELS-01", "F-MODELS-02")
def test_the_model_gets_clipped_well_formed_texts_and_no_blank_ones() -> None:
    asked: list[str] = []

    def model(texts: list[str]) -> list[list[float]]:
        asked.extend(texts)
        return [[3.0, 4.0], [0.0, 0.0]]

    rows = embed_with(model, ["", "a\ud800b", " \n\t", "c" * 9000], None, "m")
    assert asked == ["a\ufffdb", "c" * 1500]
    assert rows.dtype == np.float32
    assert rows.tolist() == [[0, 0], pytest.approx([0.6, 0.8]), [0, 0], [0, 0]]


@pytest.mark.requirement("F-MODELS-02")
@pytest.mark.parametrize("texts", [[], [""], ["", " \n"], [" " * 1000 + "cut away" + " " * 500]])
def test_blank_texts_ask_nobody(texts: list[str]) -> None:
    def model(_texts: list[str]) -> Any:
        raise AssertionError

    assert embed_with(model, texts, 3, "m").tolist() == [[0, 0, 0]] * len(texts)


@pytest.mark.requirement("F-MODELS-02")
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ([[1.0, 2.0]], "shape"),
        ([[1.0], [2.0]], "shape"),
        ([1.0, 2.0], "shape"),
        ([[], []], "shape"),
        ([[1.0, 2.0], [1.0]], "rows of numbers"),
        ([["one", "two"], ["three", "four"]], "rows of numbers"),
        ([[10**400, 1], [1, 2]], "rows of numbers"),
        (None, "shape"),
        ([[1.0, float("nan")], [1.0, 2.0]], "not finite"),
        ([[1.0, float("inf")], [1.0, 2.0]], "not finite"),
    ],
)
def test_an_unusable_answer_is_a_model_error_that_names_the_model(answer: Any, told: str) -> None:
    with pytest.raises(ModelError, match=told) as caught:
        embed_with(lambda _texts: answer, ["a", "b"], 2, "some-model@1")
    assert "some-model@1" in str(caught.value)


@pytest.mark.requirement("F-MODELS-02")
@pytest.mark.parametrize("size", [1e-38, 1e-20, 1.0, 1e20, 3e38])
def test_rows_of_any_size_get_length_one(size: float) -> None:
    for kind in (np.float32, np.float64):
        rows = unit_rows(np.array([[size, 0, -size], [0, 0, 0]], kind))
        assert rows.dtype == np.float32
        assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0], abs=1e-6)
    assert unit_rows(np.array([[1e300, 0]])).tolist() == [[1, 0]]
