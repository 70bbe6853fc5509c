"""Fusion, recomputed by hand: reciprocal ranks, z-scores, and the shares that a receipt shows."""

from math import isclose, log, nan, sqrt

import numpy as np
import pytest

from clew.config import RecallConfig
from clew.rank.frame import Frame
from clew.rank.fusion import SILENT, Fused, Opinion, best, by_rank, centred, scores_of
from clew.rank.search import rank
from clew.rank.signals import SIGNALS
from tests.support.ranking_spaces import asked, column, order, said, space

STEP = 1 / 61 - 1 / 62
COSINES = np.array([[0.9, 0.2, nan, 0.4], [0.5, 0.1, nan, 0.3]])


def cellar() -> Frame:
    """Four turns, one of which has no vector yet."""
    view = space(
        said("I keep the wine in the cellar.", speaker="Ann"),
        said("Is the cellar damp?", speaker="Bob"),
        said("The garden needs rain.", speaker="Ann"),
        said("Wine, wine and cheese for the party.", session="other", speaker="Bob"),
    )
    return asked(view, "Where does Ann keep the wine?", COSINES)


@pytest.mark.requirement("F-RANKING-01")
def test_reciprocal_ranks_by_hand() -> None:
    fused = by_rank(
        [
            Opinion("lexical", column(3, 1, 3, 0, nan), 2.0, ranks=True),
            Opinion("dense", column(0.1, 0.4, -0.2, nan, 0.3), 1.0, ranks=True),
            Opinion("speaker", column(0, 1, 0, 0, 1), 2.5),
        ],
        5,
        60,
    )
    boost = 2.5 * STEP
    assert fused.score == pytest.approx([2 / 61 + 1 / 63, 2 / 63 + 1 / 61 + boost, 2 / 61 + 1 / 64, 0, 1 / 62 + boost])


@pytest.mark.requirement("F-RANKING-01")
def test_the_constant_is_60_unless_set() -> None:
    assert RecallConfig().rrf_k == 60
    view = space(said("tea"), said("milk", session="other"))
    for k in (60, 7):
        frame = asked(view, "what tea?", fusion="rrf", rrf_k=k, lexical=1.0, cost=0, statement=0)
        best, other = rank(frame, limit=5)
        assert best.score == round(1 / (k + 1), 6)
        assert (other.score, other.shares) == (0.0, {})


@pytest.mark.requirement("F-RANKING-01")
@pytest.mark.parametrize(
    ("values", "shares"),
    [
        ((5, 5, 5), (1 / 61, 1 / 61, 1 / 61)),
        ((1, 1 + 4e-7, 0.5), (1 / 61, 1 / 61, 1 / 63)),
        ((0, 0, 0), (0, 0, 0)),
        ((nan, nan, nan), (0, 0, 0)),
        ((0, -1, 2), (1 / 62, 1 / 63, 1 / 61)),
    ],
    ids=["ties", "nearly ties", "silent", "unknown", "0 is a value where others are lower"],
)
def test_ranks_of_ties_and_of_silence(values: tuple[float, ...], shares: tuple[float, ...]) -> None:
    fused = by_rank([Opinion("dense", column(*values), 1.0, ranks=True)], 3, 60)
    assert fused.score == pytest.approx(shares)


@pytest.mark.requirement("F-RANKING-01")
def test_a_boost_orders_neighbours_and_overrules_no_signal() -> None:
    ranks = Opinion("lexical", column(3, 2, 1), 1.0, ranks=True)
    assert np.argmax(by_rank([ranks, Opinion("quote", column(0, 0.9, 0), 1.0)], 3, 60).score) == 0
    assert np.argmax(by_rank([ranks, Opinion("quote", column(0, 1.1, 0), 1.0)], 3, 60).score) == 1


@pytest.mark.requirement("F-RANKING-02")
def test_the_mean_counts_twenty_silent_turns_and_no_unknown_one() -> None:
    assert SILENT == 20
    mean, spread = centred(column(4, nan, 2, 0))
    assert isclose(mean, 6 / 23)
    assert isclose(spread, sqrt((4**2 + 2**2) / 23 - (6 / 23) ** 2))


@pytest.mark.requirement("F-RANKING-02")
@pytest.mark.parametrize("values", [(0, 0), (nan, nan), ()])
def test_a_flat_signal_adds_nothing(values: tuple[float, ...]) -> None:
    mean, spread = centred(column(*values))
    assert (mean, spread) == (0, np.inf)
    assert not Opinion("dense", column(*values), 3.0, mean, spread, ranks=True).shares().any()


@pytest.mark.requirement("F-RANKING-02")
def test_values_are_added_by_hand() -> None:
    opinions = [
        Opinion("dense", column(0.5, nan, 0.1), 2.0, mean=0.1, spread=0.2, ranks=True),
        Opinion("speaker", column(1, 1, 0), 2.5),
    ]
    fused = Fused.of(scores_of(opinions, 3), opinions)
    assert fused.score == pytest.approx([2 * 0.4 / 0.2 + 2.5, 2.5, 0])
    assert fused.shares(np.array([1, 0])).by_name() == [{"speaker": 2.5}, {"dense": 4.0, "speaker": 2.5}]


