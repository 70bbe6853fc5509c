"""Verse by its lines, its metre and its rhymes."""

import pytest

from clew.analyze.domains import domains
from clew.analyze.verse import sound_of, syllables, verse

COUPLET = "The baker sold his van and kept the oven,\nand every loaf he made was for his coven."
CLOSED = "They closed the mill. The wheel stood still.\nThe miller climbed the windy hill."
QUATRAIN = (
    "The pump gave out at half past three.\nI called the man. He laughed at me.\n"
    "He brought a spanner and a light.\nWe mended it by half the night."
)
FREE = "the kettle\nticks as it cools down again\na slow moth\nwalks over the white page and off"


@pytest.mark.parametrize("text", [CLOSED, QUATRAIN, FREE, COUPLET.replace("coven", "proven")])
def test_verse_is_heard_whatever_it_is_about(text: str) -> None:
    assert verse(text) > 0.0


@pytest.mark.requirement("F-ANALYZE-16")
@pytest.mark.parametrize(
    "text",
    [
        "The pump gave out at half past three. I called the man. He laughed at me.",  # nothing breaks the lines
        "Milk\nbutter, eggs\nsix tins of tomatoes from the big shop on the corner\nsoap",
        "We met at nine.\nThe minutes of the last meeting were read out and signed by everyone who was there.",
        "def run(self):\n    return self.fun(one)\n    done = sun",
        "I called the man at noon.\nThe pump is with the smith.\nHe wants it paid by cheque.\nThe yard is full of mud.",
        "I'll be there at ten tonight.\nI'll be there at ten tonight.",  # a word does not rhyme with itself
        "We waited long for you, hmm.\nWe waited long for me, psst.",  # words without a vowel rhyme with none
        "",
        "\n\n",
        "one line\n",
    ],
)
def test_prose_lists_and_code_are_no_verse(text: str) -> None:
    assert verse(text) == 0.0


@pytest.mark.requirement("F-ANALYZE-16")
def test_rhymes_about_a_pump_are_poetry_and_the_same_words_in_prose_are_not() -> None:
    assert domains(QUATRAIN)[0] == "poetry"
    assert "poetry" not in domains(QUATRAIN.replace("\n", " "))


def test_rhymes_count_more_than_lines_and_both_up_to_a_limit() -> None:
    assert verse(QUATRAIN) > verse(FREE)
    assert verse("\n".join([QUATRAIN] * 9)) == verse("\n".join([QUATRAIN] * 3))


@pytest.mark.parametrize(
    ("one", "other"),
    [("night", "light"), ("more", "door"), ("rain", "lane"), ("tide", "tried"), ("through", "you"), ("clear", "here")],
)
def test_words_rhyme_that_are_spelled_differently(one: str, other: str) -> None:
    assert sound_of(one) == sound_of(other)


@pytest.mark.parametrize(("one", "other"), [("night", "lit"), ("rain", "ran"), ("stone", "stun"), ("hmm", "ham")])
def test_words_do_not_rhyme_by_their_last_letters(one: str, other: str) -> None:
    assert sound_of(one) != sound_of(other)


@pytest.mark.parametrize(
    ("line", "count"),
    [("The baker made a table", 7), ("He walked and wanted houses", 7), ("hmm", 1), ("", 0)],
)
def test_mute_vowels_are_no_syllables(line: str, count: int) -> None:
    assert syllables(line) == count
