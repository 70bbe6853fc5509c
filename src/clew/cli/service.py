"""`clew watch` as a service of the user: with systemd on Linux, with launchd on macOS."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

import click

from clew.cli.options import Scope
from clew.cli.show import err, out
from clew.cli.terminal import emit, say
from clew.errors import NotFoundError
from clew.serve.clients.install import clew_command
from clew.store.home import usable_path

NAME: Final = "clew-watch"
LABEL: Final = "io.clew.watch"


@dataclass(frozen=True, slots=True)
class Service:
    """A service definition: its file, its text, and the commands that start and stop the service."""

    file: Path
    text: str
    start: tuple[tuple[str, ...], ...]
    stop: tuple[tuple[str, ...], ...]


def print_service(scope: Scope, programs: tuple[str, ...]) -> None:
    """Prints the service and what starts it, without writing anything."""
    service = _service([clew_command(), "watch", *programs, *memory_options(scope)])
    if scope.as_json:
        emit(
            {"file": str(service.file), "text": service.text, "start": [" ".join(command) for command in service.start]}
        )
        return
    say(service.text.rstrip("\n"))
    _say_store(scope)
    _say_commands(f"Belongs in {service.file}, and is started by:", service.start)


def install_service(scope: Scope, programs: tuple[str, ...], *, yes: bool) -> None:
    """Writes the service and starts it, after showing it and asking."""
    service = _service([clew_command(), "watch", *programs, *memory_options(scope)])
    if not yes:
        err().print(f"This will be written to {service.file}, and started:\n{service.text}")
        _confirm()
    service.file.parent.mkdir(parents=True, exist_ok=True)
    service.file.write_text(service.text, encoding="utf-8")
    started = all(_ran(command) for command in service.start)
    if scope.as_json:
        emit({"file": str(service.file), "started": started})
        return
    out().print(f"Installed in {service.file}", soft_wrap=True)
    _say_store(scope)
    if started:
        out().print("It runs now, and starts when you log in. `clew watch --remove` removes it.")
    else:
        _say_commands("It could not be started here. Start it with:", service.start)


def remove_service(scope: Scope, *, yes: bool) -> None:
    """Stops the service and deletes its file, after asking.

    Raises:
        NotFoundError: there is no such service.
    """
    service = _service([])
    if not service.file.exists():
        raise NotFoundError(f"{str(service.file)!r} does not exist: the service is not installed")
    if not yes:
        err().print(f"The service will be stopped, and {service.file} deleted.")
        _confirm()
    stopped = all(_ran(command) for command in service.stop)
    service.file.unlink()
    if scope.as_json:
        emit({"file": str(service.file), "stopped": stopped})
        return
    out().print(f"Removed {service.file}", soft_wrap=True)
    if not stopped:
        _say_commands("It could not be stopped here. If it runs, stop it with:", service.stop)


def memory_options(scope: Scope) -> list[str]:
    """The options that give a command the same home and space from any folder.

    An address in CLEW_STORE is left to the environment of the command, as it may contain a password.

    Raises:
        InputError: no home can have that path.
        UsageError: --store is an address, which may contain a password.
    """
    if scope.home is not None and "://" in scope.home:
        raise click.UsageError(
            "an address may contain a password, and the settings file is plain text: leave out --store, and set "
            "CLEW_STORE in the environment of the agent."
        )
    home = scope.home or os.environ.get("CLEW_STORE") or os.environ.get("CLEW_HOME")
    words = [] if not home or "://" in home else ["--home", str(usable_path(home, "the home").absolute())]
    return words if scope.space == "default" else [*words, "--space", scope.space]


def _service(command: list[str]) -> Service:
    return _launchd(command) if sys.platform == "darwin" else _systemd(command)


def _systemd(command: list[str]) -> Service:
    words = " ".join(f'"{_quoted(word)}"' for word in command)
    text = (
        "[Unit]\n"
        "Description=Clew: store new sessions of coding agents\n"
        "\n[Service]\n"
        f"ExecStart={words}\n"
        "Restart=on-failure\n"
        "RestartSec=30\n"
        "Nice=10\n"
        "\n[Install]\n"
        "WantedBy=default.target\n"
    )
    control = ("systemctl", "--user")
    return Service(
        Path.home() / ".config/systemd/user" / f"{NAME}.service",
        text,
        start=((*control, "daemon-reload"), (*control, "enable", "--now", NAME)),
        stop=((*control, "disable", "--now", NAME),),
    )


def _quoted(word: str) -> str:
    """A word inside double quotes of a systemd unit, where %, $, backslash and quotes have meanings."""
    return word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")


def _launchd(command: list[str]) -> Service:
    file = Path.home() / "Library/LaunchAgents" / f"{LABEL}.plist"
    words = "".join(f"<string>{escape(word)}</string>" for word in command)
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict>\n'
        f"<key>Label</key><string>{LABEL}</string>\n"
        f"<key>ProgramArguments</key><array>{words}</array>\n"
        "<key>RunAtLoad</key><true/>\n<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>\n"
        "</dict></plist>\n"
    )
    return Service(
        file,
        text,
        start=(("launchctl", "load", "-w", str(file)),),
        stop=(("launchctl", "unload", "-w", str(file)),),
    )


def _ran(command: tuple[str, ...]) -> bool:
    """Whether a command of the service manager succeeded."""
    if shutil.which(command[0]) is None:
        return False
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - fixed words and our own file
    return done.returncode == 0


def _say_store(scope: Scope) -> None:
    """Says that the service does not know the address in CLEW_STORE, if that is where the memory is."""
    if scope.home is None and "://" in os.environ.get("CLEW_STORE", ""):
        err().print(
            "The address in CLEW_STORE is not in it, as it may contain a password, and a service does not see the "
            "variables of your shell: set CLEW_STORE for it, or it stores into ~/.clew.",
            soft_wrap=True,
        )


def _say_commands(why: str, commands: tuple[tuple[str, ...], ...]) -> None:
    err().print(why, style="dim")
    for command in commands:
        err().print(f"  {' '.join(command)}", style="dim", soft_wrap=True)


def _confirm() -> None:
    """Asks whether to go on.

    Raises:
        UsageError: nobody can be asked.
        Exit: the answer was no.
    """
    if not sys.stdin.isatty():
        raise click.UsageError("cannot ask for confirmation: standard input is not a terminal. Give --yes to go on.")
    if not click.confirm("Continue?", err=True):
        err().print("Nothing was changed.", style="dim")
        raise click.exceptions.Exit(0)
