"""Finding a phrase word for word."""

from collections.abc import Iterator

import pytest

from clew.errors import InputError
from clew.memory import Memory
from clew.testing import FrozenClock
from clew.types import Part
from tests.support.ranking_spaces import NOON, said

TURNS = (
    "To be or not to be, that is it.",
    "The naïve café owner didn't mind.",
    "他喜欢喝茶和看书。",
    "Red barn, blue sky.",
    "The barn is red; the sky is blue.",
    "Meet me at 10:30 in C++ class.",
    "A RED\n  BARN again.",
    "서울에서 만나요",
)


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        memory.add_many(said(text, session=f"s{n % 3}") for n, text in enumerate(TURNS))
        memory.add(said([Part(type="injected", text="An injected red barn.")], session="x"))
        yield memory


@pytest.mark.requirement("F-RANKING-09")
def test_coloured_words_are_found_and_stored_as_they_came() -> None:
    text = "\x1b[31mFAILED\x1b[0m on \x1b[1m2 May 2025\x1b[0m: the \x1b[4mperiwinkle\x1b[24m check"
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        memory.add_many([said(text, session="s"), said("Nothing else.", session="s")])
        for phrase in ("failed on", "2 May 2025", "the periwinkle check", "\x1b[4mperiwinkle"):
            assert [turn.text for turn in memory.find_quote(phrase)] == [text]
        assert [hit.turn.text for hit in memory.search("periwinkle")][:1] == [text]


@pytest.mark.requirement("F-RANKING-09")
@pytest.mark.parametrize(
    ("phrase", "places"),
    [
        ("red barn", [6, 3]),
        ("RED, BARN!", [6, 3]),
        ("barn red", []),
        ("to be or not to be", [0]),
        ("it", [0]),
        ("the", [4, 1]),
        ("naive cafe", [1]),
        ("naïve CAFÉ", [1]),
        ("didnt mind", [1]),
        ("didn’t", [1]),
        ("喝茶", [2]),
        ("茶", [2]),
        ("서울", [7]),
        ("10:30", [5]),
        ("ed barn", []),
        ("red bar", []),
        ("nothing like that", []),
        ("barn \ud800", []),
    ],
)
def test_a_phrase_is_found_word_for_word_newest_first(memory: Memory, phrase: str, places: list[int]) -> None:
    assert [turn.text for turn in memory.find_quote(phrase)] == [TURNS[place] for place in places]


@pytest.mark.requirement("F-RANKING-09")
@pytest.mark.parametrize("phrase", ["", " ", "?!", "«»", "🦊"])
def test_a_phrase_without_a_word_is_refused(memory: Memory, phrase: str) -> None:
    with pytest.raises(InputError, match="contains no word; give at least one letter or digit"):
        memory.find_quote(phrase)


@pytest.mark.requirement("F-RANKING-09")
def test_as_many_as_wanted(memory: Memory) -> None:
    assert [turn.text for turn in memory.find_quote("red barn", limit=1)] == [TURNS[6]]
    assert memory.find_quote("red barn", limit=0) == []
    with pytest.raises(InputError, match="limit -1"):
        memory.find_quote("red barn", limit=-1)


@pytest.mark.requirement("F-RANKING-09")
def test_what_was_forgotten_is_not_found() -> None:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        first = memory.add(said("red barn one"))
        memory.add(said("red barn two"))
        memory.forget(turn_ids=[first])
        assert [turn.text for turn in memory.find_quote("red barn")] == ["red barn two"]
