"""Whatever history says: parameters stay within their bounds, and the same history gives the same ones."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.rank.tuning import Interaction, StructureParameters, WeighedChunk, tune_structure
from clew.rank.tuning.structure import FLAGS, MATURITIES, WINDOWS
from tests.support.effort import examples

_score = st.floats(0, 1, allow_nan=False)
_chunk = st.builds(
    WeighedChunk,
    st.tuples(*(_score for _ in WINDOWS)),
    _score,
    st.lists(st.sampled_from(["hedged", "absolute", "instructional"]), unique=True).map(tuple),
)


@st.composite
def histories(draw: st.DrawFn) -> list[Interaction]:
    """A few interactions, said again and again in many conversations: as one-sided as history can be."""
    kinds = draw(st.lists(st.lists(st.tuples(_chunk, st.booleans()), min_size=2, max_size=6), min_size=1, max_size=4))
    times = draw(st.integers(1, 40))
    return [
        Interaction(f"talk {time}", tuple(chunk for chunk, _ in kind), tuple(used for _, used in kind))
        for time in range(times)
        for kind in kinds
    ]


@pytest.mark.requirement("W-TUNE-04")
@settings(max_examples=examples(9, 60))
@given(histories(), st.sampled_from(WINDOWS), st.sampled_from(MATURITIES))
def test_parameters_stay_within_bounds_and_are_the_same_again(
    history: list[Interaction], window: int, maturity: float
) -> None:
    start = StructureParameters(window=window, maturity=maturity)
    found = tune_structure(history, start)
    assert found.parameters.window in WINDOWS
    assert MATURITIES[0] <= found.parameters.maturity <= MATURITIES[-1]
    assert all(FLAGS[0] <= value <= FLAGS[-1] for value in found.parameters.flags.values())
    assert tune_structure(history, start) == found
    if not any(verdict.adopted for verdict in found.verdicts):
        assert found.parameters == start
