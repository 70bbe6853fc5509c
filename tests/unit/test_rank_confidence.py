"""How sure a recall is of what it found."""

from math import exp

import numpy as np
import pytest

from clew.rank.confidence import WITH_VECTORS, WITHOUT, Features, confidence, features
from clew.rank.search import rank
from clew.testing import HashEmbedder
from tests.memories import quiet, told
from tests.ranking_spaces import asked, said, space

TALK = (
    said("I sold my red bicycle to a neighbour.", speaker="Ann"),
    said("I went to Oslo by ferry.", speaker="Bob"),
    said("Lunch was fine.", speaker="Ann"),
)


@pytest.mark.requirement("F-SURE-01")
def test_it_can_be_recomputed_by_hand() -> None:
    for similarity, (constant, weights) in (
        (None, WITHOUT),
        (np.array([[0.7, 0.1, 0.2], [0.6, 0.2, 0.1]]), WITH_VECTORS),
    ):
        found = rank(asked(space(*TALK), "Did Ann sell her red bicycle or tandem?", similarity), limit=9)
        seen = features(found)
        total = constant + sum(getattr(weights, name) * getattr(seen, name) for name in Features.__slots__)
        assert confidence(found) == round(1 / (1 + exp(-total)), 3)
        assert seen.unknown == pytest.approx(2 / 5), "sell and tandem"
        assert 0 < seen.words < 1
        assert seen.likeness == (0 if similarity is None else pytest.approx(0.3))
        assert seen.own_likeness == (0 if similarity is None else pytest.approx(0.4))


@pytest.mark.requirement("F-SURE-01")
def test_what_another_one_said_makes_it_less_sure() -> None:
    view = space(*TALK)
    right, wrong = (rank(asked(view, f"Where did {name} sell the red bicycle?"), limit=9) for name in ("Ann", "Bob"))
    assert features(right).own_words > 0 > features(wrong).own_words
    assert confidence(right) > confidence(wrong) + 0.2
    assert features(rank(asked(view, "Where did Ann and Bob sell it?"), limit=9)).own_words == 0


@pytest.mark.requirement("F-SURE-01")
def test_words_that_nobody_said_make_it_less_sure() -> None:
    view = space(*TALK)
    known, strange = (rank(asked(view, each), limit=9) for each in ("red bicycle", "red bicycle tandem velocipede"))
    assert confidence(known) > confidence(strange) > 0


@pytest.mark.requirement("F-SURE-02")
def test_every_context_carries_it_and_nothing_found_is_none_at_all() -> None:
    with quiet(embedder=HashEmbedder(64)) as memory:
        memory.add_many([told("We picked Redis for sessions."), told("Lunch is at noon.")])
        assert memory.drain(30)
        context = memory.recall("what did we pick for sessions?")
        assert context.confidence is not None
        assert 0.5 < context.confidence <= 1
        assert memory.recall("what did we pick for sessions?", budget=1).confidence == 0
        assert memory.recall("").confidence == 0
        assert memory.recall("Redis", strategy="sigma").confidence is None
