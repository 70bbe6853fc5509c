"""A question that is near to no turn brings no turn, however the few cosines differ."""

from collections.abc import Sequence

import numpy as np
import pytest

from clew.memory import Memory
from clew.models.protocol import Matrix
from clew.rank.ranker import NEAR
from clew.types import Turn

TURNS = ("Redis holds the sessions.", "The dog sleeps all day.", "Lunch is at noon.")


class Angled:
    """An embedder whose turns stand at given cosines to every question."""

    dim = 8

    def __init__(self, name: str, cosines: Sequence[float]) -> None:
        self.name, self._cosines = name, dict(zip(TURNS, cosines, strict=True))

    def embed(self, texts: Sequence[str]) -> Matrix:
        rows = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(rows, texts, strict=True):
            cosine = self._cosines.get(text, 1.0)
            row[:2] = cosine, np.sqrt(1 - cosine * cosine)
        return rows


def found(name: str, cosines: Sequence[float], question: str) -> list[str]:
    with Memory.open(":memory:", embedder=Angled(name, cosines)) as memory:
        memory.add_many(Turn(role="user", content=text, session="s") for text in TURNS)
        assert memory.drain(200)
        assert memory.stats().vectors == len(TURNS)
        return [hit.turn.text for hit in memory.search(question)]


@pytest.mark.requirement("F-DEMO-07")
@pytest.mark.parametrize("model", sorted(NEAR))
def test_a_question_near_to_nothing_finds_nothing(model: str) -> None:
    assert found(f"{model}@1", (0.30, 0.10, 0.05), "chess tournament") == []
    assert found(f"{model}@1", (0.40, 0.10, 0.05), "chess tournament")[:1] == [TURNS[0]]


@pytest.mark.requirement("F-DEMO-07")
def test_words_still_count_when_the_vectors_are_far() -> None:
    assert found("minilm-l6-int8@1", (0.05, 0.30, 0.05), "who sleeps")[:1] == [TURNS[1]]


@pytest.mark.requirement("F-DEMO-07")
def test_a_model_that_was_not_measured_is_not_judged() -> None:
    assert found("other@1", (0.30, 0.10, 0.05), "chess tournament")[:1] == [TURNS[0]]
