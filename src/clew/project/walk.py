"""Finds the files of a project: what git tracks or would not ignore, is text, is not too large and can be read.

What cannot be taken is named with its reason and skipped; nothing that a disk may hold ends the walk. Symbolic links
are not followed, so that loops of them cannot occur and no file is found twice.
"""

import os
import re
import stat
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Final
from unicodedata import normalize

from pathspec import GitIgnoreSpec

from clew.errors import InputError, NotFoundError
from clew.project.distribution import metadata_of
from clew.project.git_index import git_folder, tracked_paths
from clew.project.ignore_rules import FileRules, excluded_by, is_ignored, rule, rules_above, rules_in
from clew.store.raw_file import is_held
from clew.types.record import Record

OWN_FOLDERS: Final = frozenset({".clew", ".open_cognition", ".sigma", ".git", ".hg", ".svn", ".jj", ".bzr"})
"""Folders of stores and of version control; never part of a project."""
_GIT: Final = ".git"
"""Also a file in a work tree or submodule, which says where the folder is."""
GENERATED_FOLDERS: Final = frozenset({"node_modules", "__pycache__", "bower_components"})
"""Folders that a program fills, also where no .gitignore says so."""
_GENERATED_MARKS: Final = ("pyvenv.cfg", "CACHEDIR.TAG")
"""Files that say of their folder that a program fills it: a virtual environment, or a cache (bford.info/cachedir)."""
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]|\\(?=x[0-9a-f]{2}|u[0-9a-f]{4})")
_BYTE: Final = re.compile(r"[\ud800-\udfff]")


class SkipReason(StrEnum):
    """Why a file or folder is not in the project."""

    BINARY = "binary"
    TOO_LARGE = "too large"
    UNREADABLE = "unreadable"
    SYMBOLIC_LINK = "symbolic link"
    NOT_REGULAR = "not a regular file"
    """A pipe, socket or device."""


@dataclass(frozen=True, slots=True)
class SkippedFile(Record):
    """A file or folder that was left out, and why."""

    path: str
    reason: SkipReason


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file that the walk found.

    Attributes:
        path: as in `nodes.ProjectNode`.
        place: where the system finds it.
        size: in bytes.
        modified: time of its last change, nanoseconds of the file system's clock.
    """

    path: str
    place: str
    size: int
    modified: int


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder that is to be looked into.

    Attributes:
        place: where the system finds it.
        relative: its path in the project with a slash at the end; empty for the project's own.
        rules: those that count in it, the outermost first.
        tracked: files that git tracks, and the folders above them with a slash at the end, by path in the project.
        ignored: rules leave it out, and only what is tracked in it counts.
    """

    place: str
    relative: str
    rules: Sequence[FileRules]
    tracked: frozenset[str] = frozenset()
    ignored: bool = False


@dataclass(slots=True)
class Walk:
    """What a walk found.

    Attributes:
        files: in order of paths.
        ignored: number of files and folders that rules leave out; what is inside of such folders is not counted.
        collisions: paths that a file system which ignores case, or the form of accents, takes for one.
    """

    files: list[FoundFile] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    ignored: int = 0
    collisions: tuple[tuple[str, ...], ...] = ()


def walk(root: Path, *, max_bytes: int, exclude: Sequence[str] = ()) -> Walk:
    """Finds the files of a project; whether a file is binary is seen only when it is read.

    Of an installed package of Python that is the metadata beside its folder, too.

    Args:
        max_bytes: larger files are skipped.
        exclude: further patterns in the form of .gitignore.

    Raises:
        NotFoundError: there is no such folder.
        InputError: it is not a folder, or a pattern of `exclude` is not valid.
    """
    if not root.is_dir():
        kind = InputError if root.exists() else NotFoundError
        raise kind(f"{str(root)!r} is not a folder; name the folder of a project")
    found, own = Walk(), _own_rules(exclude)
    rules, tracked = rules_above(root)
    top = _Folder(str(root), "", [FileRules(0, "", own), *rules] if own else rules)
    waiting = [_tracking(top, tracked)]
    while waiting:
        waiting += _look_into(found, waiting.pop(), own, max_bytes)
    _take_metadata(found, root, own, max_bytes)
    found.files.sort(key=lambda file: file.path)
    found.skipped.sort(key=lambda skipped: skipped.path)
    found.collisions = _collisions(file.path for file in found.files)
    return found


def _take_metadata(walked: Walk, root: Path, own: GitIgnoreSpec | None, max_bytes: int) -> None:
    """Takes the metadata of an installed package, the one file outside of the folder: `../x.dist-info/...`."""
    metadata = metadata_of(root)
    if metadata is None:
        return
    inside = (f"{metadata.parent.name}/", f"{metadata.parent.name}/{metadata.name}")
    path = shown_path(f"../{inside[1]}")
    try:
        about = metadata.stat()
    except OSError:  # removed meanwhile
        return
    if own is not None and any(is_ignored(name, [FileRules(0, "", own)]) for name in inside):
        walked.ignored += 1
    elif about.st_size > max_bytes:
        walked.skipped.append(SkippedFile(path, SkipReason.TOO_LARGE))
    else:
        walked.files.append(FoundFile(path, str(metadata), about.st_size, about.st_mtime_ns))


