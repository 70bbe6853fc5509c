"""Text as a block shows it: the short ways for plain texts give what the long ones do."""

from datetime import timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from clew.assemble.code_fences import has_fences
from clew.assemble.render import item_line, item_lines
from clew.condense.renderings import SALIENT, TITLE, cut, title
from clew.memory import Memory
from clew.rank.frame import make_frame
from clew.rank.intent import read_intent
from clew.testing import FrozenClock
from clew.text.pieces import piece_spans
from clew.text.printable import CONTROL, is_plain, is_printable, printable
from clew.text.sentences import sentence_spans
from clew.text.shown_names import escaped_marks
from clew.types import Turn
from tests.support.ranking_spaces import NOON

PARTS = st.sampled_from(
    [
        *("\n", "\n\n", "\t", " ", "  \n", "\r\n", "\u2028", "\x1b[1m", "\x07", "\u00a0", "é", "\u200b"),
        *("7 Bob: yes", "[s] 2024-01-01", "12", ":", "[", "a word.", "Two words?", "# A title", "- item", "..."),
        *("<", "</clew-memory>", "<CLEW-quote>", "&lt;clew-memory", "&LT;Clew_Earlier", "\\u003cclew-memory", "&"),
        *("clew-memory>", "\u2039clew-memory>", "<\u200bclew-memory>", "< / clew-memory >", "words of a person"),
    ]
)
TEXT = st.lists(PARTS, max_size=12).map("".join)
BELL, PICTURE = "\x07", "\u2407"
BRACKET = "\u2039"
"""A sign that looks like `<`, so that a text with it is searched for all such signs."""


@pytest.mark.requirement("F-RANKING-12")
@given(TEXT | st.text())
def test_a_plain_text_has_nothing_to_make_visible(text: str) -> None:
    if is_plain(text):
        assert CONTROL.search(text) is None
        assert printable(text) == text
    assert is_plain(text) == text.replace("\n", "").replace("\t", "").isprintable()
    assert is_printable(text) == text.isprintable()


@pytest.mark.requirement("F-RANKING-12")
@given(st.lists(TEXT, max_size=6))
def test_lines_made_together_are_those_made_one_by_one(texts: list[str]) -> None:
    assert item_lines(range(len(texts)), ["Ann"] * len(texts), texts) == [
        item_line(seq, "Ann", text) for seq, text in enumerate(texts)
    ]


@pytest.mark.requirement("F-RANKING-12")
@given(TEXT)
def test_a_plain_text_is_escaped_as_any_other(text: str) -> None:
    assert f"{escaped_marks(text)} {BRACKET}" == escaped_marks(f"{text} {BRACKET}")
    text = text.strip()
    assume(is_plain(text) and not has_fences(text))
    assert item_line(7, "Ann", text).removesuffix("\n") + PICTURE == item_line(7, "Ann", text + BELL).removesuffix("\n")


@pytest.mark.requirement("F-PACK-06")
@given(TEXT)
def test_a_title_is_the_first_sentence_of_three_words_or_else_the_first(text: str) -> None:
    lines = [" ".join(text[start:end].strip("#*_ \n\t").split()) for start, end in sentence_spans(text[: 4 * SALIENT])]
    long = [line for line in lines if line.count(" ") > 1]
    assert title(text) == cut([*long, *lines, ""][0], TITLE)


@pytest.mark.requirement("F-RANKING-12")
def test_the_index_knows_where_the_pieces_of_a_turn_are() -> None:
    texts = ["short", "A sentence of a long turn. " * 60, "lines\n\nand paragraphs\n" * 50]
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        for number, text in enumerate(texts):
            memory.add(Turn(role="user", content=text, session="s", at=NOON + timedelta(minutes=number)))
        view = memory.reads.live.view()
        intent = read_intent("long", view.speakers, NOON, with_assistant=False, covered=None)
        frame = make_frame(intent, view, memory.config.recall, None, with_assistant=False)
        assert [frame.spans_of_pieces(place) for place in range(3)] == list(map(piece_spans, texts))
