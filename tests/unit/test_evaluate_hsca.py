"""HSCA evaluation 4: stuffed texts do not weigh much, and would not pass if they did."""

import pytest

from clew.analyze.layer1 import relational_weight
from clew.evaluate.hsca.adversarial import BAR, MOST, STYLES, AdversarialCase, cases, honest_texts, rank, run
from clew.evaluate.hsca.result import Evaluation
from clew.evaluate.hsca.stuffing import BEYOND, UNSEEN


@pytest.mark.requirement("W-WEIGH-01")
@pytest.mark.parametrize("seed", [11, 2026])
def test_stuffed_texts_stay_low_and_sink(seed: int) -> None:
    found = run(cases(seed, 120))
    assert found.passed
    assert found.value >= BAR
    assert found.figures["tfidf_top_3"] >= 0.95
    assert found.figures["layer1_bottom_third"] >= 0.95


@pytest.mark.requirement("W-WEIGH-01")
@pytest.mark.parametrize("style", UNSEEN)
def test_no_style_that_nothing_was_tuned_on_passes(style: str) -> None:
    texts = [case.text for case in cases(5, 15, {style: UNSEEN[style]})]
    assert sum(relational_weight(text).score <= MOST for text in texts) >= 14


@pytest.mark.requirement("W-WEIGH-01")
def test_honest_texts_are_told_from_stuffed_ones() -> None:
    assert min(relational_weight(text).score for text in honest_texts()) > 2 * MOST


@pytest.mark.requirement("W-WEIGH-01")
def test_what_fools_layer_1_is_reported() -> None:
    found = run(cases(1, 3, BEYOND))
    assert not found.passed
    assert (found.cases, found.value, len(found.failures)) == (3, 0.0, 3)
    assert "strewn" in found.failures[0].case
    assert Evaluation.from_dict(found.to_dict()) == found


@pytest.mark.requirement("W-WEIGH-01")
def test_an_honest_text_is_no_case_that_passes() -> None:
    found = run([AdversarialCase(name="honest", query="bees honey hive swarm", text=honest_texts()[1])])
    assert (found.value, found.figures["layer1_bottom_third"]) == (0.0, 0.0)


@pytest.mark.requirement("W-WEIGH-01")
def test_cases_depend_on_the_seed_alone() -> None:
    assert cases(4, 40) == cases(4, 40)
    assert cases(4, 40) != cases(5, 40)
    assert {case.name.split(":")[1] for case in cases(4, len(STYLES))} == set(STYLES)


@pytest.mark.requirement("W-WEIGH-01")
def test_tfidf_ranks_by_hand() -> None:
    # "hive" is in one of three, "bees" in two; idf 1 + ln 3 and 1 + ln 3/2. The text with both ranks first for both.
    others = ["bees fly over water", "stones lie under water"]
    assert rank("bees hive", "bees hive", others) == 1
    assert rank("stones", "bees hive", others) == 3


@pytest.mark.requirement("W-WEIGH-01")
def test_no_cases_pass_nothing() -> None:
    assert not run([]).passed
