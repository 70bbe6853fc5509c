"""The figures of docs/analysis.md: how they are counted, and that our own conversation keeps the limits."""

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from benchmarks.bars import Panel, draw_panels
from benchmarks.importance import HIGHEST, LOWEST, Talk, TurnScores, analysed, area, overlay_sheet, spread_sheet
from clew.ingest.importers import ImportedTurn, read_path

SAMPLE = Path(__file__).resolve().parents[2] / "src" / "clew" / "cli" / "sample" / "conversation.jsonl"

pytestmark = pytest.mark.requirement("W-SIGMA-10")


def sample() -> Iterator[Talk]:
    turns = [each.turn for each in read_path(SAMPLE) if isinstance(each, ImportedTurn)]
    for _, line in groupby(turns, key=lambda turn: turn.session):
        yield Talk("sample", True, tuple(line))


@pytest.fixture(scope="module")
def rows() -> list[TurnScores]:
    return list(analysed(sample(), None))


def test_importance_tells_turns_apart(rows: list[TurnScores]) -> None:
    matters = np.array([row.said.importance for row in rows])
    assert len(matters) > 400
    assert np.mean(matters < LOWEST) <= 0.1
    assert np.mean(matters >= HIGHEST) <= 0.1
    assert 0.02 <= np.mean([row.said.paradigm_shift for row in rows]) <= 0.15
    assert np.mean([row.sigma >= HIGHEST for row in rows]) > 0.1  # the plain sum saturates here too


def test_tables_have_a_row_for_each_role(rows: list[TurnScores]) -> None:
    assert [row[0] for row in spread_sheet(rows, "").rows][:2] == ["sample, user", "sample, assistant"]
    assert all(len(row) == 8 for row in overlay_sheet(rows).rows)


def test_area_is_how_often_gold_is_above_the_rest() -> None:
    gold = np.array([True, False, True, False])
    assert area(np.array([4.0, 1.0, 3.0, 2.0]), gold) == 1
    assert area(np.array([1.0, 1.0, 1.0, 1.0]), gold) == 0.5
    assert area(np.array([1.0, 2.0, 2.5, 3.0]), gold) == 0.25
    assert area(np.array([1.0, 2.0]), np.array([False, False])) is None


def test_the_figure_has_a_row_for_each_panel() -> None:
    drawn = draw_panels([Panel(name, [0.5, 0.5], [1.0, 0.0], [0.0, 1.0]) for name in ("first", "second")])
    assert drawn.count("<polyline") == 2
    assert drawn.count("<path") == 4
    assert ">first<" in drawn
