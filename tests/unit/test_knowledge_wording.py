"""Facts by rules: how verbs and objects are worded, and what is left out since no wording would say anything."""

from datetime import UTC, datetime

import pytest

from clew.knowledge.rules.extract import statements
from clew.types.facts import FactType, in_few_words
from clew.types.turn import Turn

MONDAY = datetime(2023, 5, 8, 12, tzinfo=UTC)


def triples(text: str, at: datetime | None = MONDAY) -> list[tuple[str, str, str]]:
    """What one turn of Ann's states."""
    turn = Turn(role="user", content=text, speaker="Ann", at=at).stored(seq=0, ordinal=0, ingested_at=MONDAY)
    return [(each.subject, each.verb, each.object) for each in statements([turn])]


@pytest.mark.requirement("K-READ-24")
@pytest.mark.parametrize(
    ("text", "verb", "target"),
    [
        ("I work at at Vela.", "works at", "Vela"),
        ("We already have sort of a blueprint for the roof.", "has", "blueprint for the roof"),
        ("I have kind of a plan for the garden.", "has", "plan for the garden"),
        ("I explained to them the layout of the cellar.", "explains", "layout of the cellar"),
        ("I'm putting together a quiz for the kids.", "puts together", "quiz for the kids"),
        ("I'm thinking of working with some bakers in the next few months.", "thinks of", "working with some bakers"),
        ("I use a mask on my hair at least once a week.", "uses", "mask on their hair"),
        ("I'm gonna reach my quota no matter what.", "reaches", "quota"),
        ("I'd like to take the bus departing on May 12.", "wants", "to take the bus"),
        ("We painted the fence anyway.", "paints", "fence"),
        ("I found the leak and resoldered the pipe.", "finds", "leak"),
        ("I'm runnin' a bakery in Graz.", "runs", "bakery"),
        ("I'm not involved at all in the planning.", "is involved in", "planning"),
        ("Here is the play that I am staging in front of the town hall.", "stages", "play in front of the town hall"),
        ("My scarf is from Oslo.", "is from", "Oslo"),
        ("I have insurance, and according to the policy on your website, changes are free.", "has", "insurance"),
    ],
)
def test_an_object_is_worded_without_what_stands_beside_it(text: str, verb: str, target: str) -> None:
    assert [found[1:] for found in triples(text)][:1] == [(verb, target)]


@pytest.mark.requirement("K-READ-24")
@pytest.mark.parametrize(
    "text",
    [
        "We've sort of gone through that before.",
        "These are the choices we have identified in terms of cost.",
        "Tom will not be here during spring break.",
        "Our trip got off to a bad start.",
        "I find gyms to be really crowded.",
        "I'm learning a ton.",
        "I keep getting an error.",
        "I got 200.",
        "The only vote against was from Peru.",
        "We are rival teams.",
        "Here is my JS chart code: see below.",
        "I have some ideas.",
    ],
)
def test_what_would_be_worded_wrong_or_says_nothing_is_no_fact(text: str) -> None:
    assert triples(text) == []


@pytest.mark.requirement("K-READ-24")
def test_a_time_that_nobody_dated_is_no_object() -> None:
    assert triples("It turns out I did a week ago.", None) == []


@pytest.mark.requirement("K-READ-24")
def test_a_word_that_a_speaker_says_twice_is_told_once() -> None:
    (found,) = triples("Uh I have a printer printer in the cellar .")
    assert found == ("Ann", "has", "printer in the cellar")


@pytest.mark.requirement("F-PRON-03")
@pytest.mark.parametrize(
    ("subject", "told"),
    [("Ann's reservation IDs", "Ann's reservation IDs are X1"), ("Ann's boss", "Ann's boss is X1")],
)
def test_initials_in_the_plural_have_their_verb_in_the_plural(subject: str, told: str) -> None:
    assert in_few_words(subject, "is", "X1", None, FactType.PERSONAL) == told
