"""What the tests of encrypted homes share."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from clew.store.cipher import can_encrypt

SECRET: Final = "open sesame, 4 real"  # noqa: S105  # what the homes of these tests are encrypted with
OTHER: Final = "another key"

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

    The log's index may change at will. A log without a transaction holds nothing that the database has not, and SQLite
    takes it away on closing: whoever opens it then, with whatever key, changes nothing by that.
    """
    found = {each.name: each.read_bytes() for each in home.iterdir() if each.name in ("clew.db", "clew.db-wal")}
    return {name: data for name, data in found.items() if name == "clew.db" or has_transaction(data)}


def has_transaction(log: bytes) -> bool:
    """Whether a log has a frame that ends a transaction, before the first that an earlier log left behind.

    See https://www.sqlite.org/fileformat2.html#the_write_ahead_log: a header of 32 bytes with the page size at 8 and
    salts at 16; frames of 24 bytes and a page, with the size of the database at 4 where they end a transaction, and
    the salts at 8.
    """
    size = 24 + int.from_bytes(log[8:12], "big")
    for start in range(32, len(log) - size + 1, size):
        if log[start + 8 : start + 16] != log[16:24]:
            return False
        if log[start + 4 : start + 8] != bytes(4):
            return True
    return False
