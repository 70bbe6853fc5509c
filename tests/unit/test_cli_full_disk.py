"""A full disk, as `clew add` and `clew import` tell it."""

import itertools
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from clew.cli.full_disk import told_once
from clew.errors import ClewError, StoreFull
from clew.store.sqlite import DATABASE
from tests.support.cli_runs import done, failure, record, run
from tests.support.disk_faults import SYSTEM, FaultyDisk

LOG = logging.getLogger("clew.worker")


def no_space(operation: str, _name: str) -> None:
    """The fault of a disk without space."""
    if operation == "write":
        raise apsw.FullError("no space left")


@pytest.fixture
def disk() -> Iterator[FaultyDisk]:
    """The disk of every database that the test opens."""
    disk = FaultyDisk()
    apsw.set_default_vfs(disk.name)
    yield disk
    apsw.set_default_vfs(SYSTEM)


@pytest.fixture
def lines() -> Iterator[list[str]]:
    """What the log prints."""
    lines = list[str]()

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    handler = Lines()
    logging.getLogger("clew").addHandler(handler)
    yield lines
    logging.getLogger("clew").removeHandler(handler)


@pytest.mark.requirement("F-NAMED-03")
def test_the_error_of_the_command_tells_it_alone(lines: list[str]) -> None:
    @told_once()
    def command() -> None:
        LOG.warning("background work failed: %s", StoreFull("full"))
        LOG.warning("the log could not be copied: %s", apsw.FullError("full"))
        LOG.warning("the model is slow")
        raise StoreFull("full")

    with pytest.raises(StoreFull):
        command()
    assert lines == ["the model is slow"]


@pytest.mark.requirement("F-NAMED-03")
def test_without_an_error_of_the_command_the_first_line_of_the_log_tells_it(lines: list[str]) -> None:
    with told_once():
        for _ in range(3):
            LOG.warning("background work failed: %s", StoreFull("full"))
    LOG.warning("later: %s", StoreFull("full"))
    assert lines == ["background work failed: full", "later: full"]


@pytest.mark.requirement("F-NAMED-03")
@pytest.mark.parametrize(
    ("error", "logged"),
    [
        ("background work cannot continue: the disk is full", []),
        ("no such space", ["background work failed: the disk is full"]),
    ],
)
def test_an_error_that_repeats_the_line_of_the_log_tells_it_alone(
    lines: list[str], error: str, logged: list[str]
) -> None:
    @told_once()
    def command() -> None:
        LOG.warning("background work failed: %s", StoreFull("the disk is full"))
        raise ClewError(error)

    with pytest.raises(ClewError, match=error):
        command()
    assert lines == logged


@pytest.mark.requirement("F-NAMED-03")
def test_an_import_on_a_full_disk_prints_one_line(disk: FaultyDisk, tmp_path: Path) -> None:
    """The first file is stored in the log, which can then neither take the second nor be copied."""
    home, small, large = tmp_path / "home", tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    for file, count in ((small, 1), (large, 600)):
        rows = ({"role": "user", "content": f"Hive {n} is weak. " + "x" * 4_000} for n in range(count))
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done("add", "The hive is weak.", "--home", home)
    left = itertools.count(400, -1)

    def fault(operation: str, name: str) -> None:
        if name == DATABASE or next(left) < 0:
            no_space(operation, name)

    disk.fault = fault
    result = run("import", small, large, "--home", home)
    assert result.exit_code == 1
    assert [line[:28] for line in result.stderr.splitlines()] == ["clew: the disk is full; noth"]
    disk.fault = lambda _operation, _name: None
    assert record("stats", "--home", home)["turns"] == 2


@pytest.mark.requirement("F-NAMED-03")
def test_an_import_that_fills_the_disk_says_how_much_is_stored(
    disk: FaultyDisk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_INGEST_BATCH", "10")
    home, file = tmp_path / "home", tmp_path / "a.jsonl"
    rows = ({"role": "user", "content": f"Hive {n} is weak. " + "x" * 4_000} for n in range(60))
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done("add", "The hive is weak.", "--home", home)
    left = itertools.count(120, -1)

    def fault(operation: str, name: str) -> None:
        if next(left) < 0:
            no_space(operation, name)

    disk.fault = fault
    line = " ".join(failure(1, "import", file, "--home", home).split())
    disk.fault = lambda _operation, _name: None
    stored = record("stats", "--home", home)["turns"]
    assert 1 < stored < 61
    assert f"the disk is full; the first {stored - 1} turns are stored, and those after them are not." in line
    done("import", file, "--home", home)
    assert record("stats", "--home", home)["turns"] == 61


@pytest.mark.requirement("F-NAMED-03")
def test_an_addition_to_a_full_disk_prints_one_line(disk: FaultyDisk, tmp_path: Path) -> None:
    done("add", "The hive is weak.", "--home", tmp_path)
    disk.fault = no_space
    result = run("add", "She is back.", "--home", tmp_path)
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    disk.fault = lambda _operation, _name: None
    assert done("add", "The hive is strong.", "--home", tmp_path) == "default:turn:1\n"


@pytest.mark.requirement("F-NAMED-03")
def test_a_merge_into_a_full_disk_prints_one_line(disk: FaultyDisk, tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    rows = ({"role": "user", "content": f"Hive {n} is weak. " + "x" * 4_000} for n in range(60))
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done("import", tmp_path / "a.jsonl", "--home", home)
    done("add", "The hive is weak.", "--home", other)
    disk.fault = no_space
    result = run("merge", home, other)
    disk.fault = lambda _operation, _name: None
    assert result.exit_code == 1
    assert [line[:22] for line in result.stderr.splitlines()] == ["clew: the disk is full"]
