"""What ends: choices made for a purpose, jobs, subscriptions and plans, in words that do not repeat how they began."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from clew.knowledge.book import Book
from clew.knowledge.history import current, history, standing
from clew.knowledge.rules.extract import statements
from clew.types.facts import Effect, Fact, Statement
from clew.types.turn import Turn

MONDAY = datetime(2023, 5, 8, 12, tzinfo=UTC)


def told(*lines: str) -> tuple[Statement, ...]:
    """What some turns state, a day apart and each in a session of its own; each begins with its speaker."""
    found: list[Statement] = []
    for seq, line in enumerate(lines):
        speaker, _, text = line.partition(": ")
        turn = Turn(role="user", content=text, speaker=speaker, at=MONDAY + timedelta(days=seq), session=f"s{seq}")
        found += statements([turn.stored(seq=0, ordinal=seq, ingested_at=MONDAY)])
    return tuple(found)


def facts(said: Sequence[Statement]) -> tuple[Fact, ...]:
    book = Book()
    book.add(said)
    return book.facts()


def now(*lines: str) -> set[str]:
    """What holds or is planned after some turns, without what happened."""
    return {fact.told for fact in current(facts(told(*lines)), None) if standing(fact, None) != "happened"}


@pytest.mark.requirement("K-KEEP-17")
@pytest.mark.parametrize(
    "end",
    [
        "We stopped using Gusto.",
        "We no longer use Gusto.",
        "We dropped Gusto last week.",
        "We ditched Gusto.",
        "we moved off Gusto",
        "We migrated away from Gusto in May.",
        "We got rid of Gusto.",
        "We scrapped Gusto.",
        "We switched from Gusto to Rippling.",
    ],
)
def test_what_is_given_up_without_a_purpose_ends_what_was_chosen_for_one(end: str) -> None:
    assert "we use Gusto for payroll" not in now("Ann: We use Gusto for payroll.", f"Ann: {end}")


@pytest.mark.requirement("K-KEEP-17")
def test_only_the_value_that_is_named_ends_for_every_purpose() -> None:
    chosen = (
        "Ann: We use Redis for caching.",
        "Ann: We decided on Redis for sessions.",
        "Ann: We use Kafka for events.",
    )
    assert now(*chosen, "Ann: We dropped Redis.") == {"we use Kafka for events"}
    assert len(now(*chosen, "Ann: We no longer use Redis for caching.")) == 2
    assert len(now(*chosen, "Ann: If it gets slower, we will drop Redis.")) == 3
    assert len(now(*chosen, "Ben: I dropped Redis.")) == 3


@pytest.mark.requirement("K-KEEP-17")
def test_what_is_chosen_again_after_its_end_holds() -> None:
    again = now("Ann: We use Gusto for payroll.", "Ann: We ditched Gusto.", "Ann: We use Gusto for payroll.")
    assert again == {"we use Gusto for payroll"}


@pytest.mark.requirement("K-KEEP-17")
@pytest.mark.parametrize(
    "lines",
    [
        ("We use Gusto for payroll.", "We dropped Gusto.", "We use Gusto for invoices."),
        ("I work at Orbix Labs.", "I left Orbix.", "I live in Porto."),
        ("I live in Porto Alegre.", "I moved out of Porto.", "I work at Orbix."),
    ],
)
def test_an_end_reaches_other_groups_whichever_comes_first(lines: tuple[str, ...]) -> None:
    made = set()
    for order in permutations(told(*(f"Ann: {line}" for line in lines))):
        book = Book()
        for each in order:
            book.add([each])
        made.add((book.facts(), book.links()))
    assert len(made) == 1


@pytest.mark.requirement("K-KEEP-17")
def test_without_the_turn_that_ends_them_choices_hold_again() -> None:
    said = told("Ann: We use Gusto for payroll.", "Ann: We dropped Gusto.", "Ann: We use Gusto for invoices.")
    book = Book()
    book.add(said)
    book.forget(["s1:turn:0"])
    assert {fact.told for fact in current(book.facts(), None)} == {
        "we use Gusto for payroll",
        "we use Gusto for invoices",
    }


@pytest.mark.requirement("K-KEEP-17")
@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("I work at Orbix.", "Got fired from Orbix."),
        ("I work at Orbix.", "Quit my job at Orbix. Feels great"),
        ("I work at Orbix.", "I was let go on Monday."),
        ("I work at Orbix.", "I was let go by Orbix."),
        ("I work at Orbix.", "They let me go last week."),
        ("I work at Orbix.", "Left Orbix in June."),
        ("I work at Orbix.", "I've been made redundant."),
        ("I pay for Hulu.", "Cancelled Hulu yesterday, nothing to watch"),
        ("I pay for Hulu.", "I cancelled my Hulu subscription."),
        ("I have a piano.", "Got rid of the piano."),
        ("I take statistics.", "I dropped statistics."),
        ("I drive a Saab.", "Sold the Saab."),
        ("I'm planning to move to Malmo in June.", "Not moving to Malmo after all."),
        ("I play for Delta FC.", "I left Delta FC."),
    ],
)
def test_what_somebody_ends_in_other_words_holds_no_longer(begin: str, end: str) -> None:
    before = now(f"Ann: {begin}")
    assert before
    assert not before & now(f"Ann: {begin}", f"Ann: {end}")


@pytest.mark.requirement("K-KEEP-17")
@pytest.mark.parametrize(
    "text",
    [
        "They let me go to the party.",
        "My brother was let go.",
        "I left the keys at work.",
        "Quit the app and try again.",
    ],
)
def test_what_only_sounds_like_an_end_ends_nothing(text: str) -> None:
    assert "Ann works at Orbix" in now("Ann: I work at Orbix.", f"Ann: {text}")


@pytest.mark.requirement("K-KEEP-17")
@pytest.mark.parametrize(
    ("begin", "text"),
    [
        ("I have a phone.", "I dropped my phone."),
        ("I own a kayak.", "We removed the kayak."),
        ("I have a sofa.", "Dropped the sofa."),
    ],
)
def test_what_is_dropped_or_moved_is_still_owned(begin: str, text: str) -> None:
    before = now(f"Ann: {begin}")
    assert before
    assert before <= now(f"Ann: {begin}", f"Ann: {text}")


@pytest.mark.requirement("K-KEEP-18")
@pytest.mark.parametrize(
    "text",
    [
        "Correction: the launch is on March 7.",
        "Correction - the launch is on March 7.",
        "Erratum: the launch is on March 7.",
        "No, I meant the launch is on March 7.",
        "Sorry, I meant to say that the launch is on March 7.",
    ],
)
def test_a_sentence_that_is_called_a_correction_withdraws_what_was_said(text: str) -> None:
    found = facts(told("Ann: The launch is on March 4.", f"Ann: {text}"))
    assert [(fact.object, standing(fact, None)) for fact in history(found, "launch")] == [
        ("March 4", "withdrawn"),
        ("March 7", "planned"),
    ]


@pytest.mark.requirement("K-KEEP-18")
def test_a_correction_of_what_nobody_said_is_a_statement() -> None:
    assert now("Ann: Correction: I live in Porto.") == {"Ann lives in Porto"}


@pytest.mark.requirement("K-KEEP-17")
@pytest.mark.parametrize(
    ("text", "dates"),
    [("The demo got moved to May 20.", {"demo is scheduled for May 20"}), ("The demo got cancelled.", set())],
)
def test_what_got_moved_or_cancelled_was(text: str, dates: set[str]) -> None:
    assert now("Ann: The demo is on May 12.", f"Ann: {text}") == dates


@pytest.mark.requirement("K-RED-04")
@pytest.mark.parametrize(("value", "wrong"), [("Berlin", "Berlin"), ("Berlin", "Rome")])
def test_facts_of_a_choice_and_its_correction_in_one_turn_have_ids_of_their_own(value: str, wrong: str) -> None:
    choice = Statement(
        turn="a:turn:0", ordinal=0, subject="Ann", verb="prefers", object=value, said_at=MONDAY, instead_of=wrong
    )
    book = Book()
    book.add([choice, replace(choice, ordinal=1, effect=Effect.CORRECTS)])
    ids = [fact.id for fact in book.facts()]
    assert len(ids) == len(set(ids))


@pytest.mark.requirement("K-KEEP-17")
@pytest.mark.parametrize(
    "said",
    [
        "I was going to run the marathon, but I withdrew.",
        "I was planning to run the marathon until I broke my leg.",
        "We had planned to run the marathon; we're staying home",
        "I was going to run the marathon, then they moved it.",
    ],
)
def test_what_was_intended_and_came_to_nothing_is_no_plan(said: str) -> None:
    assert now("Ann: I'm going to run the marathon.", f"Ann: {said}") == set()
    assert now(f"Ann: {said}") == set()


@pytest.mark.requirement("K-KEEP-17")
def test_what_was_intended_is_a_plan_where_nothing_is_said_against_it() -> None:
    assert now("Ann: I was planning to visit Rome. Any tips?") == {"Ann visits Rome"}


@pytest.mark.requirement("K-KEEP-17")
@pytest.mark.parametrize(
    ("task", "done"),
    [
        ("I have to fix the login test before the release.", "The login test is fixed."),
        ("We have to write the release notes.", "release notes are done"),
        ("I need to repair the roof.", "The roof has been repaired."),
        ("I need to repair the roof.", "I repaired the roof."),
        ("I want to buy a boat.", "I bought a boat."),
        ("I have to write the report.", "I finished the report."),
        ("I need to submit the tax return.", "The tax return is submitted."),
        ("I need to fix the car.", "The car is finished."),
    ],
)
def test_a_task_ends_when_it_is_reported_as_done(task: str, done: str) -> None:
    made = current(facts(told(f"Ann: {task}", f"Ann: {done}")), None)
    assert now(f"Ann: {task}")
    assert {standing(fact, None) for fact in made} == {"happened"}


@pytest.mark.requirement("K-KEEP-17")
@pytest.mark.parametrize(
    "said",
    [
        "The report isn't done.",
        "Is the report done?",
        "Once the report is done, I'll rest.",
        "The report is nearly done.",
        "The manager is out.",
        "Your report is done.",
        "The report is done by Friday.",
        "The report is in.",
        "I finished the first chapter of the report.",
    ],
)
def test_a_task_stays_open_until_it_is_done(said: str) -> None:
    assert "Ann writes report" in now("Ann: I have to write the report.", f"Ann: {said}")


@pytest.mark.requirement("K-KEEP-17")
def test_what_was_to_be_done_is_told_of_its_object_once_it_is_done() -> None:
    made = facts(told("Ann: I need to fix the login bug.", "Ann: The login bug is fixed."))
    assert [fact.told for fact in made] == ["Ann fixes login bug"]


@pytest.mark.requirement("K-KEEP-17")
def test_a_plan_that_is_put_off_stands() -> None:
    assert "Ann lives in Oslo" in now("Ann: I was going to move to Oslo, but first I need a visa.")


@pytest.mark.requirement("K-KEEP-17")
@pytest.mark.parametrize("where", ["on {}", "in {}", "for {}"])
def test_a_setting_replaces_none_of_another_environment(where: str) -> None:
    staging, live = (
        f"Ann: The API runs on port {port} {where.format(name)}."
        for port, name in ((81, "staging"), (82, "production"))
    )
    assert now(staging, live) == {"API port is set to 81 for staging", "API port is set to 82 for production"}
    assert now("Ann: The API runs on port 81 for now.", "Ann: The API is on port 82.") == {"API port is set to 82"}


@pytest.mark.requirement("K-KEEP-17")
def test_what_is_done_without_a_plan_is_nobodys_deed() -> None:
    assert current(facts(told("Ann: The login test is fixed.")), None) == ()


@pytest.mark.requirement("K-KEEP-17")
@pytest.mark.parametrize(
    ("plan", "end"),
    [
        ("We're flying to Crete in June.", "We had to cancel Crete."),
        ("I'm going to run the Berlin marathon.", "I withdrew from the Berlin marathon."),
    ],
)
def test_what_is_cancelled_by_its_name_is_no_longer_planned(plan: str, end: str) -> None:
    assert now(f"Ann: {plan}")
    assert now(f"Ann: {plan}", f"Ann: {end}") == set()
