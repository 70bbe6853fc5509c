"""`clew snapshots`, as people use it."""

import json
from pathlib import Path
from shutil import copytree

import pytest

from tests.support.cli_runs import done, records, run


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, worked_sample: Path) -> Path:
    """A home with the sample conversation, all work done; for tests that only read it."""
    place = tmp_path_factory.mktemp("kept") / "home"
    copytree(worked_sample, place)
    return place


def sessions(home: Path, place: Path) -> list[str]:
    """The sessions of the sample conversation."""
    file = place / "all.jsonl"
    done("export", file, "--home", home)
    return sorted({json.loads(line).get("session", "default") for line in file.read_text("utf-8").splitlines()})


@pytest.mark.requirement("W-STAGE-07")
def test_the_beats_of_a_conversation_are_listed(home: Path, tmp_path: Path) -> None:
    found = {name: records("snapshots", name, "--json", "--home", home) for name in sessions(home, tmp_path)}
    name, beats = max(found.items(), key=lambda pair: len(pair[1]))
    assert beats
    assert [beat["conversation_position"] for beat in beats] == list(range(len(beats)))
    assert all(
        chunk["text"] and chunk["parent_id"] == beat["snapshot_id"] for beat in beats for chunk in beat["chunks"]
    )
    shown = done("snapshots", name, "--home", home)
    assert shown.startswith("beat 0")
    assert beats[0]["chunks"][0]["chunk_id"] in shown
    (bare, *_) = records("snapshots", name, "--no-text", "--json", "--home", home)
    assert "text" not in bare["chunks"][0]


@pytest.mark.requirement("W-STAGE-07")
def test_a_session_of_one_turn_has_none_and_that_is_said(tmp_path: Path) -> None:
    done("add", "I keep bees.", "--session", "short", "--home", str(tmp_path))
    result = run("snapshots", "short", "--home", str(tmp_path))
    assert result.exit_code == 0
    assert result.stdout == ""
    assert "session 'short' has no closed beats" in result.stderr


@pytest.mark.requirement("W-TAG-09")
def test_labels_are_listed_and_lead_to_what_they_mark(home: Path) -> None:
    found = records("labels", "--json", "--limit", "500", "--home", home)
    assert len(found) > 20
    assert [each["count"] for each in found] == sorted((each["count"] for each in found), reverse=True)
    first = found[0]
    marked = records("labels", first["name"].upper(), "--json", "--home", home)
    assert len(marked) == first["count"]
    assert all(each["turn_ids"] for each in marked)
    assert first["name"] in done("labels", "--home", home)
    assert marked[0]["ref"] in done("labels", first["name"], "--home", home)
    assert "nothing has the label 'no such thing'" in run("labels", "no such thing", "--home", str(home)).output
    assert records("labels", "--namespace", "domain", "--json", "--home", home)
