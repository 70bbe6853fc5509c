"""The paths that git tracks, read from the index of a repository without running git.

A .gitignore says nothing about files that are tracked already (gitignore(5)), so the walk asks for them. Git is not
run: it need not be installed, and it may run programs that the configuration of a foreign repository names.
"""

import re
import stat
import struct
from pathlib import Path
from typing import Final

_HEADER: Final = struct.Struct(">4sII")
_STAT: Final = 40  # bytes of times, device, owner, mode and size before the hash
_MODE: Final = struct.Struct(">I")
_MODE_AT: Final = 24
_FILE: Final = 0o100000
"""The kind of an entry's mode that is a regular file; others are symbolic links and repositories of their own."""
_EXTENDED: Final = 0x4000
_LARGEST: Final = 1 << 28
"""Bytes of an index that is read: some two million entries."""
_LINKS_TO: Final = re.compile(rb"gitdir:[ \t]*([^\r\n]+)")
_SHA256: Final = re.compile(rb"(?im)^\s*objectformat\s*=\s*sha256\s*$")


def contents(file: Path, most: int | None = None) -> bytes | None:
    """The bytes of a regular file; None where there is none, or none that may be read.

    A pipe, which may stand in its place, would keep the reader waiting.

    Args:
        most: a larger file is not read.
    """
    try:
        about = file.stat()
        is_taken = stat.S_ISREG(about.st_mode) and (most is None or about.st_size <= most)
        return file.read_bytes() if is_taken else None
    except (OSError, ValueError):  # there is none, or a file of git names it by what no system takes for a path
        return None


def git_folder(root: Path) -> Path | None:
    """Where git keeps what it knows of a folder, which may be a work tree or submodule; None for no repository."""
    place = root / ".git"
    try:
        if place.is_dir():
            return place
    except OSError:  # a link to where this user may not look
        return None
    match = _LINKS_TO.match((contents(place) or b"")[:4_096])
    return root / match[1].decode("utf-8", "surrogateescape") if match else None


def common_folder(folder: Path) -> Path:
    """The folder that the work trees of a repository share, from that of one of them."""
    shared = contents(folder / "commondir")
    return folder if shared is None else folder / shared.decode("utf-8", "surrogateescape").strip()


def tracked_paths(folder: Path) -> frozenset[str]:
    """The regular files in the index below a folder of git, with slashes; none where it cannot be read.

    Args:
        folder: as `git_folder` gives it.
    """
    data, config = contents(folder / "index", _LARGEST), contents(common_folder(folder) / "config")
    if data is None or config is None:
        return frozenset()
    try:
        return frozenset(_entries(data, 32 if _SHA256.search(config) else 20))
    except (struct.error, ValueError, IndexError):  # damaged, or of a form that is not known
        return frozenset()


def _entries(data: bytes, hash_size: int) -> list[str]:
    """The paths of an index of version 2 to 4 (gitformat-index)."""
    mark, version, count = _HEADER.unpack_from(data)
    if mark != b"DIRC" or version not in (2, 3, 4):
        return []
    at, path, found = _HEADER.size, b"", list[str]()
    for _ in range(count):
        start = at
        (mode,) = _MODE.unpack_from(data, at + _MODE_AT)
        at += _STAT + hash_size
        at += 4 if int.from_bytes(data[at : at + 2], "big") & _EXTENDED else 2
        if version == 4:
            shorter, at = _variable(data, at)
            end = data.index(b"\0", at)
            path = path[: len(path) - shorter] + data[at:end]
            at = end + 1
        else:
            end = data.index(b"\0", at)
            path = data[at:end]
            at = start + (end - start + 8) // 8 * 8
        if mode & 0o170000 == _FILE:
            found.append(path.decode("utf-8", "surrogateescape"))
    return found


def _variable(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length as in a pack's offsets, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (data[at] & 0x7F)
    return value, at + 1
