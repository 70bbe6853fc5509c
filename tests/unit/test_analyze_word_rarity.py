"""How seldom words are used at large."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.analyze.word_rarity import LEAST, rarities
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
def test_rarities_are_shares(text: str) -> None:
    assert all(LEAST**2 <= rarity <= 1.0 for rarity in rarities(text).values())


@pytest.mark.requirement("W-STRUCT-20")
@given(st.lists(st.text(st.characters(categories=["L"]), min_size=1, max_size=12), max_size=6))
def test_beside_other_words_no_term_is_lost_and_none_grows_rarer(words: list[str]) -> None:
    found = rarities(" ".join(words))
    for word in words:
        alone = rarities(word)
        assert alone.keys() == set(terms(word))
        assert all(found[term] <= rarity for term, rarity in alone.items())
