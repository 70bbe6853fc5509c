"""A home that does not exist: named by mistake, it is refused and not made, but by commands that begin a memory."""

import json
from pathlib import Path

import pytest

from clew.store.sqlite import DATABASE
from tests.support.cli_runs import done, failure

pytestmark = pytest.mark.requirement("F-TDY-05")

ASKING = (
    ("recall", "redis"),
    ("search", "redis"),
    ("quote", "redis"),
    ("query", "role = user"),
    ("when", "redis"),
    ("recap",),
    ("brief",),
    ("sessions",),
    ("condense",),
    ("condense", "--shown"),
    ("snapshots", "s"),
    ("explain", "last"),
    ("restore", "s:turn:0"),
    ("labels",),
    ("entities",),
    ("pin",),
    ("stats",),
    ("verify",),
    ("doctor",),
    ("rebuild",),
    ("tune",),
    ("export", "file"),
    ("backup", "file"),
    ("forget", "--session", "s", "--yes"),
)


@pytest.mark.parametrize("command", ASKING)
def test_a_command_that_begins_no_memory_makes_none(command: tuple[str, ...], tmp_path: Path) -> None:
    home = tmp_path / "mistyped"
    told = " ".join(failure(1, *command, "--home", home).split())
    assert f"there is no memory in '{home}'" in told
    assert "`clew import claude-code` or `clew add`" in told
    assert not home.exists()


def test_the_variable_is_no_different(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "mistyped"))
    assert "there is no memory" in failure(1, "recall", "redis")
    assert not (tmp_path / "mistyped").exists()


@pytest.mark.parametrize("command", [("add", "We chose Redis."), ("pause",)])
def test_a_command_that_begins_a_memory_makes_its_home(command: tuple[str, ...], tmp_path: Path) -> None:
    home = tmp_path / "fresh" / "home"
    done(*command, "--home", home)
    assert (home / DATABASE).is_file()
    assert json.loads(done("stats", "--home", home, "--json"))["turns"] == (command[0] == "add")
