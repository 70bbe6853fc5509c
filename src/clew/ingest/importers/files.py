"""Finds the files to import: a single file, those of a directory or zip, and clients' own session folders."""

import os
import stat
import struct
import zipfile
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import BinaryIO, Final, cast

from clew.errors import FormatError
from clew.ingest.encoding import escape_surrogates
from clew.ingest.importers.databases import SUFFIXES, database_of, home_at
from clew.ingest.importers.record import (
    IRREGULAR,
    LINK,
    OTHER_KIND,
    FileEnd,
    ImportLimits,
    IsUnchanged,
    NamedFile,
    Skipped,
)
from clew.ingest.importers.source import Source
from clew.store.raw_file import is_held
from clew.types import Rejection

UNCHANGED: Final = "unchanged file"
"""Why a file was not opened, as reports count it."""

UNREADABLE = (OSError, zipfile.BadZipFile, zlib.error, EOFError)
"""Errors that reading a file, or a member of a zip, may raise."""

_NO_ZIP = (*UNREADABLE, ValueError, RuntimeError, OverflowError, struct.error)  # what opening a damaged zip may raise
_SUFFIXES = frozenset(".json .jsonl .ndjson .md .markdown .txt .vtt .srt .sbv .traj .vscdb .af".split())
UNNAMED_CHAT: Final = "_chat"
"""The file of every chat that WhatsApp exports on an iPhone; the zip, or the folder, is named after the chat."""

_OFFICE = ("[Content_Types].xml", "mimetype")  # what the zips have that are documents of Word, Excel, Writer, ...
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_IMAGE_FOLDERS = ("dalle-generations", "user-*")  # beside a ChatGPT export that was unpacked
_MEMBERS = "users.json"  # of a Slack export, beside the folders of its channels

_PROGRAM_FOLDERS = {
    ".claude": ("projects",),
    ".codex": ("sessions", "archived_sessions"),
    ".gemini": ("tmp",),
    ".openhands": ("sessions",),
    ".specstory": ("history",),
}
"""Hidden folders in which programs keep sessions, and those of their folders that hold them."""

_PROGRAM_FILES = (".aider.chat.history.md",)
SESSIONS: Final = {
    "claude-code": (".claude/projects/**/*.jsonl",),
    "codex": (".codex/sessions/**/rollout-*.jsonl", ".codex/archived_sessions/**/rollout-*.jsonl"),
    "cursor": tuple(
        f"{place}/Cursor/User/{storage}/state.vscdb"
        for place in (".config", "Library/Application Support", "AppData/Roaming")
        for storage in ("globalStorage", "workspaceStorage/*")
    ),
    "gemini-cli": (".gemini/tmp/*/chats/**/*.json", ".gemini/tmp/*/chats/**/*.jsonl"),
    "vscode": tuple(
        f"{place}/User/{folder}/*.{suffix}"
        for place in (
            *(
                f"{programs}/{program}"
                for programs in (".config", "Library/Application Support", "AppData/Roaming")
                for program in ("Code", "Code - Insiders", "VSCodium")
            ),
            *(f".{server}/data" for server in ("vscode-server", "vscode-server-insiders", "vscode-remote")),
        )
        for folder in ("workspaceStorage/*/chatSessions", "globalStorage/emptyWindowChatSessions")
        for suffix in ("json", "jsonl")
    ),
}
"""Client -> glob patterns of its session files, below the home directory."""

FoundFile = Source | Rejection | Skipped | FileEnd
Opener = Callable[[], BinaryIO]


def find_sessions(name: str, home: Path) -> list[Path]:
    """The session files that a client keeps in a home directory, sorted.

    Args:
        name: `claude-code`, `codex`, `cursor`, `gemini-cli` or `vscode`.

    Raises:
        FormatError: no client of that name keeps sessions.
    """
    if name not in SESSIONS:
        raise FormatError(f"{name!r} keeps no sessions that are known; expected one of {', '.join(SESSIONS)}")
    paths = {path for pattern in SESSIONS[name] for path in home.glob(pattern) if _is_regular(path)}
    if name == "gemini-cli":  # its log repeats what the chats hold, where there are chats
        logs = (log for log in home.glob(".gemini/tmp/*/logs.json") if _is_regular(log))
        paths |= {log for log in logs if not any(path.is_relative_to(log.parent) for path in paths)}
    return sorted(paths)


