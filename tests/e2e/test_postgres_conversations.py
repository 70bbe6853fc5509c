"""Whole conversations are recalled alike at home and on a server: every word, score and place of every answer.

The sample and invented conversations always; real ones where CLEW_DATA names a folder with some of `locomo-dev`,
`realtalk-dev`, `beam-dev` and `agent_claude_code_viewer`.
"""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import clew
from clew.cli.demo import SAMPLE
from clew.evaluate.datasets import load
from clew.evaluate.speed.synthetic import ConversationGenerator
from clew.testing import HashEmbedder

AT = datetime(2026, 3, 1, tzinfo=UTC)
BUDGETS = (300, 2_000)
REAL = {
    "locomo": "locomo-dev/locomo.json",
    "realtalk": "realtalk-dev",
    "beam": "beam-dev",
    "claude-code": "agent_claude_code_viewer/fe5e1c67.jsonl",
}

Told = tuple[str, list[clew.Turn] | Path, list[str]]
"""A space, what is told there (turns, or a file to import), and the questions asked."""


def of_data(path: Path) -> Iterator[Told]:
    """The conversations of a data set, each in a space of its own."""
    for conversation in load(path):
        turns = [said.to_turn() for said in conversation.turns]
        yield conversation.name, turns, [question.text for question in conversation.questions]


def of_session(path: Path) -> Iterator[Told]:
    """A program's session; the questions are things that were said in it."""
    with clew.Memory.open(":memory:", embedder="none") as memory:
        memory.import_path(path)
        hits = memory.search("what file error test should this be", limit=200)
    yield "session", path, [hit.turn.text[:300] for hit in hits]


def invented() -> Iterator[Told]:
    """What the benchmarks tell."""
    writer = ConversationGenerator()
    turns = list(writer.turns(1_500))
    yield "invented", turns, [probe.question for probe in writer.probes([turn.text for turn in turns], 40)]


def conversations(name: str) -> Iterator[Told]:
    """Those of one source; skips the test when they are not there."""
    if name == "sample":
        return of_data(SAMPLE)
    if name == "invented":
        return invented()
    path = Path(os.environ.get("CLEW_DATA", "nowhere")) / REAL[name]
    if not path.exists():
        pytest.skip(f"CLEW_DATA names no folder with {REAL[name]}")
    return of_session(path) if name == "claude-code" else of_data(path)


def answers(place: str | Path, told: Told) -> Iterator[tuple[clew.Context, list[object]]]:
    """For each question the block at each budget, and the ranked turns with what every signal gave them."""
    space, turns, questions = told
    with clew.Memory.open(place, space=space, embedder=HashEmbedder(), clock=lambda: AT) as memory:
        if isinstance(turns, Path):
            memory.import_path(turns)
        else:
            memory.add_many(turns)
        assert memory.drain(200)
        for question in questions:
            hits: list[object] = [(hit.turn, hit.score, hit.signals) for hit in memory.search(question, limit=30)]
            for budget in BUDGETS:
                yield memory.recall(question, budget=budget), hits


@pytest.mark.requirement("S-POSTGRES-16", "S-POSTGRES-24")
@pytest.mark.parametrize(
    "name", [pytest.param("sample", marks=pytest.mark.slow), pytest.param("invented", marks=pytest.mark.slow), *REAL]
)
@pytest.mark.timeout(1_800)
def test_conversations_are_recalled_alike_at_home_and_on_a_server(name: str, url: str, tmp_path: Path) -> None:
    asked = found = 0
    for told in conversations(name):
        for number, (home, server) in enumerate(zip(answers(tmp_path / "home", told), answers(url, told), strict=True)):
            question = told[2][number // len(BUDGETS)]
            assert server[0].text == home[0].text, (told[0], question)
            assert server[0].items == home[0].items, (told[0], question)
            assert server == home, (told[0], question)
            asked += number % len(BUDGETS) == 0
            found += bool(home[0].items)
    print(f"{name}: {asked} questions, answered alike")  # noqa: T201  # shown with -s
    assert asked > 0
    assert found > asked * len(BUDGETS) // 2
