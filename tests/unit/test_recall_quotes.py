"""Word for word: what counts as holding a phrase."""

from collections.abc import Iterator

import pytest

from clew.errors import InputError
from clew.memory import Memory
from tests.memories import quiet, told

SAID = [
    "It was the best of times, it was the worst of times.",
    "Don't panic! It's only tea",
    "Der Kaffee ist heiß, Æther & Ärger",
    "我们今天喝茶吧",
    "Запусти тесты ещё раз",
    "snake_case and camelCase in src/clew/types.py",
    "🧶 of wool",
    "times of the best was it",
    "IT WAS THE BEST OF TIMES",
    "long " * 200 + "needle in " + "the haystack " * 100,
]


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with quiet() as opened:
        opened.add_many([told(text) for text in SAID])
        yield opened


@pytest.mark.requirement("F-RECALL-09")
@pytest.mark.parametrize(
    ("phrase", "places"),
    [
        ("best of times", [8, 0]),
        ("It was the", [8, 0]),
        ("of the", [7]),
        ("was it", [7]),
        ("dont PANIC, its", [1]),
        ("heiss", [2]),
        ("HEISS, aether", [2]),
        ("arger", [2]),
        ("喝茶", [3]),
        ("天喝", [3]),
        ("ТЕСТЫ ЕЩЕ", [4]),
        ("camelCase in src/clew", [5]),
        ("case and camel", []),
        ("needle in the haystack", [9]),
        ("eedle in", []),
        ("of wool", [6]),
        ("best tea", []),
    ],
)
def test_a_phrase_is_found_word_for_word_newest_first(memory: Memory, phrase: str, places: list[int]) -> None:
    assert [turn.text for turn in memory.find_quote(phrase)] == [SAID[place] for place in places]


@pytest.mark.requirement("F-RECALL-09")
def test_the_limit_counts_turns_that_hold_the_phrase(memory: Memory) -> None:
    assert [turn.seq for turn in memory.find_quote("best of times", limit=1)] == [8]
    assert memory.find_quote("best of times", limit=0) == []


@pytest.mark.requirement("F-RECALL-09")
@pytest.mark.parametrize("phrase", ["", "  ", "?!", "…", "\n"])
def test_a_phrase_without_a_word_is_refused(memory: Memory, phrase: str) -> None:
    with pytest.raises(InputError, match="holds no word; give at least one letter or digit"):
        memory.find_quote(phrase)


@pytest.mark.requirement("F-RECALL-09")
def test_a_phrase_with_what_no_store_can_hold_is_found() -> None:
    with quiet() as memory:
        memory.add(told("half an emoji \ud83d here\0"))
        assert len(memory.find_quote("emoji \ud83d here")) == 1
        assert memory.find_quote("emoji here") == []