def find_sources(
    path: Path, session: str | None, limits: ImportLimits, is_unchanged: IsUnchanged | None = None
) -> Iterator[FoundFile]:
    """The files to read at a path, sorted: the file itself, the files of a directory, or the members of a zip.

    In a directory or zip, only files with a known suffix are read; the others are reported as skipped.

    Args:
        is_unchanged: tells files that need not be opened, which are reported as skipped; the others are each followed
            by a `FileEnd`. None reads every file.

    Raises:
        FormatError: there is nothing at the path, or it cannot be read.
    """
    try:
        if path.is_dir():
            yield from _in_directory(path, session, limits, is_unchanged)
        elif path.is_file():
            yield from _changed(path, partial(_named, path, session, limits), is_unchanged)
        else:
            raise FormatError(f"{_shown(path)} {_why_not(path)}")
    except OSError as error:
        raise FormatError(f"{_shown(path)} cannot be read: {error.strerror or error}") from error


def _why_not(path: Path) -> str:
    """Why there is nothing to read at a path, and what to do."""
    if path.exists():
        return "is a pipe or a device, and a file is read more than once; write it to a file, and import that"
    if str(path) == "-":
        return "means standard input, and a file is read more than once; write it to a file, and import that"
    return "is not a file or directory; check the path"


def _named(path: Path, session: str | None, limits: ImportLimits) -> Iterator[FoundFile]:
    if is_single(path):
        yield file_source(path, session, limits)
    else:
        yield from _in_zip(path, _shown(path), session, limits)


def _changed(
    path: Path, find: Callable[[], Iterator[FoundFile]], is_unchanged: IsUnchanged | None
) -> Iterator[FoundFile]:
    """What `find` gives and the end of the file; or nothing of it, when the file is the same as before."""
    if is_unchanged is None:
        yield from find()
        return
    try:
        end = file_end(path)
    except OSError as error:
        yield Rejection(where=_shown(path), reason=f"cannot be read: {error.strerror or error}")
        return
    if is_unchanged(end.where, end.stamp):
        yield Skipped(UNCHANGED, _shown(path))
        return
    yield from find()
    yield end


def file_end(path: Path) -> FileEnd:
    """The end of a file in its present state."""
    return FileEnd(_shown(path.absolute()), _stamp(path))


def file_source(path: Path, session: str | None, limits: ImportLimits) -> Source:
    """A single file that was named."""
    holder = path.absolute().parent.name
    return _named_by(holder, _called_after(path, holder, _file(path, _shown(path), _shown(path.stem), session, limits)))


def _called_after(path: Path, holder: str, source: Source, member: str | None = None) -> Source:
    """The source, and what tells it from others of its name; `member` is its name in the zip at the path."""
    place = _shown(path.absolute()) if member is None else f"{_shown(path.absolute())}!{_shown(member)}"
    return replace(source, file=NamedFile(_shown(holder), place, is_member=member is not None))


def _named_by(holder: str, source: Source) -> Source:
    """The source, whose session is named after its folder or zip where the file's own name is that of every chat."""
    if source.stem != UNNAMED_CHAT or not holder or source.session is not None:
        return source
    return replace(source, stem=_shown(holder), former=source.stem, file=None)


def _stamp(path: Path) -> str:
    states = [path.stat()]
    log = path.with_name(f"{path.name}-wal")  # an open database is changed there first
    if path.suffix == ".vscdb" and log.exists():
        states.append(log.stat())
    return ":".join(f"{state.st_size}:{state.st_mtime_ns}:{state.st_ctime_ns}:{state.st_ino}" for state in states)


