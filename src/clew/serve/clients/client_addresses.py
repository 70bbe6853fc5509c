"""How programs are told to send their requests to the proxy: what each of them reads, and where they sent them before.

Read in the programs' own documentation and sources. Claude Code and the SDK of Anthropic take `ANTHROPIC_BASE_URL`, the
SDKs of OpenAI `OPENAI_BASE_URL`, aider and other users of LiteLLM `OPENAI_API_BASE` and `ANTHROPIC_API_BASE`, Gemini
CLI and the SDK of Google `GOOGLE_GEMINI_BASE_URL`. Codex reads no environment variable since April 2026, but the key
`openai_base_url` of its settings, which its option `-c` sets for one run.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePath
from typing import Final
from urllib.parse import urlsplit

SERVER: Final = "CLEW_SERVER"
"""Environment variable with the address of the program's own server, for scripts that it starts; hooks are silent."""

_PATHS: Final[Mapping[str, str]] = {
    "ANTHROPIC_BASE_URL": "/anthropic",
    "ANTHROPIC_API_BASE": "/anthropic",
    "OPENAI_BASE_URL": "/openai/v1",
    "OPENAI_API_BASE": "/openai/v1",
    "GOOGLE_GEMINI_BASE_URL": "/gemini",
}
_UPSTREAMS: Final = {
    "upstream_anthropic": ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"),
    "upstream_openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    "upstream_gemini": ("GOOGLE_GEMINI_BASE_URL",),
}
_GEMINI_DEFAULTS: Final = "GEMINI_CLI_SYSTEM_DEFAULTS_PATH"
_GEMINI_SYSTEM: Final = (
    Path("/etc/gemini-cli/system-defaults.json"),
    Path("/Library/Application Support/GeminiCli/system-defaults.json"),
    Path("C:/ProgramData/gemini-cli/system-defaults.json"),
)
"""Where an administrator's file of defaults lies, which this variable would hide."""
LOOPBACK: Final = ("127.0.0.1", "localhost")


def upstreams_of(environment: Mapping[str, str]) -> dict[str, str]:
    """Settings of `serve.*` for the addresses that the environment already names, so that they stay in use.

    A setting that is in the environment itself (`CLEW_SERVE_UPSTREAM_OPENAI`) is left alone.
    """
    addresses: dict[str, str] = {}
    for setting, names in _UPSTREAMS.items():
        if environment.get(f"CLEW_SERVE_{setting.upper()}"):
            continue
        address = next((environment[name] for name in names if environment.get(name)), "").rstrip("/")
        if urlsplit(address).scheme in ("http", "https"):
            addresses[setting] = address.removesuffix("/v1") if setting != "upstream_gemini" else address
    return addresses


def child_environment(server: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a program whose requests go through the server at this address.

    A proxy that the environment names for the way to the internet is not asked for the way to this machine.
    """
    addresses = {name: server + path for name, path in _PATHS.items()}
    direct = {name: _without_proxy(environment.get(name, "")) for name in ("NO_PROXY", "no_proxy")}
    return {**_gemini_defaults(environment), **environment, **addresses, **direct, SERVER: server}


def _gemini_defaults(environment: Mapping[str, str]) -> dict[str, str]:
    """What lets Gemini CLI 0.61 use its API key at another address: alone, the address makes it refuse to start.

    The file that is named says nothing but that the key is the login, below all other settings.
    """
    if not environment.get("GEMINI_API_KEY") or any(path.exists() for path in _GEMINI_SYSTEM):
        return {}
    return {_GEMINI_DEFAULTS: str(Path(__file__).with_name("gemini_cli_defaults.json"))}


def child_command(server: str, command: Sequence[str]) -> list[str]:
    """The command with the arguments that its program needs besides its environment; other programs need none."""
    program, *arguments = command
    if PurePath(program).stem.lower() != "codex":
        return list(command)
    address = json.dumps(f"{server}/openai/v1")  # a string of TOML
    options = ["-c", f"openai_base_url={address}", "-c", "features.enable_request_compression=false"]
    return [program, *options, *arguments]


def _without_proxy(hosts: str) -> str:
    named = [host.strip() for host in hosts.split(",") if host.strip()]
    return ",".join(named + [host for host in LOOPBACK if host not in named and "*" not in named])
