"""The benchmark of lost evidence: what it counts as lost, by which rank, and where the tokens of blocks go."""

from dataclasses import replace

import pytest

from benchmarks.losses import PARTS, WAYS, LostEvidence, measure, sheets
from clew.evaluate.corpus import DatasetConversation, DatasetQuestion, DatasetTurn
from clew.types import Context, ContextItem
from clew.types.turn import Role

PEPPER = "Pepper the cat sleeps in the blue basket by the door."
BOILER = "The boiler in the cellar leaks and the plumber comes on Monday to look at the valve and the old pipe."

TOLD_BY_BOTH: tuple[tuple[str, Role, str], ...] = (("0", "user", PEPPER), ("1", "assistant", BOILER))


def block(*texts: str, tokens: int) -> Context:
    """A block with these items, each of which has a line of two tokens more than its words."""
    items = tuple(
        ContextItem(
            turn_ids=(f"s:turn:{number}",),
            rendering="full",
            text=text,
            tokens=len(text) // 4 + 2,
            rank=number + 1,
            score=1.0,
            signals={},
            session="s",
        )
        for number, text in enumerate(texts)
    )
    return Context(text="\n".join(texts), tokens=tokens, budget=100, items=items, omitted=(), receipt_id="r")


@pytest.mark.requirement("F-BENCH-11")
def test_a_lost_turn_counts_by_its_rank_in_multiples_of_the_items() -> None:
    lost = LostEvidence(100)
    lost.add((True, False, False, False), (1, 2, 5, None), block("a" * 40, "b" * 40, tokens=40), [0])
    lost.add((False,), (8,), block("a" * 40, "b" * 40, tokens=40), [])
    assert lost.questions == 2
    assert dict(lost.ranks) == {0: 0.25, 2: 1.25, 4: 0.25}
    assert sum(lost.several.values()) == 0.75, "the second question has one piece of evidence"
    assert dict(lost.pieces) == {"3 to 4": 0.75, "1": 1.0}


@pytest.mark.requirement("F-BENCH-11")
def test_the_tokens_of_a_block_add_up_to_its_budget() -> None:
    lost = LostEvidence(100)
    lost.add((True,), (1,), block("a" * 40, "b" * 80, tokens=50), [0])
    assert [lost.tokens[part] for part in PARTS] == [10.0, 20.0, 4.0, 16.0, 50]


@pytest.mark.requirement("F-BENCH-11")
def test_a_memory_is_asked_at_every_budget() -> None:
    told = (PEPPER, BOILER)
    turns = tuple(
        DatasetTurn(id=str(number), session="s", role="user", speaker="Ann", text=text, at=None, date_text="")
        for number, text in enumerate(told)
    )
    questions = (
        DatasetQuestion(id="q", text="Where does Pepper sleep, and who comes?", category="", evidence=("0", "1")),
    )
    talk = DatasetConversation(name="talk", turns=turns, questions=questions)
    small, large = measure([talk], (36, 200), None)
    assert sum(large.ranks.values()) == 0.0
    assert sum(small.ranks.values()) == 0.5, "one of two turns fits"
    rows = [sheet.rows for sheet in sheets([small, large])]
    assert rows[0][0][2] == "50.0 (50.0)"
    assert rows[0][1][2] == "0.0 (0.0)"
    assert rows[2][1][1] == "0.0 (100.0)", "both turns whole"
    assert sum(map(float, rows[3][1][1:])) == pytest.approx(100, abs=0.5)


@pytest.mark.requirement("F-BENCH-11")
def test_a_turn_counts_by_what_the_block_shows_of_it() -> None:
    lost = LostEvidence(100)
    lost.add_ways((1.0, 0.25, 0.0, 0.0), (1, 2, 3, 9), ("full", "pieces", "title", None), 4)
    lost.add_ways((0.0, 0.0), (4, None), (None, None), 4)
    assert {way: lost.ways[way] for way in WAYS} == dict(zip(WAYS, (0.25, 0.25, 0.25, 0.5, 0.75), strict=True))
    assert {way: lost.uncovered[way] for way in WAYS} == dict(zip(WAYS, (0, 0.1875, 0.25, 0.5, 0.75), strict=True))


@pytest.mark.requirement("F-BENCH-11")
def test_of_one_role_only_its_evidence_counts() -> None:
    turns = tuple(
        DatasetTurn(id=name, session="s", role=role, speaker="", text=text, at=None, date_text="")
        for name, role, text in TOLD_BY_BOTH
    )
    both = DatasetQuestion(id="q", text="Where does Pepper sleep?", category="", evidence=("0", "1"))
    talk = DatasetConversation(name="talk", turns=turns, questions=(both, replace(both, id="p", evidence=("0",))))
    (every,), (hers,) = measure([talk], (200,), None), measure([talk], (200,), None, "assistant")
    assert (every.questions, hers.questions) == (2, 1)
