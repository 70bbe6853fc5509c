"""The address of the proxy in the settings of programs that keep a base URL there, by their documentation.

| Program | File | Member |
|---|---|---|
| Claude Code | `~/.claude/settings.json`; a project's `.claude/settings.local.json` | `env`, `ANTHROPIC_BASE_URL` |
| Codex | `~/.codex/config.toml` | `openai_base_url` |

Other programs read an environment variable, or have a field in their settings page (docs/proxy.md).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from clew.errors import InputError
from clew.serve.clients.client_addresses import LOOPBACK, upstreams_of
from clew.serve.clients.hooks import hooks_location
from clew.serve.clients.install import (
    TOML,
    EntryLocation,
    InstallScope,
    SettingsEdit,
    location_of,
    plan_remove,
    settings_text,
)
from clew.serve.clients.programs import codex_settings


def base_url_location(
    program: str, scope: InstallScope, home: Path, project: Path, environment: Mapping[str, str]
) -> EntryLocation:
    """Where the program keeps the address.

    Raises:
        InputError: it keeps none, or none of that scope.
    """
    if program == "claude-code":
        file = hooks_location(scope, home, project, environment).file
        return location_of(file, ("env", "ANTHROPIC_BASE_URL"), f"proxy-{scope}")
    if program == "codex" and scope == "user":
        return location_of(codex_settings(home, environment), ("openai_base_url",), "proxy-user", TOML)
    raise InputError(
        f"{program!r} has no base URL in a settings file of scope {scope!r} that Clew knows; docs/proxy.md says "
        "where to set it, and `clew run` needs none"
    )


def base_url(program: str, server: str) -> str:
    """The address that the program is given, for a server at this address."""
    return server.rstrip("/") + ("/anthropic" if program == "claude-code" else "/openai/v1")


def plan_remove_base_url(location: EntryLocation, given: str) -> SettingsEdit:
    """Plans the edit that removes the address of the proxy; another address is somebody else's, and stays.

    Args:
        given: the address that the program would be given.

    Raises:
        FormatError: the file is not of its form.
    """
    before, text = settings_text(location)
    address = location.form.get(text, location.path)
    if address is None or location.backup.exists() or is_proxy(address, given):
        return plan_remove(location)
    return SettingsEdit(location, before, before)


def is_proxy(held: Any, given: str) -> bool:
    """Whether an address in a program's settings is that of the proxy: the given one, or one of this machine."""
    address = urlsplit(held if isinstance(held, str) else "")
    return held == given or (address.hostname in LOOPBACK and address.path == urlsplit(given).path)


def upstream_option(program: str, held: Any, given: str) -> str:
    """The option of `clew serve` by which requests go on to where the program sent them; empty for the provider itself.

    Args:
        held: the address in the program's settings before.
        given: the address that it is given.
    """
    before = urlsplit(held if isinstance(held, str) else "")
    if not before.netloc or is_proxy(held, given):
        return ""  # none, or another address of the proxy
    variable = "ANTHROPIC_BASE_URL" if program == "claude-code" else "OPENAI_BASE_URL"
    return " ".join(f"--{name.replace('_', '-')} {address}" for name, address in upstreams_of({variable: held}).items())
