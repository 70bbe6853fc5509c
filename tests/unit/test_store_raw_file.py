"""Reading the files of an open home drops none of SQLite's locks on them, which belong to the whole process."""

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from clew.errors import FormatError, StoreError
from clew.maintain.forget_proof import prove
from clew.maintain.forget_traces import traces_of
from clew.memory import Memory
from clew.project.walk import SkippedFile, SkipReason, walk
from clew.store.restore_backup import restore_backup
from clew.store.sqlite import DATABASE
from tests.support.memories import quiet, told

pytestmark = [
    pytest.mark.requirement("F-STORE-45"),
    pytest.mark.skipif(sys.platform == "win32", reason="locks belong to handles there"),
]

ASK = """
import fcntl, os, struct, sys
for name in sys.argv[1:]:
    with open(name, "rb") as file:
        asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
        kind, *_ = struct.unpack("hhqqi4x", fcntl.fcntl(file, fcntl.F_GETLK, asked))
        print(kind != fcntl.F_UNLCK)
"""


def locked(home: Path) -> list[str]:
    """Whether another process finds the database and the log's index locked."""
    files = [str(home / f"{DATABASE}{suffix}") for suffix in ("", "-shm")]
    return subprocess.run(
        [sys.executable, "-c", ASK, *files], capture_output=True, text=True, check=True
    ).stdout.split()


def prove_it(memory: Memory, home: Path) -> None:
    proof = prove(memory.reads.store, memory.space, traces_of([told("A submarine made of quartz.")]), [home])
    assert proof.looked_in[str(home / DATABASE)] > 0
    assert not any(place.endswith(("-shm", ".lock")) for place in proof.looked_in)


def import_it(memory: Memory, home: Path) -> None:
    link = home.parent / "link.db"
    link.symlink_to(home / DATABASE)
    for path in (home / DATABASE, home / f"{DATABASE}-shm", link):
        with pytest.raises(FormatError, match="is a home of Clew"):
            memory.import_path(path)
    with suppress(FormatError):  # it holds no conversation
        memory.import_path(home.parent)


def walk_it(_memory: Memory, home: Path) -> None:
    skipped = walk(home.parent, max_bytes=1 << 30).skipped
    assert SkippedFile(f"{home.name}/{DATABASE}", SkipReason.BINARY) in skipped


def restore_it(_memory: Memory, home: Path) -> None:
    with suppress(StoreError):  # what stands in the log is not in the file
        restore_backup(home / DATABASE, home.parent / "other", None)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the form of the question is Linux's")
@pytest.mark.parametrize("use", [prove_it, import_it, walk_it, restore_it])
def test_reading_the_files_of_an_open_home_drops_no_lock(use: Callable[[Memory, Path], None], tmp_path: Path) -> None:
    home = tmp_path / "home"
    with quiet(home) as memory:
        memory.add(told("The hive is weak."))
        assert locked(home) == ["True", "True"]
        use(memory, home)
        assert locked(home) == ["True", "True"]
        with (home / DATABASE).open("rb"):
            pass
        assert os.name != "posix" or locked(home) == ["False", "True"], "the question would not notice"
