"""When an evidence turn counts as found, on contexts small enough to check by eye."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.evaluate.metrics import Passage, fill, tokens, words

ROOMY = 10_000


def has(context: str, turn: str, budget: int = ROOMY) -> bool:
    return Passage(context, budget).has(words(turn))


def cover(context: str, turn: str) -> float:
    return Passage(context, ROOMY).cover(words(turn))


@pytest.mark.requirement("F-BENCH-03")
def test_normal_form() -> None:
    assert words("Don’t SHOUT, café-owner: it's №3!") == ["dont", "shout", "cafe", "owner", "its", "no3"]
    assert words("🙂 …") == []


@pytest.mark.requirement("F-BENCH-03")
def test_a_token_is_four_characters_rounded_up() -> None:
    assert [tokens("x" * length) for length in (0, 1, 4, 5)] == [0, 1, 1, 2]


@pytest.mark.requirement("F-BENCH-03")
def test_a_whole_turn_is_found_whatever_stands_around_it() -> None:
    assert has("[3 May] Ann: I moved to Oslo.\n[4 May] Ben: fine", "I moved to Oslo!")
    assert not has("Ann: I moved to Bergen.", "I moved to Oslo!")
    assert not has("a b c", "")


@pytest.mark.requirement("F-BENCH-03")
def test_nine_tenths_of_the_words_are_enough_if_they_stand_together() -> None:
    turn = "one two three four five six seven eight nine ten"
    assert has("one two three four five six seven eight nine", turn)
    assert has("two three four five six seven eight nine ten and more", turn)
    assert not has("one two three four five six seven eight", turn)
    assert not has("one two three four five and six seven eight nine ten", turn)
    assert not has("one two three four", "one two three four five")  # ceil(4.5) words are all five


@pytest.mark.requirement("F-BENCH-03")
@pytest.mark.parametrize("turn", ["ok", "oh no", "not at all"])
def test_short_turns_must_stand_whole_as_words(turn: str) -> None:
    assert has(f"he said {turn} then", turn)
    assert not has(f"he said x{turn}x then", turn)


@pytest.mark.requirement("F-BENCH-03")
def test_soft_cover_counts_shingles_wherever_they_stand() -> None:
    turn = "a b c d e f"  # three shingles
    assert cover("a b c d ... c d e f", turn) == pytest.approx(2 / 3)
    assert cover("a b c d e f", turn) == 1.0
    assert cover("f e d c b a", turn) == 0.0
    assert cover("so yes sir", "yes sir") == 1.0
    assert cover("yes no sir", "yes sir") == 0.0
    assert cover("anything", "") == 0.0


@pytest.mark.requirement("F-BENCH-03")
def test_what_lies_behind_the_budget_does_not_count() -> None:
    context = "x" * 40 + " I moved to Oslo"
    assert has(context, "moved to Oslo", budget=14)
    assert not has(context, "moved to Oslo", budget=13)


@pytest.mark.requirement("F-BENCH-03")
def test_fill_stops_with_the_line_that_passes_the_budget() -> None:
    lines = ["a" * 7, "b" * 7, "c" * 7]
    assert fill(lines, 4) == "aaaaaaa\nbbbbbbb"
    assert fill(lines, 100) == "\n".join(lines)
    assert fill(lines, 0) == ""
    assert fill([], 5) == ""


@pytest.mark.requirement("F-BENCH-03")
@given(st.lists(st.sampled_from("abc"), max_size=40), st.lists(st.sampled_from("abc"), max_size=12), st.integers(0, 60))
def test_found_agrees_with_trying_every_run(context: list[str], turn: list[str], budget: int) -> None:
    passage = Passage(" ".join(context), budget)
    shown = f" {' '.join(words(passage.text))} "
    need = -(-9 * len(turn) // 10)
    runs = [" ".join(turn[start : start + need]) for start in range(len(turn) - need + 1)] if turn else []
    assert passage.has(turn) == any(f" {run} " in shown for run in runs)


@pytest.mark.requirement("F-BENCH-03")
@given(st.text(), st.text(), st.integers(0, 50))
def test_any_text_can_be_measured(context: str, turn: str, budget: int) -> None:
    found = Passage(context, budget).find([words(turn)])
    assert found.tokens <= budget
    assert 0.0 <= found.cover[0] <= 1.0
    assert found.cover[0] == 1.0 or not found.whole[0] or len(words(turn)) >= 10