def is_single(path: Path) -> bool:
    """Whether a path is one file to read rather than a container of files; False where that cannot be told."""
    try:
        return path.is_file() and (is_held(path) or not zipfile.is_zipfile(path))
    except OSError:
        return False


def _file(
    path: Path,
    label: str,
    stem: str,
    session: str | None,
    limits: ImportLimits,
    *,
    is_named: bool = True,
) -> Source:
    opener = partial(_open if is_named else _open_itself, path)
    asset = _Assets(partial(_files_beside, path.parent), limits.max_line_bytes)
    return Source(label, stem or "import", opener, session, limits, asset.find, path)


def _open(path: Path) -> BinaryIO:
    return path.open("rb")


def _open_itself(path: Path) -> BinaryIO:
    """Opens a file that was found rather than named, so that nobody can put a link or a pipe in its place meanwhile."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags), "rb")


def _in_directory(
    root: Path, session: str | None, limits: ImportLimits, is_unchanged: IsUnchanged | None
) -> Iterator[FoundFile]:
    closed: list[OSError] = []
    paths = sorted(_walk(root, closed.append), key=_order)
    if (home := home_at(root)) and not any(path.suffix.lower() in (*_SUFFIXES, ".zip") for path in paths):
        raise FormatError(f"{_shown(root)} {home.advice}")
    for path in paths:
        label, stem = _shown(path), _shown(path.relative_to(root).with_suffix("").as_posix())
        if irregular := _irregular(path):
            yield Skipped(irregular, label)
        elif path.suffix.lower() == ".zip":
            yield from _changed(path, partial(_in_zip, path, label, session, limits), is_unchanged)
        elif path.suffix.lower() in _SUFFIXES:
            source = _called_after(
                path, root.absolute().name, _file(path, label, stem, session, limits, is_named=False)
            )
            source = _named_by(path.absolute().parent.name, source)
            yield from _changed(path, partial(iter, [source]), is_unchanged)
        else:
            yield _left_out(_file(path, label, stem, session, limits, is_named=False), path.suffix.lower())
    for error in closed:
        yield Rejection(where=_shown(str(error.filename)), reason=f"cannot be listed: {error.strerror}")


def _walk(root: Path, on_error: Callable[[OSError], None]) -> Iterator[Path]:
    """Every file below a directory; hidden ones are left out, except in programs' own session folders."""
    for folder, folders, files in os.walk(root, onerror=on_error):
        links = [name for name in folders if Path(folder, name).is_symlink()]
        kept = _PROGRAM_FOLDERS.get(Path(folder).name) if Path(folder) != root else None
        folders[:] = [
            name
            for name in folders
            if name not in links and (name in kept if kept else not name.startswith(".") or name in _PROGRAM_FOLDERS)
        ]
        visible = [name for name in files if not name.startswith(".") or name in _PROGRAM_FILES]
        if "logs.json" in visible and "chats" in folders and _in_gemini(Path(folder)):
            visible.remove("logs.json")  # it repeats what the chats hold
        yield from (Path(folder, name) for name in [*links, *([] if kept else visible)])


def _order(path: Path) -> Path:
    """The path by which files are sorted; names that are numbers go by number."""
    return path.with_name(path.name.zfill(24)) if path.stem.isdecimal() else path


def _in_gemini(folder: Path) -> bool:
    """Whether a folder is one of Gemini CLI's, which hold a log and chats."""
    return folder.parent.name == "tmp" and folder.parent.parent.name == ".gemini"


def _is_regular(path: Path) -> bool:
    """Whether a path is a file itself: no link, pipe, socket or device, and none that was taken away meanwhile."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _irregular(path: Path) -> str | None:
    """Why a path is not read: a link may lead anywhere, and a pipe never ends; None for a file."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return None  # opening the file reports it
    return LINK if stat.S_ISLNK(mode) else None if stat.S_ISREG(mode) else IRREGULAR


