"""Anthropic's memory tool with its files kept in a memory: each version of a file is a turn, found by any recall.

    client.beta.messages.run_tools(..., tools=[ClewMemoryTool(memory)])

Needs `clew[anthropic]`. Paths are names, not places on a disk: they are made plain and stay below `/memories`.
"""

import posixpath
from typing import Final

from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
from anthropic.types.beta import (
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from clew.adapters.documents import Documents
from clew.errors import ClewError
from clew.memory import Memory

ROOT: Final = "/memories"
SESSION: Final = "anthropic-memory"
_TEXT: Final = "text"
_DEPTH: Final = 2
_NUMBER_WIDTH: Final = 6
_UNITS: Final = "BKMG"
_AROUND: Final = 2  # lines shown before and after a change


class ClewMemoryTool(BetaAbstractMemoryTool):
    """The memory tool over an open memory, which its owner closes."""

    def __init__(self, memory: Memory, session: str = SESSION) -> None:
        """Keeps the files in a conversation of the memory."""
        super().__init__()
        self._files = Documents(memory, session, role="assistant")

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """The lines of a file with their numbers, or the files below a folder with their sizes.

        Raises:
            ToolError: there is no such path; here and below, the message is the tool's answer to the model.
        """
        path = self._plain(command.path)
        files = self._all()
        if path in files:
            lines = files[path].split("\n")
            first, last = (*(command.view_range or [1]), -1)[:2]
            start = max(1, first)
            shown = lines[start - 1 : len(lines) if last == -1 else last]
            return f"Here's the content of {path} with line numbers:\n{_numbered(shown, start)}"
        below = {name: text for name, text in files.items() if name.startswith(f"{path}/")}
        if not below and path != ROOT:
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
        head = f"Here're the files and directories up to {_DEPTH} levels deep in {path}, excluding hidden items:"
        return "\n".join((head, *_listing(path, below)))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Makes a file.

        Raises:
            ToolError: it exists, is a folder, or lies below a file.
        """
        path = self._free(command.path)
        self._write(path, command.file_text)
        return f"File created successfully at: {path}"

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replaces the one place where a text stands.

        Raises:
            ToolError: there is no such file, or the text stands nowhere or in several places.
        """
        path, text = self._read(command.path)
        old = command.old_str
        count = text.count(old) if old else 0
        if count != 1:
            lines = [str(number) for number, line in enumerate(text.split("\n"), 1) if old and old in line]
            where = f"Multiple occurrences of old_str `{old}` in lines: {', '.join(lines)}. Please ensure it is unique"
            nowhere = f"old_str `{old}` did not appear verbatim in {path}."
            raise ToolError(f"No replacement was performed{f'. {where}' if count else f', {nowhere}'}")
        number = text[: text.index(old)].count("\n")
        changed = text.replace(old, command.new_str or "")
        self._write(path, changed)
        start = max(0, number - _AROUND)
        shown = changed.split("\n")[start : number + _AROUND + 1]
        head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return f"{head}\n{_numbered(shown, start + 1)}"

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Inserts a text after a line; line 0 is before the first.

        Raises:
            ToolError: there is no such file or line.
        """
        path, text = self._read(command.path)
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {command.insert_line}. It should be within the range "
                f"[0, {len(lines)}]."
            )
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        self._write(path, "\n".join(lines) + "\n")
        return f"The file {path} has been edited."

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Forgets a file, or a folder with all in it, with every earlier version.

        Raises:
            ToolError: there is no such path, or it is `/memories` itself.
        """
        path = self._plain(command.path)
        if path == ROOT:
            raise ToolError(f"Cannot delete the {ROOT} directory itself")
        gone = [name for name in self._all() if name == path or name.startswith(f"{path}/")]
        if not gone:
            raise ToolError(f"The path {path} does not exist")
        for name in gone:
            self._delete(name)
        return f"Successfully deleted {path}"

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Gives a file, or a folder with all in it, another path. Earlier versions are forgotten.

        Raises:
            ToolError: there is no such path, the new one is taken, or lies inside the old one.
        """
        old = self._plain(command.old_path)
        if old == ROOT:
            raise ToolError(f"Cannot rename the {ROOT} directory itself")
        new = self._free(command.new_path)
        if new.startswith(f"{old}/"):
            raise ToolError(f"Cannot move {old} into itself")
        moved = {name: text for name, text in self._all().items() if name == old or name.startswith(f"{old}/")}
        if not moved:
            raise ToolError(f"The path {old} does not exist")
        for name, text in moved.items():
            self._write(new + name.removeprefix(old), text)
            self._delete(name)
        return f"Successfully renamed {old} to {new}"

    def clear_all_memory(self) -> str:
        """Forgets every file."""
        for name in self._all():
            self._delete(name)
        return "All memory cleared"

    def _plain(self, path: str) -> str:
        """A path without `.`, `..` and doubled slashes, as its file is named where it is stored.

        Raises:
            ToolError: it is not below `/memories`, or has a character that no name of a file may have.
        """
        plain = posixpath.normpath(path.replace("\\", "/"))
        if plain != ROOT and not plain.startswith(f"{ROOT}/"):
            raise ToolError(f"Path must be {ROOT} or below it, got: {path}")
        stored = self._files.stored_key(plain)
        if self._files.stored_key(stored) != stored:  # it had to be escaped
            raise ToolError(f"The path {path!r} has a character that no name of a file may have")
        return stored

    def _all(self) -> dict[str, str]:
        return {key: str(document.value.get(_TEXT, "")) for key, document in self._files.all().items()}

    def _read(self, path: str) -> tuple[str, str]:
        plain = self._plain(path)
        files = self._all()
        if plain in files:
            return plain, files[plain]
        if any(name.startswith(f"{plain}/") for name in files):
            raise ToolError(f"The path {plain} is not a file.")
        raise ToolError(f"The path {plain} does not exist. Please provide a valid path.")

    def _free(self, path: str) -> str:
        plain = self._plain(path)
        files = self._all()
        if plain == ROOT or plain in files or any(name.startswith(f"{plain}/") for name in files):
            raise ToolError(f"File {plain} already exists")
        parent = posixpath.dirname(plain)
        while parent != ROOT:
            if parent in files:
                raise ToolError(f"{parent} is a file, so that nothing can be below it")
            parent = posixpath.dirname(parent)
        return plain

    def _write(self, path: str, text: str) -> None:
        try:
            self._files.put(path, {_TEXT: text})
        except ClewError as error:
            raise ToolError(f"{path} could not be stored: {error}") from error

    def _delete(self, path: str) -> None:
        try:
            self._files.delete(path)
        except ClewError as error:
            raise ToolError(f"{path} could not be deleted: {error}") from error


def _numbered(lines: list[str], start: int) -> str:
    return "\n".join(f"{number:>{_NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, start))


def _listing(path: str, files: dict[str, str]) -> list[str]:
    """A folder and what is up to two levels below it, each with its size; hidden names are left out."""
    sizes = {path: 0}
    for name, text in sorted(files.items()):
        parts = name.removeprefix(f"{path}/").split("/")
        size = len(text.encode())
        sizes[path] += size
        if any(part.startswith(".") for part in parts):
            continue
        for depth in range(1, min(len(parts), _DEPTH) + 1):
            shown = "/".join((path, *parts[:depth])) + ("/" if depth < len(parts) else "")
            sizes[shown] = sizes.get(shown, 0) + size
    return [f"{_size(size)}\t{name}" for name, size in sizes.items()]


def _size(count: int) -> str:
    """A number of bytes as `512B`, `1.5K`, `2M`."""
    power = min((count.bit_length() - 1) // 10, len(_UNITS) - 1) if count else 0
    return f"{count / 1024**power:.1f}".removesuffix(".0") + _UNITS[power]
