"""Idioms: what people say of work, love, meals, prices and returns in other words than the verb of the fact."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from clew.knowledge.book import Book
from clew.knowledge.groups import placed, subject_key
from clew.knowledge.history import current, standing
from clew.knowledge.rules.extract import statements
from clew.knowledge.tenures import tenures_of
from clew.types.facts import Effect, Statement
from clew.types.turn import Turn

MONDAY = datetime(2023, 5, 8, 12, tzinfo=UTC)


def told(*lines: str, session: str = "one") -> tuple[Statement, ...]:
    """What some turns state, a day apart; each begins with its speaker."""
    turns = []
    for seq, line in enumerate(lines):
        speaker, _, text = line.partition(": ")
        turn = Turn(role="user", content=text, speaker=speaker, at=MONDAY + timedelta(days=seq), session=session)
        turns.append(turn.stored(seq=seq, ordinal=seq, ingested_at=MONDAY))
    return statements(turns)


def triples(*lines: str) -> list[tuple[str, str, str]]:
    return [(each.subject, each.verb, each.object) for each in told(*lines)]


def book_of(said: Sequence[Statement]) -> Book:
    book = Book()
    book.add(said)
    return book


def holding(*lines: str) -> set[tuple[str, str, str]]:
    """What holds or is planned after some turns."""
    facts = current(book_of(told(*lines)).facts(), None)
    return {(fact.subject, fact.verb, fact.object) for fact in facts}


@pytest.mark.requirement("K-READ-01")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I started at Corvid two weeks ago as a welder.", [("works at", "Corvid"), ("works as", "welder")]),
        ("I quit Aldane and started at Corvid.", [("quits", "Aldane"), ("works at", "Corvid")]),
        ("I joined Corvid as an accountant.", [("works at", "Corvid"), ("works as", "accountant")]),
        ("I got a new job at Corvid!", [("works at", "Corvid")]),
        ("I work at the clinic on Mill Road as a nurse.", [("works at", "clinic on Mill Road"), ("works as", "nurse")]),
        ("I changed jobs and work at Corvid now.", [("changes", "jobs"), ("works at", "Corvid")]),
        ("I work for a firm in Kotka called Corvid.", [("works for", "Corvid")]),
        ("I was laid off from Corvid in March.", [("works at", "Corvid")]),
        ("I got fired.", [("works at", "")]),
        ("I got divorced from Otto.", [("breaks up with", "Otto")]),
        ("Otto and I got married in June.", [("is married to", "Otto")]),
        ("Otto and I split up last weekend.", [("breaks up with", "Otto")]),
        ("I got engaged!", [("has relationship status", "engaged")]),
        ("We got divorced.", [("is partner of", ""), ("has relationship status", "divorced")]),
        ("We broke up.", [("is partner of", "")]),
        ("I've been seeing Otto for two months.", [("is dating", "Otto")]),
        ("I went vegan in March.", [("follows diet", "vegan")]),
        ("I'm pescatarian now.", [("follows diet", "pescatarian")]),
        ("I changed my major to geology.", [("majors in", "geology")]),
        ("I can't stand opera.", [("dislikes", "opera")]),
        ("I have started as a postdoc at Corvid.", [("works at", "Corvid"), ("works as", "postdoc")]),
        ("I'm a nurse at Corvid.", [("works as", "nurse"), ("works at", "Corvid")]),
        ("I'm a student at Mill Road College.", [("works as", "student"), ("studies at", "Mill Road College")]),
        ("As the owner I decided on green for the logo.", [("decides on", "green")]),
        ("My budget is 300 euros for the trip.", [("has budget", "300 euros")]),
        ("Just moved to Kotka!", [("lives in", "Kotka")]),
        ("Had to cancel the Lisbon trip.", [("cancels", "Lisbon trip")]),
        ("Finally sold the car.", [("sells", "car")]),
        ("I moved to Kotka for the sea air.", [("lives in", "Kotka")]),
        ("I live in Kotka, Finland with my aunt.", [("lives in", "Kotka")]),
        ('I read "The Glass Key" and "Red Harvest".', [("reads", '"The Glass Key" and "Red Harvest"')]),
    ],
)
def test_what_people_say_in_other_words(text: str, expected: list[tuple[str, str]]) -> None:
    assert triples(f"Ann: {text}") == [("Ann", verb, target) for verb, target in expected]


@pytest.mark.requirement("K-READ-01")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("They raised my rent to $1,200.", [("Ann's rent", "costs", "$1,200")]),
        ("My rent is 900 euros.", [("Ann's rent", "costs", "900 euros")]),
        ("My rent was raised to 980 euros.", [("Ann's rent", "costs", "980 euros")]),
        ("We bumped the timeout to 60 seconds.", [("timeout", "is set to", "60 seconds")]),
        ("The timeout is set to 30 seconds.", [("timeout", "is set to", "30 seconds")]),
        ("We upgraded the gateway to version 2.4.", [("gateway", "is at version", "2.4")]),
        ("The gateway is at version 2.3 in production.", [("gateway", "is at version", "2.3")]),
        ("The freeze has been pushed back to March 21.", [("freeze", "is scheduled for", "March 21")]),
        ("Ida's recital was postponed to June 9.", [("Ida's recital", "is scheduled for", "June 9")]),
        ("I moved the sofa on Friday.", [("Ann", "moves", "sofa")]),
        ("I want my friend Otto to come.", [("Ann", "wants", "friend Otto to come"), ("Otto", "is friend of", "Ann")]),
        ("Is my cousin Ida's train late?", [("Ida", "is cousin of", "Ann")]),
        ("This is my friend Otto.", [("Otto", "is friend of", "Ann")]),
        ("I've got a ferret called Pip.", [("Ann", "has", "ferret called Pip")]),
        ("I've got a hamster called Pip.", [("Ann", "has", "hamster"), ("Ann's hamster", "is named", "Pip")]),
        ("My hamster died.", [("Ann's hamster", "dies", ""), ("Ann", "has", "hamster")]),
        ("My son goes to Mill Road Primary.", [("Ann's son", "studies at", "Mill Road Primary")]),
        ("We've switched from Sketch to Penpot for the mockups.", [("we", "uses", "Penpot")]),
        ("We decided to use Penpot for the mockups.", [("we", "decides on", "Penpot")]),
        ("We agreed on Penpot for the mockups.", [("we", "decides on", "Penpot")]),
        ("We decided to go with Penpot for the mockups.", [("we", "decides on", "Penpot")]),
        ("The team decided on Penpot for the mockups.", [("we", "decides on", "Penpot")]),
        ("Let's use Penpot for the mockups.", [("we", "uses", "Penpot")]),
    ],
)
def test_what_is_said_of_things(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert triples(f"Ann: {text}") == expected


@pytest.mark.requirement("K-READ-06")
@pytest.mark.parametrize(
    "text",
    [
        "I went with my mother for a coffee.",
        "I'm a huge fan!",
        "We're both on different paths.",
        "I'll give it a try.",
        "My year has been a roller coaster.",
        "I want to reiterate.",
        "Just want to make sure I'm reading the chart right.",
        "*laughs*",
        "I'm back in the kitchen.",
        "I can't stand up.",
        "Got your back!",
        "I'll be in touch.",
        "I finally belong somewhere.",
        "Made in Finland.",
        "Looked great on you!",
    ],
)
def test_what_states_nothing(text: str) -> None:
    assert triples(f"Ann: {text}") == []


@pytest.mark.requirement("K-READ-06")
def test_what_is_confirmed_is_done_once_and_what_was_a_job_is_over() -> None:
    (confirms,) = told("Ann: Yes, I confirm the order.")
    (worked,) = told("Ann: I worked at Corvid.")
    assert [each.status for each in (confirms, worked)] == ["completed", "completed"]


@pytest.mark.requirement("K-READ-02")
@pytest.mark.parametrize(
    ("text", "begin"),
    [
        ("I've been married to Otto for 15 years.", datetime(2008, 5, 8, tzinfo=UTC)),
        ("I've been working at Corvid for the past six months.", datetime(2022, 11, 8, tzinfo=UTC)),
        ("I've had a cat for over a year.", datetime(2022, 5, 8, tzinfo=UTC)),
        ("We've lived in Kotka for ten days.", datetime(2023, 4, 28, tzinfo=UTC)),
        ("I've been a welder for thirty-five years.", datetime(1988, 5, 8, tzinfo=UTC)),
        ("I've worked at Corvid for almost twenty years now.", datetime(2003, 5, 8, tzinfo=UTC)),
        ("I've worked at Corvid for 10+ years.", datetime(2013, 5, 8, tzinfo=UTC)),
        ("I've worked at Corvid for two and a half years.", datetime(2020, 11, 8, tzinfo=UTC)),
        ("I've lived in Kotka for half a year.", datetime(2022, 11, 8, tzinfo=UTC)),
        ("I've lived in Kotka for a few years.", None),
        ("I've lived in Kotka for a couple of years.", None),
        ("I studied law for four years.", None),
    ],
)
def test_how_long_something_has_lasted(text: str, begin: datetime | None) -> None:
    (found,) = told(f"Ann: {text}")
    assert found.valid_from == begin
    assert found.when is not None
    assert "for" not in found.object.split()


@pytest.mark.requirement("K-READ-08")
def test_a_time_with_both_ends_has_both() -> None:
    (found,) = told("Ann: I lived in Kotka from 2001 to 2011.")
    assert (found.valid_from, found.valid_to) == (datetime(2001, 1, 1, tzinfo=UTC), datetime(2012, 1, 1, tzinfo=UTC))


@pytest.mark.requirement("K-READ-08")
def test_the_date_that_a_correction_gives_is_the_new_appointment() -> None:
    said = told("Ann: The launch is on March 3.", "Ann: No, sorry, I meant March 5.")
    assert [each.valid_from for each in said] == [datetime(2024, 3, day, tzinfo=UTC) for day in (3, 5)]
    facts = book_of(said).facts()
    assert {fact.object: fact.retracted for fact in facts} == {"March 3": True, "March 5": False}


@pytest.mark.requirement("K-READ-03")
def test_a_return_resumes_a_former_home() -> None:
    before = ("Ann: I live in Ghent.", "Ann: I moved to Kyoto.")
    assert holding(*before, "Ann: I'm back in Ghent.") == {("Ann", "lives in", "Ghent")}
    assert holding(*before, "Ann: I'm back in Ghent for good.") == {("Ann", "lives in", "Ghent")}
    assert holding(*before, "Ann: I'm back in Ghent for the weekend.") == {("Ann", "lives in", "Kyoto")}
    assert holding(*before, "Ann: I'm back in Rome.") == {("Ann", "lives in", "Kyoto")}
    (back,) = told("Ann: I'm back in Ghent.")
    assert back.effect is Effect.RESUMES


@pytest.mark.requirement("K-READ-04")
def test_what_a_group_and_what_one_of_it_chose_replace_each_other() -> None:
    one = "Ivo: I've decided to use Kafka for the queue."
    group = "Mia: We chose RabbitMQ for the queue."
    other = "Mia: I've decided to use Pulsar for the queue."
    assert holding(one, group) == {("we", "decides on", "RabbitMQ")}
    assert holding(group, one) == {("Ivo", "decides on", "Kafka")}
    assert holding(one, other) == {("Ivo", "decides on", "Kafka"), ("Mia", "decides on", "Pulsar")}
    elsewhere = [*told(one), *told(group, session="two")]
    assert len(current(book_of(elsewhere).facts(), None)) == 2


@pytest.mark.requirement("K-READ-04")
def test_two_names_of_one_choose_as_one() -> None:
    said = told("Annie: I chose Kafka for the queue.", "Ann: I chose Pulsar for the queue.")
    apart = tenures_of(each for one in said for each in placed([one]))
    joined = tenures_of(each for one in said for each in placed([one], {subject_key("Annie"): subject_key("Ann")}))
    assert [each.is_open for each in apart] == [True, True]
    assert [each.is_open for each in joined] == [False, True]


@pytest.mark.requirement("K-READ-05")
def test_a_trip_that_is_cancelled() -> None:
    plan = "Bea: I'm going to fly to Lisbon in July."
    assert holding(plan) == {("Bea", "flies to", "Lisbon")}
    assert ("Bea", "flies to", "Lisbon") not in holding(plan, "Bea: I cancelled the Lisbon trip.")
    assert ("Bea", "flies to", "Lisbon") not in holding(plan, "Bea: I had to cancel my flight to Lisbon.")
    assert ("Bea", "flies to", "Lisbon") in holding(plan, "Bea: I cancelled the trip to Oslo.")
    assert ("Bea", "flies to", "Lisbon") not in holding(plan, "Bea: So I'm not flying to Lisbon after all.")


@pytest.mark.requirement("K-READ-09")
def test_an_event_that_is_called_off_has_no_date() -> None:
    plan = "Bea: The launch is on July 12."
    for off in ("The launch is off.", "Well, the launch was called off.", "The launch has been cancelled, sadly."):
        assert holding(plan, f"Bea: {off}") == set(), off
    for on in (
        "The launch is not cancelled.",
        "The launch was almost called off.",
        "The launch is off to a good start.",
    ):
        assert holding(plan, f"Bea: {on}") == {("launch", "is scheduled for", "July 12")}, on


@pytest.mark.requirement("K-READ-05")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I take ramipril every day.", "It helped, so I no longer take ramipril."),
        ("I coach the juniors.", "I gave up coaching the juniors."),
        ("I'm having knee surgery in June.", "I decided not to have knee surgery."),
    ],
)
def test_what_is_given_up(before: str, after: str) -> None:
    assert len(holding(f"Geo: {before}")) == 1
    assert holding(f"Geo: {before}", f"Geo: {after}") == set()


@pytest.mark.requirement("K-READ-05")
def test_who_breaks_up_ends_the_relationship_at_any_stage() -> None:
    facts = book_of(told("Gia: I'm engaged to Marco.", "Gia: Marco and I broke up.")).facts()
    assert [standing(each, None) for each in facts if each.verb == "is engaged to"] == ["ended"]


@pytest.mark.requirement("K-READ-07")
@pytest.mark.parametrize(
    ("question", "answer", "verb", "target"),
    [
        ("So you live in Ghent, right?", "No I don't. It rains too much.", "lives in", "Ghent"),
        ("Do you still eat fish?", "Nope, I don't.", "eats", "fish"),
        ("You work at Corvid?", "No, I don't any more.", "works at", "Corvid"),
    ],
)
def test_a_short_answer_denies_what_was_asked(question: str, answer: str, verb: str, target: str) -> None:
    (denied,) = (each for each in told(f"Ada: {question}", f"Cid: {answer}") if each.mood == "negated")
    assert (denied.subject, denied.verb, denied.object) == ("Cid", verb, target)


@pytest.mark.requirement("K-READ-07")
def test_a_short_answer_to_nothing_denies_nothing() -> None:
    assert told("Ada: You live in Ghent.", "Cid: No, I don't.") == ()
    assert told("Cid: Do I live in Ghent?", "Cid: No, I don't.") == ()
    before = "Cid: I live in Ghent."
    assert holding(before, "Ada: You still live in Ghent, right?", "Cid: No, I don't.") == set()


@pytest.mark.requirement("K-READ-01")
def test_an_attribute_of_which_one_has_a_single_value() -> None:
    budget = ("Kit: My budget is 300 euros.", "Kit: I increased my budget to 450 euros.")
    assert holding(*budget) == {("Kit", "has budget", "450 euros")}


@pytest.mark.requirement("K-READ-01")
def test_a_star_puts_the_word_before_right() -> None:
    _, right = told("Fay: My exam is on the 12th of May.", "Fay: *13th of May, sorry")
    assert (right.object, right.effect, right.instead_of) == ("13th of May", Effect.CORRECTS, "12th of May")
