"""Clew's hooks in the settings of Claude Code: the lists of other hooks stay, also in their order."""

import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from clew.errors import InputError
from clew.serve.clients import hook_client
from clew.serve.clients.install import EntryLocation, InstallScope, SettingsEdit, location_of, settings_text

EVENTS: Final = ("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "PreCompact")
MATCHERS: Final[Mapping[str, str]] = {"PostToolUse": "Read|Edit|Write|MultiEdit|NotebookEdit"}
"""Of which tools an event is told."""
TIMEOUT: Final = 2
"""Seconds after which Claude Code ends the command; it ends itself after 0.3."""
_HOOKS: Final = "hooks"
_MARK: Final = "clients/hook_client.py"
"""What tells our commands."""


def hooks_location(scope: InstallScope, home: Path, project: Path, environment: Mapping[str, str]) -> EntryLocation:
    """Where Claude Code looks for hooks: of the user, or of the user in one project.

    Raises:
        InputError: the scope is that of everyone in the project, whose machines have no such server.
    """
    if scope == "project":
        raise InputError("hooks and base URLs name a server of this machine; give --scope user or --scope local")
    own = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude") / "settings.json"
    file = own if scope == "user" else project / ".claude" / "settings.local.json"
    return location_of(file, (_HOOKS,), f"hooks-{scope}")


def hook_command(address: str) -> str:
    """The command of the hooks, for a server at this address."""
    return shell_command(sys.executable, "-I", "-S", hook_client.__file__, address)


def shell_command(*words: str) -> str:
    """The command line that a shell reads as these words; of Windows' shells some take no backslashes."""
    if sys.platform == "win32":
        return subprocess.list2cmdline([word.replace("\\", "/") for word in words])
    return shlex.join(words)


def with_hooks(value: Mapping[str, Any], command: str) -> dict[str, list[Any]]:
    """The lists of hooks, by event, with ours last in those that we use."""
    ours = {_HOOKS: [{"type": "command", "command": command, "timeout": TIMEOUT}]}
    matchers = {event: {"matcher": MATCHERS[event]} if event in MATCHERS else {} for event in EVENTS}
    return {event: [*_others(value.get(event)), {**matchers[event], **ours}] for event in EVENTS}


def plan_hooks(location: EntryLocation, command: str) -> SettingsEdit:
    """Plans the edit that adds our hooks, or replaces them.

    Raises:
        FormatError: the file is no JSON object, or `hooks` is none.
    """
    before, text = settings_text(location)
    after = text
    current = location.form.get(text, location.path) or {}
    for event, entries in with_hooks(current, command).items():
        if current.get(event) != entries:
            after = location.form.put(after, (_HOOKS, event), entries)
    if after == text:
        return SettingsEdit(location, before, before)
    is_first = not any(_ours(current.get(event)) for event in EVENTS) and not location.backup.exists()
    return SettingsEdit(location, before, after.encode(), saves=before is not None and is_first)


def plan_remove_hooks(location: EntryLocation) -> SettingsEdit:
    """Plans the edit that takes our hooks out; the original bytes come back if nothing else has changed since.

    Raises:
        FormatError: as for `plan_hooks`.
    """
    before, text = settings_text(location)
    form = location.form
    current = {} if before is None else form.get(text, location.path) or {}
    commands = {entry["command"] for event in EVENTS for entry in _ours(current.get(event))}
    if before is None or not commands:
        return SettingsEdit(location, before, before)
    if location.backup.exists():
        original = location.backup.read_bytes()
        again = original.decode()
        for event, entries in with_hooks(form.get(again, location.path) or {}, min(commands)).items():
            again = form.put(again, (_HOOKS, event), entries)
        if again == text:
            return SettingsEdit(location, before, original, ends=True)
    for event in EVENTS:
        kept = _others(current.get(event))
        text = form.put(text, (_HOOKS, event), kept) if kept else form.drop(text, (_HOOKS, event))
    if form.get(text, location.path) == {}:
        text = form.drop(text, location.path)
    after = None if form.read(text) == {} and not location.backup.exists() else text.encode()
    return SettingsEdit(location, before, after, ends=location.backup.exists())


def _ours(entries: Any) -> list[dict[str, Any]]:
    found = [hook for entry in entries or [] if isinstance(entry, dict) for hook in entry.get(_HOOKS) or []]
    return [hook for hook in found if isinstance(hook, dict) and _is_ours(hook.get("command"))]


def _others(entries: Any) -> list[Any]:
    return [entry for entry in entries or [] if not _ours([entry])]


def _is_ours(command: Any) -> bool:
    return isinstance(command, str) and _MARK in command
