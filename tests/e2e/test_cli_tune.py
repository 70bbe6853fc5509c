"""`clew tune` and `clew mark-used`, as people use them."""

from datetime import UTC, datetime
from pathlib import Path
from shutil import copytree

import pytest

from clew.memory import Memory
from clew.rows.parameters import adopt
from tests.support.cli_runs import done, failure, record, records


@pytest.mark.requirement("W-TUNE-06")
def test_turns_of_the_newest_recall_are_marked(tmp_path: Path, worked_sample: Path) -> None:
    home = tmp_path / "kept"
    copytree(worked_sample, home)
    shown = record("recall", "what did we decide", "--json", "--home", home)
    name = shown["items"][0]["turn_ids"][0]
    assert record("mark-used", "last", name, "--home", home) == {"receipt": shown["receipt_id"], "marked": 1}
    assert done("mark-used", shown["receipt_id"], name, "--home", home) == "0 turns marked as used\n"
    assert "is not a turn of receipt" in failure(1, "mark-used", "last", "nowhere:turn:9", "--home", home)
    report = record("tune", "--dry-run", "--home", home)
    assert report["feedback"] == {"used": 1}
    assert report["changed"] == {}
    assert all(not verdict["adopted"] for verdict in report["verdicts"])
    assert "at least 40" in done("tune", "--home", home)


@pytest.mark.requirement("W-TUNE-05")
def test_changes_are_listed_and_taken_back(tmp_path: Path) -> None:
    home = tmp_path / "kept"
    with Memory.open(home, embedder="none") as memory:
        now = datetime(2026, 3, 25, 12, tzinfo=UTC)
        adopt(memory.reads.store, "default", {"recall.time": 4.2}, {"reason": "significantly better"}, now, 0)
    shown = done("tune", "--history", "--home", home)
    assert "recall.time 4.2" in shown
    assert "significantly better" in shown
    assert record("tune", "--revert", "0", "--home", home) == {"version": 2, "reverted_to": 0}
    changes = records("tune", "--history", "--home", home)
    assert [change["values"] for change in changes] == [{"recall.time": 4.2}, {"recall.time": None}]
    assert "as before tuning" in done("tune", "--history", "--home", home)
    assert "there are 0 to 2" in failure(1, "tune", "--revert", "7", "--home", home)
    assert record("stats", "--home", home)["details"]["learned"] == 2


@pytest.mark.requirement("W-TUNE-01")
def test_without_feedback_tuning_says_so(tmp_path: Path) -> None:
    done("resume", "--home", tmp_path / "kept")
    assert "nothing changes" in done("tune", "--home", tmp_path / "kept")
    assert "cannot be combined" in failure(2, "tune", "--history", "--dry-run", "--home", tmp_path / "kept")