def _in_zip(path: Path, label: str, session: str | None, limits: ImportLimits) -> Iterator[FoundFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [info for info in archive.infolist() if not info.is_dir()]
    except _NO_ZIP as error:
        why = error if zipfile.is_zipfile(path) else "its end is missing; fetch or pack it again"
        yield Rejection(where=label, reason=f"a damaged zip: {why}")
        return
    if any(info.filename in _OFFICE for info in members):
        yield Rejection(where=label, reason="a document of an office program; save it as text, a meeting as .vtt")
        return
    asset = _Assets(
        lambda: [(info.filename, partial(_open_member, path, info)) for info in members], limits.max_line_bytes
    )
    for info in sorted(members, key=lambda info: info.filename):
        name = info.filename
        where, stem = f"{label}!{_shown(name)}", _shown(Path(name).with_suffix("").as_posix())
        source = Source(where, stem, partial(_open_member, path, info), session, limits, asset.find)
        source = _named_by(path.stem, _called_after(path, path.stem, source, name))
        reason = _refusal(info, limits)
        if stat.S_ISLNK(info.external_attr >> 16):
            yield Skipped(LINK, where)
        elif (suffix := Path(name).suffix.lower()) not in _SUFFIXES:
            yield Skipped(OTHER_KIND, where) if reason else _left_out(source, suffix)
        elif reason:
            yield Rejection(where=where, reason=reason)
        else:
            yield source


def _left_out(source: Source, suffix: str) -> Skipped:
    """A file whose name is none of a conversation's; of a database the log says what it is."""
    try:
        database = database_of(source) if suffix in SUFFIXES else None
    except UNREADABLE:
        database = None  # nothing of it would be imported anyway
    if database is None:
        return Skipped(OTHER_KIND, source.label)
    database.warn(source.label)
    return Skipped(database.kind, source.label)


def _refusal(info: zipfile.ZipInfo, limits: ImportLimits) -> str | None:
    if info.flag_bits & 1:
        return "encrypted; unpack the zip and import the folder"
    if info.compress_type not in _PACKED:
        return f"packed by method {info.compress_type}, which is not read; unpack the zip and import the folder"
    if info.file_size > limits.max_file_bytes:
        return f"{info.file_size} bytes unpacked; the limit is {limits.max_file_bytes}, see max_file_bytes"
    return None


def _open_member(path: Path, info: zipfile.ZipInfo) -> BinaryIO:
    """Opens a member, which may not be the only one of its name, as a stream.

    The zip file stays open until the stream is closed.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return cast("BinaryIO", archive.open(info))
    except _NO_ZIP as error:
        raise zipfile.BadZipFile(str(error)) from error


class _Assets:
    """Finds files beside another one by the beginning of their names."""

    def __init__(self, list_files: Callable[[], list[tuple[str, Opener]]], limit: int) -> None:
        self._list = list_files
        self._limit = limit

    @cached_property
    def _files(self) -> list[tuple[str, Opener]]:
        named = ((name.rpartition("/")[2], opener) for name, opener in self._list())
        return sorted(named, key=lambda each: each[0])

    def find(self, beginning: str) -> bytes | None:
        """The bytes of the first file whose name begins so; None when there is none or it is too large."""
        at = bisect_left(self._files, beginning, key=lambda each: each[0])
        if not beginning or at == len(self._files) or not self._files[at][0].startswith(beginning):
            return None
        try:
            with self._files[at][1]() as stream:
                data = stream.read(self._limit + 1)
        except UNREADABLE:
            return None  # the turn keeps the pointer to the image
        return data if len(data) <= self._limit else None


def _files_beside(folder: Path) -> list[tuple[str, Opener]]:
    folders = [inner for name in _IMAGE_FOLDERS for inner in folder.glob(name) if not inner.is_symlink()]
    paths = [path for place in (folder, *folders) for path in place.glob("*")]
    paths += folder.parent.glob(_MEMBERS)
    return [(path.name, partial(_open_itself, path)) for path in paths if _is_regular(path)]


def _shown(path: Path | str) -> str:
    """A file name as text that can be printed and stored, even if its bytes are not UTF-8."""
    return escape_surrogates(str(path))
