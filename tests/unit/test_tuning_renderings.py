"""The lengths of renderings, learned from what was used afterwards: bounded, only when better, and reversible."""

import random

import pytest

from clew.learn.rendering_uses import RenderingUses
from clew.memory import Memory
from clew.rank.tuning.renderings import SCALE, SCALES, ToldByScale, renderings_problem, scale_of
from clew.rank.tuning.validate import decide
from clew.rows.parameters import adopt, read_learned
from tests.support.memories import NOON, quiet, rendered
from tests.unit.test_llm_summaries import long_turns

pytestmark = pytest.mark.requirement("F-RENDER-07")


def history(told: dict[float, float], noise: float, count: int = 100) -> list[ToldByScale]:
    made = random.Random(7)  # noqa: S311 - numbers, no secret
    return [
        ToldByScale(tuple(told[factor] + made.uniform(-noise, noise) for factor in SCALES), f"s{number}")
        for number in range(count)
    ]


def test_a_length_that_tells_more_of_what_was_used_is_adopted() -> None:
    verdict = decide(renderings_problem(history({0.5: 0.1, 0.7: 0.2, 1.0: 0.4, 1.4: 0.5, 2.0: 0.7}, 0.05), 1.0))
    assert verdict.adopted
    assert verdict.values == {SCALE: 2.0}
    assert verdict.family == "renderings"


@pytest.mark.parametrize("count", [100, 20])
def test_without_a_difference_or_with_few_recalls_nothing_moves(count: int) -> None:
    better = {factor: 0.5 if count == 100 else factor / 2 for factor in SCALES}
    assert not decide(renderings_problem(history(better, 0.3 if count == 100 else 0.0, count), 1.0)).adopted


@pytest.mark.parametrize(
    ("learned", "factor"), [({}, 1.0), ({SCALE: 9.0}, 2.0), ({SCALE: 0.1}, 0.5), ({SCALE: 1.4}, 1.4)]
)
def test_the_factor_has_bounds(learned: dict[str, float], factor: float) -> None:
    assert scale_of(learned) == factor


@pytest.fixture(scope="module")
def memory() -> Memory:
    made = quiet()
    made.add_many(long_turns())
    assert made.drain(None)
    return made


def salient(memory: Memory) -> dict[str, str]:
    return {node: each.text for node, each in rendered(memory, "salient").items()}


def test_what_was_learned_makes_renderings_longer_and_a_revert_makes_them_as_before(memory: Memory) -> None:
    before = salient(memory)
    adopt(memory.reads.store, memory.space, {SCALE: 2.0}, {"test": "longer"}, NOON, 0)
    assert memory.drain(None)
    longer = salient(memory)
    assert longer.keys() == before.keys()
    assert len(longer["s:session:0"]) > 1.5 * len(before["s:session:0"])
    memory.revert(0)
    assert memory.drain(None)
    assert salient(memory) == before


def test_longer_renderings_tell_more_of_a_beat_and_fewer_beats_fit(memory: Memory) -> None:
    context = memory.recall("the ferry to Lisbon", budget=4_000)
    receipt = memory.explain(context.receipt_id)
    used = [min(context.items, key=lambda item: item.rank).turn_ids[0]]
    with memory.reads.store.snapshot() as reader:
        seen = RenderingUses(reader, memory.space)
        found = seen.told(receipt, used, "g")
        assert seen.told(receipt, ["s:turn:999"], "g") is None
    assert found is not None
    assert len(found.told) == len(SCALES)
    assert all(0.0 <= share <= 1.0 for share in found.told)
    assert max(found.told) > 0.0


def test_a_tuning_judges_renderings_and_says_why_nothing_moves(memory: Memory) -> None:
    context = memory.recall("the choir in the church", budget=1_000)
    memory.mark_used(context.receipt_id, [context.items[0].turn_ids[0]])
    report = memory.tune()
    verdict = next(each for each in report.verdicts if each.family == "renderings")
    assert not verdict.adopted
    assert "are needed" in verdict.reason
    with memory.reads.store.snapshot() as reader:
        assert SCALE not in read_learned(reader, memory.space).values
