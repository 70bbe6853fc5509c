"""Labels, gravity and hubs from the settings of a home to `clew explain`, as people turn them on and read of them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli_runs import done, record

LINES = ("We looked at the", "Please mend the", "They broke the", "I like the")
TOPICS = ("login page", "deployment", "harbour", "umbrella")
QUESTION = "What of the harbour and the deployment?"


@pytest.fixture
def home(tmp_home: Path) -> Path:
    """A home with a beat on each of four subjects, an hour apart, in which all three have a weight."""
    place = tmp_home / ".clew"
    place.mkdir()
    (place / "clew.toml").write_text('embedder = "none"\n[recall]\nlabel = 2.0\ngravity = 1.0\nhub = 1.0\n')
    told = [
        {
            "role": "user",
            "content": f"{line} {topic}.",
            "session": "s",
            "at": f"2025-04-01T{9 + 2 * n:02}:{minute:02}:00Z",
        }
        for n, topic in enumerate(TOPICS)
        for minute, line in enumerate(LINES)
    ]
    log = tmp_home.parent / "log.jsonl"
    log.write_text("".join(json.dumps(each) + "\n" for each in told))
    done("import", str(log))
    done("work", "--once")
    return place


def rows(receipt: dict[str, Any]) -> list[dict[str, Any]]:
    return [*receipt["chosen"], *receipt["omitted"]]


@pytest.mark.requirement("F-LABEL-01", "F-DAMP-03")
def test_a_receipt_names_labels_and_what_each_share_is(home: Path) -> None:
    name = record("recall", QUESTION)["receipt_id"]
    receipt = record("explain", name)
    assert receipt["understood"]["labels"] == ["deployment", "harbour"]
    shares = {row["turn_ids"][0]: row["signals"] for row in rows(receipt)}
    assert shares["s:turn:8"]["label"] > 0
    assert "label" not in shares["s:turn:0"]
    assert all(signals["hub"] < 0 for signals in shares.values())
    for row in rows(receipt):
        assert row["score"] == pytest.approx(sum(row["signals"].values()), abs=1e-5)
    page = " ".join(done("explain", name, "--full").split())
    assert "labels: deployment, harbour" in page
    assert f"label {shares['s:turn:8']['label']:+.2f}" in page
    assert f"hub {shares['s:turn:8']['hub']:+.2f}" in page
    assert "label" in done("search", QUESTION)


@pytest.mark.requirement("F-LABEL-03")
def test_what_the_prompt_holds_does_not_come_back(home: Path) -> None:
    done("add", "The harbour again.", "--session", "s")
    done("work", "--once")
    receipt = record("explain", record("recall", QUESTION, "--in-window", "5")["receipt_id"])
    assert receipt["understood"]["labels"] == ["deployment"]
    assert receipt["understood"]["labels_on_screen"] == ["harbour"]
    assert not {row["turn_ids"][0] for row in rows(receipt)} & {f"s:turn:{seq}" for seq in range(12, 17)}
    page = " ".join(done("explain", "last").split())
    assert "labels_on_screen: harbour" in page


@pytest.mark.requirement("F-LABEL-02")
def test_by_default_none_of_it_is_there(home: Path) -> None:
    (home / "clew.toml").write_text('embedder = "none"\n')
    receipt = record("explain", record("recall", QUESTION)["receipt_id"])
    assert not receipt["understood"].keys() & {"labels", "labels_on_screen"}
    assert not {name for row in rows(receipt) for name in row["signals"]} & {"label", "gravity", "hub"}
    assert not receipt["settings"]["weights"].keys() & {"label", "gravity", "hub"}
