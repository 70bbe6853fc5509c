"""An expression for a question's wording is found as it is by itself, though it is mostly not tried."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.rank.intent import wants
from clew.rank.intent.wording import Wording, beginnings
from clew.text.date_languages import LATIN, function_words
from clew.text.foreign_dates import shown_languages
from clew.text.stopwords import STOPWORDS

WORDINGS = {name: each for name, each in vars(wants).items() if isinstance(each, Wording)}
ASCII = st.characters(min_codepoint=32, max_codepoint=126)
WORDS = sorted({word for each in WORDINGS.values() for word in re.findall(r"[a-z]{2,}", each.pattern.pattern)})


@pytest.mark.requirement("F-SPEED-59")
@pytest.mark.parametrize("name", WORDINGS)
@given(data=st.data())
def test_every_match_has_a_word_that_begins_so(name: str, data: st.DataObject) -> None:
    wording = WORDINGS[name]
    text = data.draw(st.from_regex(re.compile(wording.pattern.pattern, wording.pattern.flags), alphabet=ASCII))
    assert wording.is_in(text, beginnings(text)) == wording.is_in(text, None)


@pytest.mark.requirement("F-SPEED-59")
@given(st.lists(st.sampled_from([*WORDS, "I", "I'm", "n't", "what's", "didn't", "the", "to-do", "?", "."]), max_size=9))
def test_words_of_the_expressions_in_any_order_are_read_alike(words: list[str]) -> None:
    text = " ".join(words)
    for name, wording in WORDINGS.items():
        assert wording.is_in(text, beginnings(text)) == (wording.pattern.search(text) is not None), (name, text)


@pytest.mark.requirement("F-SPEED-59")
def test_letters_that_stand_for_others_are_read_as_they_are() -> None:
    assert beginnings("a ſummary") is None
    assert wants.wants_of("a ſummary of the garden").summary, "a long s is an s to an expression without case"


SHOWING = sorted(STOPWORDS.union(*map(function_words, LATIN)))


@pytest.mark.requirement("F-SPEED-59")
@given(st.lists(st.sampled_from([*SHOWING, "garden"]), max_size=6))
def test_a_text_shows_the_languages_that_have_most_of_its_words(words: list[str]) -> None:
    said = frozenset(words)
    counts = {language: len(said & function_words(language)) for language in LATIN}
    shown = tuple(
        language
        for language, count in counts.items()
        if count == max(counts.values()) > 0
        and len(said & function_words(language) - STOPWORDS) >= len(said & STOPWORDS - function_words(language))
    )
    assert shown_languages(" ".join(words)) == shown
