"""Facts by rules: what says nothing to whoever did not hear the talk, and sentences without a subject."""

from datetime import UTC, datetime

import pytest

from clew.knowledge.rules.extract import statements
from clew.types.turn import Turn

MONDAY = datetime(2023, 5, 8, 12, tzinfo=UTC)


def triples(*said: tuple[str, str]) -> list[tuple[str, str, str]]:
    """What the last of some turns states; each is a speaker with a text."""
    turns = [
        Turn(role="user", content=text, speaker=name, at=MONDAY).stored(seq=seq, ordinal=seq, ingested_at=MONDAY)
        for seq, (name, text) in enumerate(said)
    ]
    return [(each.subject, each.verb, each.object) for each in statements(turns) if each.turn == turns[-1].id]


@pytest.mark.requirement("K-READ-10")
@pytest.mark.parametrize(
    "text",
    [
        "I'm exploring a few options.",
        "I made some great progress.",
        "I met an amazing woman.",
        "I have some friends.",
        "Those are the paths I've taken.",
        "I want to help make their lives better.",
        "I love watching them play.",
        "I need to cancel all of these reservations.",
        "I want to do this as a separate step.",
        "I'd love to join.",
        "I helped with getting it done.",
        "I have my user ID.",
        "I don't have the reservation ID handy at the moment.",
        "I'll keep your advice in mind.",
        "I'm nervous.",
        "I'm intrigued.",
        "I'm afraid I've got some bad news.",
        "I'm Ann.",
        "I won't quit.",
        "His skills are something else.",
        "Create React components for the list.",
        "I have a friend.",
        "We got some great colleagues.",
        "I'm interested in getting into it.",
        "I'm thinking about going.",
        "It's something I find rewarding.",
        "All the guys I meet seem really nice.",
        "I am feel really hungry.",
        "A meeting I have in the evening worries me.",
        "I'm doing well Kate.",
        "My name is Ann.",
    ],
)
def test_what_names_nothing_by_itself_is_no_fact(text: str) -> None:
    assert triples(("Ann", text)) == []


@pytest.mark.requirement("K-READ-10")
@pytest.mark.parametrize(
    ("text", "verb", "target"),
    [
        ("I'm exploring a few options for the kitchen.", "explores", "a few options for the kitchen"),
        ("I have no friends.", "has", "no friends"),
        ("I met a pottery teacher.", "meets", "pottery teacher"),
        ("I have a lot of books about trees.", "has", "lot of books about trees"),
        ("I had a great time at the jazz festival.", "has", "great time at the jazz festival"),
        ("I love skiing, it's fun.", "loves", "skiing"),
        ("I want to optimize my garden and ensure it grows.", "wants", "to optimize their garden"),
        ("I'm passionate about building a safe, inviting place for kids.", "is passionate about", ""),
        ("I met this producer, Bryan, at the fair.", "meets", "Bryan"),
        ("I recently read a novel that I bought in Rome.", "buys", "novel in Rome"),
        (
            "I want to make sure that my layout works on phones.",
            "wants",
            "to make sure that their layout works on phones",
        ),
        ("I'm worried that my visa won't be ready in time.", "is worried that", "their visa won't be ready in time"),
        ("I'm 60 and earning $85,000 a year.", "earns", "$85,000"),
        ("We just bought our first home.", "buys", "first home"),
        ("Let's use the Visa ending in 2076.", "uses", "Visa ending in 2076"),
    ],
)
def test_what_is_told_of_a_bare_noun_makes_it_a_fact(text: str, verb: str, target: str) -> None:
    found = triples(("Ann", text))
    assert (verb, target or "building a safe, inviting place for kids") in [(each[1], each[2]) for each in found]


