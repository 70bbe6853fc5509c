"""The settings `analyze.*`: what they change, and from when on."""

from pathlib import Path

import pytest

import clew
from clew.types.annotation import Annotation

SAID = (
    "The coffee machine broke.",
    "We must migrate the authentication service to OAuth2 with hardware keys before the audit.",
    "ok",
)


def analysed(home: Path | str, *, again: bool = False, **settings: object) -> list[dict[str, Annotation]]:
    """What is said of the turns of `SAID`, added if they are not there, under settings of `analyze`."""
    config = {f"analyze.{name}": value for name, value in settings.items()}
    with clew.Memory.open(home, embedder="none", config=config) as memory:
        for number, text in enumerate(SAID):
            memory.add(clew.Turn(role="user", content=text, session="s", external_id=f"{number}"))
        if again:
            memory.rebuild()
        assert memory.drain(200)
        return [memory.annotations(f"s:turn:{number}") for number in range(len(SAID))]


@pytest.mark.requirement("W-SIGMA-05")
def test_the_sources_profile_can_be_chosen() -> None:
    told = analysed(":memory:", importance_profile="sigma")
    for each in told:
        top = sorted(each["overlays"].value.values())[-3:] if "overlays" in each else []
        plain = 10 * each["novelty"].value + sum(top) / 3
        assert each["importance"].value == pytest.approx(min(10.0, max(1.0, plain)), abs=0.01)
    assert told[1]["importance"].value > analysed(":memory:")[1]["importance"].value


@pytest.mark.requirement("W-SIGMA-06")
def test_thresholds_can_be_set() -> None:
    _, news, thanks = analysed(":memory:")
    assert "paradigm_shift" in news
    assert "routine" in thanks
    _, news, thanks = analysed(":memory:", preserve_threshold=9.9, routine_threshold=1.0)
    assert "paradigm_shift" not in news
    assert "routine" not in thanks
    assert "paradigm_shift" not in analysed(":memory:", paradigm_shift_threshold=1.0)[1]


@pytest.mark.requirement("W-SIGMA-06")
def test_a_setting_counts_for_what_is_analysed_from_then_on(tmp_home: Path) -> None:
    before = analysed(tmp_home)[1]["importance"].value
    assert analysed(tmp_home, importance_profile="sigma")[1]["importance"].value == before
    assert analysed(tmp_home, importance_profile="sigma", again=True)[1]["importance"].value == 10
