"""How a text speaks: of itself, asking, stating."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.text import style as module
from clew.text.style import Style, style


@pytest.mark.requirement("F-RECALL-01")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Style(False, False, 0)),
        ("I went to Rome.", Style(True, False, 15)),
        ("They went to Rome.", Style(False, False, 18)),
        ("we’ve been there", Style(True, False, 16)),
        ("Mine is red", Style(True, False, 11)),
        ("In time, weird miners", Style(False, False, 21)),
        ("Really?", Style(False, True, 0)),
        ("Yes. Really? No.", Style(False, True, 8)),
        ("Yes!? Ok", Style(False, True, 7)),
        ("你好吗？很好。", Style(False, True, 3)),
        ("One\nTwo?\nThree", Style(False, True, 10)),
        ("so?? and??? end", Style(False, True, 4)),
    ],
)
def test_marks_are_read(text: str, expected: Style) -> None:
    assert style(text) == expected


@pytest.mark.requirement("F-RECALL-01")
@given(st.lists(st.sampled_from([*"iImMyYeEwWuUsSoOrRnN' _,.1", "I've", "we’re", "ours", "OUR", "us"])).map("".join))
def test_ascii_is_looked_at_in_lower_case_and_gives_the_same(text: str) -> None:
    assert style(text).first_person == (module._FIRST_PERSON.search(text) is not None)


@pytest.mark.requirement("F-RECALL-01")
@given(st.text("ab ?.!\n？؟。", max_size=30))
def test_what_is_stated_is_what_no_question_covers(text: str) -> None:
    asked = re.findall(r"[^.!?。！？؟\n]*[?？؟]+", text)
    assert style(text).stated == len(text) - sum(map(len, asked))


@pytest.mark.requirement("F-RECALL-01")
@pytest.mark.parametrize("text", ["a" * 2_000_000 + ". ok?", "?" * 500_000, "a?" * 300_000, " a" * 1_000_000 + "?"])
def test_long_texts_are_gone_through_once(text: str) -> None:
    """With the square of the length this would take days."""
    assert style(text).asks
