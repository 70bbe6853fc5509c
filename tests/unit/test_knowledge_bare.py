"""Sentences without "I am", and moves and swaps of things."""

from datetime import UTC, datetime, timedelta

import pytest

from clew import Memory, Turn
from clew.knowledge.rules.extract import statements
from clew.testing import FrozenClock

MONDAY = datetime(2023, 5, 8, 12, tzinfo=UTC)


def said(text: str) -> list[tuple[str, str, str, str]]:
    turn = Turn(role="user", speaker="Ann", content=text, at=MONDAY).stored(seq=0, ordinal=0, ingested_at=MONDAY)
    return [(each.subject, each.verb, each.object, each.status.value) for each in statements([turn])]


@pytest.mark.requirement("KNW-BARE-01")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Also allergic to penicillin, found that out late.", [("Ann", "is allergic to", "penicillin", "active")]),
        ("Married to Tom since 2010.", [("Ann", "is married to", "Tom", "active")]),
        ("Based in Berlin, the firm sells tea.", []),
        ("Flying out to Oslo on 3 June for the lights.", [("Ann", "flies out to", "Oslo", "planned")]),
        ("Moving to Porto next May!", [("Ann", "lives in", "Porto", "planned")]),
        ("Moving to Porto in May is a big step.", []),
        ("Flying to Oslo next week scares me.", []),
    ],
)
def test_a_state_or_plan_without_its_subject(text: str, expected: list[tuple[str, str, str, str]]) -> None:
    assert said(text) == expected


@pytest.mark.requirement("KNW-MOVE-01")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The newsletter moved to Mondays.", []),
        ("The office moved to Lisbon.", [("office", "is located in", "Lisbon", "active")]),
        ("My son Leo just turned nine.", [("Leo", "is aged", "9", "active"), ("Leo", "is son of", "Ann", "active")]),
        (
            "I swapped my bike for a skateboard.",
            [("Ann", "swaps", "bike", "completed"), ("Ann", "gets", "skateboard", "completed")],
        ),
    ],
)
def test_what_moves_or_is_swapped(text: str, expected: list[tuple[str, str, str, str]]) -> None:
    assert said(text) == expected


@pytest.mark.requirement("KNW-MOVE-01")
def test_a_product_that_is_swapped_out_is_no_longer_used() -> None:
    with Memory.open(":memory:", clock=FrozenClock(MONDAY + timedelta(days=9)), embedder=None) as memory:
        for day, text in enumerate(("I use Redis for sessions.", "I've swapped Redis out for Postgres.")):
            memory.add(Turn(role="user", speaker="Ann", content=text, at=MONDAY + timedelta(days=day)))
        memory.drain()
        assert [fact.object for fact in memory.facts("Ann", "uses")] == ["Postgres"]
