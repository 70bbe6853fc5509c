"""The folder beside a file that is being written, when two writers begin at once."""

import sys
from pathlib import Path

import pytest

from clew.store.new_file import folder_beside

if sys.platform == "win32":
    pytest.skip("Windows has no lock that a killed writer loses", allow_module_level=True)

import fcntl


@pytest.mark.requirement("F-STORE-37")
def test_a_folder_that_another_backup_removes_before_it_is_locked_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = fcntl.flock
    ours: list[Path] = []

    def meanwhile(handle: int, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        ours.extend(tmp_path.iterdir())
        with folder_beside(tmp_path / "other.db"):
            assert not ours[0].exists(), "the other backup finds a folder that nobody holds"
        lock(handle, how)

    monkeypatch.setattr(fcntl, "flock", meanwhile)
    with folder_beside(tmp_path / "ours.db") as folder:
        (folder / "clew.db").write_bytes(b"pages")
        assert folder != ours[0]
    assert not list(tmp_path.iterdir())
