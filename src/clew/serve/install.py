"""Clew's entry in the settings file of a coding agent: finds the file, adds the entry and removes it.

Borders: does not ask for confirmation, which `clew install` does. A file that is not valid JSON is not touched.
"""

import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from clew.errors import ConflictError, FormatError
from clew.serve.splice import drop, get, put, read
from clew.store.replace_file import replace_file

InstallScope = Literal["user", "local", "project"]

NAME: Final = "clew"
SERVERS: Final = "mcpServers"
BACKUP: Final = ".clew-backup-"
"""Suffix of the backup's name: file name, this suffix, scope. The backup is in the same folder as the file."""

_EMPTY: Final = "{}\n"


@dataclass(frozen=True, slots=True)
class EntryLocation:
    """The file and the JSON path of an entry; `backup` is where the original file is kept."""

    file: Path
    path: tuple[str, ...]
    backup: Path


@dataclass(frozen=True, slots=True)
class SettingsEdit:
    """A planned change of a settings file.

    Attributes:
        before: the current content of the file; None if there is no file.
        after: the new content; None if the file is deleted, or not created.
        saves: `before` is written to the backup.
        ends: the backup is deleted.
    """

    location: EntryLocation
    before: bytes | None
    after: bytes | None
    saves: bool = False
    ends: bool = False

    @property
    def changes(self) -> bool:
        """Whether the edit changes the file."""
        return self.before != self.after


def claude_code(scope: InstallScope, home: Path, project: Path, environment: Mapping[str, str]) -> EntryLocation:
    """Where Claude Code looks for a server: for the user, for the user in one project, or for everyone in the project.

    Args:
        home: the user's home directory; `CLAUDE_CONFIG_DIR` replaces it if set.
    """
    path: tuple[str, ...] = (SERVERS, NAME)
    if scope == "project":
        file = project / ".mcp.json"
    else:
        file = Path(environment.get("CLAUDE_CONFIG_DIR") or home) / ".claude.json"
        path = path if scope == "user" else ("projects", str(project), *path)
    file = file.resolve()  # a link, for example into a repository of settings, stays a link
    return EntryLocation(file, path, file.with_name(file.name + BACKUP + scope))


PROGRAMS: Final = {"claude-code": claude_code}
"""Program -> the function that locates its settings."""


def server_entry(arguments: list[str], *, shared: bool) -> dict[str, Any]:
    """The settings entry that starts the server; a `shared` file names the command without its path."""
    command = "clew" if shared else clew_command()
    return {"type": "stdio", "command": command, "args": ["mcp", *arguments], "env": {}}


def clew_command() -> str:
    """The path of this installation's program, for settings that are read outside of a shell."""
    installed = Path(sys.executable).with_name("clew.exe" if sys.platform == "win32" else "clew")
    return str(installed) if installed.is_file() else shutil.which("clew") or "clew"


def plan_install(location: EntryLocation, entry: dict[str, Any]) -> SettingsEdit:
    """Plans the edit that adds or replaces the entry.

    Raises:
        FormatError: the file is not a JSON object, or a value on the path to the entry is not an object.
    """
    before = _bytes(location.file)
    text = _EMPTY if before is None else _text(location.file, before)
    current = _checked(location.file, lambda: get(text, location.path))
    if current == entry:
        return SettingsEdit(location, before, before)
    first = before is not None and (current is None or not location.backup.exists())
    return SettingsEdit(location, before, put(text, location.path, entry).encode(), saves=first)


def plan_remove(location: EntryLocation) -> SettingsEdit:
    """Plans the edit that removes the entry; it restores the original bytes if nothing else has changed since.

    Raises:
        FormatError: the file is not a JSON object.
    """
    before = _bytes(location.file)
    if before is None:
        return SettingsEdit(location, None, None)
    text = _text(location.file, before)
    current = _checked(location.file, lambda: get(text, location.path))
    if current is None:
        return SettingsEdit(location, before, before)
    original = _bytes(location.backup)
    if original is None:
        created_here = read(text) == read(put(_EMPTY, location.path, current))
        return SettingsEdit(location, before, None if created_here else drop(text, location.path).encode())
    original_text = _text(location.backup, original)
    if put(original_text, location.path, current) == text:
        return SettingsEdit(location, before, original, ends=True)
    return SettingsEdit(location, before, _without_entry(text, original_text, location.path).encode(), ends=True)


def apply(edit: SettingsEdit) -> None:
    """Writes a planned edit in one step, with the permissions of the file.

    Raises:
        ConflictError: the file has changed since the edit was planned.
    """
    if not edit.changes:
        return
    location = edit.location
    if _bytes(location.file) != edit.before:
        raise ConflictError(f"{str(location.file)!r} was changed meanwhile; nothing was written. Run the command again")
    if edit.saves:
        shutil.copy2(location.file, location.backup)
    if edit.after is None:
        location.file.unlink()
    else:
        replace_file(location.file, edit.after)
    if edit.ends:
        location.backup.unlink()


def _without_entry(text: str, old: str, path: tuple[str, ...]) -> str:
    """The text with the entry as it was in `old`, or without the entry and the empty objects created around it."""
    original = get(old, path)
    if original is not None:
        return put(text, path, original)
    text = drop(text, path)
    for depth in range(len(path) - 1, 0, -1):
        if get(text, path[:depth]) == {} and get(old, path[:depth]) is None:
            text = drop(text, path[:depth])
    return text


def _bytes(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


def _text(file: Path, data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{str(file)!r} is not valid UTF-8 (at byte {error.start}) and was not changed; convert it to UTF-8"
        ) from error
    return text if text.strip() else _EMPTY


def _checked(file: Path, work: Any) -> Any:
    try:
        return work()
    except FormatError as error:
        raise FormatError(
            f"{str(file)!r} was not changed: {error}. Repair it, or add the entry by hand (--print shows it)"
        ) from error
