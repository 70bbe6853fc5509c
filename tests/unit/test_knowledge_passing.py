"""Facts by rules: what was a joke, what holds only for a time, and amounts that change."""

from datetime import UTC, datetime, timedelta

import pytest

from clew.knowledge.rules.extract import statements
from clew.memory import Memory
from clew.testing import FrozenClock
from clew.types.facts import Effect, Mood, Statement
from clew.types.turn import Turn

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


def turns_of(*said: str) -> list[Turn]:
    """Turns one minute apart, each as `Speaker: text`."""
    pairs = [each.partition(": ") for each in said]
    return [
        Turn(role="user", speaker=name, content=text, session="talk", at=MONDAY + timedelta(minutes=at))
        for at, (name, _, text) in enumerate(pairs)
    ]


def stated(*said: str) -> list[Statement]:
    """What all turns state."""
    numbered = enumerate(turns_of(*said))
    return list(statements([turn.stored(seq=at, ordinal=at, ingested_at=MONDAY) for at, turn in numbered]))


def triples(*said: str) -> list[tuple[str, str, str]]:
    return [(each.subject, each.verb, each.object) for each in stated(*said)]


def told(*said: str, after: timedelta = timedelta(minutes=30)) -> dict[tuple[str, str, str], str]:
    """What a memory tells some time after the turns, with its standing; what is over included."""
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(MONDAY + after)) as memory:
        for turn in turns_of(*said):
            memory.add(turn)
        memory.drain(200)
        facts = [fact for name in {turn.speaker for turn in turns_of(*said)} for fact in memory.history(str(name))]
        facts = [*facts, *memory.facts()]
        return {(fact.subject, fact.verb, fact.object): str(fact.standing) for fact in facts}


@pytest.mark.requirement("K-RUL-05")
@pytest.mark.parametrize(
    "said",
    [
        ("Ann: I'm allergic to tortoises. Joke.",),
        ("Ann: I moved to Spain. Just kidding!",),
        ("Ann: I bought a castle. No, I'm joking.",),
        ("Ann: Sure, and I'm buying a castle.",),
        ("Ann: I'd rather not lead the team.",),
        ("Ann: I'd better sell the car.",),
    ],
)
def test_what_was_a_joke_or_a_wish_states_nothing(said: tuple[str, ...]) -> None:
    assert triples(*said) == []


@pytest.mark.requirement("K-RUL-05")
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Ann: I'm not kidding, I moved to Spain.", ("Ann", "lives in", "Spain")),
        ("Ann: I moved to Spain. No joke.", ("Ann", "lives in", "Spain")),
        ("Ann: I sold the boat. Just kidding, I moved to Rome.", ("Ann", "lives in", "Rome")),
        ("Ann: I'd been living in Rome.", ("Ann", "lives in", "Rome")),
        ("Ann: I want at least 55,000 euros.", ("Ann", "wants", "at least 55,000 euros")),
    ],
)
def test_what_only_looks_like_a_joke_or_a_wish_is_stated(said: str, expected: tuple[str, str, str]) -> None:
    assert triples(said) == [expected]


@pytest.mark.requirement("K-RED-06")
def test_a_joke_of_an_earlier_turn_is_taken_back() -> None:
    last = stated("Ann: I moved to Spain.", "Ben: Really?", "Ann: No, just kidding.")[-1]
    assert (last.object, last.effect) == ("Spain", Effect.RETRACTS)
    assert told("Ann: I moved to Spain.", "Ben: Really?", "Ann: No, just kidding.") == {
        ("Ann", "lives in", "Spain"): "withdrawn"
    }


@pytest.mark.requirement("K-RUL-01")
def test_a_pronoun_after_a_name_that_no_list_knows_means_nobody_before_it() -> None:
    assert triples("Tom: Joanna covers the nights.", "Tom: Femi prefers long days, he hates nights.") == [
        ("Joanna", "covers", "nights")
    ]
    assert ("Tom", "lives in", "Porto") in triples("Ann: Tom joined Vela. He lives in Porto.")


@pytest.mark.requirement("K-RUL-01")
def test_a_given_name_after_from_or_to_is_the_place_of_that_name() -> None:
    talk = ("Omar: Back from Jordan. I got engaged!", "Omar: Her name is Salma.")
    assert "Jordan" not in {subject for subject, _, _ in triples(*talk)}
    assert ("Jordan", "has", "dog") in triples("Ann: Jordan lives in Porto. He has a dog.")


@pytest.mark.requirement("K-RUL-07")
@pytest.mark.parametrize(
    ("said", "status", "start", "end"),
    [
        ("Ann: I'm on call this week.", "active", None, 9),
        ("Ann: I'm on call next week.", "planned", 9, 16),
        ("Ann: Joanna covers the nights this week.", "recurring", None, 9),
        ("Ann: I have the flu today.", "active", None, 3),
        ("Ann: I live in Porto today.", "active", None, None),
        ("Ann: I love rainy days today.", "active", None, None),
    ],
)
def test_what_is_so_for_a_time_ends_with_it(said: str, status: str, start: int | None, end: int | None) -> None:
    (found,) = stated(said)
    days = [each and each.day for each in (found.valid_from, found.valid_to)]
    assert (found.status, days) == (status, [start, end])


