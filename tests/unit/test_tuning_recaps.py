"""The length of recaps, learned from what was needed again after compactions: bounded, only when better, reversible."""

import random
from collections.abc import Sequence
from functools import cache
from math import log2
from typing import Any

import pytest

from clew.condense.recap_size import recap_budget
from clew.config import CondenseConfig
from clew.learn.recap_uses import RecapUses
from clew.memory import Memory
from clew.rank.tuning.recaps import PRICE, RECAP_SCALE, recap_scale_of, recaps_problem
from clew.rank.tuning.renderings import SCALES, ToldByScale
from clew.rank.tuning.validate import decide
from clew.rows.parameters import adopt, read_learned, take_over
from clew.store.protocol import Store
from clew.testing import FrozenClock
from clew.text.counters import counter
from tests.support.memories import NOON, copied, empty_store, quiet
from tests.unit.test_llm_summaries import long_turns

pytestmark = pytest.mark.requirement("F-RECAPLEN-01")

SMALL: dict[str, Any] = {"condense": {"session_tokens": 0, "recap_tokens": 1_200, "protected_turns": 2}}


def history(told: Sequence[float], noise: float = 0.05, count: int = 100) -> list[ToldByScale]:
    made = random.Random(5)  # noqa: S311 - numbers, no secret
    return [
        ToldByScale(tuple(share + made.uniform(-noise, noise) for share in told), f"s{number}")
        for number in range(count)
    ]


def per_doubling(share: float) -> list[float]:
    """What recaps of each length tell if a doubling tells so much more."""
    return [0.1 + share * (1.0 + log2(scale)) for scale in SCALES]


@pytest.mark.parametrize(("share", "learned"), [(3 * PRICE, 2.0), (PRICE / 4, 0.5)])
def test_recaps_get_longer_where_length_tells_what_is_needed_and_shorter_where_it_does_not(
    share: float, learned: float
) -> None:
    verdict = decide(recaps_problem(history(per_doubling(share)), 1.0))
    assert verdict.adopted
    assert verdict.values == {RECAP_SCALE: learned}
    assert verdict.family == "recaps"


@pytest.mark.parametrize("count", [100, 20])
def test_at_the_price_or_with_few_uses_nothing_moves(count: int) -> None:
    share = PRICE if count == 100 else 3 * PRICE
    assert not decide(recaps_problem(history(per_doubling(share), 0.2 if count == 100 else 0.0, count), 1.0)).adopted


def test_nothing_moves_where_the_user_chose_the_ratio() -> None:
    verdict = decide(recaps_problem(history(per_doubling(3 * PRICE)), 1.0, is_free=False))
    assert not verdict.adopted
    assert "free" in verdict.reason


@pytest.mark.parametrize(("learned", "factor"), [(None, 1.0), (9.0, 2.0), (0.1, 0.5), (1.4, 1.4)])
def test_the_factor_has_bounds(learned: float | None, factor: float) -> None:
    assert recap_scale_of({} if learned is None else {RECAP_SCALE: learned}) == factor


def test_the_most_tokens_of_a_recap_hold_whatever_was_learned() -> None:
    config = CondenseConfig()
    assert recap_budget(config, 120_000, 1_000) == 3_000
    assert recap_budget(config, 120_000, 1_000, 2.0) == 4_000
    assert recap_budget(config, 120_000, 1_000, 0.5) == 1_500
    assert recap_budget(config, 100, 0) == 1_000


def filled(**config: Any) -> Memory:
    return quiet(copied(_analysed()), config={"condense": SMALL["condense"] | config})


@cache
def _analysed() -> Store:
    """The long turns without their compactions; to be copied."""
    store = empty_store()
    with quiet(store, config=SMALL) as memory:
        memory.add_many(long_turns())
        assert memory.drain(None)
    return store


def condensed(memory: Memory) -> tuple[int, Any]:
    """Tokens of the recap of a compaction, and what its receipt says was learned."""
    receipt = memory.condense(memory.sessions()[0].name, force=True)
    return receipt.tokens, receipt.understood.get("recap_scale")


def test_what_was_learned_changes_the_next_recap_and_a_revert_or_the_users_ratio_takes_it_back() -> None:
    sizes = {}
    for case in ("plain", "learned", "reverted", "chosen"):
        with filled(**({"ratio": 30.0} if case == "chosen" else {})) as memory:
            if case != "plain":
                adopt(memory.reads.store, memory.space, {RECAP_SCALE: 0.5}, {"test": "shorter"}, NOON, 0)
            if case == "reverted":
                memory.revert(0)
            sizes[case] = condensed(memory)
    assert sizes["plain"] == sizes["reverted"] == sizes["chosen"]
    assert sizes["plain"][1] is None
    assert sizes["learned"][0] < 0.7 * sizes["plain"][0]
    assert sizes["learned"][1] == 0.5


def test_a_learned_length_has_nothing_analysed_again_and_is_taken_over_within_its_bounds() -> None:
    with filled() as memory:
        store = memory.reads.store
        assert take_over(store, memory.space, {RECAP_SCALE: 40.0}, NOON)
        with store.snapshot() as reader:
            learned = read_learned(reader, memory.space)
    assert (learned.values, learned.structure, learned.version) == ({RECAP_SCALE: 2.0}, 0, 1)


def test_only_turns_that_a_compaction_covered_by_then_tell_how_long_recaps_should_be() -> None:
    clock = FrozenClock(NOON)
    with quiet(config=SMALL, clock=clock) as memory:
        memory.add_many(long_turns())
        session = memory.sessions()[0].name
        before = memory.recall("the ferry to Lisbon", budget=2_000)
        early = memory.explain(before.receipt_id)
        clock.advance(60)
        made = memory.condense(session, force=True)
        covered = [f"{session}:turn:{seq}" for seq in range(made.understood["last"] + 1)]
        late = memory.explain(memory.recall("the ferry to Lisbon", budget=2_000).receipt_id)
        last = f"{session}:turn:{made.understood['last'] + 1}"
        with memory.reads.store.snapshot() as reader:
            seen = RecapUses(reader, memory.space, memory.config.condense, counter())
            found = seen.told(late, covered, "g")
            assert seen.told(early, covered, "g") is None
            assert seen.told(late, [last], "g") is None
    assert found is not None
    assert 0.0 <= found.told[0] < min(found.told[1:])
    assert max(found.told) <= 1.0
    assert len(found.told) == len(SCALES)


def test_a_tuning_judges_recaps_and_says_why_nothing_moves() -> None:
    with filled() as memory:
        session = memory.sessions()[0].name
        memory.condense(session, force=True)
        memory.restore(f"{session}:turn:1")
        context = memory.recall("the choir in the church", budget=1_000)
        memory.mark_used(context.receipt_id, [context.items[0].turn_ids[0]])
        verdict = next(each for each in memory.tune().verdicts if each.family == "recaps")
    assert not verdict.adopted
    assert "are needed" in verdict.reason
    assert verdict.pairs >= 1
