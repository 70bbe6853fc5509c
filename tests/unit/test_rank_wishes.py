"""Wishes for always: which turns hold one, and how many count for a request."""

from datetime import timedelta

import numpy as np
import pytest

from clew.rank.signals.style import WISHES, standing
from clew.text.style import says_standing_wish
from tests.support.ranking_spaces import NOON, asked, said, space


@pytest.mark.requirement("F-RANKING-30")
@pytest.mark.parametrize(
    "text",
    [
        "Always show the code first.",
        "Thanks. And never use tabs, please.",
        "Some rules:\n- Never guess\n- be sure to cite",
        "Please make sure you use metric units.",
        "You should always ask before you delete.",
        "From now on, answer in French.",
        "When I ask for a recipe, leave out nuts.",
        "I’d rather see one example than three.",
        "I don't like long answers.",
        "I hate pop-ups.",
        "As to colours, my preference is green.",
        "In future, keep it short.",
    ],
)
def test_orders_and_likings_are_wishes(text: str) -> None:
    assert says_standing_wish(text)


@pytest.mark.requirement("F-RANKING-30")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "I have never been there.",
        "I always forget where it is.",
        "I want to make sure that it works.",
        "Can you help me and make sure it runs?",
        "Will there be more forms in the future?",
        "Always been a fan of it.",
        "Every time it rains we stay in.",
        "You must be sure of it.",
    ],
)
def test_what_only_uses_such_words_is_none(text: str) -> None:
    assert not says_standing_wish(text)


@pytest.mark.requirement("F-RANKING-30")
@pytest.mark.parametrize("text", ["\n" * 1_000_000, ". " * 500_000, "always\n" * 150_000, "I’d I want " * 100_000])
def test_long_texts_are_read_once(text: str) -> None:
    """With the square of the length this would take hours."""
    assert not says_standing_wish(text + "sure, t want")


@pytest.mark.requirement("F-RANKING-30")
def test_of_many_wishes_the_nearest_to_the_question_count() -> None:
    size = WISHES + 8
    wishes = [said(f"Always do thing {place}.", at=NOON + timedelta(days=place)) for place in range(size)]
    view = space(*wishes, said("Fine.", role="assistant"), *[said("Fine.", role="assistant") for _ in range(9)])
    question = "Can you help me with thing 3, thing 5 and the rest?"
    near = np.linspace(0, 1, len(view.turns.ordinal))
    with_vectors = standing(asked(view, question, np.stack([near, near])))
    assert with_vectors is not None
    assert np.flatnonzero(with_vectors).tolist() == list(range(size - WISHES, size))
    unknown = np.full((2, len(near)), np.nan)
    unknown[:, :3] = 0.5
    newest = standing(asked(view, question, unknown))
    assert newest is not None
    assert np.flatnonzero(newest).tolist() == [0, 1, 2, *range(size - WISHES + 3, size)], "of equals the newest"
    by_words = standing(asked(view, question))
    assert by_words is not None
    assert by_words[3] == by_words[5] == 1
    assert np.count_nonzero(by_words) == WISHES
    without_words = standing(asked(view, "Could you?"))
    assert without_words is not None
    assert np.flatnonzero(without_words).tolist() == list(range(size - WISHES, size)), "the newest"
