"""Receipts: a score can be recomputed, places before and after fusion stand in them, and two can be compared."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from clew.assemble.changes import ReceiptChanges, changes
from clew.memory import Memory
from clew.rank.signals import SIGNALS
from clew.types import Receipt
from tests.support.memories import quiet, told
from tests.support.ranking_spaces import QUESTION, opened

RANKING = {signal.name for signal in SIGNALS if signal.ranks}


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    with opened() as memory:
        yield memory


def asked(memory: Memory, question: str = QUESTION, **how: Any) -> Receipt:
    return memory.explain(memory.recall(question, **how).receipt_id)


@pytest.mark.requirement("F-RECEIPT-01")
def test_rrf_is_recomputed_by_hand_from_a_receipt() -> None:
    with opened(fusion="rrf") as memory:
        receipt = asked(memory, budget=300)
    weights, k = receipt.settings["weights"], receipt.settings["rrf_k"]
    rows = [*receipt.chosen, *receipt.omitted]
    assert rows
    assert {name for row in rows for name in row["ranks"]} == {"lexical", "dense", "dense_rewritten", "window"}
    for row in rows:
        fused = sum(weights[name] / (k + place) for name, place in row["ranks"].items())
        boosts = sum(share for name, share in row["signals"].items() if name not in RANKING)
        assert fused + boosts == pytest.approx(row["score"], abs=1e-5)


@pytest.mark.requirement("F-RECEIPT-02")
def test_places_before_fusion_agree_with_the_shares(memory: Memory) -> None:
    receipt = asked(memory, budget=100_000)
    rows = [*receipt.chosen, *receipt.omitted]
    assert len(rows) == 40
    assert sorted(row["rank"] for row in rows) == list(range(1, 41))
    for name in ("lexical", "dense"):
        shares = [row["signals"].get(name, 0.0) for row in rows]
        for row in rows:
            better = sum(share > row["signals"].get(name, 0.0) + 2e-6 for share in shares)
            equal = sum(abs(share - row["signals"].get(name, 0.0)) <= 2e-6 for share in shares)
            assert better < row["ranks"][name] <= better + equal


@pytest.mark.requirement("F-RECEIPT-03")
def test_a_near_miss_gives_rank_signals_and_how_to_get_it_back(memory: Memory) -> None:
    receipt = asked(memory, budget=150)
    ranks = [row["rank"] for row in receipt.omitted]
    assert ranks == sorted(ranks)
    assert not set(ranks) & {row["rank"] for row in receipt.chosen}
    for row in receipt.omitted:
        assert sum(row["signals"].values()) == pytest.approx(row["score"], abs=1e-4)
        assert row["reason"].startswith(f"rank {row['rank']}: takes about {row['tokens']} tokens")
        assert memory.restore(row["restore"]).id == row["turn_ids"][0]


@pytest.mark.requirement("F-RECEIPT-04")
def test_two_receipts_of_one_recall_differ_in_nothing(memory: Memory) -> None:
    receipt = asked(memory, budget=300)
    found = changes(receipt, receipt)
    assert (found.turns, found.settings, found.same) == ((), {}, len(receipt.chosen))


@pytest.mark.requirement("F-RECEIPT-04")
def test_a_larger_budget_lets_turns_enter_and_no_signal_did_it(memory: Memory) -> None:
    small, large = asked(memory, budget=150), asked(memory, budget=400)
    found = changes(small, large)
    assert found.settings == {"budget": [150, 400]}
    assert {each.kind for each in found.turns} == {"entered"}
    near = [each for each in found.turns if each.before]
    assert near
    assert all((each.before, each.signal) == (each.after, "") for each in near)
    back = changes(large, small)
    assert {each.kind for each in back.turns} == {"left"}
    assert {each.turn_id for each in back.turns} == {each.turn_id for each in found.turns}


@pytest.mark.requirement("F-RECEIPT-04")
def test_a_change_names_the_signal_that_did_it(memory: Memory) -> None:
    plain, of_bob = (
        asked(memory, "red wine in the cellar", budget=400),
        asked(memory, "Bob: red wine in the cellar", budget=400),
    )
    found = changes(plain, of_bob)
    assert found.settings["question"] == ["red wine in the cellar", "Bob: red wine in the cellar"]
    risen = [
        each
        for each in found.turns
        if each.kind in ("entered", "moved") and each.after and (each.before or 99) > each.after
    ]
    assert risen
    bobs = [each for each in risen if memory.get(each.turn_id).speaker == "Bob"]
    assert bobs
    assert all(each.signal.startswith("speaker") and each.share > 0 for each in bobs if each.before)
    assert ReceiptChanges.from_dict(found.to_dict()) == found


@pytest.mark.requirement("F-RECEIPT-05")
def test_a_receipt_holds_no_words_of_turns(memory: Memory) -> None:
    context = memory.recall("Where are the bottles?", budget=300)
    told = str(memory.explain(context.receipt_id).to_dict())
    assert context.items
    assert "another one" not in told
    assert "I put" not in told
    other = memory.explain(memory.recall("Where are the bottles?", budget=120).receipt_id)
    assert "I put" not in str(changes(memory.explain(context.receipt_id), other).to_dict())


@pytest.mark.requirement("F-RECEIPT-06")
def test_the_last_receipt_is_the_last_one_made_whatever_the_clock_says(tmp_path: Path) -> None:
    days = iter(range(28, 0, -1))
    with quiet(tmp_path, clock=lambda: datetime(2023, 5, next(days), tzinfo=UTC)) as memory:
        memory.add(told("tea"))
        for question in ("tea?", "coffee?"):
            made = memory.recall(question).receipt_id
            assert memory.explain().id == made
        memory.drain(200)
        assert memory.explain().id == made
