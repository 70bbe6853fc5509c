"""Facts as a signal: hits point back to the turns that state them."""

import pytest

from clew.memory import Memory
from clew.types import Turn
from tests.support.memories import quiet

SAID = (
    ("Ann", "I led the rescue team in Tromsø."),
    ("Bob", "The team had soup."),
    ("Ann", "What a day."),
    ("Bob", "I like leading questions."),
)


def filled(weight: float) -> Memory:
    memory = quiet(config={"recall": {"fact": weight}})
    memory.add_many(Turn(role="user", speaker=speaker, content=text, session="s") for speaker, text in SAID)
    memory.drain()
    return memory


@pytest.mark.requirement("K-SUR-02")
def test_a_fact_points_back_to_its_turn_whatever_the_form_of_its_verb() -> None:
    with filled(2.0) as memory:
        best = memory.search("Which team does Ann lead?")[0]
        assert best.turn.text == SAID[0][1]
        assert best.signals["fact"] > 0
        about_bob = {hit.turn.text: hit.signals.get("fact", 0.0) for hit in memory.search("What team did Bob lead?")}
        assert about_bob[SAID[0][1]] < best.signals["fact"]


@pytest.mark.requirement("K-SUR-02")
def test_without_a_weight_or_a_fact_it_says_nothing() -> None:
    with filled(0.0) as memory:
        assert all("fact" not in hit.signals for hit in memory.search("Which team does Ann lead?"))
    with filled(2.0) as memory:
        assert all("fact" not in hit.signals for hit in memory.search("zebra crossing?"))


@pytest.mark.requirement("K-SUR-02")
def test_a_forgotten_turn_takes_its_hits_along() -> None:
    with filled(2.0) as memory:
        memory.forget(turn_ids=["s:turn:0"])
        memory.drain()
        assert all("fact" not in hit.signals for hit in memory.search("Which team does Ann lead?"))
