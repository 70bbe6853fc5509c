"""What is said of turns in the form in which rows keep it: short, and exactly what was said."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.analyze.overlays import Overlay
from clew.analyze.weigh import weigh
from clew.rows.annotation_codec import analysis_of, analysis_text, weighing_of, weighing_text
from clew.store.rows import dumps
from clew.types.analysis import TurnAnalysis
from clew.types.chunk import DomainTag, NuanceFlag
from clew.types.compact import COARSE, DOMAINS, FINE, NUANCES, OVERLAYS, LetterCodes, parts, score_of

PROSE = (
    "The hive is weak. Perhaps the queen is gone, and the hive will not live. We should feed the hive and the queen."
)
SAID = TurnAnalysis(
    turn="s:turn:1",
    novelty=0.5123,
    overlays={"O2_security": 7.25, "O7_coherence": 0.0001},
    importance=6.6667,
    paradigm_shift=True,
    preserved=True,
    routine=False,
    references=("s:turn:0",),
    tags={"hive": 1.0, "queen": 0.33},
)


@pytest.mark.requirement("F-FORM-01")
@pytest.mark.parametrize("text", [PROSE, "The hive is weak.", "", "🧶", "x = y + 1; \\frac{1}{2} = {a}"])
def test_what_was_weighed_of_a_turn_is_read_as_it_was_written(text: str) -> None:
    said = weigh(text).annotations()
    kept = weighing_text(said)
    assert weighing_of(kept) == said
    assert len(kept) < len(dumps(said)) / 3


@pytest.mark.requirement("F-FORM-01")
@pytest.mark.parametrize(
    "said",
    [
        SAID.annotations(),
        replace(SAID, overlays={}, tags={}, references=(), paradigm_shift=False).annotations(),
        replace(SAID, routine=True).annotations() | {"domains": ["legal", "cross_domain"], "layer1": 0.25},
        {"novelty": 0.1 + 0.2, "importance": 1.0},
        {"importance": 3.0, "tags": {}},
        {"novelty": 1.0, "importance": 3.0, "overlays": {"O9_unheard": 1.0}},
        {"novelty": 1.0, "importance": 3.0, "tags": {}, "routine": False},
        {},
    ],
)
def test_what_the_analysis_says_is_read_as_it_was_written(said: dict[str, Any]) -> None:
    assert analysis_of(analysis_text(said)) == said


@pytest.mark.requirement("F-FORM-01")
def test_what_an_older_clew_wrote_is_read() -> None:
    said = weigh(PROSE).annotations()
    assert weighing_of(dumps(said)) == said
    assert analysis_of(dumps(SAID.annotations())) == SAID.annotations()
    odd = said | {"domains": ["beekeeping"], "mood": 1}
    assert weighing_of(weighing_text(odd)) == odd
    assert weighing_of(weighing_text(said | {"domains": ["beekeeping"]}))["domains"] == ["beekeeping"]


@pytest.mark.requirement("F-FORM-01")
@given(st.floats(allow_nan=False), st.sampled_from([FINE, COARSE]))
def test_any_score_comes_back(score: float, scale: int) -> None:
    assert score_of(parts(score, scale), scale) == score


@pytest.mark.requirement("F-FORM-01")
@pytest.mark.parametrize(
    ("known", "names"),
    [(DOMAINS, list(DomainTag)), (NUANCES, list(NuanceFlag)), (OVERLAYS, [overlay.value for overlay in Overlay])],
)
def test_every_name_of_a_closed_list_has_a_letter_of_its_own(known: LetterCodes, names: list[str]) -> None:
    plain = [str(name) for name in names]
    written = known.written(plain)
    assert isinstance(written, str)
    assert len(set(written)) == len(plain)
    assert known.read(written) == plain
