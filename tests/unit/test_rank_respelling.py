"""Words of a question that no turn has are read as words a slip of the finger away, and the receipt says so."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.memory import Memory
from clew.text.edits import within
from tests.support.memories import quiet, timed

SAID = (
    "My dentist is called Brown.",
    "We spent the weekend birdwatching in the marsh.",
    "I sold two paintings of mountains.",
    "The parser lives in srcutil, version 4.",
    "She considered the offer of the library.",
)


def chat(texts: Sequence[str] = SAID) -> Memory:
    memory = quiet()
    memory.add_many(timed(texts))
    return memory


def read(memory: Memory, question: str) -> list[str]:
    return list(memory.explain(memory.recall(question).receipt_id).understood.get("read", []))


@pytest.mark.requirement("F-RANKING-31")
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what is the name of the dentst?", ["'dentst' as 'dentist'"]),
        ("what is my denttist's name", ["'denttist' as 'dentist'"]),
        ("which paintigns did I sell?", ["'paintigns' as 'paintings'"]),
        ("who cnsidrred the offer?", ["'cnsidrred' as 'considered'"]),
        ("when did we go birdwathcing?", ["'birdwathcing' as 'birdwatching'"]),
        ("what is my edntist's name?", ["'edntist' as 'dentist'"]),
        ("what did the ibrary offer?", ["'ibrary' as 'library'"]),
        ("which paintings were sodl?", ["'sodl' as 'sold'"]),
        ("which paintings were osld?", ["'osld' as 'sold'"]),
        ("which paintings were solb?", []),
        ("which paintings were soldd in a sld?", ["'soldd' as 'sold'"]),
        ("where are json, repo, todo, tofu and the denttist?", ["'denttist' as 'dentist'"]),
        ("who is the tentist?", []),
        ("who is the ydentist?", []),
        ("what is the name of the dentist?", []),
        ("what is the Dentst?", []),
        ("what is `dentst`?", []),
        ('who said "dentst"?', []),
        ("where is dentst.py or /dentst or dentst_x?", []),
        ("what is srcutl?", []),
        ("is there a pantry or a lobrary2?", []),
        ("how is the liar?", []),
    ],
)
def test_an_unknown_word_is_read_as_one_that_was_said(question: str, expected: list[str]) -> None:
    with chat() as memory:
        assert read(memory, question) == expected


@pytest.mark.requirement("F-RANKING-31")
def test_it_is_found_but_counts_less_than_the_word_itself() -> None:
    with chat() as memory:
        for question, first in (("my dentist or the libraryy", SAID[0]), ("my denttist or the library", SAID[4])):
            assert [hit.turn.text for hit in memory.search(question, limit=1)] == [first]


@pytest.mark.requirement("F-RANKING-31")
def test_a_word_that_was_said_is_never_read_otherwise() -> None:
    with chat((*SAID, "The dentst file is gone.")) as memory:
        assert read(memory, "where is the dentst?") == []


@pytest.mark.requirement("F-RANKING-31")
def test_packed_turns_are_looked_through_as_those_that_are_not() -> None:
    with chat() as memory:
        before = memory.recall("what is the name of the dentst?").text
        memory.rebuild()
        assert memory.recall("what is the name of the dentst?").text == before


def _edits(word: str, other: str) -> int:
    """The edits by the textbook's table, which keeps a row for each letter."""
    rows = [list(range(len(other) + 1))]
    for i, letter in enumerate(word, 1):
        row = [i]
        for j, here in enumerate(other, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (letter != here))
            if i > 1 and j > 1 and letter == other[j - 2] and word[i - 2] == here:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


@pytest.mark.requirement("F-RANKING-31")
@given(st.text("abc", max_size=6), st.text("abc", max_size=6), st.integers(0, 2))
def test_edits_are_those_of_the_textbook(word: str, other: str, most: int) -> None:
    assert within(word, other, most) == (_edits(word, other) <= most)
