"""Runs over a conversation of our own, through a real memory in a temporary home."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from clew.config import Config, RecallConfig
from clew.errors import ClewError, InputError, ModelError
from clew.evaluate.corpus import DatasetConversation, DatasetQuestion, DatasetTurn
from clew.evaluate.recall import RunSetup, run_recall
from clew.evaluate.results import Run, mean
from clew.models.protocol import Embedder, Matrix
from clew.models.recorded import RecordedEmbedder
from clew.testing import HashEmbedder

pytestmark = pytest.mark.usefixtures("tmp_home")

TEXTS = (
    "We picked Redis for the sessions of the shop.",
    "Grandmother's plum cake needs two pounds of plums and a hot oven.",
    "The ferry to Oslo leaves at nine in the evening.",
    "My brother sold his red bicycle to a neighbour.",
    "Rain again, so the concert in the park was moved indoors.",
)
START = datetime(2024, 5, 1, tzinfo=UTC)


def said(number: int) -> DatasetTurn:
    at = START + timedelta(days=number)
    return DatasetTurn(
        id=f"t{number}",
        session=f"s{number // 3}",
        role="user" if number % 2 == 0 else "assistant",
        speaker="Ann" if number % 2 == 0 else "Ben",
        text=TEXTS[number % 5] + " " + "filler " * (number // 5),
        at=at,
        date_text=f"{at:%d %B %Y}",
    )


TALK = DatasetConversation(
    name="talk",
    turns=tuple(said(number) for number in range(15)),
    questions=(
        DatasetQuestion(id="cake", text="How many plums does the plum cake need?", category="food", evidence=("t1",)),
        DatasetQuestion(
            id="ferry", text="When does the ferry to Oslo leave?", category="travel", evidence=("t2", "t7")
        ),
        DatasetQuestion(
            id="later",
            text="What did we pick for sessions?",
            category="work",
            evidence=("t0",),
            asked_at=datetime(2025, 1, 1, tzinfo=UTC),
        ),
    ),
    skipped={"odd": 1},
)


def run(
    *conversations: DatasetConversation,
    budgets: Sequence[int] = (200, 40),
    embedder: Embedder | None = None,
    config: Config | None = None,
    **more: Any,
) -> Run:
    setup = RunSetup(data="talk", budgets=budgets, embedder=embedder, config=config or Config())
    return run_recall(conversations or (TALK,), setup, **more)


class Counting:
    """Counts the texts that reach the embedder inside."""

    def __init__(self, inner: Embedder) -> None:
        self.name, self.dim, self.texts = inner.name, inner.dim, 0
        self._inner = inner

    def embed(self, texts: Sequence[str]) -> Matrix:
        self.texts += len(texts)
        return self._inner.embed(texts)


class Broken(Counting):
    def embed(self, texts: Sequence[str]) -> Matrix:
        raise ModelError(f"no answer for {len(texts)} texts")


@pytest.mark.requirement("F-BENCH-06")
def test_both_forms_are_measured_at_every_budget() -> None:
    found = run()
    assert found.budgets == (40, 200)
    assert (found.turns, found.skipped, found.embedder) == (15, {"odd": 1}, None)
    assert [outcome.question for outcome in found.outcomes] == ["cake", "ferry", "later"]
    for outcome in found.outcomes:
        assert set(outcome.found) == {"bare", "rendered"}
        assert all(shown.tokens <= int(size) for form in outcome.found.values() for size, shown in form.items())
    first, ferry, _ = found.outcomes
    assert first.ranks[0] is not None
    assert first.roles == ("assistant",)
    assert ferry.roles == ("user", "assistant")
    share = mean(found.outcomes, "bare", 200, "recall")
    assert share is not None
    assert share.mean == 1.0


@pytest.mark.requirement("F-BENCH-06")
def test_the_same_run_gives_the_same_result() -> None:
    assert run(embedder=HashEmbedder()) == run(embedder=HashEmbedder())


@pytest.mark.requirement("F-BENCH-06")
def test_settings_take_effect_and_are_recorded() -> None:
    config = Config(recall=RecallConfig(cost=0.0, cost_assistant=20.0))
    assert run(config=config).settings == {"recall.cost": 0.0, "recall.cost_assistant": 20.0}
    assert run().settings == {}


@pytest.mark.requirement("F-BENCH-06")
def test_a_smaller_sample_is_part_of_a_larger_one() -> None:
    one, two, all_of_them = ({each.question for each in run(sample=size).outcomes} for size in (1, 2, 9))
    assert one < two < all_of_them
    assert len(all_of_them) == 3


@pytest.mark.requirement("F-BENCH-06")
def test_progress_is_told() -> None:
    told: list[tuple[str, int, int]] = []
    other = replace(TALK, name="other", questions=())
    run(TALK, other, on_progress=lambda *each: told.append(each))
    assert told == [("talk", 1, 2), ("other", 2, 2)]


@pytest.mark.requirement("F-BENCH-07")
def test_a_recording_spares_the_embedder_and_changes_nothing(tmp_path: Path) -> None:
    inner = Counting(HashEmbedder())
    with RecordedEmbedder(inner, tmp_path / "vectors.sqlite") as embedder:
        first = run(embedder=embedder)
        asked = inner.texts
        second = run(embedder=embedder)
    assert asked >= len(TALK.turns)
    assert inner.texts == asked
    assert first == second


@pytest.mark.requirement("F-BENCH-06")
def test_figures_without_vectors_are_refused_where_vectors_were_asked_for() -> None:
    with pytest.raises(ClewError, match="0 of 15 turns have vectors"):
        run(embedder=Broken(HashEmbedder()))


@pytest.mark.requirement("F-BENCH-02")
@pytest.mark.parametrize("budgets", [(), (0,), (100, -1)])
def test_budgets_must_be_positive(budgets: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="budgets"):
        run(budgets=budgets)


@pytest.mark.requirement("F-BENCH-02")
def test_there_must_be_something_to_ask_and_every_turn_must_be_taken() -> None:
    with pytest.raises(InputError, match="no question that can be scored"):
        run(replace(TALK, questions=()))
    with pytest.raises(InputError, match="was rejected"):
        run(replace(TALK, turns=(*TALK.turns, replace(said(0), id="empty", text=" "))))
