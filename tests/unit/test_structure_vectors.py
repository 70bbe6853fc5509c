"""Vectors as the structure keeps them."""

import pytest

from clew.structure.features import packed


@pytest.mark.requirement("W-STRUCT-05")
@pytest.mark.parametrize("vector", [None, [0.0, 0.0], [0.0, 1e-308], [1.0, float("inf")], [1.0, float("nan")]])
def test_a_vector_without_a_direction_is_none(vector: list[float] | None) -> None:
    assert packed(vector) is None


@pytest.mark.requirement("W-STRUCT-05")
def test_a_direction_does_not_depend_on_the_length() -> None:
    assert packed([1.0, -0.5]) == packed([1e-300, -0.5e-300]) == b"\x7f\xc0"
