"""Where each program keeps its servers of the Model Context Protocol, and the form of an entry, by its documentation.

| ClientProgram | File | Under |
|---|---|---|
| Claude Code | `~/.claude.json`; a project's `.mcp.json` | `mcpServers` |
| Claude Desktop | `claude_desktop_config.json` in its own folder | `mcpServers` |
| Cursor | `mcp.json` in `~/.cursor` or a project's `.cursor` | `mcpServers` |
| Codex | `~/.codex/config.toml` | `mcp_servers` |
| Gemini CLI | `settings.json` in `~/.gemini` or a project's `.gemini` | `mcpServers` |
| VS Code | `mcp.json` in its own folder or a project's `.vscode` | `servers` |
| Windsurf | `~/.codeium/windsurf/mcp_config.json` | `mcpServers` |
| Zed | `settings.json` in its own folder or a project's `.zed` | `context_servers` |
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from clew.errors import InputError
from clew.serve.clients.install import (
    JSON,
    JSONC,
    NAME,
    SERVERS,
    TOML,
    EntryLocation,
    InstallScope,
    SettingsForm,
    claude_code,
    location_of,
)

Environment = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ClientProgram:
    """One program.

    Attributes:
        title: its name as its makers write it.
        key: the member that holds the servers.
        user: its file for the user, from the home directory and the environment.
        project: its file in a project, relative to it; None when it has none.
        fields: members of an entry besides command and arguments.
        after: what to do afterwards.
    """

    title: str
    key: str
    user: Callable[[Path, Environment], Path]
    project: str | None
    fields: Mapping[str, Any]
    form: SettingsForm
    after: str

    def location(self, scope: InstallScope, home: Path, project: Path, environment: Environment) -> EntryLocation:
        """Where the entry is.

        Raises:
            InputError: the program has no such scope.
        """
        if scope == "user":
            file = self.user(home, environment)
        elif scope == "project" and self.project is not None:
            file = project / self.project
        else:
            has = "user or project" if self.project else "user"
            raise InputError(f"{self.title} has no settings of scope {scope!r}; give --scope {has}")
        return location_of(file, (self.key, NAME), scope, self.form)

    def entry(self, start: dict[str, Any]) -> dict[str, Any]:
        """The entry that starts the server, from `command` and `args`."""
        return {**self.fields, **start}


class _ClaudeCode(ClientProgram):
    """Keeps what is for one project in the user's file too."""

    def location(self, scope: InstallScope, home: Path, project: Path, environment: Environment) -> EntryLocation:
        return claude_code(scope, home, project, environment)

    def entry(self, start: dict[str, Any]) -> dict[str, Any]:
        return {**self.fields, **start, "env": {}}


def _support(name: str) -> Callable[[Path, Environment], Path]:
    """A file below the folder in which the system keeps programs' settings."""

    def found(home: Path, environment: Environment) -> Path:
        if sys.platform == "darwin":
            return home / "Library" / "Application Support" / name
        if sys.platform == "win32":
            return Path(environment.get("APPDATA") or home / "AppData" / "Roaming") / name
        return Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / name

    return found


def _zed(home: Path, environment: Environment) -> Path:
    if sys.platform == "darwin":
        return home / ".config" / "zed" / "settings.json"
    name = "Zed" if sys.platform == "win32" else "zed"
    return _support(f"{name}/settings.json")(home, environment)


def codex_settings(home: Path, environment: Environment) -> Path:
    """The file in which Codex keeps its settings."""
    return Path(environment.get("CODEX_HOME") or home / ".codex") / "config.toml"


def _below_home(name: str) -> Callable[[Path, Environment], Path]:
    return lambda home, _environment: home / name


_RESTART: Final = "Restart it to load the server."
_STDIO: Final[Mapping[str, Any]] = {"type": "stdio"}

PROGRAMS: Final[Mapping[str, ClientProgram]] = {
    "claude-code": _ClaudeCode(
        "Claude Code",
        SERVERS,
        _below_home(".claude.json"),
        ".mcp.json",
        _STDIO,
        JSON,
        "Restart Claude Code; `/mcp` lists the server.",
    ),
    "claude-desktop": ClientProgram(
        "Claude Desktop", SERVERS, _support("Claude/claude_desktop_config.json"), None, {}, JSON, _RESTART
    ),
    "cursor": ClientProgram("Cursor", SERVERS, _below_home(".cursor/mcp.json"), ".cursor/mcp.json", {}, JSON, _RESTART),
    "codex": ClientProgram(
        "Codex", "mcp_servers", codex_settings, None, {}, TOML, "Start Codex anew; `/mcp` lists the server."
    ),
    "gemini-cli": ClientProgram(
        "Gemini CLI",
        SERVERS,
        _below_home(".gemini/settings.json"),
        ".gemini/settings.json",
        {},
        JSONC,
        "Start Gemini CLI anew; `/mcp` lists the server.",
    ),
    "vscode": ClientProgram(
        "VS Code",
        "servers",
        _support("Code/User/mcp.json"),
        ".vscode/mcp.json",
        _STDIO,
        JSONC,
        "Start the server from the file, or by `MCP: List Servers`.",
    ),
    "windsurf": ClientProgram(
        "Windsurf", SERVERS, _below_home(".codeium/windsurf/mcp_config.json"), None, {}, JSON, _RESTART
    ),
    "zed": ClientProgram("Zed", "context_servers", _zed, ".zed/settings.json", {"source": "custom"}, JSONC, _RESTART),
}
"""Name on the command line -> program."""
