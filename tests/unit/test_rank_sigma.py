import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.analyze.overlays import Overlay
from clew.rank.sigma import LEAST, candidates, chosen, overlay_sum, relevance, snippet


def _one(similarity: float, importance: float, overlays: float) -> float:
    return float(relevance(*(np.array([value]) for value in (similarity, importance, overlays)))[0])


@pytest.mark.requirement("F-SIGMA-01")
@pytest.mark.parametrize(
    ("similarity", "importance", "overlays", "expected"),
    [
        (0.5, 1.0, 0.0, 0.55),
        (0.5, 10.0, 30.0, 2.0),  # both boosts double at most
        (0.4, 8.5, 21.0, 1.258),  # the source's own example turn: O1 8, O5 7, O4 6
        (-0.2, 10.0, 30.0, -0.8),
        (0.0, 10.0, 30.0, 0.0),
        (math.nan, 10.0, 30.0, 0.0),  # no vector
        (0.5, math.nan, math.nan, 0.5),  # not analysed yet
    ],
)
def test_relevance_is_likeness_raised_by_importance_and_overlays(
    similarity: float, importance: float, overlays: float, expected: float
) -> None:
    assert _one(similarity, importance, overlays) == pytest.approx(expected, abs=1e-6)


@pytest.mark.requirement("F-SIGMA-01")
def test_only_the_structural_operational_and_mission_overlays_raise_it() -> None:
    every = {overlay.value: 2.0**place for place, overlay in enumerate(Overlay)}
    assert overlay_sum(every) == 2.0**0 + 2.0**4 + 2.0**3
    assert overlay_sum({}) == 0.0
    assert overlay_sum({Overlay.SECURITY: 10.0}) == 0.0


@pytest.mark.requirement("F-SIGMA-01")
def test_candidates_are_the_last_fifty_and_every_shift() -> None:
    assert candidates(200, [3, 160, 90]) == [3, 90, *range(150, 200)]
    assert candidates(3, []) == [0, 1, 2]
    assert candidates(0, [0]) == []
    assert candidates(10, [1], window=0) == [1]


@pytest.mark.requirement("F-SIGMA-01")
def test_the_five_best_over_the_threshold_are_chosen_and_ties_go_to_the_earlier() -> None:
    assert chosen([0.34999, 0.35, 0.9, 0.35, 0.1]) == [2, 1, 3]
    assert chosen([0.5] * 9) == [0, 1, 2, 3, 4]
    assert chosen([0.5, 0.6], most=0) == []
    assert chosen([]) == []
    assert LEAST == 0.35


@pytest.mark.requirement("F-SIGMA-01")
def test_a_snippet_is_the_beginning_in_whole_words() -> None:
    assert snippet("short") == "short"
    assert snippet("alpha beta gamma", 13) == "alpha beta..."
    assert snippet("alpha beta gamma", 12) == "alpha..."
    assert snippet("x" * 600) == "x" * 497 + "..."
    assert snippet("abcdef", 2) == "ab"


@given(st.text(max_size=700), st.integers(min_value=0, max_value=600))
def test_a_snippet_is_never_longer_than_asked(text: str, most: int) -> None:
    assert len(snippet(text, most)) <= most or not text.strip()
