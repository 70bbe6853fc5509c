"""Facts by rules: what changes a value, told in words that stories of others showed to be missed."""

from collections.abc import Sequence

import pytest

from clew.knowledge.book import Book
from clew.knowledge.history import current
from clew.knowledge.rules.extract import statements
from clew.types.turn import Turn
from tests.support.memories import at
from tests.unit.test_knowledge_hollow import triples


def _now(subject: str, *texts: str) -> list[tuple[str, str]]:
    """What holds of a subject, as verb and object, after Ann said the texts on one day each."""
    turns: Sequence[Turn] = [
        Turn(role="user", speaker="Ann", content=text, at=at(1440 * day)).stored(
            seq=day, ordinal=day, ingested_at=at(0)
        )
        for day, text in enumerate(texts, 1)
    ]
    book = Book()
    book.add(statements(turns))
    return [(fact.verb, fact.object) for fact in current(book.facts(), at(1440 * 20)) if fact.subject == subject]


@pytest.mark.requirement("K-READ-16")
def test_what_is_rejected_beside_another_value_holds_no_more() -> None:
    said = ("Finn is allergic to almonds.", "Finn is allergic to peanuts, not almonds.")
    assert _now("Finn", *said) == [("is allergic to", "peanuts")]


@pytest.mark.requirement("K-READ-17")
def test_who_was_promoted_works_as_what_they_became() -> None:
    said = ("I'm a junior designer at Kelp Studio.", "I've been promoted to lead designer with more pay!")
    assert sorted(_now("Ann", *said)) == [("works as", "lead designer"), ("works at", "Kelp Studio")]


@pytest.mark.requirement("K-READ-17")
def test_who_retired_works_no_more() -> None:
    said = ("My dad works at Siemens.", "My dad is an engineer.", "Dad retired in March.")
    assert [verb for verb, _ in _now("Ann's dad", *said)] == ["retires"]


@pytest.mark.requirement("K-READ-14")
@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("We're moving from Travis to GitHub Actions because Travis keeps timing out.", []),
        ("We moved from Heroku to Fly.io last week.", []),
        ("I moved to McAllen.", [("Ann", "lives in", "McAllen")]),
        ("I moved from Porto to San Francisco.", [("Ann", "lives in", "San Francisco")]),
    ],
)
def test_nobody_lives_in_what_is_spelled_like_a_product(text: str, home: list[tuple[str, str, str]]) -> None:
    assert [each for each in triples(("Ann", text)) if each[1] == "lives in"][:1] == home


@pytest.mark.requirement("K-READ-18")
@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("Mom lives in Trier.", ("Ann's mom", "lives in", "Trier")),
        ("And then Dad sold the boat.", ("Ann's dad", "sells", "boat")),
        ("My flight to Oslo is on March 3.", ("Ann's flight to Oslo", "is scheduled for", "March 3")),
        ("Our deal with Nike costs 500 euros.", ("deal with Nike", "costs", "500 euros")),
    ],
)
def test_whose_and_which_one_is_meant(text: str, fact: tuple[str, str, str]) -> None:
    assert triples(("Ann", text)) == [fact]


@pytest.mark.requirement("K-READ-19")
@pytest.mark.parametrize(
    "text",
    [
        "I have trouble understanding.",
        "I'm having trouble figuring out where to start.",
        "I haven't played in years.",
        "I use these for tricks.",
        "I'm confused looking at both functions.",
        "I'd love to try making it sometime.",
        "Here's a basic structure I have in mind:",
        "I'm starting from scratch.",
    ],
)
def test_what_stands_outside_is_no_object(text: str) -> None:
    assert triples(("Ann", text)) == []


@pytest.mark.requirement("K-READ-19")
def test_trouble_that_says_with_what_is_kept() -> None:
    assert triples(("Ann", "I have trouble sleeping.")) == [("Ann", "has", "trouble sleeping")]


@pytest.mark.requirement("K-READ-19")
@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I prefer proofs with diagrams to fully grasp the logic.", "proofs with diagrams to fully grasp the logic"),
        ("We explored the coast up in Norway.", "coast"),
        ("I usually have a snack for energy and ensure I'm hydrated.", "snack for energy"),
        ("I found a bug and fixed the test.", "bug"),
        ("I study law here in Trier.", "law"),
    ],
)
def test_an_object_ends_before_what_is_told_beside_it(text: str, fact: str) -> None:
    assert triples(("Ann", text))[0][2] == fact


@pytest.mark.requirement("K-RED-07")
def test_what_somebody_has_heard_is_hearsay_and_news_is_not() -> None:
    assert triples(("Ann", "I've heard that Netlify has better support for forms.")) == []
    assert triples(("Ann", "I just heard that Tom moved to Rome.")) == [("Tom", "lives in", "Rome")]
