"""Facts in the third person: what a stranger reads, and that the same fact stays one fact."""

import pytest

from clew.knowledge.model_facts import model_facts, said_turn
from clew.knowledge.third_person import in_third_person
from clew.knowledge.values import same_value, value_key
from clew.memory import Memory
from clew.types.facts import Fact, FactStatus, FactType
from tests.support.memories import NOON, at, quiet, told


@pytest.mark.requirement("F-PRON-01")
@pytest.mark.parametrize(
    ("subject", "words", "expected"),
    [
        ("Ann", "to change my flight", "to change their flight"),
        ("Ann", "book that helps me", "book that helps them"),
        ("Ann", "by myself with a friend of mine", "by themselves with a friend of theirs"),
        ("Ann", "to know what I'm getting into", "to know what they are getting into"),
        ("Ann", "cake I don't like when I was ill", "cake they don't like when they were ill"),
        ("Ann", "trip with our kids that we've planned", "trip with their kids that they have planned"),
        ("Ann", "to help them with my car", "to help them with Ann's car"),
        ("Tom", "my cooking", "Ann's cooking"),
        ("Tom", "cake I have and cookies I bake", "cake Ann has and cookies Ann bakes"),
        ("Ann's sister", "to borrow my car", "to borrow Ann's car"),
        ("we", "basil from our garden on my balcony", "basil from our garden on Ann's balcony"),
        ("Ann", "museum of World War I in the US", "museum of World War I in the US"),
        ("Ann", 'film "Me and my Dog" and a gold mine', 'film "Me and my Dog" and a gold mine'),
        ("Ann", "me-time", "me-time"),
    ],
)
def test_the_words_of_a_speaker_are_told_by_somebody_else(subject: str, words: str, expected: str) -> None:
    assert in_third_person(words, "Ann", subject) == expected


@pytest.fixture(name="memory")
def _memory() -> Memory:
    return quiet()


def facts_of(memory: Memory, *said: str) -> list[Fact]:
    for day, text in enumerate(said):
        memory.add(told(text, at=at(1440 * day)))
    memory.drain(200)
    return memory.facts()


@pytest.mark.requirement("F-PRON-01")
@pytest.mark.requirement("F-PRON-02")
def test_a_fact_reads_rightly_and_is_corrected_in_either_person(memory: Memory) -> None:
    with memory:
        (fact,) = facts_of(memory, "I want to change my flight to Boston.")
        assert (fact.told, fact.id) == ("user wants to change their flight to Boston", "s:turn:0:fact:0")
        assert memory.get(fact.sources[0]).text == "I want to change my flight to Boston."
        memory.correct(fact.id, "to change my flight to Boston")  # confirmed, in the words of the speaker
        memory.drain(200)
        (same,) = memory.facts()
        assert (same.id, len(same.sources), same.retracted) == (fact.id, 2, False)


@pytest.mark.requirement("F-PRON-02")
@pytest.mark.parametrize(
    ("first", "third"),
    [
        ("to change my flight", "to change their flight"),
        ("our old house with me", "their old house with them"),
        ("what I was told", "what they were told"),
    ],
)
def test_an_object_is_the_same_in_either_person(first: str, third: str) -> None:
    assert value_key(first) == value_key(third)
    assert same_value(first, third)
    assert value_key("tour of the US") != value_key("tour of them")


@pytest.mark.requirement("F-PRON-01")
@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        (
            "I want to sell my boat to my brother.",
            "to sell my boat to my brother",
            "to sell their boat to their brother",
        ),
        ("Yo vivo en Porto porque me gusta el mar.", "me gusta el mar", "me gusta el mar"),
    ],
)
def test_what_a_model_finds_is_told_alike_and_other_languages_are_left_alone(
    text: str, value: str, expected: str
) -> None:
    said = said_turn(told(text, speaker="Ann", at=NOON).stored(seq=0, ordinal=0, ingested_at=NOON))
    nothing = dict.fromkeys(("scope", "instead_of", "when", "where", "reason"), "")
    kinds = {"status": "active", "type": "personal", "effect": "states"}
    answer = {"quote": text, "subject": "Ann", "verb": "wants", "object": value, **nothing, **kinds}
    (statement,) = model_facts({"facts": [answer]}, said, "model:m").statements
    assert statement.object == expected


@pytest.mark.requirement("F-PRON-03")
@pytest.mark.parametrize(
    ("subject", "kind", "expected"),
    [
        ("user's flights", FactType.WORLD, "user's flights are delayed"),
        ("le bras", FactType.WORLD, "le bras is delayed"),
        ("Ann's parents", FactType.PERSONAL, "Ann's parents are delayed"),
        ("Ann's grandchildren", FactType.PERSONAL, "Ann's grandchildren are delayed"),
        ("Ann's boss", FactType.PERSONAL, "Ann's boss is delayed"),
        ("news", FactType.WORLD, "news is delayed"),
        ("analysis", FactType.WORLD, "analysis is delayed"),
        ("james", FactType.PERSONAL, "james is delayed"),
        ("James", FactType.WORLD, "James is delayed"),
    ],
)
def test_a_verb_agrees_with_its_subject(subject: str, kind: FactType, expected: str) -> None:
    fact = Fact(id="s:turn:0:fact:0", subject=subject, verb="is", object="delayed", status=FactStatus.ACTIVE, type=kind)
    assert fact.told == expected
