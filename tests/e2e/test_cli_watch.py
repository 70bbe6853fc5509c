"""`clew watch`: sessions are stored while they are written; nothing is lost and nothing is stored twice."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import apsw
import pytest

from tests.support.cli_runs import PROGRAM, done, environment, failure, process, record, records, run
from tests.unit.test_ingest_cursor import database, session

pytestmark = pytest.mark.usefixtures("tmp_home")


def line(number: int, text: str) -> str:
    """A request as Claude Code writes it."""
    value = {
        "type": "user",
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number else None,
        "sessionId": "abc",
        "timestamp": f"2025-05-07T10:{number:02}:00Z",
        "cwd": "/srv/shop",
        "message": {"role": "user", "content": text},
    }
    return json.dumps(value) + "\n"


@pytest.fixture
def file(tmp_home: Path) -> Path:
    file = tmp_home / ".claude/projects/-srv-shop/abc.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(line(0, "first wish"))
    return file


@contextmanager
def watching(home: Path, *programs: str) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """A running `clew watch --json` that has stored what was there."""
    command = [*PROGRAM, "watch", "--json", *programs]
    with subprocess.Popen(command, env=environment(home), stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            yield running, running.stdout
        finally:
            running.kill()


def added(reports: IO[str]) -> Any:
    return json.loads(reports.readline())["added"]


@pytest.mark.requirement("F-WATCH-02")
def test_lines_are_stored_as_they_come_through_rotation_truncation_and_halves(tmp_home: Path, file: Path) -> None:
    with watching(tmp_home) as (running, reports):
        assert added(reports) == 1
        with file.open("a") as stream:
            stream.write(line(1, "second wish"))
        assert added(reports) == 1
        half = line(2, "third wish, written in two halves")
        with file.open("a") as stream:
            stream.write(half[:30])
            stream.flush()
            stream.write(half[30:])
        assert added(reports) == 1
        file.rename(file.with_suffix(".old"))
        file.write_text(line(3, "after the rotation"))
        assert added(reports) == 1
        file.write_text(line(4, "after the truncation"))
        assert added(reports) == 1
        running.send_signal(signal.SIGTERM)
        assert running.wait() == 0
    assert len(records("query", "session = abc")) == 5


@pytest.mark.requirement("F-WATCH-03")
def test_what_came_while_nobody_watched_is_stored_first_and_once(tmp_home: Path, file: Path) -> None:
    assert done("watch", "--once").endswith("1 new turn stored\n")
    with file.open("a") as stream:
        stream.write(line(1, "while nobody watched"))
    assert done("watch", "claude-code", "--once").endswith("1 new turn stored\n")
    assert done("watch", "--once") == "0 new turns stored\n"
    assert record("stats")["turns"] == 2


@pytest.mark.slow
@pytest.mark.requirement("F-WATCH-04")
def test_a_second_watcher_is_refused_and_a_killed_one_is_no_obstacle(tmp_home: Path, file: Path) -> None:
    with watching(tmp_home) as (running, reports):
        assert added(reports) == 1
        second = process(tmp_home, "watch", "--once")
        assert (second.returncode, b"already follows" in second.stderr) == (1, True)
        running.kill()
        running.wait()
        if sys.platform == "linux":
            assert process(tmp_home, "watch", "--once").returncode == 0
    assert file.exists()


@pytest.mark.requirement("F-WATCH-02")
def test_a_file_that_cannot_be_read_is_named_and_stops_nothing(tmp_home: Path, file: Path) -> None:
    (file.parent / "broken.jsonl").write_bytes(b"\x00\xff\x00")
    result = run("watch", "--once")
    assert result.exit_code == 0
    assert "1 new turn stored" in result.stdout


@pytest.mark.requirement("F-WATCH-05")
def test_the_service_is_written_and_removed(tmp_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_home))  # no service manager
    unit = Path(record("watch", "codex", "--install", "--yes", "--home", tmp_home / "my memory")["file"])
    text = unit.read_text()
    assert "codex" in text
    assert "my memory" in text
    assert unit.is_relative_to(tmp_home)
    shown = done("watch", "codex", "--print", "--home", tmp_home / "my memory")
    assert text in f"{shown}\n"
    assert record("watch", "--print")["file"] == str(unit)
    assert "Removed" in done("watch", "--remove", "--yes")
    assert not unit.exists()
    assert "not installed" in failure(1, "watch", "--remove", "--yes")
    assert "Give --yes" in failure(2, "watch", "--install")
    assert "cannot be combined" in failure(2, "watch", "--install", "--once")


@pytest.mark.requirement("F-WATCH-06")
def test_broken_records_are_told_and_sessions_without_dates_are_kept(tmp_home: Path, file: Path) -> None:
    undated = json.dumps({name: value for name, value in json.loads(line(1, "no date")).items() if name != "timestamp"})
    file.write_text(line(0, "first wish") + "{broken\n" + undated + "\n")
    result = run("watch", "--once")
    assert "2 new turns stored" in result.stdout
    assert "1 record cannot be stored; the first, " in result.stderr
    assert f"{file.name}:2: not JSON" in result.stderr
    file.with_name("undated.jsonl").write_text(undated.replace("abc", "undated") + "\n")
    assert "1 new turn stored" in done("watch", "--once")
    assert "no date" in done("sessions")


@pytest.mark.requirement("F-WATCH-06")
@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="who may read everything sees no closed folder"
)
def test_a_closed_folder_is_told_and_stops_nothing(tmp_home: Path, file: Path) -> None:
    closed = tmp_home / ".claude/projects/closed"
    closed.mkdir(mode=0)
    result = run("watch", "--once")
    assert "1 new turn stored" in result.stdout
    assert "closed: cannot be listed: Permission denied; its sessions are not stored" in result.stderr


@pytest.mark.slow
@pytest.mark.requirement("F-WATCH-02")
def test_times_of_files_that_jump_change_nothing(tmp_home: Path, file: Path) -> None:
    with watching(tmp_home) as (running, reports):
        assert added(reports) == 1
        for number, at in enumerate((4_000_000_000, 0, 1_700_000_000), start=1):
            with file.open("a") as stream:
                stream.write(line(number, f"wish {number}"))
            os.utime(file, (at, at))
            assert added(reports) == 1
        running.send_signal(signal.SIGTERM)
        assert running.wait() == 0
    assert record("stats")["turns"] == 4


@pytest.mark.requirement("F-AGENT-85")
@pytest.mark.skipif(sys.platform == "win32", reason="Cursor keeps its chats elsewhere there")
def test_cursor_is_followed_while_it_writes(tmp_home: Path) -> None:
    path = database(
        tmp_home / ".config/Cursor/User/globalStorage/state.vscdb",
        {"composerData:s1": session("q1"), "bubbleId:s1:q1": {"type": 1, "text": "Mend the kiln."}},
    )
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = WAL")
    with watching(tmp_home, "cursor") as (running, reports):
        assert added(reports) == 1
        insert = "INSERT INTO cursorDiskKV VALUES (?, ?)"
        connection.execute(insert, ("composerData:s1", json.dumps(session("q1", "a1"))))
        connection.execute(insert, ("bubbleId:s1:a1", json.dumps({"type": 2, "text": "The pump was loose."})))
        assert added(reports) == 1
        running.send_signal(signal.SIGTERM)
        assert running.wait() == 0
    connection.close()
    assert records("quote", "pump was loose")
