"""Phrases word for word."""

import sys
from types import FrameType

import pytest

from clew.text.normalise import fold, fold_contains


@pytest.mark.requirement("F-TEXT-12")
@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Don't PANIC, naïve—world!", "dont panic naive world"),
        ("  It’s  a_b-c\n", "its a b c"),
        ("ﬁne ﬀ ½", "fine ff 1 2"),
        ("Straße İstanbul", "strasse istanbul"),
        ("喝茶。好", "喝茶 好"),
        ("हिन्दी ภาษา", "हिन्दी ภาษา"),
        ("🎉 --", ""),
        ("a\ud800b", "a b"),
    ],
)
def test_the_plain_form(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.requirement("F-TEXT-12")
@pytest.mark.parametrize(
    ("text", "phrase", "held"),
    [
        ("We picked Redis, for sessions.", "picked redis for", True),
        ("We picked Redis for sessions.", "session", False),
        ("sessions of a session", "session", True),
        ("unpicked", "picked", False),
        ("我喜欢Python编程", "喜欢python", True),
        ("我喜欢Python编程", "pyth", False),
        ("서울에서 만났다", "서울", True),
        ("anything", "", False),
        ("anything", "...", False),
        ("", "a", False),
    ],
)
def test_phrases_begin_and_end_with_words(text: str, phrase: str, held: bool) -> None:
    assert fold_contains(text, phrase) is held


@pytest.mark.requirement("F-TEXT-13")
@pytest.mark.parametrize(
    ("unit", "held"), [("a", False), ("a ", True), ("xa ", True), ("你", True), ("12:", True), ("가", True)]
)
def test_long_runs_are_searched_once(unit: str, held: bool) -> None:
    text = unit * (60_000 // len(unit))
    assert fold_contains(text, unit * (15_000 // len(unit))) is held


@pytest.mark.requirement("F-TEXT-13")
@pytest.mark.parametrize("words", ["xab ", "x\u00e4\u0436b "])
def test_a_phrase_that_nearly_occurs_everywhere_is_looked_for_once(words: str) -> None:
    def searches(count: int) -> int:
        """Calls of functions in C while a phrase of many words is looked for that begins amid each word."""
        calls = 0

        def note(_frame: FrameType, event: str, _what: object) -> None:
            nonlocal calls
            calls += event == "c_call"

        phrase = words[1:] + words * 20
        before = sys.getprofile()
        sys.setprofile(note)
        try:
            assert not fold_contains(words * count, phrase)
        finally:
            sys.setprofile(before)
        return calls

    searches(10)  # the patterns are compiled
    assert searches(400) == searches(200)
    assert fold_contains(words * 400, words * 20)
