"""Clew's hooks in the settings of Claude Code: the lists of other hooks stay, also in their order."""

import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from clew.errors import FormatError, InputError
from clew.serve.clients import hook_client, json_text
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


def our_hooks(command: str) -> dict[str, list[dict[str, Any]]]:
    """The lists of hooks, by event, with ours alone."""
    ours = {_HOOKS: [{"type": "command", "command": command, "timeout": TIMEOUT}]}
    return {event: [{**({"matcher": MATCHERS[event]} if event in MATCHERS else {}), **ours}] for event in EVENTS}


def _with_hooks(text: str, command: str) -> str:
    """A text of settings with our entries last in their lists; every other byte stays."""
    for event, ours in our_hooks(command).items():
        entries = _held(text, event)
        if entries[-1:] == ours and len(_indexes_of_ours(entries)) == 1:
            continue
        text = _without_ours(text, event)
        if _held(text, event):
            text = json_text.append(text, (_HOOKS, event), ours[0])
        else:
            text = json_text.put(text, (_HOOKS, event), ours)
    return text


def _held(text: str, event: str) -> list[Any]:
    """The list of an event; empty without one.

    Raises:
        FormatError: it is not a list.
    """
    entries = json_text.get(text, (_HOOKS, event))
    if entries is not None and not isinstance(entries, list):
        raise FormatError(f"{_HOOKS}.{event}: expected a list, got {type(entries).__name__}; nothing was changed")
    return entries or []


def _without_ours(text: str, event: str) -> str:
    """A text of settings without our entries for an event, and without its list where nothing else is in it."""
    entries = _held(text, event)
    indexes = _indexes_of_ours(entries)
    if indexes and len(indexes) == len(entries):
        return json_text.drop(text, (_HOOKS, event))
    for index in reversed(indexes):
        text = json_text.drop_element(text, (_HOOKS, event), index)
    return text


def plan_hooks(location: EntryLocation, command: str) -> SettingsEdit:
    """Plans the edit that adds our hooks, or replaces them.

    Raises:
        FormatError: the file is not a JSON object, or `hooks` is none.
    """
    before, text = settings_text(location)
    after = _with_hooks(text, command)
    if after == text:
        return SettingsEdit(location, before, before)
    is_first = not any(_ours(_held(text, event)) for event in EVENTS) and not location.backup.exists()
    return SettingsEdit(location, before, after.encode(), saves=before is not None and is_first)


def plan_remove_hooks(location: EntryLocation) -> SettingsEdit:
    """Plans the edit that takes our hooks out; the original bytes come back if nothing else has changed since.

    Raises:
        FormatError: as for `plan_hooks`.
    """
    before, text = settings_text(location)
    commands = {hook["command"] for event in EVENTS for hook in _ours(_held(text, event))}
    if before is None or not commands:
        return SettingsEdit(location, before, before)
    if location.backup.exists():
        original = location.backup.read_bytes()
        again = original.decode()
        if _with_hooks(again if again.strip() else location.form.empty, min(commands)) == text:
            return SettingsEdit(location, before, original, ends=True)
    for event in EVENTS:
        text = _without_ours(text, event)
    if json_text.get(text, location.path) == {}:
        text = json_text.drop(text, location.path)
    after = None if json_text.read(text) == {} and not location.backup.exists() else text.encode()
    return SettingsEdit(location, before, after, ends=location.backup.exists())


def _ours(entries: list[Any]) -> list[dict[str, Any]]:
    """Our hooks in the list of an event; entries of other forms are somebody else's."""
    lists = [entry.get(_HOOKS) for entry in entries if isinstance(entry, dict)]
    own = [hook for hooks in lists if isinstance(hooks, list) for hook in hooks]
    return [hook for hook in own if isinstance(hook, dict) and _is_ours(hook.get("command"))]


def _indexes_of_ours(entries: list[Any]) -> list[int]:
    return [index for index, entry in enumerate(entries) if _ours([entry])]


def _is_ours(command: Any) -> bool:
    return isinstance(command, str) and _MARK in command
