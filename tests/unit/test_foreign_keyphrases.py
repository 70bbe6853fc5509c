"""What the phrases of texts in other languages and scripts are made of."""

import pytest

from clew.analyze.entities import entities_in
from clew.analyze.keyphrases import keyphrases
from clew.analyze.tags import is_name
from clew.knowledge.rules.extract import statements
from clew.types import Turn


def phrases(text: str) -> list[str]:
    return [phrase.name for phrase in keyphrases(text, 6)]


@pytest.mark.requirement("W-TAG-15")
@pytest.mark.parametrize(
    ("text", "there", "not_there"),
    [
        pytest.param("मुझे मूंगफली से एलर्जी है", "मूंगफली", "गफल", id="vowel signs stay in their word"),
        pytest.param("डेटाबेस का बैकअप रोज़ लेना", "डेटाबेस", "का", id="hindi function words"),
        pytest.param("新しい洗濯機が届きました。", "洗濯機", "新しい洗濯機が届きました", id="japanese nouns"),
        pytest.param("枕はカバーごと洗えます。", "カバー", "はカバーごと", id="katakana"),
        pytest.param("배송비를 확인하세요.", "배송비를", "확인하세요", id="the verb at the end in korean"),
        pytest.param("Отлично, отметил договор с банком.", "отметил-договор", "отлично", id="a reply in russian"),
        pytest.param(
            "Anotado: a migração termina no dia 30 de abril.", "migração-termina", "anotado", id="in portuguese"
        ),
        pytest.param("حسنا، يجب إبلاغ القاعة والمصور.", "القاعة", "حسنا", id="in arabic"),
    ],
)
def test_phrases_are_words_and_no_grammar(text: str, there: str, not_there: str) -> None:
    found = phrases(text)
    assert any(there in name for name in found)
    assert not_there not in {part for name in found for part in (name, *name.split("-"))}


@pytest.mark.requirement("W-TAG-15")
def test_a_clause_without_spaces_is_no_name() -> None:
    assert not is_name("面试地点在长沙市第一中学")
    assert is_name("木易家具")
    assert [m.name for m in entities_in("不要给我排练习,今天晚上没有空。").mentions] == []


@pytest.mark.requirement("K-FCT-05")
def test_rules_for_english_state_nothing_of_other_languages() -> None:
    def told(text: str) -> list[str]:
        return [each.verb for each in statements([Turn(role="user", speaker="Jo", content=text, session="s")])]

    assert told("hab die Schuhe gekauft, war im angebot für 89,90") == []
    assert told("I met Ben.") == ["meets"]