@pytest.mark.requirement("K-READ-13")
@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("The scarf I bought yesterday made a huge difference.", ("buys", "scarf")),
        (
            "This is the party I went to after dinner.",
            ("goes to", "party after dinner"),
        ),
        ("Yesterday I chose to sell the boat.", ("decides", "to sell the boat")),
        ("I love hiking 'cause it calms me.", ("loves", "hiking")),
        ("I have a friend called Ben.", ("is named", "Ben")),
        ("I helped renovate a local park.", ("helps", "renovate a local park")),
        ("I'm interested in getting a dog.", ("is interested in", "getting a dog")),
        ("I have a friend in Oslo.", ("has", "friend")),
        ("This morning I ran a marathon.", ("runs", "marathon")),
    ],
)
def test_no_word_of_another_clause_is_in_the_object(text: str, triple: tuple[str, str]) -> None:
    assert [(each[1], each[2]) for each in triples(("Ann", text))] == [triple]


@pytest.mark.requirement("K-READ-10")
def test_what_is_wished_or_feared_is_stated_as_such_only() -> None:
    text = "I want to make sure the chart is right and that my code is fast."
    assert triples(("Ann", text)) == [
        ("Ann", "wants", "to make sure the chart is right and that their code is fast"),
    ]
    assert triples(("Ann", "I'm worried that my resume is weak.")) == [
        ("Ann", "is worried that", "their resume is weak")
    ]
    assert triples(("Ann", "I want to make sure it works.")) == []


@pytest.mark.requirement("K-READ-11")
def test_you_in_a_title_is_nobody() -> None:
    assert triples(("Bob", "Hi there."), ("Ann", "I bought Your Name on Friday.")) == [("Ann", "buys", "Your Name")]


@pytest.mark.requirement("K-READ-11")
def test_you_is_whoever_is_spoken_to() -> None:
    pets = ("Ben", "I got two turtles.")
    assert triples(pets, ("Ann", "I love your turtles!")) == [("Ann", "loves", "Ben's turtles")]
    assert triples(("Ann", "I love your turtles!")) == []
    assert triples(pets, ("Cat", "Nice."), ("Ann", "I love your turtles!")) == []
    assert triples(pets, ("Ann", "I enjoy blocking, jumping and beating your opponents.")) == []


@pytest.mark.requirement("K-READ-11")
def test_a_pronoun_before_what_is_owned_is_its_owner() -> None:
    found = triples(("Ann", "My sister Eva is a cook. I love her pizza. I met her in Rome."))
    assert ("Ann", "loves", "Eva's pizza") in found
    assert ("Ann", "meets", "Eva") in found


@pytest.mark.requirement("K-READ-12")
@pytest.mark.parametrize(
    ("text", "verb", "target"),
    [
        ("Got fired from Vela.", "works at", "Vela"),
        ("Quit my job at Vela.", "works at", ""),
        ("Moved to Porto last week.", "lives in", "Porto"),
        ("Bought a car.", "buys", "car"),
        ("Been working at Vela for five years.", "works at", "Vela"),
        ("Just started taking violin lessons.", "takes", "violin lessons"),
        ("Haven't been to Japan.", "visits", "Japan"),
        ("Just got home from a pottery class.", "gets home from", "pottery class"),
    ],
)
def test_who_leaves_out_i_speaks_of_themselves(text: str, verb: str, target: str) -> None:
    assert ("Ann", verb, target) in triples(("Ann", text))


@pytest.mark.requirement("K-READ-12")
@pytest.mark.parametrize(
    "said",
    [
        [("Ann", "Bought a car?")],
        [("Ann", "Moved by the story, I wept.")],
        [("Ann", "Made by hand in Rome.")],
        [("Ben", "How is Tom, what did he do?"), ("Ann", "Moved to Porto.")],
    ],
)
def test_a_left_out_subject_may_be_somebody_else(said: list[tuple[str, str]]) -> None:
    assert all(each[0] != "Ann" for each in triples(*said))


@pytest.mark.requirement("K-READ-12")
def test_after_talk_of_somebody_else_a_left_out_subject_is_nobody() -> None:
    found = triples(("Ann", "My brother Tom is fine. Got a new job at Vela."))
    assert ("Ann", "works at", "Vela") not in found