@pytest.mark.requirement("F-RANKING-02")
def test_a_whole_score_is_the_sum_of_its_signals() -> None:
    """Every weight as docs/configuration.md has it, over a space small enough for the silent turns to matter."""
    frame = cellar()
    (found,) = [each for each in rank(frame, limit=10) if each.position == 0]
    lexical, windows = (
        np.asarray(next(signal for signal in SIGNALS if signal.name == name).compute(frame), dtype=np.float64)
        for name in ("lexical", "window")
    )
    words = len("I keep the wine in the cellar.")

    def z(values: list[float], value: float) -> float:
        mean = sum(values) / (len(values) + 20)
        return (value - mean) / sqrt(sum(each**2 for each in values) / (len(values) + 20) - mean**2)

    stated = np.log1p(frame.view.turns.stated).tolist()
    expected = {
        "lexical": 1.3 * z(lexical.tolist(), lexical[0]),
        "dense": 0.6 * z([0.9, 0.2, 0.4], 0.9),
        "dense_rewritten": 1.3 * z([0.5, 0.1, 0.3], 0.5),
        "window": 0.5 * z(windows.tolist(), windows[0]),
        "speaker": 3.5,
        "speaker_first_person": 1.8,
        "first_person": 0.6,
        "statement": 0.4 * z(stated, log(1 + words)),
        "cost": -2.0 * log(words / 4 + 50),
    }
    assert found.shares == pytest.approx(expected, abs=1e-6)
    assert found.score == pytest.approx(sum(expected.values()), abs=1e-6)


@pytest.mark.requirement("F-RANKING-02")
@pytest.mark.parametrize("fusion", ["score", "rrf"])
def test_a_turn_without_a_vector_gets_nothing_from_vectors(fusion: str) -> None:
    view = space(said("wine"), said("wine", session="t"))
    similarity = np.array([[0.3, nan], [0.3, nan]])
    first, second = sorted(
        rank(asked(view, "wine", similarity, fusion=fusion), limit=2), key=lambda each: each.position
    )
    assert {"dense", "dense_rewritten"} <= set(first.shares)
    assert {"dense", "dense_rewritten"}.isdisjoint(second.shares)
    assert second.shares["lexical"] == first.shares["lexical"]


@pytest.mark.requirement("F-RANKING-03")
@pytest.mark.parametrize("fusion", ["score", "rrf"])
def test_shares_add_up_to_the_score(fusion: str) -> None:
    view = cellar().view
    found = rank(asked(view, "Where does Ann keep the wine?", COSINES, fusion=fusion, floor=-1e9), limit=10)
    assert len(found) == 4
    for each in found:
        assert sum(each.shares.values()) == pytest.approx(each.score, abs=len(SIGNALS) * 1e-6)
        assert 0 not in each.shares.values()


@pytest.mark.requirement("F-RANKING-03")
def test_a_ranking_is_a_sequence_of_candidates() -> None:
    found = rank(cellar(), limit=10)
    every = list(found)
    assert [each.rank for each in every] == list(range(1, len(every) + 1))
    assert found[1:] == every[1:]
    assert found[-1] == every[-1]
    with pytest.raises(IndexError):
        found[len(every)]


@pytest.mark.requirement("F-RANKING-03", "F-RANKING-10")
@pytest.mark.parametrize("fusion", ["score", "rrf"])
def test_ranking_again_gives_the_same(fusion: str) -> None:
    view = cellar().view
    frame = asked(view, "Where does Ann keep the wine?", COSINES, fusion=fusion)
    assert list(rank(frame, limit=9)) == list(rank(frame, limit=9))
    fresh = asked(cellar().view, "Where does Ann keep the wine?", COSINES, fusion=fusion)
    assert list(rank(frame, limit=9)) == list(rank(fresh, limit=9))


@pytest.mark.requirement("F-RANKING-02")
def test_other_weights_over_the_same_view_are_not_mixed_up() -> None:
    turns = "short wine", "wine " + "and more of this and that " * 20
    view = space(*turns)
    heavy = [each.shares["cost"] for each in rank(asked(view, "wine", cost=2.0, statement=0), limit=2)]
    light = list(rank(asked(view, "wine", cost=1.0, statement=0), limit=2))
    assert heavy == pytest.approx([2 * each.shares["cost"] for each in light], abs=2e-6)
    assert light == list(rank(asked(space(*turns), "wine", cost=1.0, statement=0), limit=2))


@pytest.mark.requirement("F-RANKING-04")
@pytest.mark.parametrize("fusion", ["score", "rrf"])
def test_equal_scores_go_by_session_name_then_place(fusion: str) -> None:
    view = space(*(said("the same words", session=name) for name in ("c", "a", "Z", "b")))
    assert order(asked(view, "words", fusion=fusion)) == [2, 1, 3, 0]
    alike = space(*("the same words" for _ in range(3)))
    assert order(asked(alike, "what words?", fusion=fusion, lexical=0, time=0), 2) == []
    assert order(asked(alike, "words", np.ones((2, 3)), fusion=fusion, lexical=0), 2) == [0, 1]


@pytest.mark.requirement("F-RANKING-04")
def test_scores_that_round_alike_are_equal_however_far_apart_they_began() -> None:
    tie = (np.array([0, 1]),)
    for step in range(0, 4000, 2):
        low, high = (step - 0.5) * 1e-6, (step + 0.5) * 1e-6
        if np.round(low, 6) == np.round(high, 6):
            assert best(column(low, high), 1, tie, None).tolist() == [0], step
