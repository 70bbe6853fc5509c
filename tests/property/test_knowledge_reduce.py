"""The reducer: facts depend on the set of statements, not on batches or on the order of arrival."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.knowledge.book import Book
from clew.types.facts import Effect, Fact, FactStatus, Mood, Statement
from tests.support.effort import examples

DAY = datetime(2024, 1, 1, tzinfo=UTC)
SUBJECTS = ("Ann", "Ben", "Ann's sister", "Cleo", "wedding")
VERBS = ("lives in", "works at", "likes", "hates", "visits", "is scheduled for", "is named", "prefers", "is engaged to")
OBJECTS = ("Berlin", "Rome", "Rome, Italy", "Cleo", "June 5", "")
NAMES = ("wedding", "Berlin", "home", "Rome")


@st.composite
def statements(draw: st.DrawFn) -> Statement:
    seq = draw(st.integers(0, 8))
    session = draw(st.sampled_from("ab"))
    begin = draw(st.none() | st.integers(-3, 12))
    end = None if begin is None else draw(st.none() | st.integers(begin + 1, 14))
    effect = draw(st.sampled_from((Effect.STATES, Effect.STATES, *Effect)))
    ends = effect in (Effect.CEASES, Effect.RETRACTS)
    return Statement(
        turn=f"{session}:turn:{seq}",
        ordinal=draw(st.integers(0, 2)),
        said_at=None if session == "b" and seq < 2 else DAY + timedelta(days=seq),
        subject=draw(st.sampled_from(SUBJECTS)),
        verb=draw(st.sampled_from(VERBS)),
        object=draw(st.sampled_from(OBJECTS if ends else OBJECTS[:-1])),
        status=draw(st.sampled_from((FactStatus.ACTIVE, FactStatus.ACTIVE, *FactStatus))),
        mood=draw(st.sampled_from((Mood.ASSERTED, Mood.ASSERTED, Mood.ASSERTED, *Mood))),
        effect=effect,
        scope=draw(st.sampled_from((None, None, "breakfast"))),
        instead_of=draw(st.sampled_from((None, None, *OBJECTS[:3]))),
        where=draw(st.sampled_from((None, None, *NAMES))),
        valid_from=None if begin is None else DAY + timedelta(days=begin),
        valid_to=None if end is None else DAY + timedelta(days=end),
        because=tuple(draw(st.sets(st.integers(0, 2), max_size=1))),
        rests_on=tuple(sorted(draw(st.sets(st.sampled_from(NAMES), max_size=2)))),
        provenance=draw(st.sampled_from(("rule", "rule", "model:m", "user"))),
    )


HOME = (
    {"subject": "Ann", "verb": "lives in", "object": "Berlin"},
    {"subject": "Ann", "verb": "lives in", "object": "Rome"},
    {"subject": "Ann", "verb": "lives in", "object": "", "effect": Effect.CEASES},
    {"subject": "Ann", "verb": "attends", "object": "a class", "where": "Berlin", "status": FactStatus.RECURRING},
    {"subject": "Ann", "verb": "rents", "object": "a garage", "where": "home", "because": (0,)},
    {"subject": "Ann", "verb": "buys", "object": "a bike", "status": FactStatus.PLANNED, "because": (0, 1)},
)
EVENT = (
    {"subject": "Ann's wedding", "verb": "is scheduled for", "object": "June 5"},
    {"subject": "wedding", "verb": "is scheduled for", "object": "June 6"},
    {
        "subject": "Ben",
        "verb": "flies to",
        "object": "Rome",
        "status": FactStatus.PLANNED,
        "rests_on": ("the wedding",),
    },
    {"subject": "Ben", "verb": "rents", "object": "a car", "where": "Rome", "because": (0,)},
)
NAMED = (
    {"subject": "Ben's sister", "verb": "is named", "object": "Cleo"},
    {"subject": "Ben's sister", "verb": "is named", "object": "Cleo", "effect": Effect.RETRACTS},
    {"subject": "Cleo", "verb": "is sister of", "object": "Ben"},
    {"subject": "Ben's sister", "verb": "works at", "object": "Vela"},
    {"subject": "Cleo", "verb": "works at", "object": "Vela"},
)
PLOTS = (HOME, EVENT, NAMED)
"""Statements that meet: grounds and what rests on them, names and what is said of both."""


@st.composite
def plots(draw: st.DrawFn) -> list[Statement]:
    fields = draw(st.lists(st.sampled_from(draw(st.sampled_from(PLOTS))), min_size=2, max_size=8))
    places = draw(st.permutations(range(len(fields))))
    return [
        Statement(turn=f"a:turn:{seq // 2}", ordinal=seq % 2, said_at=DAY + timedelta(days=seq // 2), **each)
        for seq, each in zip(places, fields, strict=True)
    ]


@st.composite
def logs(draw: st.DrawFn) -> dict[str, list[Statement]]:
    """Statements by turn, with one statement for each id."""
    said = {each.id: each for each in draw(st.lists(statements(), max_size=14) | plots())}
    turns: dict[str, list[Statement]] = {}
    for each in said.values():
        turns.setdefault(each.turn, []).append(each)
    return turns


def of_all(turns: dict[str, list[Statement]]) -> Book:
    book = Book()
    book.add(each for said in turns.values() for each in said)
    return book


@pytest.mark.requirement("K-RED-02")
@settings(max_examples=examples(48, 400))
@given(logs(), st.randoms(use_true_random=False), st.integers(1, 4))
def test_batches_and_arrival_do_not_matter(turns, random, size) -> None:  # type: ignore[no-untyped-def]  # strategies
    expected = of_all(turns)
    order = sorted(turns)
    random.shuffle(order)
    book = Book()
    for start in range(0, len(order), size):
        book.add(each for turn in order[start : start + size] for each in turns[turn])
    assert book.facts() == expected.facts()
    assert book.links() == expected.links()


@pytest.mark.requirement("K-RED-03")
@settings(max_examples=examples(48, 300))
@given(logs(), st.data())
def test_what_is_forgotten_was_never_said(turns: dict[str, list[Statement]], data: st.DataObject) -> None:
    forgotten = data.draw(st.sets(st.sampled_from(sorted(turns)))) if turns else set()
    book = of_all(turns)
    book.forget(forgotten)
    rest = of_all({turn: said for turn, said in turns.items() if turn not in forgotten})
    assert book.facts() == rest.facts()
    assert book.links() == rest.links()


@pytest.mark.requirement("K-RED-04")
@settings(max_examples=examples(48, 300))
@given(logs())
def test_every_fact_is_sound(turns: dict[str, list[Statement]]) -> None:
    book = of_all(turns)
    facts = {fact.id: fact for fact in book.facts()}
    assert len(facts) == len(book.facts()), "two facts with one id"
    for fact in facts.values():
        assert fact.sources
        assert set(fact.sources) <= turns.keys()
        assert all(each.mood in (Mood.ASSERTED, Mood.NEGATED) for each in fact.statements)
        assert fact.superseded_by is None or facts[fact.superseded_by].group == fact.group
        assert fact.stale_because is None or fact.stale_because in facts
        assert fact.valid_from is None or fact.valid_to is None or fact.valid_from <= fact.valid_to
        assert Fact.from_dict(fact.to_dict()) == fact
    for link in book.links():
        assert {link.source, link.target} <= facts.keys()
        assert link.source != link.target
