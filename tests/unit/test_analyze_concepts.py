"""Concepts: phrases that name a subject, and those that could be of any text."""

import pytest

from clew.analyze.concepts import names_nothing
from clew.analyze.entities import entities_in
from clew.types.entity import NodeType

NAMING = """
beekeeping|tide table|solar panel|error handling|input fields|divorce process|sourdough starter
book club|guest list|kidney stones|sleep schedule|vegetable soup|timetable|tax return|user id
hike|painting|bouquet|online shop|seed|shed|black friday sale
mountain bike|wedding photo|kids club|yoga class|wedding dress|science fair|law firm|cancer patient|landlord|minister
rent control|csrf token|database schema|pottery|choir practice|mortgage rate|allotment
"""

HOLLOW = """
things|lots|others|journey|moments|special|lucky|tough|used|qualify|ensure|5th|8am|ahead|process
current content|positive impact|coming days|tough times|specific date|difficult period
important part|amazing experience|further details|new approach|different ways|reasonable|wonderful
countless|long term|optimize|further optimize|great opportunity|2 hours|remaining questions
implement full output
friday|mondays|april|seven|thirty five|five minutes|mmm|mm hmm|woah|hah|whatever|somewhere|anymore|dunno|kinda
added|given|known|rehearse|rehearsed|distribute|enforce|fam
photo|friends|kids|best friend|bet|reckon|resilient|cathartic|clunky|fulfilling|tiring|heres|majoring|fri|tues|feb
"""


def phrases(text: str) -> list[str]:
    return text.strip().replace("\n", "|").split("|")


@pytest.mark.requirement("F-ENTITY-02")
@pytest.mark.parametrize("phrase", phrases(NAMING))
def test_a_phrase_with_a_noun_of_its_own_names_a_subject(phrase: str) -> None:
    assert not names_nothing(phrase)


@pytest.mark.requirement("F-ENTITY-02")
@pytest.mark.parametrize("phrase", phrases(HOLLOW))
def test_a_phrase_of_general_words_names_nothing(phrase: str) -> None:
    assert names_nothing(phrase)


@pytest.mark.requirement("F-ENTITY-02")
def test_entities_have_concepts_that_name_something() -> None:
    said = "We had lots of tough moments on this special journey, but the beehives are full."
    concepts = {each.name for each in entities_in(said).mentions if each.type is NodeType.CONCEPT}
    assert concepts == {"beehives"}


@pytest.mark.requirement("F-ENTITY-02")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We met last Fri in Oslo.", {"Oslo"}),
        ("Let's go! Together, we can win. Instead, Maria won.", {"Maria"}),
        ("2. \u2060Use a timer\n3. \u2060Stay calm\n4) Seek help", set()),
        ("9) Seek help\n10) Prune the roses\n12) Together, plan", set()),
        ("{pause} Right, and so on {pause} Look at Boston.", {"Boston"}),
        ("Ask Wellness Together in Oslo.", {"Wellness Together", "Oslo"}),
    ],
)
def test_a_word_that_opens_a_sentence_or_an_entry_is_no_name(text: str, names: set[str]) -> None:
    assert {each.name for each in entities_in(text).mentions if each.type is not NodeType.CONCEPT} == names


@pytest.mark.requirement("F-ENTITY-04")
@pytest.mark.parametrize("text", ["It ends in ing.", "ed ing ed", "the ed of ing"])
def test_an_ending_alone_is_a_word_like_others(text: str) -> None:
    assert {each.name for each in entities_in(text).mentions} <= {"ing", "ed"}
