"""Properties of the terms, pieces, folded forms, names and counts of any text."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clew.text import terms as module
from clew.text.counters import counter, fits
from clew.text.names import capitalised_names, greeting_aliases, quoted
from clew.text.normalise import fold, fold_contains
from clew.text.pieces import piece_spans
from clew.text.terms import MAX_TERM, query_terms, quote_terms, terms

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=300)  # lone surrogates and unassigned ones too
WORDS = st.sampled_from(
    "Ann's don’t run Running camelCase snake_case src/a-b.py v2.1 1,500 3.5km 10:30 U.S.A. x@y.org https://www.a.de/b "
    "naïve Ёлка книги 喝茶 パン 서울에서 ไทย كتاب किताब 😂 👩‍💻 I the C++ “so” — 7".split()
)
TEXTS = ANY_TEXT | st.lists(WORDS | ANY_TEXT, max_size=12).map(" ".join)
PLAIN = st.text("aeKoxÉñäяЖ喝茶ン서울가ไท19 \n-_./,:", max_size=60)


@pytest.mark.requirement("F-TEXT-05")
@given(TEXTS)
def test_terms_are_short_folded_and_the_same_each_time(text: str) -> None:
    found = terms(text)
    assert all(0 < len(term) <= MAX_TERM and not any(char.isspace() for char in term) for term in found)
    module._SEEN.clear()
    assert terms(text) == found


@pytest.mark.requirement("F-TEXT-05")
@given(TEXTS)
def test_lower_case_loses_only_the_parts_that_capitals_show(text: str) -> None:
    assume("\x1b" not in text and "\x9b" not in text)  # the capital of an escape sequence is part of its meaning
    unified = unicodedata.normalize("NFKC", text)  # a mathematical 𝐀 has no lower case before
    assert set(terms(unified.lower())) <= set(terms(unified))


@pytest.mark.requirement("F-TEXT-05")
@given(st.lists(st.text("abcxyzäéßдомяαβγ", min_size=2), max_size=8).map(" ".join))
def test_words_are_the_same_in_upper_case(text: str) -> None:
    assert terms(text.upper().lower()) == terms(text.lower()) == terms(text.upper())


@pytest.mark.requirement("F-TEXT-05")
@given(TEXTS, TEXTS)
def test_a_text_has_the_terms_of_its_lines(first: str, second: str) -> None:
    assert terms(f"{first}\n{second}") == terms(first) + terms(second)


@pytest.mark.requirement("F-TEXT-05")
@given(st.text("aeiklmnopstwAEKMS", min_size=1, max_size=80) | st.sampled_from(["http", "WWW", "Thes", "iOS", "APIs"]))
def test_a_plain_word_has_the_terms_that_all_rules_together_give_it(word: str) -> None:
    assert list(module._learn(word)) == module._token_terms(word)


@pytest.mark.requirement("F-TEXT-04")
@given(TEXTS)
def test_a_question_has_terms_of_its_text_once_each(text: str) -> None:
    asked = query_terms(text)
    assert len(asked) == len(set(asked))
    assert set(asked) <= set(terms(text))
    assert bool(asked) == bool(terms(text))


@pytest.mark.requirement("F-TEXT-12")
@given(PLAIN, st.data())
def test_a_text_with_a_phrase_has_the_terms_of_the_phrase(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    phrase = text[start : data.draw(st.integers(start, len(text)))]
    assume(fold_contains(text, phrase))
    assert set(quote_terms(phrase)) <= set(terms(text))


@pytest.mark.requirement("F-TEXT-12")
@given(TEXTS, TEXTS)
def test_folding_is_done_once_and_contains_what_it_folds(first: str, second: str) -> None:
    folded = fold(first)
    assert fold(folded) == folded
    assert folded == " ".join(folded.split())
    assert fold_contains(f"{second} {first} {second}", first) == bool(folded)


@pytest.mark.requirement("F-TEXT-06")
@given(TEXTS | st.text(" \n.ab。", max_size=2000), st.integers(1, 60), st.integers(0, 80))
def test_pieces_cover_the_text(text: str, low: int, more: int) -> None:
    high = 2 * low + more
    spans = piece_spans(text, low, high)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(end == start for (_, end), (start, _) in pairwise(spans))
    assert all(end - start <= high for start, end in spans)
    assert all(end - start >= low for start, end in spans) or len(text) < low
    assert spans == piece_spans(text, low, high)


@pytest.mark.requirement("F-TEXT-10")
@given(TEXTS, TEXTS, st.integers(0, 100))
def test_counts_of_parts_bound_the_whole(first: str, second: str, budget: int) -> None:
    estimate, words = counter("estimate"), counter("words")
    whole = estimate(first + second)
    assert whole <= estimate(first) + estimate(second) <= whole + 1
    assert 0 <= words(f"{first} {second}") - words(f"{first} ") - words(second) <= 1
    assert fits(first, budget, estimate) == (estimate(first) <= budget)


@pytest.mark.requirement("F-TEXT-11")
@given(TEXTS)
def test_names_and_quotations_stand_in_the_text(text: str) -> None:
    plain = text.replace("’", "'")
    for name in [*capitalised_names(text), *(alias.name for alias in greeting_aliases(text))]:
        assert all(word.replace("’", "'") in plain for word in name.split())
    assert all(phrase in text for phrase in quoted(text))
    assert len(set(quoted(text))) == len(quoted(text))
