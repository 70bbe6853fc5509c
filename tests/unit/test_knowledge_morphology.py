"""The forms of English verbs."""

import pytest

from clew.knowledge.morphology import forms, lemma, regular_forms


@pytest.mark.requirement("K-RUL-10")
def test_a_form_finds_all_forms_of_its_verb() -> None:
    assert forms("led") == ("lead", "led", "leading", "leads")
    assert forms("leading") == forms("leads") == forms("Lead") == forms("led")
    assert set(forms("was")) == {"be", "was", "were", "been", "being", "is", "am", "are"}
    assert {"see", "saw", "seen", "sawed"} <= set(forms("saw"))


@pytest.mark.requirement("K-RUL-10")
@pytest.mark.parametrize(
    ("form", "verb"),
    [
        ("left", "leave"),
        ("found", "find"),
        ("went", "go"),
        ("planned", "plan"),
        ("planning", "plan"),
        ("studies", "study"),
        ("lying", "lie"),
        ("Bought", "buy"),
        ("rent", "rent"),
        ("feed", "feed"),
        ("refactored", "refactor"),
        ("containerizing", "containerize"),
        ("vibed", "vibe"),
        ("table", "table"),
        ("xyzzy", "xyzzy"),
    ],
)
def test_the_lemma_of_listed_and_unlisted_verbs(form: str, verb: str) -> None:
    assert lemma(form) == verb


@pytest.mark.requirement("K-RUL-10")
def test_regular_forms() -> None:
    assert regular_forms("try") == ("tried", "tried", "trying", "tries")
    assert regular_forms("agree") == ("agreed", "agreed", "agreeing", "agrees")
    assert regular_forms("tie") == ("tied", "tied", "tying", "ties")
    assert regular_forms("watch") == ("watched", "watched", "watching", "watches")
