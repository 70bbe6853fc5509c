"""Numbers with their nouns, in one way everywhere."""

import re

import pytest

from clew.text.counted import counted
from tests.house.tree import ROOT


@pytest.mark.requirement("F-CLI-93")
@pytest.mark.parametrize(
    ("count", "noun", "told", "words"),
    [
        (1, "turn", "", "1 turn"),
        (0, "turn", "", "0 turns"),
        (2000, "turn", "are missing", "2,000 turns are missing"),
        (1, "turn", "are missing", "1 turn is missing"),
        (1, "turn", "lack what it says", "1 turn lacks what it says"),
        (2, "entry", "", "2 entries"),
        (1, "entry", "", "1 entry"),
        (2, "day", "", "2 days"),
    ],
)
def test_a_noun_agrees_with_its_number(count: int, noun: str, told: str, words: str) -> None:
    assert counted(count, noun, told) == words


@pytest.mark.requirement("F-CLI-93")
def test_no_plural_is_made_elsewhere() -> None:
    own = re.compile(r"""\{['"]s['"] (?:\* \(|if )""")
    code = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")}
    assert [path.name for path, text in code.items() if own.search(text)] == []
