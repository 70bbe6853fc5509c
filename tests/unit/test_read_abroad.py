"""What rules written for English do with German chats, and with numbers in groups."""

import pytest

from clew.analyze.entities import entities_in
from clew.analyze.keyphrases import keyphrases
from clew.text.sentences import sentence_spans
from clew.types.facts import Fact
from tests.support.memories import quiet, told


def names(text: str) -> list[str]:
    """The names that a remark of Jule gives her."""
    with quiet() as memory:
        memory.add(told(text, speaker="Jule"))
        memory.drain(200)
        return [each.object for each in memory.facts(verb="is named") if isinstance(each, Fact)]


@pytest.mark.requirement("U-ABROAD-01")
@pytest.mark.parametrize("text", ["Zimmer im Erdgeschoss :)", "Im Sommer", "Treffen im Oktober", "Ben ist im Garten"])
def test_german_im_names_nobody(text: str) -> None:
    assert names(text) == []


@pytest.mark.requirement("U-ABROAD-01")
@pytest.mark.parametrize("text", ["I'm Ben", "hi im Ben", "hey, im Ben"])
def test_who_tells_their_name_has_it(text: str) -> None:
    assert names(text) == ["Ben"]


@pytest.mark.requirement("U-ABROAD-02")
@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Ich habe ab 1. Dezember eine neue Stelle.", 1),
        ("Ich buche vom 12. bis 17. Mai. Ja, gut.", 2),
        ("Am 3. juni. Und dann?", 2),
        ("She is 25. He is 30.", 2),
        ("Raum 312. Mai war kalt.", 2),
    ],
)
def test_a_date_is_not_cut_after_its_day(text: str, count: int) -> None:
    assert len(sentence_spans(text)) == count


@pytest.mark.requirement("U-ABROAD-03")
def test_a_number_in_groups_is_one_number() -> None:
    text = "The import has 48,112 rows and reads 1,450 docs/s."
    found = [mention.name for mention in entities_in(text).mentions] + [each.name for each in keyphrases(text)]
    assert found
    assert not [name for name in found if "112" in name or "450" in name or name == "48"]
