"""Where a long text is cut."""

import pytest

from clew.errors import ConfigError
from clew.text.pieces import piece_spans


def pieces(text: str, low: int = 20, high: int = 40) -> list[str]:
    return [text[start:end] for start, end in piece_spans(text, low, high)]


@pytest.mark.requirement("F-TEXT-06")
def test_a_short_text_is_one_piece_and_an_empty_one_none() -> None:
    assert pieces("x" * 40) == ["x" * 40]
    assert pieces("") == []


@pytest.mark.requirement("F-TEXT-06")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("One two three. Four five\n\n", "six seven. Eight\nnine ten, eleven"),
        ("One two three. Four five\n", "six seven. Eight, nine ten, eleven"),
        ("One two three, four five. ", "six seven eight nine ten eleven tw"),
        ("「一二三四五六七八九十一二三四五六七八九十。」", "一二三四五六七八九十一二三四五六七八九十"),
        ("one two three four five six seven eight ", "nine ten eleven twelve thirteen fourteen"),
        ("x" * 40, "x" * 30),
    ],
)
def test_the_best_pause_wins(first: str, second: str) -> None:
    assert pieces(first + second) == [first, second]


@pytest.mark.requirement("F-TEXT-06")
def test_the_last_piece_is_not_a_crumb() -> None:
    sizes = [len(piece) for piece in pieces("word " * 9)]
    assert sum(sizes) == 45
    assert min(sizes) >= 20


@pytest.mark.requirement("F-TEXT-06")
def test_a_hard_cut_keeps_a_mark_with_its_letter() -> None:
    first, second = pieces("e\u0301" * 30)[:2]
    assert not first.endswith("e")
    assert second.startswith("e")


@pytest.mark.requirement("F-TEXT-06")
@pytest.mark.parametrize(("low", "high"), [(0, 10), (10, 19), (-1, 5)])
def test_limits_that_do_not_suit_are_refused(low: int, high: int) -> None:
    with pytest.raises(ConfigError, match=f"{low} to {high}"):
        piece_spans("x", low, high)
