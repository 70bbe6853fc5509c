"""How seldom words are used at large."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.analyze.word_rarity import LEAST, rarities, word_ranks
from clew.text.terms import terms


@pytest.mark.requirement("W-STRUCT-20")
def test_a_word_is_the_rarer_the_seldomer_it_is_used() -> None:
    found = rarities("The people judged a rabbit by its zymurgy.")
    assert found["zymurgi"] == 1.0, "the vocabulary lacks it"
    assert LEAST < found["peopl"] < found["rabbit"] < 1.0


@pytest.mark.requirement("W-STRUCT-20")
def test_of_words_with_one_term_the_commonest_counts() -> None:
    assert rarities("rabbiting")["rabbit"] == 1.0
    assert rarities("rabbiting, rabbit") == rarities("Rabbit")


@pytest.mark.requirement("W-STRUCT-20")
@given(st.text(max_size=60))
def test_rarities_are_shares_of_the_terms_of_single_words(text: str) -> None:
    found = rarities(text)
    assert all(LEAST**2 <= rarity <= 1.0 for rarity in found.values())
    assert all(term in found for term in terms(text) if term.isascii() and term in word_ranks())
