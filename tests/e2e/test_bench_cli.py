"""`clew bench` as people use it, on the sample conversation."""

import json
from pathlib import Path

import pytest

from tests.support.cli_runs import SAMPLE, done, failure, record, records
from tests.support.small_talk import small_talk

pytestmark = [pytest.mark.usefixtures("tmp_home"), pytest.mark.slow]


@pytest.mark.requirement("F-BENCH-06")
def test_recall_prints_tables() -> None:
    shown = done("bench", "recall", "--data", SAMPLE, "--budgets", "300,600", "--questions", "5")
    assert shown.startswith("sample: 5 questions on ")
    assert "no embedder" in shown
    for title in ("Evidence turns found, %", "Soft cover", "by category", "by role", "R@5"):
        assert title in shown
    (bare,) = [line.split() for line in shown.splitlines() if line.startswith("bare")][:1]
    assert 0 <= float(bare[1]) <= float(bare[2]) <= 100


@pytest.mark.requirement("F-BENCH-06")
def test_recall_as_json_holds_all_figures() -> None:
    found = record(
        "bench", "recall", "--data", SAMPLE, "--budgets", "300", "--questions", "4", "--set", "recall.cost=1"
    )
    assert found["questions"] == 4
    assert found["settings"] == {"recall.cost": 1.0}
    figures = found["forms"]["rendered"]["300"]
    assert 0 <= figures["recall"]["mean"] <= 1
    assert set(figures) == {"recall", "all", "soft", "tokens", "categories", "roles"}


@pytest.mark.requirement("F-BENCH-05")
def test_two_results_are_compared(tmp_path: Path) -> None:
    names = [tmp_path / "a.json", tmp_path / "b.json"]
    for name, words in zip(names, ("recall.lexical=1.3", "recall.lexical=0"), strict=True):
        done(
            "bench", "recall", "--data", SAMPLE, "--budgets", "300", "--questions", "12", "--set", words, "--out", name
        )
    assert json.loads(names[0].read_text(encoding="utf-8"))["data"] == "sample"
    rows = records("bench", "compare", *names)
    bare = next(row for row in rows if row["form"] == "bare" and "category" not in row)
    assert bare["change"]["mean"] < 0
    assert bare["significant"] is False  # one conversation has no interval
    assert "second minus first" in done("bench", "compare", *names, "--measure", "soft")


@pytest.mark.requirement("F-BENCH-02")
def test_what_is_wrong_is_said_in_a_line(tmp_path: Path) -> None:
    assert "nothing is at" in failure(1, "bench", "recall", "--data", tmp_path / "absent")
    assert "the data has sample" in failure(1, "bench", "recall", "--data", SAMPLE, "--only", "conv-1")
    assert "above 0" in failure(2, "bench", "recall", "--data", SAMPLE, "--budgets", "500,x")
    assert "above 0" in failure(2, "bench", "recall", "--data", SAMPLE, "--budgets", "9" * 5000)
    assert "SETTING=VALUE" in failure(2, "bench", "recall", "--data", SAMPLE, "--set", "recall.cost")
    assert "is not a setting" in failure(1, "bench", "recall", "--data", SAMPLE, "--set", "recall.odd=1")
    assert "is not a result" in failure(1, "bench", "compare", SAMPLE / "questions.json", SAMPLE / "questions.json")


@pytest.mark.requirement("F-KEEP-01", "F-KEEP-03")
def test_compactions_are_measured(tmp_path: Path) -> None:
    options = ("--data", small_talk(tmp_path), "--against", "none", "--sample", "5", "--budgets", "500")
    found = record("bench", "condense", *options)
    assert len(found["compactions"]) == 3
    assert all(cut["recap"] <= cut["tokens"] / 29 + 1 for cut in found["compactions"])
    assert found["survival"]["or by reference"]["all"] == 1.0
    assert found["questions"] >= 1
    shown = done("bench", "condense", *options)
    assert "Evidence that is used again later, %" in shown
    assert "recap and recall" in shown
    assert "there is no conversation" in failure(1, "bench", "condense", "--data", options[1], "--only", "other")


@pytest.mark.requirement("F-BENCH-08")
def test_too_few_turns_to_measure_anything_are_refused() -> None:
    assert "sizes of at least 20 turns" in failure(1, "bench", "speed", "--turns", "5")


@pytest.mark.slow
@pytest.mark.requirement("F-BENCH-08")
def test_speed_prints_ratios_beside_their_references() -> None:
    found = {row["name"]: row for row in records("bench", "speed", "--turns", "200")}
    assert found["recall.processor"]["against"] == "SQLite FTS5, bm25"
    assert found["add.wall"]["ratio"] == found["add.wall"]["value"] / found["add.wall"]["reference"]
    assert "ratio" not in found["disk"] or found["disk"]["reference"] > 0
