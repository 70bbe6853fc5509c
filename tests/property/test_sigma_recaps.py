"""Recaps and compressions of any conversation keep their budgets and every paradigm shift."""

from collections.abc import Callable, Sequence
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.text.counters import counter
from clew.views.sigma import (
    CompressorOptions,
    OverlayScores,
    TurnAnalysis,
    build_conversation_lattice,
    compress_context,
    reconstruct_chat_context,
    reconstruct_quest_context,
)
from tests.support.effort import examples

Told = tuple[str, float, bool, float, Literal["user", "assistant"]]

_WORDS = st.sampled_from(
    ["We decided to keep Redis.", "ok", "TODO: write tests", "See src/app.py:10", "\ud800", "é" * 30, "x" * 900, "\n#"]
)
_TURNS = st.lists(
    st.tuples(
        st.lists(_WORDS, max_size=6).map(" ".join),
        st.floats(1, 10),
        st.booleans(),
        st.floats(0, 10),
        st.sampled_from(["user", "assistant"]),
    ),
    max_size=30,
)
_COUNTERS = st.sampled_from(["estimate", "words", "anthropic/classes"])


def analysed(told: Sequence[Told]) -> list[TurnAnalysis]:
    return [
        TurnAnalysis(
            turn_id=f"turn-{place}",
            content=text,
            role=role,
            timestamp=place,
            embedding=(),
            novelty=0.5,
            overlay_scores=OverlayScores(O1_structural=structural),
            importance_score=importance,
            is_paradigm_shift=shift,
            is_routine=importance < 3,
        )
        for place, (text, importance, shift, structural, role) in enumerate(told)
    ]


@given(told=_TURNS, budget=st.integers(0, 1_500), name=_COUNTERS)
@settings(deadline=None, max_examples=examples(12, 150))
@pytest.mark.parametrize("reconstruct", [reconstruct_quest_context, reconstruct_chat_context])
@pytest.mark.requirement("F-SIGMAVIEW-05")
def test_a_recap_never_exceeds_its_budget_and_names_every_shift(
    reconstruct: Callable[..., str], told: Sequence[Told], budget: int, name: str
) -> None:
    turns = analysed(told)
    text = reconstruct(build_conversation_lattice(turns, created_at=0), budget=budget, counter=name)
    count = counter(name)
    assert count(text) <= budget
    assert text == reconstruct(build_conversation_lattice(turns, created_at=0), budget=budget, counter=name)
    shifts = [turn.turn_id for turn in turns if turn.is_paradigm_shift]
    names = "".join(f"- [{shift}]\n" for shift in shifts)
    if count(f"\n### Paradigm Shifts\n\n{names}") <= budget:
        lines = text.splitlines()
        assert all(any(line.startswith(f"- [{shift}]") for line in lines) for shift in shifts)


@given(told=_TURNS, target=st.integers(0, 3_000), name=_COUNTERS)
@settings(deadline=None, max_examples=examples(12, 150))
@pytest.mark.requirement("F-SIGMAVIEW-01")
def test_every_class_keeps_its_budget(told: Sequence[Told], target: int, name: str) -> None:
    turns = analysed(told)
    count = counter(name)
    made = compress_context(turns, CompressorOptions(target_size=target), counter=name)
    kept = {node.turn_id: node for node in made.lattice.nodes}
    for turn in turns:
        size = count(turn.content)
        if turn.is_paradigm_shift or turn.importance_score >= 7:
            assert kept[turn.turn_id].content == turn.content
        elif turn.importance_score >= 3:
            assert count(kept[turn.turn_id].content) <= max(0.3 * size, min(size, 20))
        elif turn.turn_id in kept:
            assert count(kept[turn.turn_id].content) <= max(1, 0.1 * size)
    names = (made.preserved_turns, made.summarized_turns, made.compressed_turns, made.discarded_turns)
    assert sorted(name for group in names for name in group) == sorted(turn.turn_id for turn in turns)
