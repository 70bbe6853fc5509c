"""Clew's entry in the settings file of a program: finds the file, adds the entry and removes it.

Borders: does not ask for confirmation, which `clew install` does. A file that is not well formed is not touched.
"""

import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from clew.errors import ConflictError, FormatError
from clew.serve.clients import json_text, jsonc_text, toml_text
from clew.store.replace_file import replace_file

InstallScope = Literal["user", "local", "project"]

NAME: Final = "clew"
SERVERS: Final = "mcpServers"
BACKUP: Final = ".clew-backup-"
"""Suffix of the backup's name: file name, this suffix, scope. The backup is in the same folder as the file."""


@dataclass(frozen=True, slots=True)
class SettingsForm:
    """How a kind of settings file is read and changed; the functions are those of `json_text`."""

    read: Callable[[str], dict[str, Any]]
    get: Callable[[str, Sequence[str]], Any]
    put: Callable[[str, Sequence[str], Any], str]
    drop: Callable[[str, Sequence[str]], str]
    empty: str


JSON: Final = SettingsForm(json_text.read, json_text.get, json_text.put, json_text.drop, "{}\n")
JSONC: Final = SettingsForm(jsonc_text.read, jsonc_text.get, jsonc_text.put, jsonc_text.drop, "{}\n")
TOML: Final = SettingsForm(toml_text.read, toml_text.get, toml_text.put, toml_text.drop, "")


@dataclass(frozen=True, slots=True)
class EntryLocation:
    """The file, its form and the path of an entry in it; `backup` is where the original file is kept."""

    file: Path
    path: tuple[str, ...]
    backup: Path
    form: SettingsForm = JSON


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
    return location_of(file, path, scope)


def location_of(file: Path, path: tuple[str, ...], scope: str, form: SettingsForm = JSON) -> EntryLocation:
    """A place in a file; the scope is part of the backup's name."""
    file = file.resolve()  # a link, for example into a repository of settings, stays a link
    return EntryLocation(file, path, file.with_name(file.name + BACKUP + scope), form)


def server_start(arguments: list[str], *, shared: bool) -> dict[str, Any]:
    """What an entry says to start the server; a `shared` file names the command without its path."""
    return {"command": "clew" if shared else clew_command(), "args": ["mcp", *arguments]}


def clew_command() -> str:
    """The path of this installation's program, for settings that are read outside of a shell."""
    installed = Path(sys.executable).with_name("clew.exe" if sys.platform == "win32" else "clew")
    return str(installed) if installed.is_file() else shutil.which("clew") or "clew"


def plan_install(location: EntryLocation, entry: dict[str, Any] | str) -> SettingsEdit:
    """Plans the edit that adds or replaces the entry.

    Raises:
        FormatError: the file is not a JSON object, or a value on the path to the entry is not an object.
    """
    before, text = settings_text(location)
    current = location.form.get(text, location.path)
    if current == entry:
        return SettingsEdit(location, before, before)
    first = before is not None and (current is None or not location.backup.exists())
    return SettingsEdit(
        location,
        before,
        _checked(location.file, lambda: location.form.put(text, location.path, entry)).encode(),
        saves=first,
    )


def plan_remove(location: EntryLocation) -> SettingsEdit:
    """Plans the edit that removes the entry; it restores the original bytes if nothing else has changed since.

    Raises:
        FormatError: the file is not a JSON object.
    """
    before = _bytes(location.file)
    if before is None:
        return SettingsEdit(location, None, None)
    form = location.form
    text = _text(location, before)
    current = _checked(location.file, lambda: form.get(text, location.path))
    if current is None:
        return SettingsEdit(location, before, before)
    original = _bytes(location.backup)
    if original is None:
        created_here = form.read(text) == form.read(form.put(form.empty, location.path, current))
        return SettingsEdit(location, before, None if created_here else form.drop(text, location.path).encode())
    original_text = _text(location, original)
    if form.put(original_text, location.path, current) == text:
        return SettingsEdit(location, before, original, ends=True)
    return SettingsEdit(location, before, _without_entry(form, text, original_text, location.path).encode(), ends=True)


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


def settings_text(location: EntryLocation) -> tuple[bytes | None, str]:
    """The bytes of a settings file, None without one, and its text, that of an empty one without.

    Raises:
        FormatError: it is not UTF-8, or not of its form.
    """
    before = _bytes(location.file)
    text = location.form.empty if before is None else _text(location, before)
    _checked(location.file, lambda: location.form.get(text, location.path))
    return before, text


def _without_entry(form: SettingsForm, text: str, old: str, path: tuple[str, ...]) -> str:
    """The text with the entry as it was in `old`, or without the entry and the empty objects created around it."""
    original = form.get(old, path)
    if original is not None:
        return form.put(text, path, original)
    text = form.drop(text, path)
    for depth in range(len(path) - 1, 0, -1):
        if form.get(text, path[:depth]) == {} and form.get(old, path[:depth]) is None:
            text = form.drop(text, path[:depth])
    return text


def _bytes(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


def _text(location: EntryLocation, data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{str(location.file)!r} is not valid UTF-8 (at byte {error.start}) and was not changed; "
            "convert it to UTF-8"
        ) from error
    return text if text.strip() else location.form.empty


def _checked(file: Path, work: Any) -> Any:
    try:
        return work()
    except FormatError as error:
        raise FormatError(
            f"{str(file)!r} was not changed: {error}. Repair it, or add the entry by hand (--print shows it)"
        ) from error
