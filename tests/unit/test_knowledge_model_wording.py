"""A model's verbs and dates in the form of the rules."""

from datetime import UTC, datetime

import pytest

from clew.knowledge.model_wording import canonical_verb, worded
from clew.knowledge.rules.clause_moods import clause_moods
from clew.types.facts import FactStatus, Mood, Statement

SAID = datetime(2025, 3, 4, 18, tzinfo=UTC)  # a Tuesday


def day(number: int, month: int = 3) -> datetime:
    return datetime(2025, month, number, tzinfo=UTC)


@pytest.mark.requirement("K-MOD-04")
@pytest.mark.parametrize(
    ("told", "verb"),
    [
        ("lives in", "lives in"),
        ("Live_in", "lives in"),
        ("lived in", "lives in"),
        ("has been living in", "lives in"),
        ("moved to", "lives in"),
        ("is working at", "works at"),
        ("was married to", "is married to"),
        ("was born in", "was born in"),
        ("was scheduled for", "is scheduled for"),
        ("will be held on", "is held on"),
        ("went to", "goes to"),
        ("is going to visit", "visits"),
        ("led", "leads"),
        ("does not eat", "does not eat"),
        ("is", "is"),
        ("grooks", "grooks"),
    ],
)
def test_a_verb_gets_its_canonical_form(told: str, verb: str) -> None:
    assert canonical_verb(told) == verb
    assert canonical_verb(verb) == verb


def said(verb: str, value: str, status: str, when: str | None = None) -> Statement:
    told = Statement(turn="s:turn:0", ordinal=0, subject="Nadia", verb=verb, object=value, said_at=SAID, when=when)
    return worded(Statement.from_dict(told.to_dict() | {"status": status}))


@pytest.mark.requirement("K-MOD-04")
@pytest.mark.parametrize(
    ("told", "times"),
    [
        (said("visited", "Molde", "completed", "on 1 March"), (day(1), day(2))),
        (said("visited", "Molde", "completed", "last week"), (day(24, 2), day(3))),
        (said("visits", "Molde", "planned", "tomorrow"), (day(5), day(6))),
        (said("lives in", "Molde", "active", "since 1 March"), (day(1), None)),
        (said("moved to", "Molde", "completed", "on 1 March"), (day(1), None)),
        (said("works at", "Halden Optics", "active", "until 1 April"), (None, day(2, 4))),
        (said("works at", "Halden Optics", "active", "today"), (None, None)),
        (said("is scheduled for", "1 April", "active"), (day(1, 4), day(2, 4))),
        (said("visited", "Molde", "completed"), (None, None)),
        (said("visited", "Molde", "completed", "one day"), (None, None)),
    ],
    ids=lambda each: f"{each.verb} {each.when}" if isinstance(each, Statement) else "",
)
def test_the_words_of_a_date_become_days(told: Statement, times: tuple[datetime | None, datetime | None]) -> None:
    assert (told.valid_from, told.valid_to) == times


@pytest.mark.requirement("K-KEEP-10")
@pytest.mark.parametrize(
    ("told", "begins"),
    [
        (said("visits", "Molde", "planned", "in January"), datetime(2026, 1, 1, tzinfo=UTC)),
        (said("visited", "Molde", "completed", "in May"), datetime(2024, 5, 1, tzinfo=UTC)),
        (said("moved to", "Molde", "completed", "in May"), datetime(2024, 5, 1, tzinfo=UTC)),
        (said("lives in", "Molde", "active", "since May"), datetime(2024, 5, 1, tzinfo=UTC)),
        (said("left", "Acme", "ceased", "on Friday"), datetime(2025, 2, 28, tzinfo=UTC)),
        (said("visits", "Molde", "planned", "on Monday"), datetime(2025, 3, 10, tzinfo=UTC)),
        (said("is scheduled for", "12 January", "active"), datetime(2026, 1, 12, tzinfo=UTC)),
        (said("booked", "a flight", "completed", "for 12 June"), datetime(2025, 6, 12, tzinfo=UTC)),
        (said("booked", "a room", "completed", "in June"), datetime(2025, 6, 1, tzinfo=UTC)),
    ],
)
def test_a_date_without_a_year_is_on_the_side_where_it_must_be(told: Statement, begins: datetime) -> None:
    assert told.valid_from == begins


@pytest.mark.requirement("K-MOD-04")
def test_an_event_that_leads_to_a_state_makes_it_hold() -> None:
    assert said("moved to", "Molde", "completed").status == FactStatus.ACTIVE
    assert said("lived in", "Molde", "completed").status == FactStatus.COMPLETED
    assert said("moved to", "Molde", "planned").status == FactStatus.PLANNED
    assert said("visited", "Molde", "completed").status == FactStatus.COMPLETED


@pytest.mark.requirement("K-MOD-01")
def test_clauses_have_places_and_moods() -> None:
    text = "I work in Molde, but I don't live there, and I wish I had a boat."
    found = [(text[start:end].partition(" ")[2].strip(",. "), mood) for start, end, mood in clause_moods(text)]
    assert found[0] == ("work in Molde", Mood.ASSERTED)
    assert found[1][1] is Mood.NEGATED
    assert found[-1] == ("had a boat", Mood.HYPOTHETICAL)
    assert clause_moods("Ich wohne in Molde.") == []
    assert clause_moods("") == []


@pytest.mark.requirement("K-MOD-01")
@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("If Ruth sells, I will move to Bergen.", Mood.CONDITIONAL),
        ("I will move to Bergen if Ruth sells.", Mood.CONDITIONAL),
        ("If all goes well, I will move to Bergen.", Mood.CONDITIONAL),
        ("Unless it fails, I will move to Bergen.", Mood.CONDITIONAL),
        ("If possible, I will move to Bergen in May.", Mood.ASSERTED),
        ("I moved to Bergen in May, if you can believe it.", Mood.ASSERTED),
    ],
)
def test_a_condition_counts_whose_clause_is_not_recognised(text: str, mood: Mood) -> None:
    assert next(found for start, end, found in clause_moods(text) if "Bergen" in text[start:end]) is mood
