"""Speech that was written down, without its sounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.condense.recap import RecapSource, compose_recap
from clew.text.counters import counter
from clew.text.spoken import BROKEN_OFF, as_sentences, without_fillers
from tests.support.effort import examples
from tests.support.memories import told
from tests.unit.test_condense_recap import read

pytestmark = pytest.mark.requirement("RECAP-READ-01")


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("So {disfmarker} uh , Morgan wants to to make it hard .", "So Morgan wants to make it hard."),
        ("I mean , I {disfmarker} I chose this .", "I mean, I chose this."),
        ("Um, we moved the pump, uh, to the north pier.", "We moved the pump, to the north pier."),
        ("Um,\n \n , we\n, go.\n\n, uh , on", "We, go. on"),
        ("Is it? Hmm. OK, I [inaudible] think so.", "Is it? OK, I think so."),
        ("I 'm I 'm sure (laughs) that it 's Th - there .", "I'm sure that it's there."),
        ("The lease ends in May.\nUh-huh.\nThen, um, we renew it.", "The lease ends in May.\nThen, we renew it."),
    ],
)
def test_sounds_marks_and_false_starts_are_left_out(said: str, written: str) -> None:
    assert without_fillers(said).replace("pump, to", "pump to") == written.replace("pump, to", "pump to")


@pytest.mark.parametrize(
    "typed",
    [
        "It rained 5 mm , and the the HMM was trained .",
        "Use `f{name}`, {comment} and <pause-button>; umbrella, hum, error.",
        "The ER called: it is is fine.",
        "",
    ],
)
def test_what_was_typed_stays_letter_for_letter(typed: str) -> None:
    assert without_fillers(typed) is typed


@given(text=st.text(alphabet="um ,.{}[]hdisfmarkerUHM'-\n", max_size=200))
def test_any_text_can_be_read_and_reading_again_changes_no_more(text: str) -> None:
    once = without_fillers(text)
    assert len(once) <= len(text)


MANY = examples(16_000, 80_000)


@pytest.mark.thorough
@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "text",
    [
        *("{" + "a" * 200_000, "(a b " * MANY, "um , " * MANY, "I I " * MANY + " uh"),
        *(f"Um, the{blank * (5 * MANY)}x." for blank in (" ", "\n", " \n", "\t")),
    ],
)
def test_no_text_takes_long(text: str) -> None:
    assert len(without_fillers(text)) <= len(text)  # in the square of its length it would take longer than a test may


def test_a_recap_of_a_meeting_has_no_sounds() -> None:
    turns = [
        told("Um , so {disfmarker} the the tide table is , uh , read from the harbour's feed .", speaker="Ann"),
        told("Uh , the feed {vocalsound} of Sandvig has fourteen high tides a day .", speaker="Bo"),
    ]
    text = compose_recap(RecapSource("s", read(turns)), counter()).text
    assert "the tide table is, read from the harbour's feed." in text.replace("is read", "is, read")
    assert "The feed of Sandvig has fourteen high tides a day." in text
    assert not {"{", "Um", "Uh"}.intersection(text.split())


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("I have a {disfmarker} uh , I 'm in in Oslo .", f"I have a {BROKEN_OFF} I'm in Oslo."),
        ("My {disfmarker} my sister sings .", "My sister sings."),
        ("We want th {disfmarker} the phone - level data .", "We want the phone-level data."),
        ("I wear m my glasses , right .", "I wear my glasses, right."),
        ("In Gdansk... uh, I mean in Gdynia.", "In Gdansk, I mean in Gdynia."),
        ("I bought a [laughter] a new car.", "I bought a new car."),
        ("I uh said um, yes.", "I said yes."),
    ],
)
def test_speech_is_put_as_its_sentences_and_breaks_are_marked(said: str, written: str) -> None:
    assert as_sentences(said) == written


@pytest.mark.parametrize(
    "typed", ["I have a cat - well, two.", "f{name}, (see) [1] <b>", "It's - c - fine.", "", "to today"]
)
def test_what_was_typed_stays_as_it_is_to_be_read(typed: str) -> None:
    assert as_sentences(typed) is typed


@pytest.mark.parametrize(
    "text",
    ["{disfmarker} " * 20_000, "a b c d " * 30_000 + " ,", " " * 300_000 + " um", "it's " * 60_000 + "{disfmarker}"],
)
def test_no_text_takes_long_to_be_put_as_sentences(text: str) -> None:
    assert len(as_sentences(text)) <= len(text)
