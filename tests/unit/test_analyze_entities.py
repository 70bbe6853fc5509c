"""What one text names, without a model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.analyze.entities import entities_in, entity_key
from clew.analyze.keyphrases import tag_key
from clew.text.normalise import fold
from clew.types.entity import NodeType


def named(text: str) -> dict[str, str]:
    return {each.name: str(each.type) for each in entities_in(text).mentions if each.type is not NodeType.CONCEPT}


def concepts(text: str) -> set[str]:
    return {each.name for each in entities_in(text).mentions if each.type is NodeType.CONCEPT}


@pytest.mark.requirement("F-ENTITY-01")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I talked to Dr. Ann Lee today.", {"Dr. Ann Lee": "person"}),
        ("my brother Zoltan came by", {"Zoltan": "person"}),
        ("we flew to New York with Emma", {"New York": "place", "Emma": "person"}),
        ("Los Angeles is where we met, and then Las Vegas", {"Los Angeles": "place", "Las Vegas": "place"}),
        ("La casa de Marta es grande", {"Marta": "person"}),
        ("### Explanation of the Header\nWe met Emma in Porto.", {"Emma": "person", "Porto": "place"}),
        ("they live in Vantaa now", {"Vantaa": "place"}),
        (
            "she left Acme Corp for the University of Oulu",
            {"Acme Corp": "organization", "University of Oulu": "organization"},
        ),
        ("we moved it to PostgreSQL", {"PostgreSQL": "product"}),
        ("the movie Solaris was long", {"Solaris": "work"}),
        ("a walk along Redondo Beach Blvd", {"Redondo Beach Blvd": "place"}),
        ("I saw Quizzle", {"Quizzle": "name"}),
        ("That was Emma's idea, not Bob’s.", {"Emma": "person", "Bob": "person"}),
        ("I work with Claude Code and Gemini CLI", {"Claude Code": "product", "Gemini CLI": "product"}),
        ("my friend Claude Moreau paints", {"Claude Moreau": "person"}),
        ("we host it on GitHub Pages", {"GitHub Pages": "product"}),
        ("she is majoring in Economics in Tromso", {"Economics": "name", "Tromso": "place"}),
        ("there is no support in TLS or in H2O", {"TLS": "name", "H2O": "name"}),
        ("a seamstress with experience in Tromso", {"Tromso": "place"}),
        ("they met in Salem NJ", {"Salem NJ": "place"}),
        ("the EVA vector of a landmark", {"EVA": "name"}),
    ],
)
def test_names_are_found_with_their_types(text: str, expected: dict[str, str]) -> None:
    assert named(text) == expected


@pytest.mark.requirement("F-ENTITY-01")
@pytest.mark.parametrize(
    "text",
    [
        "Painting is fun. Running too! Well, Maybe.",
        "See you on Monday, in May or at Christmas.",
        "THIS IS SO GOOD, I CANNOT BELIEVE IT",
        "How To Make Great Pizza Dough Without Yeast",
        "write to a.b@Example.com, @Handle or https://Some.Host/Path",
        "I think I'm OK, OMG",
        "First, install it. Next, run it.",
        "- **Error Handling**: wrap the call.\n- **File Structure**: keep it flat.",
        "We meet on Sundays. Woah, see you. I said Oof.",
    ],
)
def test_capitals_that_are_no_names_and_dates_are_left_alone(text: str) -> None:
    assert named(text) == {}


@pytest.mark.requirement("F-ENTITY-01")
def test_a_name_that_opens_a_sentence_counts_where_another_mention_knows_it() -> None:
    assert named("Zilch is back.") == {}
    assert named("Zilch is back. I like Zilch.") == {"Zilch": "name"}


@pytest.mark.requirement("F-ENTITY-02")
def test_lower_case_concepts_come_by_their_phrases() -> None:
    assert "pottery workshop" in concepts("I went to a pottery workshop with Emma")
    assert not concepts("I saw Emma") & {"emma"}
    assert not concepts("The export of 23:00 costs 19,99, in 7c1e9b2") & {"23", "00", "19", "99", "7c1e9b2"}
    long = " ".join(f"The quiet harbour number{n} was full of wooden boats and salted herring." for n in range(60))
    assert len(concepts(long)) <= 6


@pytest.mark.requirement("F-ENTITY-03")
def test_forms_of_address_are_told_apart_from_mentions() -> None:
    found = entities_in("Hey Mel! My name is Quill. I saw Bob.")
    assert (found.addressed, found.self_named) == (("Mel",), ("Quill",))
    assert named("Hey Mel! My name is Quill. I saw Bob.") == {"Mel": "person", "Quill": "person", "Bob": "person"}


@pytest.mark.requirement("F-ENTITY-01")
def test_spellings_of_a_name_have_one_key() -> None:
    assert entity_key("Golden  Retrievers") == entity_key("golden-retriever") == entity_key("GOLDEN RETRIEVER")
    assert entity_key("Zoë") == entity_key("zoe")
    assert entity_key("!?") == ""


@pytest.mark.requirement("F-ENTITY-01")
@given(st.text(max_size=30) | st.text("aeınsSİßﬁ -_'’.é京\u3000ſK1\t\nǅ", max_size=14))
def test_a_name_has_the_key_of_its_words(name: str) -> None:
    assert entity_key(name) == tag_key(fold(name))


@pytest.mark.requirement("F-ENTITY-04")
@given(st.text(max_size=300))
def test_any_text_gives_names_that_stand_in_it(text: str) -> None:
    found = entities_in(text)
    keys = [each.key for each in found.mentions]
    assert len(keys) == len(set(keys))
    assert all(keys)
    assert all(each.key == entity_key(each.name) for each in found.mentions)


@pytest.mark.requirement("F-ENTITY-04")
@pytest.mark.parametrize("text", ["", "   ", "🎉🎉", "我们喝茶", "A " * 30_000, "Aa" * 50_000, "x" * 100_000])
def test_odd_texts_give_a_bounded_answer(text: str) -> None:
    assert len(entities_in(text).mentions) <= 24 + 6 + 2