@pytest.mark.requirement("K-RUL-07")
def test_until_a_date_is_no_plan_and_a_season_ahead_is_one() -> None:
    (until,) = stated("Ann: Sandra works nights until July.")
    assert (until.status, until.valid_to) == ("active", datetime(2026, 8, 1, tzinfo=UTC))
    (ahead,) = stated("Ann: I'm moving to Vienna in autumn.")
    assert (ahead.object, ahead.status) == ("Vienna", "planned")
    assert triples("Ann: I bought winter boots.") == [("Ann", "buys", "winter boots")]


@pytest.mark.requirement("K-RED-05")
def test_what_was_said_for_a_week_has_ended_after_it() -> None:
    said, fact = ("Ann: I'm on call this week.",), ("Ann", "is on", "call")
    assert told(*said)[fact] == "holds"
    assert told(*said, after=timedelta(days=30))[fact] == "ended"


@pytest.mark.requirement("K-RED-05")
def test_an_amount_has_one_value_at_a_time() -> None:
    found = told("Ann: Our MRR is $18,400.", "Ann: MRR is $19,100 now.", "Ann: The batch size is 2,000 rows now.")
    assert found[("MRR", "amounts to", "$19,100")] == "holds"
    assert found.get(("MRR", "amounts to", "$18,400"), "replaced") == "replaced"
    assert found[("batch size", "is set to", "2,000 rows")] == "holds"


@pytest.mark.requirement("K-RUL-06")
def test_what_everything_was_moved_from_and_where_somebody_resigned_ends() -> None:
    found = told(
        "Ann: I use Figma for mocks.",
        "Ann: I moved everything from Figma to Penpot.",
        "Ann: I work at Brightwell.",
        "Ann: I resigned at Brightwell.",
    )
    assert found[("Ann", "uses", "Figma")] == "ended"
    assert found[("Ann", "works at", "Brightwell")] == "ended"


@pytest.mark.requirement("K-READ-10")
@pytest.mark.parametrize(
    "text",
    [
        "Wish I had a vacation.",
        "I'll put that off until after I've completed the first draft.",
        "I see people who hold the hardest poses, are strong, and flow with grace.",
        "I teach kids who live in poverty and study at night.",
        "Tom Brady, Ann Hall, and Lamar Jackson are icons of the sport.",
        "It's something that we developed at Vela.",
        "That is the stuff I baked at the shelter.",
        "We now move to Mr. Blanchet.",
        "We now move on to the next item.",
        "We will go to the honourable member for Essex.",
        "We will now proceed to presenting petitions.",
        "I want to be clear.",
    ],
)
def test_what_is_not_yet_so_of_others_or_said_to_go_on_states_nothing(text: str) -> None:
    assert stated(f"Ann: {text}") == []


@pytest.mark.requirement("K-READ-10")
@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("I told the man that I live in Rome and work at Vela.", "works at"),
        ("I found a job that pays well and moved to Porto.", "lives in"),
        ("Wish you were here, I live in Oslo now.", "lives in"),
        ("Next week I'll ask a friend who has time and set up a meeting.", "sets up"),
        ("I bake for the shelter.", "bakes for"),
        ("I will go to the petition signing.", "goes to"),
        ("We'll continue with the speaker wiring.", "continues with"),
    ],
)
def test_what_the_speaker_does_beside_it_is_kept(text: str, verb: str) -> None:
    assert verb in [each.verb for each in stated(f"Ann: {text}")]


@pytest.mark.requirement("K-READ-10")
@pytest.mark.parametrize(
    ("text", "kept"), [('I bought a 24" monitor.', '24" monitor'), ('I fixed this "TypeError.', "TypeError")]
)
def test_a_lone_quotation_mark_is_kept_as_inches_alone(text: str, kept: str) -> None:
    assert [each.object for each in stated(f"Ann: {text}")] == [kept]


@pytest.mark.requirement("K-READ-10")
def test_what_is_not_yet_done_is_denied() -> None:
    assert [(each.object, each.mood) for each in stated("Ann: I have not yet moved to Oslo.")] == [
        ("Oslo", Mood.NEGATED)
    ]


@pytest.mark.requirement("K-READ-10")
def test_a_pronoun_may_mean_somebody_of_whom_only_a_noun_is_told() -> None:
    aunt = "Ann: My aunt believed in volunteering."
    assert stated(aunt, "Bo: Nice.", "Ann: I noticed a little girl. I sat with her and she had a kite.") == stated(aunt)
    told = stated(aunt, "Bo: Nice.", "Ann: I noticed a little girl. My brother likes tea. She lives in Rome.")
    assert [each.verb for each in told] == ["likes"]
    held = stated(aunt, "Bo: Nice.", "Ann: She is a kind woman. She lives in Rome.")
    assert ("Ann's aunt", "lives in", "Rome") in [(each.subject, each.verb, each.object) for each in held]
    named = stated("Ann: I met a girl. My sister Mia was there. She lives in Rome.")
    assert ("Mia", "lives in") in [(each.subject, each.verb) for each in named]
