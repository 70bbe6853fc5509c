"""Where the block for one or two words ends, and what it holds before."""

import io

import numpy as np
import pytest
from rich.console import Console

from clew.cli.explain import print_receipt
from clew.memory import Memory
from clew.rank.keywords import AROUND, is_keyword_search, without_noise
from clew.rank.search import rank
from tests.support.memories import quiet, told
from tests.support.ranking_spaces import answered, asked, column, said, space

FILLER = ("Soup again today.", "The roses need water.", "My sister likes chess.", "It rains in Bergen.", "A red car.")


def _shown(memory: Memory, question: str, session: str | None = None) -> set[str]:
    return {item.text for item in memory.recall(question, budget=4_000, session=session).items}


def _spread() -> Memory:
    """A memory of one session, in which a mango is spoken of once, far from both ends."""
    memory = quiet()
    memory.add_many([told(f"{text} Number {place}.") for place, text in enumerate(FILLER * 4)])
    memory.add(told("Shall I bring a mango?"))
    memory.add_many([told(f"{text} Number {place}.") for place, text in enumerate(FILLER * 4, start=20)])
    return memory


@pytest.mark.requirement("F-RECALL-18")
@pytest.mark.parametrize("question", ["mango", "mango bring", "Mango"])
def test_a_block_for_words_ends_a_few_turns_around_them(question: str) -> None:
    with _spread() as memory:
        shown = _shown(memory, question)
        around = {f"{FILLER[place % 5]} Number {place}." for place in range(20 - AROUND, 20 + AROUND)}
        assert shown == {"Shall I bring a mango?", *around}
        assert len(_shown(memory, "Where is the mango?")) == 41


@pytest.mark.requirement("F-RECALL-18", "F-RECEIPT-02")
def test_the_receipt_says_why_such_a_block_ends() -> None:
    with _spread() as memory:
        by_words = memory.explain(memory.recall("mango", budget=4_000).receipt_id)
        assert by_words.settings["unrelated"] == 41 - 2 * AROUND - 1
        page = io.StringIO()
        print_receipt(Console(file=page, width=300), memory, by_words)
        assert "32 turns left out that neither stand near one with a word of the question" in page.getvalue()
        asked_for = memory.explain(memory.recall("Where is the mango?", budget=4_000).receipt_id)
        assert "unrelated" not in asked_for.settings


@pytest.mark.requirement("F-RECALL-18")
def test_a_search_without_a_budget_still_orders_every_turn() -> None:
    with _spread() as memory:
        assert len(memory.search("mango", limit=100)) == 41


@pytest.mark.requirement("F-RECALL-18")
def test_a_filter_that_no_turn_with_the_word_passes_leaves_nothing() -> None:
    with quiet() as memory:
        memory.add_many([told("A mango.", "market"), told("Soup again.", "kitchen")])
        assert _shown(memory, "mango") == {"A mango."}
        assert _shown(memory, "mango", session="kitchen") == set()


@pytest.mark.requirement("F-RECALL-18")
@pytest.mark.parametrize(
    ("question", "is_one"),
    [
        ("mango", True),
        ("mango chess", True),
        ("mango pineapple", True),
        ("pineapple", False),  # no turn has it, so another word may have been used
        ("mango chess soup", False),
        ("the mango", False),
        ("mango?", False),
        ("chess", False),  # common words are often answered in others
        ("Priya", False),  # all of her turns are meant
        ("Priya mango", True),
        ("mango yesterday", False),
        ("mango summary", False),
        ("summarise mango", False),
        ("", False),
    ],
)
def test_one_or_two_words_that_some_turn_has_are_a_keyword_search(question: str, is_one: bool) -> None:
    view = space(said("A mango.", speaker="Priya"), said("My sister Priya likes chess.", speaker="Bob"), said("Soup."))
    assert is_keyword_search(asked(view, question)) is is_one


@pytest.mark.requirement("F-RECALL-18")
def test_turns_nearer_than_most_with_the_words_stay_wherever_they_stand() -> None:
    turns = [
        said(text, session=f"s{place}") for place, text in enumerate(("A mango.", "Mango ice.", "Fruit.", "Soup."))
    ]
    view = space(*turns, *(answered(f"Filler {place}.", session="z") for place in range(20)))
    rest = [0.1] * 20
    for cosines, least, kept in (
        ((0.5, 0.4, 0.6, 0.3), 0.32, [0, 1, 2]),
        ((0.5, 0.4, 0.44, 0.3), 0.32, [0, 1]),  # not as near as the turns with the word
        ((0.2, 0.1, 0.3, 0.16), 0.32, [0, 1]),  # near to the question is none
        ((0.2, 0.1, 0.3, 0.16), -1.0, [0, 1, 2, 3]),  # where it is not known what is near
        ((0.5, np.nan, 0.6, np.nan), 0.32, [0, 1, 2]),
    ):
        frame = asked(view, "mango", similarity=np.stack([column(*cosines, *rest)] * 2))
        ranking = without_noise(rank(frame, limit=100), least)
        assert sorted(ranking.positions.tolist()) == kept


@pytest.mark.requirement("F-RECALL-18")
def test_neighbours_are_those_of_the_session() -> None:
    with quiet() as memory:
        for place, text in enumerate(FILLER):
            memory.add(told(f"Mango {place}." if place == 2 else text, f"s{place % 2}"))
        assert _shown(memory, "mango") == {FILLER[0], "Mango 2.", FILLER[4]}
