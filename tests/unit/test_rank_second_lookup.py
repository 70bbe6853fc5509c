"""The second look-up, for questions that describe one thing by another, or compare."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from clew.config import RecallConfig
from clew.memory import Memory
from clew.rank.search import rank
from clew.rank.second_lookup import FIRST, MOST, seeds
from clew.testing import FrozenClock
from clew.types import Turn
from tests.support.ranking_spaces import NOON, asked, said, space

QUESTION = "Where does the woman who taught me the cello live?"
BRIDGE = "Marta Kowalczyk taught me the cello when I was ten."
ANSWER = "Kowalczyk went to Gdynia with her two dogs."


def talk() -> Iterator[Turn]:
    """A teacher, her city under her name alone, and much of nothing."""
    yield said(BRIDGE)
    for number in range(40):
        yield said(f"We had soup number {number} for lunch and walked around the lake.")
    yield said(ANSWER)
    for number in range(40, 80):
        yield said(f"We had bread number {number} for lunch and walked around the lake.")


def found(question: str, limit: int = 10, **weights: float) -> list[str]:
    """What a memory without vectors finds, best first."""
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON), config={"recall": weights}) as memory:
        memory.add_many(talk())
        assert memory.drain(200)
        return [hit.turn.text for hit in memory.search(question, limit=limit)]


@pytest.mark.requirement("F-HOP-01")
def test_an_answer_under_another_name_is_found_through_the_turn_that_gives_the_name() -> None:
    assert found(QUESTION, 1) == [BRIDGE]
    assert ANSWER in found(QUESTION, 5)
    assert ANSWER not in found(QUESTION, 20, hop=0.0)
    assert ANSWER not in found("Where did she live who taught cello?")


@pytest.mark.requirement("F-HOP-01")
def test_a_limit_only_cuts() -> None:
    assert found(QUESTION, 2) == found(QUESTION, 10)[:2]
    assert found(QUESTION, 1) == [BRIDGE]


@pytest.mark.requirement("F-HOP-02")
def test_the_look_up_is_bounded_by_turns_and_terms() -> None:
    many = " ".join(f"{chr(97 + number)}zq" for number in range(25))
    view = space(*(said(f"tea {many} {place}") for place in ("here", "there")), *[said("soup")] * 60)
    ranking = rank(asked(view, "tea"), limit=50)
    asked_for: list[Sequence[tuple[str, int]]] = []

    def fetch(names: Sequence[tuple[str, int]]) -> list[str | None]:
        asked_for.append(names)
        return [f"tea {many} here", None, "soup"][: len(names)]

    terms = seeds(ranking, fetch)
    assert [len(names) for names in asked_for] == [FIRST]
    assert len(terms) == MOST
    assert set(terms) <= set(many.split())
    assert terms == seeds(ranking, fetch)


@pytest.mark.requirement("F-HOP-02")
@pytest.mark.parametrize("fusion", ["score", "rrf"])
def test_what_was_said_of_the_turns_at_first_is_not_asked_again(fusion: str) -> None:
    view = space(*talk())
    frame = asked(view, QUESTION, fusion=fusion)
    first = rank(frame, limit=FIRST)
    again = replace(frame, hop=("kowalczyk",))
    one, other = rank(again, limit=50), rank(replace(again, piece_scores=None), limit=50, first=first)
    assert one[:] == other[:]
    assert {each.position for each in other if each.shares.get("hop", 0) > 0} >= {0, 41}


@pytest.mark.requirement("F-HOP-02")
def test_seeds_are_rare_and_new_and_said_elsewhere() -> None:
    view = space(BRIDGE, ANSWER, *[said("We had soup for lunch.")] * 60)
    ranking = rank(asked(view, QUESTION), limit=1)
    assert seeds(ranking, lambda _: [BRIDGE]) == ("kowalczyk",)  # Marta stands nowhere else, taught is asked
    assert seeds(ranking, lambda _: ["We had soup for lunch."]) == ()
    assert seeds(ranking, lambda _: [None]) == ()
    assert seeds(rank(asked(view, "zebra"), limit=1), lambda _: []) == ()


@pytest.mark.requirement("F-HOP-02")
def test_of_a_long_turn_the_best_piece_seeds() -> None:
    filler = "Nothing of note was said about anything at all today, not even once. " * 9
    long = f"Zanzibar was lovely. {filler}\n\nMarta Kowalczyk taught me the cello. {filler}"
    view = space(long, ANSWER, "Zanzibar is far.", *[said("We had soup.")] * 60)
    ranking = rank(asked(view, QUESTION), limit=1)
    assert ranking[0].position == 0
    assert seeds(ranking, lambda _: [long]) == ("kowalczyk",)


@pytest.mark.requirement("F-HOP-02")
def test_a_receipt_names_the_look_up_and_none_of_its_words() -> None:
    with Memory.open(":memory:", embedder="none", clock=FrozenClock(NOON)) as memory:
        memory.add_many(talk())
        assert memory.drain(200)
        receipt = memory.explain(memory.recall(QUESTION, budget=200).receipt_id)
    assert receipt.understood["wants_hop"] is True
    assert receipt.settings["weights"]["hop"] == RecallConfig().hop
    assert any("hop" in row["signals"] for row in receipt.chosen)
    assert "kowalczyk" not in str(receipt.to_dict()).casefold()


@pytest.mark.requirement("F-HOP-01")
@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Where does the woman who taught me the cello live?", True),
        ("What is the name of Ann's old friend who moved?", True),
        ("What did the small shop where we met sell?", True),
        ("Which books have both Ann and Bob read?", True),
        ("What is the difference between the two flats?", True),
        ("Which sports other than golf does Ann do?", True),
        ("Where did Ann go?", False),
        ("Who was there?", False),
        ("", False),
    ],
)
def test_questions_of_two_steps_are_told_by_their_words(question: str, wanted: bool) -> None:
    assert asked(space("tea"), question).intent.wants.hop is wanted
