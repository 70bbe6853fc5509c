"""Names and labels of texts in other languages than English, by rule."""

import pytest

from benchmarks.foreign_names import NamedText, read_texts
from clew.analyze.entities import entities_in
from clew.analyze.keyphrases import keyphrases
from clew.analyze.other_languages import language_of
from clew.types.entity import NodeType

TEXTS = read_texts()
KNOWN = (
    ("Anna Becker", "Siemens"),  # "trifft Anna Becker von Siemens": "von" also joins names
    ("Helm",),  # "aber Helm fliegt raus": nothing says that it is no noun
)
"""What is still missed."""
TAKEN = ("Ersatz",)
"""What is still taken for a name."""


@pytest.mark.requirement("F-GRAPH-11")
@pytest.mark.parametrize("text", TEXTS, ids=lambda text: f"{text.language}: {text.text[:40]}")
def test_nouns_and_first_words_are_no_names(text: NamedText) -> None:
    missed = {name for names in KNOWN for name in names}
    assert [name for name in text.missed() if name not in missed] == []
    assert [name for name in text.invented() if name not in TAKEN] == []


@pytest.mark.requirement("F-GRAPH-11")
@pytest.mark.parametrize("language", ["de", "fr", "es", "nl", "sv"])
def test_the_lists_are_long_enough_to_judge_by(language: str) -> None:
    texts = [text for text in TEXTS if text.language == language]
    assert min(sum(len(text.names) for text in texts), sum(len(text.forbidden) for text in texts)) >= 15
    assert [language_of(text.text) for text in texts] == [language] * len(texts)


@pytest.mark.requirement("F-GRAPH-11")
def test_a_given_name_of_another_language_is_a_person() -> None:
    found = {each.name: each.type for each in entities_in("Wir treffen Jonas und Sabine am Freitag nicht.").mentions}
    assert (found["Jonas"], found["Sabine"]) == (NodeType.PERSON, NodeType.PERSON)


@pytest.mark.requirement("F-GRAPH-11")
def test_what_is_english_is_read_as_before() -> None:
    text = "Hey! Long time no see. Tons has gone down since then, and Jonas Weber moved to Leipzig."
    assert language_of(text) is None
    assert [each.name for each in entities_in(text).mentions if each.type is not NodeType.CONCEPT] == [
        "Jonas Weber",
        "Leipzig",
    ]


@pytest.mark.requirement("W-TAG-15")
@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Meine Schwester wohnt seit gestern in der neuen Wohnung.", {"schwester", "wohnung"}),
        ("Danach war die Rechnung nicht bezahlt.", {"rechnung"}),
        ("Pourquoi est-ce que la facture n'est pas payée ?", {"facture", "payée"}),
        ("Daarom is de factuur nog niet betaald.", {"factuur", "betaald"}),
    ],
)
def test_labels_have_no_function_words_of_other_languages(text: str, labels: set[str]) -> None:
    assert {word for each in keyphrases(text) for word in each.name.split("-")} - {"est", "ce"} == labels