def _look_into(walked: Walk, folder: _Folder, own: GitIgnoreSpec | None, max_bytes: int) -> list[_Folder]:
    """Takes the files of one folder; returns the folders in it that are to be looked into."""
    relative = folder.relative
    try:
        with os.scandir(folder.place) as listing:
            entries = list(listing)
    except OSError:  # it may not be listed, or was removed meanwhile
        walked.skipped.append(SkippedFile(shown_path(relative.rstrip("/")) or ".", SkipReason.UNREADABLE))
        return []
    names = {entry.name for entry in entries}
    if relative and not names.isdisjoint(_GENERATED_MARKS):
        walked.ignored += 1
        return []
    if ".git" in names and (git := git_folder(Path(folder.place))) is not None:
        folder = _in_repository(folder, git)
    if ".gitignore" in names and (spec := rules_in(Path(folder.place))):
        folder = replace(folder, rules=[*folder.rules, FileRules(len(relative), "", spec)])
    folders: list[_Folder] = []
    for entry in entries:
        try:
            inner = _take(walked, entry, folder, own, max_bytes)
        except OSError:  # removed meanwhile, or its folder may not be searched
            walked.skipped.append(SkippedFile(shown_path(relative + entry.name), SkipReason.UNREADABLE))
        else:
            folders += [inner] if inner is not None else []
    return folders


def _in_repository(folder: _Folder, git: Path) -> _Folder:
    """A folder that is a repository, with the rules and the tracked files of that."""
    if spec := excluded_by(git):
        folder = replace(folder, rules=[*folder.rules, FileRules(len(folder.relative), "", spec)])
    return _tracking(folder, tracked_paths(git))


def _tracking(folder: _Folder, tracked: frozenset[str]) -> _Folder:
    """A folder with files in it that git tracks, by their paths from it, and the folders of these."""
    start = len(folder.relative)
    files = {folder.relative + path for path in tracked}
    above: set[str] = set()
    for path in files:
        end = path.rfind("/")
        while end >= start and (parent := path[: end + 1]) not in above:
            above.add(parent)
            end = path.rfind("/", 0, end)
    return replace(folder, tracked=folder.tracked | files | above)


def _take(
    walked: Walk, entry: os.DirEntry[str], folder: _Folder, own: GitIgnoreSpec | None, max_bytes: int
) -> _Folder | None:
    """Puts one entry of a folder where it belongs; returns it if it is a folder that is to be looked into."""
    is_folder = entry.is_dir(follow_symlinks=False)
    if entry.name == _GIT or (is_folder and entry.name in OWN_FOLDERS):
        return None
    path = folder.relative + entry.name
    asked = f"{path}/" if is_folder else path
    ignored = folder.ignored or is_ignored(asked, folder.rules)
    if (is_folder and entry.name in GENERATED_FOLDERS) or (
        ignored and (asked not in folder.tracked or (own is not None and is_ignored(asked, [FileRules(0, "", own)])))
    ):
        walked.ignored += not folder.ignored
    elif is_folder:
        return replace(folder, place=entry.path, relative=f"{path}/", ignored=ignored)
    elif entry.is_symlink():
        walked.skipped.append(SkippedFile(shown_path(path), SkipReason.SYMBOLIC_LINK))
    elif not stat.S_ISREG((about := entry.stat(follow_symlinks=False)).st_mode):
        walked.skipped.append(SkippedFile(shown_path(path), SkipReason.NOT_REGULAR))
    elif is_held(Path(entry.path)):
        walked.skipped.append(SkippedFile(shown_path(path), SkipReason.BINARY))
    elif about.st_size > max_bytes:
        walked.skipped.append(SkippedFile(shown_path(path), SkipReason.TOO_LARGE))
    else:
        walked.files.append(FoundFile(shown_path(path), entry.path, about.st_size, about.st_mtime_ns))
    return None


def _own_rules(exclude: Sequence[str]) -> GitIgnoreSpec | None:
    invalid = [pattern for pattern in exclude if rule(pattern) is None]
    if invalid:
        raise InputError(f"{invalid[0]!r} is not a pattern of paths; write one as in a .gitignore, such as '/vendor/'")
    return GitIgnoreSpec.from_lines(exclude) if exclude else None


def shown_path(path: str) -> str:
    r"""A path as valid Unicode, different for different paths: bytes that are not UTF-8 become `\xNN`."""
    return _SURROGATE.sub(_escape, path) if not path.isascii() or "\\" in path else path


def as_shown(mention: str) -> str:
    """A path that somebody gives: bytes that are not UTF-8 as `shown_path` writes them, all else as it is."""
    return mention if mention.isascii() else _BYTE.sub(_escape, mention)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code == ord("\\"):
        return r"\x5c"
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def _collisions(paths: Iterator[str]) -> tuple[tuple[str, ...], ...]:
    held: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        held[path.lower() if path.isascii() else normalize("NFC", path).casefold()].append(path)
    return tuple(tuple(same) for _, same in sorted(held.items()) if len(same) > 1)
