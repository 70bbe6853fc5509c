"""Names, quotations and forms of address in one text."""

import pytest

from clew.text.names import Alias, capitalised_names, greeting_aliases, quoted


@pytest.mark.requirement("F-TEXT-11")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Did Caroline Smith go to New York?", ["Caroline Smith", "New York"]),
        ("When did Mel's kids, and Mel, meet Élise?", ["Mel", "Élise"]),
        ("Paris was nice. Then I met NASA people on Monday in May.", ["NASA"]),
        ("where did caroline go?", ["caroline"]),
        ("Caroline's dog", ["Caroline"]),
        ("What I'm saying is I’m here", []),
        ("", []),
    ],
)
def test_names_in_a_question(text: str, names: list[str]) -> None:
    assert capitalised_names(text, known=["Caroline Jones"]) == names


@pytest.mark.requirement("F-TEXT-11")
@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ('He said "to be" and “not’s”.', ["to be", "not’s"]),
        ("'don't stop' me", ["don't stop"]),
        ("the dogs' bowl and the cats' food, don't", []),
        ("«oui» „ja“ 「はい」『え』 ‹si›", ["oui", "ja", "はい", "え", "si"]),
        ('"a" "a" "" "--" "two\nlines"', ["a"]),
        ("it is 5'10\" tall", []),
    ],
)
def test_quotations(text: str, phrases: list[str]) -> None:
    assert quoted(text) == phrases


@pytest.mark.requirement("F-TEXT-11")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hey Kate. How are you?", [("Kate", "listener")]),
        ("Great! Thanks so much, Kate!", [("Kate", "listener")]),
        ("Good morning Dr. Élise, how are you", [("Élise", "listener")]),
        ("Hi Al, my name is Emi", [("Al", "listener"), ("Emi", "speaker")]),
        ("You can call me Em. This is Kate's sister", [("Em", "speaker")]),
        ("Hi there! hey kate, Hey That's great. I said hey Kate", []),
        ("", []),
    ],
)
def test_forms_of_address(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(alias.name, alias.of) for alias in greeting_aliases(text)] == expected


@pytest.mark.requirement("F-TEXT-11")
def test_an_alias_is_a_plain_value() -> None:
    assert greeting_aliases("Hello Ann!") == [Alias("Ann", "listener")]
