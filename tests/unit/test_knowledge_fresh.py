"""Facts by rules: classes that stories in other people's words showed to be missed or misread."""

import pytest

from clew.knowledge.book import Book
from clew.knowledge.guard import own_words
from clew.knowledge.rules.extract import statements
from tests.support.effort import examples
from tests.support.memories import at, told
from tests.unit.test_knowledge_hollow import triples

Triple = tuple[str, str, str]


@pytest.mark.requirement("F-PRON-04")
@pytest.mark.parametrize(
    "text",
    [
        "I left Vela early today to pick up the kids.",
        "I left Vela at five.",
        "Left Vela at 4 because of the snow.",
        "I left work late last night.",
        "I left the office in a hurry.",
    ],
)
def test_going_home_ends_no_job(text: str) -> None:
    assert triples(("Ann", text)) == []


@pytest.mark.requirement("F-PRON-04")
@pytest.mark.parametrize("text", ["I left Vela in March.", "I left Vela early last year.", "I left Vela at 30."])
def test_leaving_for_good_does(text: str) -> None:
    found = statements([told(text, speaker="Ann", at=at(0)).stored(seq=0, ordinal=0, ingested_at=at(0))])
    assert [(each.verb, each.object.split()[0]) for each in found] == [("leaves", "Vela")]


@pytest.mark.requirement("K-READ-20")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Zoe is a nurse and lives in Rome.", [("Zoe", "works as", "nurse"), ("Zoe", "lives in", "Rome")]),
        ("Tom is a chef and loves opera.", [("Tom", "works as", "chef"), ("Tom", "loves", "opera")]),
        ("Zoe is a nurse and works at Vela.", [("Zoe", "works as", "nurse"), ("Zoe", "works at", "Vela")]),
        ("Tom is a man of plans and dreams.", [("Tom", "is", "man of plans and dreams")]),
        ("Zoe is fond of cats and works of art.", [("Zoe", "is fond of", "cats and works of art")]),
        ("I mean my sister Zoe lives in Rome.", [("Zoe", "lives in", "Rome"), ("Zoe", "is sister of", "Ann")]),
    ],
)
def test_what_one_is_ends_where_the_next_verb_begins(text: str, expected: list[Triple]) -> None:
    assert triples(("Ann", text)) == expected


@pytest.mark.requirement("F-PRON-05")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I got promoted to team lead.", [("Ann", "works as", "team lead")]),
        ("I speak Spanish and a little French.", [("Ann", "speaks", "Spanish and a little French")]),
        ("I spoke to Tom in French.", []),
        ("I was elected treasurer of the club.", [("Ann", "works as", "treasurer of the club")]),
        ("I was hired by Vela as a nurse.", [("Ann", "works at", "Vela"), ("Ann", "works as", "nurse")]),
        ("I took over as head of sales.", [("Ann", "works as", "head of sales")]),
        ("Just got diagnosed with asthma.", [("Ann", "is diagnosed with", "asthma")]),
        (
            "I live with my parents in Leeds to save money.",
            [("Ann", "lives with", "parents"), ("Ann", "lives in", "Leeds")],
        ),
        ("I swapped the Golf for a Fiat.", [("Ann", "swaps", "Golf"), ("Ann", "gets", "Fiat")]),
        ("Treated myself to a new bike.", [("Ann", "buys", "new bike")]),
        (
            "I took over the bakery from my dad.",
            [("Ann", "takes over", "bakery"), ("Ann", "is responsible for", "bakery")],
        ),
        ("I transferred to Boston University.", [("Ann", "studies at", "Boston University")]),
        ("My cat passed away.", [("Ann's cat", "dies", ""), ("Ann", "has", "cat")]),
        ("The rent went up to 900 euros.", [("rent", "costs", "900 euros")]),
        ("My salary was raised to 90k.", [("Ann", "has salary", "90k")]),
        ("The session timeout is now 30 minutes.", [("session timeout", "is set to", "30 minutes")]),
        ("I raised the limit to 200 after the outage.", [("limit", "is set to", "200")]),
        ("The release slipped to June 17.", [("release", "is scheduled for", "June 17")]),
        ("The release slipped on June 17.", []),
        ("I moved to the marketing team.", [("Ann", "moves to", "marketing team")]),
        ("I set the theme to dark.", [("theme", "is set to", "dark")]),
        ("I set my mind to it.", [("Ann", "sets", "mind")]),
        ("We adopted a beagle.", [("Ann", "adopts", "beagle")]),
        ("We adopted trunk-based development.", [("we", "adopts", "trunk-based development")]),
        ("We migrated the queue from RabbitMQ to Kafka.", [("we", "uses", "Kafka")]),
        ("My trip is 3 days.", []),
    ],
)
def test_what_people_say_in_other_words(text: str, expected: list[Triple]) -> None:
    assert triples(("Ann", text)) == expected


