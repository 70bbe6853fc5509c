"""The address of the proxy in the settings of programs that keep a base URL there, by their documentation.

| Program | File | Member |
|---|---|---|
| Claude Code | `~/.claude/settings.json`; a project's `.claude/settings.local.json` | `env`, `ANTHROPIC_BASE_URL` |
| Codex | `~/.codex/config.toml` | `openai_base_url` |

Other programs read an environment variable, or have a field in their settings page (docs/proxy.md).
"""

from collections.abc import Mapping
from pathlib import Path

from clew.errors import InputError
from clew.serve.clients.hooks import hooks_location
from clew.serve.clients.install import TOML, EntryLocation, InstallScope, location_of
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
