"""Where and when things are, what they are set to, and what people are called."""

from datetime import UTC, datetime, timedelta

import pytest

from clew.knowledge.book import Book
from clew.knowledge.history import current
from clew.knowledge.rules.extract import statements
from clew.knowledge.rules.moods import STATED
from clew.types.facts import Mood, Statement
from clew.types.turn import Turn

MONDAY = datetime(2023, 5, 8, 12, tzinfo=UTC)

pytestmark = pytest.mark.requirement("K-READ-23")


def said(*texts: str) -> tuple[Statement, ...]:
    """What the user's turns state, one a day."""
    turns = [
        Turn(role="user", content=text, at=MONDAY + timedelta(days=seq)).stored(
            seq=seq, ordinal=seq, ingested_at=MONDAY
        )
        for seq, text in enumerate(texts)
    ]
    return statements(turns)


def triples(text: str) -> list[tuple[str, str, str]]:
    return [(each.subject, each.verb, each.object) for each in said(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Our office is in Graz.", ("office", "is located in", "Graz")),
        ("My office is in Graz near the station.", ("user's office", "is located in", "Graz")),
        ("The wedding is at the Grand Hotel.", ("wedding", "is located at", "Grand Hotel")),
        ("The concert is at Wembley on December 5.", ("concert", "is located at", "Wembley")),
        ("The budget is 4,000 euros.", ("budget", "is set to", "4,000 euros")),
        ("Our budget is $500.", ("budget", "is set to", "$500")),
        ("The password length is 16.", ("password length", "is set to", "16")),
        ("My name's Vanessa.", ("user", "is named", "Vanessa")),
        ("My dog’s called Rex.", ("user's dog", "is named", "Rex")),
        ("The deadline's June 3.", ("deadline", "is scheduled for", "June 3")),
        ("Please call me Vee.", ("user", "goes by", "Vee")),
        ("The course starts on Friday.", ("course", "starts on", "Friday")),
        ("My flight leaves on Friday.", ("user's flight", "is scheduled for", "Friday")),
        ("My passport expires in July.", ("user's passport", "expires on", "July")),
        ("The trial will end next week.", ("trial", "ends on", "next week")),
        ("The meeting was moved from Thursday to Friday.", ("meeting", "is scheduled for", "Friday")),
        ("We moved the meeting from Thursday to Friday.", ("meeting", "is scheduled for", "Friday")),
    ],
)
def test_a_value_or_a_place_is_a_fact(text: str, expected: tuple[str, str, str]) -> None:
    assert triples(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "The office is at capacity.",
        "The shop is in Bob's hands.",
        "The house is in English style.",
        "The interview is in German.",
        "An office is in Graz.",
        "The office isn't in Graz.",
        "If the office is in Graz, I quit.",
        "Is the office in Graz?",
        "Call me tomorrow.",
        "Call me crazy, but I like it.",
        "Don't call me Vee.",
        "I took my sister's Honda.",
        "The company name's meaning is unclear.",
        "The shop opens on Mondays.",
        "The course started on Friday.",
        "The trial may end on Friday.",
        "I start on Friday.",
    ],
)
def test_what_only_looks_like_one_is_none(text: str) -> None:
    verbs = {"is located in", "is located at", "is named", "goes by", "starts on", "opens on", "ends on"}
    assert not [each for each in said(text) if each.verb in verbs and each.mood in STATED - {Mood.NEGATED}]


@pytest.mark.parametrize(
    ("first", "second", "holds"),
    [
        ("Our office is in Graz.", "Our office is in Linz now.", "Linz"),
        ("Our office is in Graz.", "Our office moved to Linz.", "Linz"),
        ("The budget is 4,000 euros.", "The budget is 5,500 euros now.", "5,500 euros"),
        ("The trial ends on June 3.", "The trial ends on June 10, they wrote.", "June 10"),
        ("The meeting is on Thursday.", "The meeting was moved from Thursday to Friday.", "Friday"),
    ],
)
def test_a_later_value_replaces_an_earlier_one(first: str, second: str, holds: str) -> None:
    book = Book()
    book.add(said(first, second))
    assert [fact.object for fact in current(book.facts(), None)] == [holds]