@pytest.mark.requirement("F-PRON-05")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Josh moved to Tucson.", [("Josh", "lives in", "Tucson")]),
        ("Liz is pregnant.", [("Liz", "is", "pregnant")]),
        ("Dinner moved to Tucson.", []),
    ],
)
def test_a_given_name_opens_a_sentence(text: str, expected: list[Triple]) -> None:
    assert triples(("Ann", text)) == expected


@pytest.mark.requirement("F-PRON-05")
def test_a_nickname_is_told_of_whom_it_names() -> None:
    said = ("Ann", "My sister Elizabeth lives in Oslo.")
    assert triples(said, ("Ann", "We all call her Liz.")) == [("Elizabeth", "goes by", "Liz")]


@pytest.mark.requirement("F-PRON-05")
def test_who_is_named_with_a_word_of_kinship_is_one_person() -> None:
    said = ("Ann", "Josh is my brother. He moved to Rome.")
    assert triples(said) == [("Josh", "is", "Ann's brother"), ("Josh", "lives in", "Rome")]
    assert triples(("Ann", "Tom is my boss. My brother is here. He moved to Rome."))[1:] == []


@pytest.mark.requirement("F-PRON-06")
def test_what_only_looks_like_a_verb_or_a_title_is_none() -> None:
    text = "I'm fascinated by the places and experiences that travel brings."
    assert triples(("Ann", text)) == [("Ann", "is", "fascinated by the places and experiences that travel brings")]
    assert triples(("Ann", "But we learn and we grow at the end of the day.")) == []
    text = 'I finished reading a novel called "Me Before You" by Jojo Moyes.'
    assert triples(("Ann", text)) == [("Ann", "reads", 'novel called "Me Before You" by Jojo Moyes')]


@pytest.mark.requirement("F-PRON-06")
@pytest.mark.parametrize("title", ["I Live In Rome", "my home is Rome", "Me And My Home Are Now In Rome"])
def test_what_is_said_in_quotation_marks_is_no_title(title: str) -> None:
    assert title not in own_words(f'I read a novel called "{title}" by Jojo Moyes.')


@pytest.mark.requirement("F-PRON-07")
def test_a_setting_has_one_value() -> None:
    book = Book()
    for day, text in enumerate(("The session timeout is 15 minutes.", "I raised the session timeout to 30 minutes.")):
        turn = told(text, speaker="Ann", at=at(1440 * day)).stored(seq=day, ordinal=day, ingested_at=at(0))
        book.add(statements([turn]))
    assert [fact.object for fact in book.facts() if fact.superseded_by is None] == ["30 minutes"]


@pytest.mark.thorough
@pytest.mark.timeout(120)
@pytest.mark.requirement("F-EDGE-08")
@pytest.mark.parametrize("sentence", ['"I said that I am so" ', "The user is a so. "])
def test_a_long_text_of_quotations_or_dictation_is_blanked_in_time_that_grows_with_its_length(sentence: str) -> None:
    text = sentence * examples(25_000, 150_000)
    own = own_words(text)
    assert len(own) == len(text)
    assert not own.strip()
