"""Questions as tuning of recall sees them: what counts, what may change, and that bounds hold."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.config import RecallConfig
from clew.rank.search import rank
from clew.rank.tuning.fusion import (
    BUDGETS,
    MIN_SPOKEN,
    PREFIX,
    SETTINGS_TUNED,
    TOKENS_AN_ITEM,
    RankedQuestion,
    bounds,
    fusion_problem,
    ranked_question,
    setting_of,
)
from clew.rank.tuning.validate import decide
from tests.support.effort import examples
from tests.support.ranking_spaces import asked as framed
from tests.support.ranking_spaces import said, space

TURNS = (
    "The red lamp is in the hall.",
    "A lamp needs oil. " * 40,
    said("Fine weather.", "elsewhere"),
    "The red lamp was sold.",
)


def question(wanted: set[int], group: str = "g", *, judges: bool = True, past: int = 4) -> RankedQuestion:
    """One question about the lamp, with the turns that were used."""
    found = ranked_question(framed(space(*TURNS), "red lamp"), wanted, np.arange(4) < past, group, judges=judges)
    assert found is not None
    return found


@pytest.mark.requirement("W-TUNE-02")
def test_the_score_is_recall_over_budgets_in_the_order_of_recall() -> None:
    frame = framed(space(*TURNS), "red lamp")
    order = [each.position for each in rank(frame, limit=10)]
    last = order[-1]
    problem = fusion_problem([question({last})], frame.config, (), beside=False)
    (score,) = problem.score({})
    needed = sum(frame.view.turns.chars[position] / 4 + TOKENS_AN_ITEM for position in order)
    low, high = map(log, BUDGETS)
    assert score == pytest.approx(min(1.0, (high - log(needed)) / (high - low)))
    (first,) = fusion_problem([question({order[0]})], frame.config, (), beside=False).score({})
    assert first == 1.0


@pytest.mark.requirement("W-TUNE-02")
def test_what_recall_does_not_show_scores_nothing() -> None:
    (score,) = fusion_problem([question({2})], RecallConfig(floor=0.0), (), beside=False).score({})
    assert score == 0.0, "no word of the question is in it"


@pytest.mark.requirement("W-TUNE-02")
def test_only_turns_that_were_there_can_be_wanted_or_found() -> None:
    frame = framed(space(*TURNS), "red lamp")
    assert ranked_question(frame, {3}, np.arange(4) < 3, "g", judges=True) is None
    assert ranked_question(framed(space(*TURNS), "the"), {0}, np.ones(4, dtype=bool), "g", judges=True) is None
    assert question({0}, past=3).tokens.shape == (3,)


@pytest.mark.requirement("W-TUNE-08")
def test_only_what_is_free_and_spoken_to_is_tried() -> None:
    history = [question({0}) for _ in range(MIN_SPOKEN)]
    names = {axis.name for axis in fusion_problem(history, RecallConfig(), SETTINGS_TUNED, beside=False).axes}
    assert names == {PREFIX + "lexical", PREFIX + "cost"}, "no vector, no speaker and no time speaks"
    free = set(SETTINGS_TUNED) - {"cost"}
    assert {axis.name for axis in fusion_problem(history, RecallConfig(), free, beside=False).axes} == {
        PREFIX + "lexical"
    }
    assert fusion_problem(history[1:], RecallConfig(), SETTINGS_TUNED, beside=False).axes == ()
    silver = [question({0}, judges=False) for _ in range(MIN_SPOKEN)]
    assert fusion_problem(silver, RecallConfig(), SETTINGS_TUNED, beside=False).axes == ()
    assert setting_of("cost", beside=True) == "cost_assistant"


@pytest.mark.requirement("W-TUNE-04")
@settings(max_examples=examples(2, 10))
@given(st.lists(st.sets(st.integers(0, 3), min_size=1), min_size=1, max_size=3), st.integers(14, 18))
def test_weights_stay_within_bounds_and_are_the_same_again(wanted: list[set[int]], groups: int) -> None:
    history = [question(each, f"talk {group}") for group in range(groups) for each in (*wanted, *wanted, *wanted)]
    problem = fusion_problem(history, RecallConfig(), SETTINGS_TUNED, beside=False)
    verdict = decide(problem)
    assert verdict == decide(problem)
    for name, value in verdict.values.items():
        low, high = bounds(name.removeprefix(PREFIX))
        assert low <= value <= high
