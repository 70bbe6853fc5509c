"""Facts by rules: what a turn puts right itself, and turns that only look as if they did."""

import pytest

from benchmarks.turn_repairs import Case, read_cases, wrong
from clew.knowledge.book import Book
from clew.knowledge.history import history, standing
from clew.knowledge.rules.extract import statements
from clew.types.turn import Turn
from tests.support.memories import at

CASES = read_cases()
UNREAD = (
    "The budget is 5,000 euros, or rather 6,000 euros.",
    "The wedding is in Rome. Sorry, I got that wrong, it's in Ravenna.",
    "Our office is in Ghent. Hang on, it's in Bruges.",
    "Our staging database runs on Aurora. Wait, that's wrong, it runs on Neon.",
)
"""Turns whose first value the rules do not read, so that nothing is there to put right."""


def _standings(text: str, subject: str) -> dict[str, str]:
    turn = Turn(role="user", speaker="Ann", content=text, at=at(0)).stored(seq=1, ordinal=1, ingested_at=at(0))
    book = Book()
    book.add(statements([turn]))
    return {fact.object: str(standing(fact, at(9))) for fact in history(book.facts(), subject)}


@pytest.mark.requirement("K-READ-21")
@pytest.mark.parametrize("case", [case for case in CASES if case.text not in UNREAD], ids=lambda case: case.text[:60])
def test_the_later_value_of_a_turn_wins_where_the_turn_puts_the_earlier_right(case: Case) -> None:
    assert wrong(case) == []


def test_the_cases_are_half_traps() -> None:
    repairs = sum(case.is_repair for case in CASES)
    assert (len(CASES), repairs) == (100, 50)


@pytest.mark.requirement("K-READ-21")
@pytest.mark.parametrize(
    ("text", "standings"),
    [
        ("I'm a vegetarian. Actually, I'm vegan now.", {"vegetarian": "replaced", "vegan": "holds"}),
        ("I live in Porto. No, scratch that, I live in Lisbon.", {"Porto": "withdrawn", "Lisbon": "holds"}),
        ("I live in Porto. Scratch that. I live in Lisbon.", {"Porto": "withdrawn", "Lisbon": "holds"}),
    ],
)
def test_the_history_tells_what_was_wrong_from_what_has_changed(text: str, standings: dict[str, str]) -> None:
    assert _standings(text, "Ann") == standings


@pytest.mark.requirement("K-READ-21")
def test_the_time_of_a_plan_is_put_right_and_the_plan_kept() -> None:
    turn = Turn(role="user", speaker="Ann", content="I'm moving to Oslo in June, sorry, July.", at=at(0))
    (said,) = statements([turn.stored(seq=1, ordinal=1, ingested_at=at(0))])
    assert (said.object, said.when) == ("Oslo", "July")
