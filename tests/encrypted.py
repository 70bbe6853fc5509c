"""What the tests of encrypted homes share."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from clew.store.cipher import can_encrypt

SECRET: Final = "open sesame, 4 real"  # noqa: S105  # what the homes of these tests are encrypted with
OTHER: Final = "another key"

LOG_HEADER: Final = 32
"""Bytes before a log's first frame (https://www.sqlite.org/fileformat2.html#the_write_ahead_log)."""

needed: Final = pytest.mark.skipif(not can_encrypt(), reason="./dev test-encrypted runs these")
"""Marks tests that need the SQLite which encrypts."""

_SEARCH: Final = """
import sys
from pathlib import Path
files = [Path(name) for name in sys.argv[1].split(chr(10))]
files = [each for file in files for each in (file.rglob("*") if file.is_dir() else [file]) if each.is_file()]
data = b"".join(file.read_bytes() for file in files).lower()
print(*[word for word in sys.argv[2:] if word.encode() in data or word.encode("utf-16-le") in data])
"""


def in_plain(place: Path, *words: str, also: Path | None = None) -> set[str]:
    """Which of the words (small letters) stand in a file below a place. Another process looks: see docs/storage.md."""
    places = "\n".join(str(each) for each in (place, also) if each is not None)
    command = [sys.executable, "-c", _SEARCH, places, *words]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def files(home: Path) -> dict[str, bytes]:
    """The home's database and its log, byte for byte; nobody may have it open.

    The log's index may change at will. A log that is a header alone holds nothing, and SQLite takes it away on closing.
    """
    found = {each.name: each.read_bytes() for each in home.iterdir() if each.name in ("clew.db", "clew.db-wal")}
    return {name: data for name, data in found.items() if name == "clew.db" or len(data) > LOG_HEADER}
