"""`clew doctor`, as people use it."""

import json
from pathlib import Path

import pytest

from clew.derive.mentions import MentionReading
from clew.project.links import TurnLinks, links_of
from clew.rows.mentions import drop_mentions
from clew.store.sqlite import SqliteStore
from clew.store.values import Row
from clew.types import Turn
from clew.version import __version__, build
from tests.support.cli_runs import done, failure, record, run

pytestmark = pytest.mark.usefixtures("tmp_home")


def talk(home: Path) -> None:
    for place, words in enumerate(("The launch is on Monday.", "Tuesday suits me better.")):
        done("add", words, "--session", "plan", "--at", f"2025-04-{place + 1:02}", "--home", home)


def plant(home: Path, table: str, row: Row) -> None:
    store = SqliteStore.open(home)
    store.transaction(lambda tx: tx.put(table, [row]))
    store.close()


@pytest.mark.requirement("S-DOCTOR-02", "F-FAST-03")
def test_a_sound_home_is_said_to_be_whole(tmp_path: Path) -> None:
    talk(tmp_path)
    about, names, end = done("doctor", "--home", tmp_path).splitlines()
    assert (names.startswith("names by rules"), end) == (True, "no problems found")
    assert about == f"clew {__version__}, {build()}"
    assert record("doctor", "--repair", "--home", tmp_path) == {
        "ok": True,
        "version": __version__,
        "build": build(),
        "encryption": "none",
        "mended": [],
        "findings": [],
        "ner": names,
    }
    assert "has no clew.db" in failure(1, "doctor", "--home", tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.requirement("S-DOCTOR-02", "F-CLI-02")
@pytest.mark.parametrize("command", ["doctor", "verify"])
def test_a_file_that_is_no_database_is_told_as_json_too(tmp_path: Path, command: str) -> None:
    talk(tmp_path)
    (tmp_path / "clew.db").write_bytes(b"no database" * 1000)
    result = run(command, "--json", "--home", tmp_path)
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert found["ok"] is False
    assert "is not a database" in found["problem"]
    assert found["problem"] in result.stderr


@pytest.mark.requirement("S-DOCTOR-02")
def test_what_is_wrong_is_explained_and_mended(tmp_path: Path) -> None:
    talk(tmp_path)
    plant(tmp_path, "annotation", ("default", "s9:turn:1", "layer1", "{}", "rule", 1))
    plant(tmp_path, "tail", ("default", 0, b"nothing"))
    result = run("doctor", "--home", tmp_path)
    assert result.exit_code == 1
    assert "annotation: 1 problem\n" in result.stdout
    assert "made again from the turns" in result.stdout
    assert "`clew doctor --repair` repairs" in result.stderr
    page = done("doctor", "--repair", "--home", tmp_path)
    assert "repaired: annotation, index; checked again\nno problems found\n" in page
    assert record("verify", "--home", tmp_path)["ok"]


@pytest.mark.requirement("F-HOLD-12")
def test_what_was_put_aside_is_told_and_tried_again(tmp_path: Path) -> None:
    talk(tmp_path)
    payload = '{"turn":"plan:turn:0","ordinal":0,"model":"gone"}'
    plant(tmp_path, "job", ("default", "embed:plan:turn:0", "embed", "deferred", payload, 3, "too \x1b odd", None, 0))
    page = done("doctor", "--home", tmp_path)
    assert "1 job set aside; `clew work --retry` retries" in page
    assert "embed:plan:turn:0: too" in page
    assert "\x1b" not in page
    assert record("doctor", "--home", tmp_path)["deferred"][0]["attempts"] == 3
    assert record("stats", "--home", tmp_path)["details"]["deferred"] == 1
    assert "1 job set aside" in run("work", "--once", "--home", tmp_path).stderr
    assert record("work", "--once", "--retry", "--home", tmp_path)["deferred"] == 0


@pytest.mark.requirement("S-DOCTOR-02")
def test_what_cannot_be_mended_is_left_and_said(tmp_path: Path) -> None:
    talk(tmp_path)
    plant(tmp_path, "blob", ("default", "ab" * 32, None, b"other"))
    plant(tmp_path, "space", ("default", 9, 0, b"salt" * 8, 0))
    result = run("doctor", "--repair", "--json", "--home", tmp_path)
    found = json.loads(result.stdout)
    assert (result.exit_code, found["ok"], found["mended"]) == (1, False, ["numbering", "blob"])
    assert [(each["kind"], len(each["problems"])) for each in found["findings"]] == [("numbering", 1)]
    assert "1 problem left; see above" in result.stderr
    assert record("stats", "--home", tmp_path)["turns"] == 2


def test_a_turn_that_was_set_aside_is_listed_and_tried_again(tmp_path: Path) -> None:
    talk(tmp_path)
    done("work", "--once", "--home", tmp_path)
    store = SqliteStore.open(tmp_path)
    store.transaction(lambda tx: drop_mentions(tx, "default"))
    reading = MentionReading(store, "default", links_but_of_monday)
    while reading.step():
        pass
    store.close()
    told = done("doctor", "--home", tmp_path)
    assert "1 job set aside; `clew work --retry` retries" in told
    assert "mentions:plan:turn:0: IndexError in clew.derive.mentions, line " in told
    assert "Monday" not in told
    assert told.endswith("no problems found\n")
    assert record("stats", "--home", tmp_path)["details"]["deferred_by_kind"] == {"mentions": 1}
    assert "no jobs are pending" in done("work", "--once", "--retry", "--home", tmp_path)
    assert "set aside" not in done("doctor", "--home", tmp_path)


def links_but_of_monday(turn: Turn) -> TurnLinks:
    """A rule that fails on one word."""
    if "Monday" in turn.text:
        raise IndexError(turn.text)
    return links_of(turn)
