"""A file that was imported is opened again only when it, or the way it is read, has changed."""

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from clew import Config, Memory
from clew.config import IngestConfig
from clew.errors import FormatError

_OPENED: Counter[str] | None = None


def _count(event: str, details: tuple[Any, ...]) -> None:
    if _OPENED is not None and event == "open" and isinstance(details[0], str | bytes | os.PathLike):
        _OPENED[os.fsdecode(details[0])] += 1


sys.addaudithook(_count)


@contextmanager
def opened(root: Path) -> Iterator[Counter[str]]:
    """Counts how often each file below a folder is opened; filled when the block ends."""
    global _OPENED  # noqa: PLW0603  # an audit hook cannot be removed, so it looks whether it is wanted
    _OPENED, found = Counter(), Counter[str]()
    try:
        yield found
    finally:
        found.update({name: count for name, count in _OPENED.items() if name.startswith(str(root))})
        _OPENED = None


def write(path: Path, *texts: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({"role": "user", "content": text}) + "\n" for text in texts), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(20):
        write(tmp_path / "in" / f"{number}.jsonl", f"first of {number}", f"second of {number}")
    return tmp_path / "in"


@pytest.mark.requirement("F-INGEST-35")
def test_an_unchanged_folder_is_not_opened_again(folder: Path, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home", embedder="none") as memory:
        assert memory.import_path(folder).added == 40
        with opened(folder) as files:
            again = memory.import_path(folder)
        assert (again.added, again.known, again.skipped, files) == (0, 40, {"unchanged file": 20}, Counter())
        write(folder / "7.jsonl", "first of 7", "second of 7", "third of 7")
        with opened(folder) as files:
            grown = memory.import_path(folder)
        assert (grown.added, grown.known) == (1, 40)
        assert set(files) == {str(folder / "7.jsonl")}
    with Memory.open(tmp_path / "home", embedder="none") as memory, opened(folder) as files:
        assert memory.import_path(folder).known == 41
    assert files == Counter()


@pytest.mark.requirement("F-INGEST-35")
def test_a_file_is_read_again_for_another_session_space_or_setting(folder: Path, tmp_path: Path) -> None:
    file = folder / "3.jsonl"
    config = Config(ingest=IngestConfig(exclude=("text:nothing like it",)))
    with Memory.open(tmp_path / "home", embedder="none") as memory:
        assert memory.import_path(file).added == 2
        assert memory.import_path(file, session="other").added == 2
        assert memory.import_path(file).skipped == {"unchanged file": 1}
    with Memory.open(tmp_path / "home", embedder="none", space="second") as memory:
        assert memory.import_path(file).added == 2
    with Memory.open(tmp_path / "home", embedder="none", config=config) as memory:
        assert (memory.import_path(file).skipped, memory.import_path(file).skipped) == ({}, {"unchanged file": 1})


@pytest.mark.requirement("F-INGEST-35")
def test_a_file_with_rejected_records_or_read_in_a_pause_is_read_again(folder: Path, tmp_path: Path) -> None:
    broken = folder / "broken.jsonl"
    broken.write_text('{"role": "user", "content": "one"}\n{"role": \n', encoding="utf-8")
    with Memory.open(tmp_path / "home", embedder="none") as memory:
        assert [len(memory.import_path(broken).rejected) for _ in range(2)] == [1, 1]
        memory.pause()
        assert memory.import_path(folder / "1.jsonl").skipped == {"paused": 2}
        memory.resume()
        assert memory.import_path(folder / "1.jsonl").added == 2


@pytest.mark.requirement("F-INGEST-90")
def test_a_file_that_a_folder_skipped_is_read_when_it_is_named(folder: Path, tmp_path: Path) -> None:
    note = folder / "note.txt"
    note.write_text("The hive stands behind the old barn.\n\nThe key hangs at the door.\n")
    deep = folder / "deep.json"
    deep.write_text("[" * 200 + "]" * 200)
    with Memory.open(tmp_path / "home", embedder="none") as memory:
        assert memory.import_path(folder).skipped == {"text that nobody speaks in": 1, "file of no known format": 1}
        with opened(folder) as files:
            assert memory.import_path(folder).skipped == {"unchanged file": 22}
        assert files == Counter()
        named = memory.import_path(note)
        assert (named.added, named.skipped) == (2, {})
        assert memory.import_path(note).skipped == {"unchanged file": 1}
        with pytest.raises(FormatError):
            memory.import_path(deep)


@pytest.mark.requirement("F-INGEST-35")
def test_forgetting_counts_files_anew(folder: Path, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home", embedder="none") as memory:
        report = memory.import_path(folder / "1.jsonl")
        memory.forget(turn_ids=[report.turn_ids[0]])
        again = memory.import_path(folder / "1.jsonl")
        assert (again.added, again.known, again.skipped) == (0, 1, {"forgotten": 1})


@pytest.mark.requirement("F-AGENT-87")
def test_an_unchanged_file_gives_the_ids_of_its_turns_in_their_order(folder: Path, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "home", embedder="none") as memory:
        first = memory.import_path(folder).turn_ids
        assert len(first) == 40
        assert memory.import_path(folder).turn_ids == first
        write(folder / "7.jsonl", "first of 7", "second of 7", "third of 7")
        grown = memory.import_path(folder).turn_ids
        assert sorted({*grown} - {*first}) == [name for name in grown if name.endswith(":turn:2")]
        assert len(grown) == 41
    with Memory.open(tmp_path / "home", embedder="none") as memory:
        assert memory.import_path(folder).turn_ids == grown
        memory.forget(turn_ids=[grown[0]])
        assert memory.import_path(folder).turn_ids == grown[1:]
        assert memory.import_path(folder).turn_ids == grown[1:]


@pytest.mark.requirement("F-AGENT-87")
def test_a_followed_file_gives_all_its_ids_once_it_does_not_change(tmp_path: Path) -> None:
    file = tmp_path / "abc.jsonl"

    def line(number: int) -> str:
        message = {"role": "user", "content": f"wish {number}"}
        value = {"type": "user", "uuid": f"u{number}", "sessionId": "abc", "message": message}
        return json.dumps(value | ({"parentUuid": f"u{number - 1}"} if number else {})) + "\n"

    file.write_text("".join(map(line, range(5))))
    with Memory.open(tmp_path / "home", embedder="none") as memory:
        ids = memory.import_path(file, format="claude-code").turn_ids
        with file.open("a") as stream:
            stream.write(line(5))
        ids += memory.import_path(file, format="claude-code").turn_ids
        assert ids == tuple(f"abc:turn:{number}" for number in range(6))
        again = memory.import_path(file, format="claude-code")
        assert (again.known, again.turn_ids) == (6, ids)


@pytest.mark.requirement("S-LINE-07")
@pytest.mark.parametrize("again", [False, True])
def test_a_session_that_ends_within_a_line_is_no_failed_import(tmp_path: Path, again: bool) -> None:
    lines = [
        json.dumps({"type": "user", "uuid": f"u{n}", "sessionId": "s", "message": {"role": "user", "content": words}})
        for n, words in enumerate(("Find the port.", "It is the fourth: 8123."))
    ]
    path, whole = tmp_path / "s.jsonl", "".join(f"{line}\n" for line in lines).encode()
    with Memory.open(tmp_path / "home", embedder="none") as memory:
        for cut in range(len(lines[0]) + 2, len(whole) - 1, 7):
            path.write_bytes(whole[:cut])
            report = memory.import_path(path, format="claude-code")
            assert (report.rejected, report.skipped) == ((), {"unfinished last line": 1})
        path.write_bytes(whole + b"{bad\n" if again else whole)
        report = memory.import_path(path, format="claude-code")
        assert [turn.text for turn in memory.turns()] == [
            "Find the port.",
            "It is the fourth: 8123.",
        ]
        assert len(report.rejected) == again
