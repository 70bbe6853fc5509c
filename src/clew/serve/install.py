"""Clew's entry in the settings of an agent's program: where it stands, how it is put there, and how it is taken back.

Borders: asks nobody; `clew install` does. A file that cannot be read as JSON is left alone.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from clew.errors import ConflictError, FormatError
from clew.serve.splice import drop, get, put, read

Scope = Literal["user", "local", "project"]

NAME: Final = "clew"
SERVERS: Final = "mcpServers"
BACKUP: Final = ".clew-backup-"
"""The file's name, this and the scope make the name of its backup, which stands beside it."""

_EMPTY: Final = "{}\n"


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry stands: a file, and the names that lead to it; `backup` is the file as it was before."""

    file: Path
    path: tuple[str, ...]
    backup: Path


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be written.

    Attributes:
        before: the file as it is; None when there is none.
        after: the file as it would be; None when it would be deleted, or stay away.
        saves: `before` is to be kept as the backup.
        ends: the backup has served and goes.
    """

    place: Place
    before: bytes | None
    after: bytes | None
    saves: bool = False
    ends: bool = False

    @property
    def changes(self) -> bool:
        """Whether anything would be different."""
        return self.before != self.after


def claude_code(scope: Scope, home: Path, project: Path, environment: Mapping[str, str]) -> Place:
    """Where Claude Code looks for a server: of the user, of the user in one project, or of everyone in the project.

    Args:
        home: the user's own directory; `CLAUDE_CONFIG_DIR` stands for it where it is set.
    """
    path: tuple[str, ...] = (SERVERS, NAME)
    if scope == "project":
        file = project / ".mcp.json"
    else:
        file = Path(environment.get("CLAUDE_CONFIG_DIR") or home) / ".claude.json"
        path = path if scope == "user" else ("projects", str(project), *path)
    file = file.resolve()  # a link into a folder of settings stays a link
    return Place(file, path, file.with_name(file.name + BACKUP + scope))


PROGRAMS: Final = {"claude-code": claude_code}
"""Where the settings of each program stand."""


def entry(arguments: list[str], *, shared: bool) -> dict[str, Any]:
    """What starts the server; `shared`, in a file that others have too, it is found on their PATH."""
    beside = Path(sys.executable).with_name("clew.exe" if sys.platform == "win32" else "clew")
    found = None if shared else str(beside) if beside.is_file() else shutil.which("clew")
    return {"type": "stdio", "command": found or "clew", "args": ["mcp", *arguments], "env": {}}


def plan_install(place: Place, wanted: dict[str, Any]) -> Plan:
    """The file with the entry.

    Raises:
        FormatError: the file is no JSON object, or something on the way to the entry is none.
    """
    before = _bytes(place.file)
    text = _EMPTY if before is None else _text(place.file, before)
    held = _checked(place.file, lambda: get(text, place.path))
    if held == wanted:
        return Plan(place, before, before)
    first = before is not None and (held is None or not place.backup.exists())
    return Plan(place, before, put(text, place.path, wanted).encode(), saves=first)


def plan_remove(place: Place) -> Plan:
    """The file without the entry: as it was before, to the last byte, if nothing else has changed since.

    Raises:
        FormatError: the file is no JSON object.
    """
    before = _bytes(place.file)
    if before is None:
        return Plan(place, None, None)
    text = _text(place.file, before)
    held = _checked(place.file, lambda: get(text, place.path))
    if held is None:
        return Plan(place, before, before)
    old = _bytes(place.backup)
    if old is None:
        made_here = read(text) == read(put(_EMPTY, place.path, held))
        return Plan(place, before, None if made_here else drop(text, place.path).encode())
    old_text = _text(place.backup, old)
    if put(old_text, place.path, held) == text:
        return Plan(place, before, old, ends=True)
    return Plan(place, before, _taken_back(text, old_text, place.path).encode(), ends=True)


def apply(plan: Plan) -> None:
    """Writes what is planned, in one step, with the file's own permissions.

    Raises:
        ConflictError: the file is not any more as it was when it was planned.
    """
    if not plan.changes:
        return
    place = plan.place
    if _bytes(place.file) != plan.before:
        raise ConflictError(f"{str(place.file)!r} was changed meanwhile; nothing was written. Run the command again")
    if plan.saves:
        shutil.copy2(place.file, place.backup)
    if plan.after is None:
        place.file.unlink()
    else:
        _replace(place.file, plan.after)
    if plan.ends:
        place.backup.unlink()


def _taken_back(text: str, old: str, path: tuple[str, ...]) -> str:
    """The entry as it was before, or none; with the objects around it that were made for it and hold nothing else."""
    was = get(old, path)
    if was is not None:
        return put(text, path, was)
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
        raise FormatError(f"{str(file)!r} is not UTF-8 (byte {error.start}); it was left as it is") from error
    return text if text.strip() else _EMPTY


def _checked(file: Path, work: Any) -> Any:
    try:
        return work()
    except FormatError as error:
        raise FormatError(
            f"{str(file)!r} was left as it is: {error}. Mend it, or add the entry by hand (--print shows it)"
        ) from error


def _replace(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    number, name = tempfile.mkstemp(dir=file.parent, prefix=file.name)
    made = Path(name)
    try:
        with os.fdopen(number, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        if file.exists():
            shutil.copymode(file, made)
        made.replace(file)
    finally:
        made.unlink(missing_ok=True)
