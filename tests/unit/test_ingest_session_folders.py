"""Changes in the session folders of coding agents are noticed, each once."""

import os
from pathlib import Path

import pytest

from clew.ingest.session_folders import ACTIVE_SECONDS, ALL_SECONDS, PROGRAMS, SessionFolders

pytestmark = pytest.mark.requirement("F-WATCH-01")


class Clock:
    """A clock that stands still until it is moved."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / ".claude/projects/-srv-shop/one.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text("a\n")
    return file


def look(folders: SessionFolders) -> list[str]:
    """The names of the files that changed, which are taken."""
    changed = folders.changed()
    for each in changed:
        folders.take(each)
    return [each.path.name for each in changed]


def test_a_file_is_given_until_it_is_taken_and_again_when_it_changes(tmp_path: Path, file: Path) -> None:
    folders = SessionFolders(PROGRAMS, tmp_path, Clock())
    assert [each.path for each in folders.changed()] == [file]
    assert look(folders) == ["one.jsonl"]
    assert look(folders) == []
    with file.open("a") as stream:
        stream.write("b\n")
    assert look(folders) == ["one.jsonl"]
    assert look(folders) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps no time of a file's last change beside the one that is set")
def test_a_rewriting_of_the_same_size_that_sets_the_time_back_is_a_change(tmp_path: Path, file: Path) -> None:
    folders = SessionFolders(PROGRAMS, tmp_path, Clock())
    look(folders)
    before = file.stat()
    file.write_text("b\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert look(folders) == ["one.jsonl"]


def test_truncation_and_replacement_are_changes(tmp_path: Path, file: Path) -> None:
    folders = SessionFolders(PROGRAMS, tmp_path, Clock())
    look(folders)
    file.write_text("")
    assert look(folders) == ["one.jsonl"]
    other = file.with_suffix(".new")
    other.write_text("")
    os.utime(other, ns=(0, file.stat().st_mtime_ns))
    other.replace(file)
    assert look(folders) == ["one.jsonl"], "of the same size and time, but another file"
    file.unlink()
    assert look(folders) == []
    file.write_text("a\n")
    assert look(folders) == ["one.jsonl"]


def test_new_files_and_programs_are_found(tmp_path: Path, file: Path) -> None:
    folders = SessionFolders(PROGRAMS, tmp_path, Clock())
    look(folders)
    file.with_name("two.jsonl").write_text("a\n")
    assert look(folders) == ["two.jsonl"]
    codex = tmp_path / ".codex/sessions/2025/05/07/rollout-1.jsonl"
    codex.parent.mkdir(parents=True)
    codex.write_text("a\n")
    assert look(folders) == ["rollout-1.jsonl"]
    assert look(SessionFolders(("codex",), tmp_path, Clock())) == ["rollout-1.jsonl"]


def test_a_file_that_was_quiet_for_long_is_examined_now_and_then(tmp_path: Path, file: Path) -> None:
    clock = Clock()
    folders = SessionFolders(PROGRAMS, tmp_path, clock)
    look(folders)
    clock.now = ACTIVE_SECONDS + 1
    assert look(folders) == []
    file.write_text("a\nb\n")
    assert look(folders) == []
    clock.now += ALL_SECONDS
    assert look(folders) == ["one.jsonl"]
    file.write_text("a\nb\nc\n")
    assert look(folders) == ["one.jsonl"], "it is active again"


@pytest.mark.requirement("F-AGENT-85")
def test_a_database_of_cursor_changes_with_its_log_and_deeper_folders_are_let_be(tmp_path: Path) -> None:
    storage = tmp_path / ".config/Cursor/User/workspaceStorage"
    state = storage / "4f2a/state.vscdb"
    state.parent.mkdir(parents=True)
    state.write_text("a")
    deep = state.parent / "extension/deep"
    deep.mkdir(parents=True)
    folders = SessionFolders(("cursor",), tmp_path, Clock())
    assert look(folders) == ["state.vscdb"]
    assert look(folders) == []
    state.with_name("state.vscdb-wal").write_text("b")
    assert look(folders) == ["state.vscdb"]
    (deep / "state.vscdb").write_text("a")
    assert look(folders) == []
    other = storage / "77aa/state.vscdb"
    other.parent.mkdir()
    other.write_text("a")
    assert look(folders) == ["state.vscdb"]
