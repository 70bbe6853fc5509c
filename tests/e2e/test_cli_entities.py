"""`clew entities`, as people use it."""

from pathlib import Path

import pytest

from tests.support.cli_runs import done, failure, record, records, run


@pytest.mark.requirement("F-GRAPH-08")
def test_names_are_listed_and_told_of(tmp_path: Path) -> None:
    home = ("--home", tmp_path / "kept")
    done("resume", *home)
    assert "no entities yet" in run("entities", *home).stderr
    done("add", "We picked Redis with Bob in Oslo", "--speaker", "Ann", *home)
    done("add", "Bob moved", "--speaker", "Ann", *home)
    listed = [line.split()[:3] for line in done("entities", *home).splitlines()]
    assert listed[:2] == [["Ann", "person", "2"], ["Bob", "person", "2"]]
    assert records("entities", "--json", "--type", "place", *home) == [
        {"name": "Oslo", "type": "place", "turns": 1, "aliases": []}
    ]
    about = done("entities", "bob", *home)
    assert about.startswith("Bob: person, 2 turns\n")
    assert "speaks of" in about
    assert "We picked Redis with Bob in Oslo" in about
    assert record("entities", "bob", "--json", *home)["turn_ids"] == ["default:turn:1", "default:turn:0"]
    assert "more; --limit shows them" in run("entities", "--limit", "1", *home).stderr
    assert "1 turn more; --limit shows them" in run("entities", "bob", "--limit", "1", *home).stderr
    assert "--type" in failure(2, "entities", "bob", "--type", "place", *home)


@pytest.mark.requirement("F-GRAPH-08")
def test_an_unknown_name_and_type_are_told(tmp_path: Path) -> None:
    home = ("--home", tmp_path / "kept")
    done("resume", *home)
    assert "no turn of space 'default' names 'zebra'" in failure(1, "entities", "zebra", *home)
    assert "planet" in failure(2, "entities", "--type", "planet", *home)
