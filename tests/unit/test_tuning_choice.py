"""Search, folds and tests of tuning, on histories made up for it."""

import random

import numpy as np
import pytest

from clew.errors import InputError
from clew.rank.tuning import Interaction, StructureParameters, WeighedChunk, tune_structure, weighed, weighed_together
from clew.rank.tuning.structure import WINDOWS, agreement, best_cover, weights_problem
from clew.rank.tuning.validate import (
    ALPHA,
    MIN_GROUPS,
    MIN_PAIRS,
    STRETCHES,
    TuningProblem,
    axis,
    decide,
    interval,
    sign_flip,
    stretches,
)


def interactions(count: int, seed: int, signal: float, groups: int = 25) -> list[Interaction]:
    """So many interactions of 8 chunks; with `signal`, wider windows tell used chunks from the others."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    found = []
    for number in range(count):
        chunks, used = [], []
        for _ in range(8):
            was = rng.random() < 0.35
            pull = signal * (1 if was else -1)
            scores = [min(1.0, max(0.0, rng.gauss(0.5, 0.15) + pull * (window - 5) / 25)) for window in WINDOWS]
            flags = tuple(flag for flag in ("absolute", "hedged") if rng.random() < 0.3)
            chunks.append(WeighedChunk(tuple(scores), rng.random(), flags))
            used.append(was)
        found.append(Interaction(f"talk {number % groups}", tuple(chunks), tuple(used)))
    return found


def peaked(count: int, best: float, noise: float = 0.05) -> TuningProblem:
    """A problem with one axis, on which the score falls with the distance from `best`."""
    rng = np.random.default_rng(7)
    drawn = rng.normal(0.0, noise, count)
    groups = [f"talk {number % 20}" for number in range(count)]
    return TuningProblem(
        "recall",
        (axis("x", (0, 1, 2, 3, 4), 1),),
        lambda values: np.clip(0.5 - 0.05 * abs(values["x"] - best) + drawn, 0, 1),
        groups,
        np.ones(count, dtype=bool),
    )


@pytest.mark.requirement("W-TUNE-01")
def test_without_history_nothing_moves() -> None:
    start = StructureParameters(window=7, maturity=0.6, flags={"hedged": 0.25})
    found = tune_structure([], start)
    assert found.parameters == start
    assert not any(verdict.adopted or verdict.values for verdict in found.verdicts)
    assert "at least" in found.verdicts[0].reason


@pytest.mark.requirement("W-TUNE-01")
def test_too_little_history_moves_nothing_however_clear_it_is() -> None:
    assert not decide(peaked(MIN_PAIRS - 1, best=4)).adopted
    few = interactions(200, 1, signal=1.0, groups=MIN_GROUPS - 1)
    assert tune_structure(few).parameters == StructureParameters()


@pytest.mark.requirement("W-TUNE-02")
def test_what_is_clearly_better_is_adopted_and_judged_out_of_fold() -> None:
    verdict = decide(peaked(60, best=4))
    assert verdict.adopted
    assert verdict.values == {"x": 4.0}
    assert verdict.p is not None
    assert verdict.p <= ALPHA
    assert verdict.after is not None
    assert verdict.before is not None
    assert verdict.after == pytest.approx(verdict.before + 0.15)
    assert verdict.low == pytest.approx(0.15)


@pytest.mark.requirement("W-TUNE-02")
def test_a_start_that_is_best_already_stays() -> None:
    verdict = decide(peaked(60, best=1))
    assert not verdict.adopted
    assert verdict.values == {}


@pytest.mark.requirement("W-TUNE-02")
def test_the_window_moves_to_what_tells_used_chunks_from_others() -> None:
    for count in (100, 1000):
        found = tune_structure(interactions(count, 3, signal=0.5))
        assert found.parameters.window > 5
        assert found.verdicts[0].adopted


@pytest.mark.slow
@pytest.mark.requirement("W-TUNE-03")
def test_random_use_is_hardly_ever_believed() -> None:
    runs = 120
    adopted = sum(
        decide(weights_problem(interactions(80, 900 + seed, 0.0), StructureParameters())).adopted
        for seed in range(runs)
    )
    assert adopted <= ALPHA * runs


@pytest.mark.requirement("W-TUNE-03")
def test_silver_examples_help_to_choose_and_never_judge() -> None:
    problem = peaked(100, best=4)
    judges = np.zeros(100, dtype=bool)
    judges[: MIN_PAIRS - 1] = True
    verdict = decide(TuningProblem(problem.family, problem.axes, problem.score, problem.groups, judges))
    assert not verdict.adopted
    assert (verdict.pairs, verdict.helpers) == (MIN_PAIRS - 1, 101 - MIN_PAIRS)


def test_the_test_of_signs_is_exact_for_few_groups() -> None:
    assert sign_flip(np.ones(5), list("abcde")) == pytest.approx(1 / 32)
    assert sign_flip(np.array([1.0, 1.0, 1.0, 1.0, -1.0]), list("abcde")) == pytest.approx(6 / 32)
    assert sign_flip(np.zeros(5), list("abcde")) == 1.0
    assert sign_flip(-np.ones(5), list("abcde")) == 1.0
    assert sign_flip(np.ones(10), list("aabbccddee")) == pytest.approx(1 / 32), "a group counts once"
    assert sign_flip(np.ones(30), [str(n) for n in range(30)]) == pytest.approx(1 / 10_000)


def test_an_interval_of_equal_differences_is_a_point() -> None:
    assert interval(np.full(20, 0.25), [str(n % 4) for n in range(20)]) == (0.25, 0.25)


def test_few_conversations_are_cut_into_stretches_in_their_order() -> None:
    groups = stretches([("b", 1), *(("a", seq) for seq in range(39))])
    assert len(set(groups[1:])) == STRETCHES
    assert groups[0].startswith("b#")
    assert groups[1] == groups[2] != groups[3]
    many = [(f"s{n}", 0) for n in range(STRETCHES)]
    assert stretches(many) == [session for session, _ in many]


def test_a_start_outside_of_its_bounds_is_refused() -> None:
    with pytest.raises(InputError, match="expected a value from 2 to 12"):
        tune_structure(interactions(60, 1, 0.0), StructureParameters(window=40))


def test_weights_multiply_over_flags_and_stay_at_most_one() -> None:
    parameters = StructureParameters(flags={"hedged": -0.5, "absolute": 1.0})
    assert parameters.weight(0.4, ("hedged",)) == pytest.approx(0.2)
    assert parameters.weight(0.4, ("hedged", "absolute", "metaphor_model")) == pytest.approx(0.4)
    assert parameters.weight(0.8, ("absolute",)) == 1.0
    assert StructureParameters().weight(0.4, ("hedged",)) == 0.4
    assert StructureParameters.of(parameters.values()) == parameters


def test_a_chunk_is_weighed_with_every_window() -> None:
    text = "Redis keeps sessions. Sessions live in redis for a day. After a day redis drops the sessions."
    one = weighed(text)
    assert len(one.layer1) == len(WINDOWS)
    assert len(set(one.layer1)) > 1, "the window matters to this text"
    short = weighed_together(["Redis keeps sessions.", "Sessions live in redis.", "A day later redis drops sessions."])
    assert {each.layer1 for each in short} != {weighed("Redis keeps sessions.").layer1}, (
        "short ones are weighed jointly"
    )


def test_a_beat_is_judged_by_what_it_covers_beyond_chance() -> None:
    used = [False] * 4 + [True] * 4 + [False] * 8
    right = [list(range(4)), list(range(4, 8)), list(range(8, 16))]
    assert best_cover(right, [4, 5, 6, 7]) == 1.0
    assert best_cover([], [1]) == 0.0
    assert agreement(right, used) > agreement([list(range(2)), list(range(2, 6)), list(range(6, 16))], used)
    single = [[place] for place in range(16)]
    assert agreement(single, used) == pytest.approx(0.5), "beats of one chunk cover any pattern alike"
