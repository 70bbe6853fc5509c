"""`clew install`: adds Clew to the settings of a program, and removes it."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import click

from clew.cli.options import Scope, common
from clew.cli.service import install_service, memory_options
from clew.cli.show import err, out
from clew.cli.terminal import as_json, emit, say
from clew.errors import MissingExtra
from clew.ingest.session_folders import PROGRAMS as SESSION_PROGRAMS
from clew.serve.clients.base_urls import base_url, base_url_location, plan_remove_base_url, upstream_option
from clew.serve.clients.hooks import hook_command, hooks_location, our_hooks, plan_hooks, plan_remove_hooks
from clew.serve.clients.install import (
    EntryLocation,
    SettingsEdit,
    apply,
    plan_install,
    plan_remove,
    server_start,
    settings_text,
)
from clew.serve.clients.programs import PROGRAMS

SERVER: Final = "http://127.0.0.1:8377"

_Entry = dict[str, object] | str


@click.command()
@click.argument("program", type=click.Choice(list(PROGRAMS)))
@click.option(
    "--scope",
    "reach",
    type=click.Choice(["user", "local", "project"]),
    default="user",
    show_default=True,
    help="For you in every folder, for you in this folder, or for everyone in this folder (.mcp.json).",
)
@click.option("--print", "only_print", is_flag=True, help="Print the entry, without writing it.")
@click.option("--remove", is_flag=True, help="Remove the entry.")
@click.option("--watch", is_flag=True, help="Also store new sessions as they are written, by a user service.")
@click.option(
    "--hooks", is_flag=True, help="For Claude Code: install hooks that call `clew serve`, instead of the MCP server."
)
@click.option(
    "--proxy",
    is_flag=True,
    help="For Claude Code and Codex: set the address of `clew serve`, instead of the MCP server.",
)
@click.option(
    "--server",
    metavar="URL",
    help=f"Address of `clew serve`, for --hooks and --proxy.  [default: {SERVER}]",
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@common
def install(
    scope: Scope,
    program: str,
    reach: str,
    *,
    only_print: bool,
    remove: bool,
    watch: bool,
    hooks: bool,
    proxy: bool,
    server: str | None,
    yes: bool,
) -> None:
    """Register Clew as an MCP server with a program.

    The change is shown, and written after you confirm. The rest of the settings file stays
    unchanged, and a copy of the file is kept next to it; a file that is not well formed is not touched. --remove undoes
    the change. --home and --space choose the memory that the agent uses.

    The program only reads the memory. New sessions come in by `clew import PROGRAM` now and then, or as they are
    written by `clew watch`, which --watch installs as a service of the user (systemd or launchd). `clew watch --print`
    shows the service.
    """
    if server is not None and not (hooks or proxy):
        raise click.UsageError("--server belongs to --hooks and --proxy; give one of them, or leave it out.")
    server = server or SERVER
    _check_together(hooks=hooks, proxy=proxy, only_print=only_print, remove=remove, watch=watch)
    if hooks:
        _install_hooks(scope, program, reach, only_print=only_print, remove=remove, server=server, yes=yes)
        return
    if proxy:
        _install_proxy(scope, program, reach, only_print=only_print, remove=remove, server=server, yes=yes)
        return
    if watch and program not in SESSION_PROGRAMS:
        raise click.UsageError(f"--watch follows the sessions of {', '.join(SESSION_PROGRAMS)}; {program} has none.")
    chosen = PROGRAMS[program]
    location = chosen.location(reach, Path.home(), Path.cwd(), os.environ)  # type: ignore[arg-type]  # click has checked it
    entry = chosen.entry(server_start(memory_options(scope), shared=reach == "project"))
    if only_print:
        _print_entry(scope, location, location.path[-2:], entry)
        return
    if not remove and find_spec("mcp") is None:
        raise MissingExtra("the server needs the package mcp; install clew[mcp], then run this again")
    edit = plan_remove(location) if remove else plan_install(location, entry)
    if not _carried_out(scope, edit, None if remove else entry, chosen.after, yes=yes):
        return
    if not remove and program in SESSION_PROGRAMS:
        _offer_watch(scope, program, wanted=watch, yes=yes)


def _check_together(*, hooks: bool, proxy: bool, only_print: bool, remove: bool, watch: bool) -> None:
    """Refuses options of which one would be ignored beside the other.

    Raises:
        UsageError: two of them cannot be combined.
    """
    if watch and (only_print or remove):
        raise click.UsageError(
            "--watch cannot be combined with --print or --remove; `clew watch` has both options too."
        )
    if hooks and proxy:
        raise click.UsageError("--hooks and --proxy cannot be combined: install one after the other.")
    if watch and (hooks or proxy):
        raise click.UsageError(
            "--watch cannot be combined with --hooks or --proxy, by which `clew serve` stores the sessions; "
            "`clew watch --install` installs the service."
        )
    if only_print and remove:
        raise click.UsageError("--print cannot be combined with --remove; give only one of them.")


def _print_entry(scope: Scope, location: EntryLocation, path: tuple[str, ...], entry: _Entry) -> None:
    """Prints an entry as it would stand in a file that has nothing else, or as one JSON object."""
    if scope.as_json:
        emit({"file": str(location.file), "path": list(location.path), "entry": entry})
    else:
        say(location.form.put(location.form.empty, path, entry).strip())


def _install_hooks(
    scope: Scope, program: str, reach: str, *, only_print: bool, remove: bool, server: str, yes: bool
) -> None:
    if program != "claude-code":
        raise click.UsageError(f"--hooks are for claude-code; {program} has none that Clew knows.")
    location = hooks_location(reach, Path.home(), Path.cwd(), os.environ)  # type: ignore[arg-type]  # click has checked it
    command = hook_command(server)
    if only_print:
        _print_entry(scope, location, ("hooks",), {**our_hooks(command)})
        return
    edit = plan_remove_hooks(location) if remove else plan_hooks(location, command)
    entry: _Entry | None = None if remove else {**our_hooks(command)}
    _carried_out(scope, edit, entry, "Keep `clew serve` running; without it the hooks do nothing.", yes=yes)


def _install_proxy(
    scope: Scope, program: str, reach: str, *, only_print: bool, remove: bool, server: str, yes: bool
) -> None:
    location = base_url_location(program, reach, Path.home(), Path.cwd(), os.environ)  # type: ignore[arg-type]  # as above
    entry = base_url(program, server)
    if only_print:
        _print_entry(scope, location, location.path, entry)
        return
    edit = plan_remove_base_url(location, entry) if remove else plan_install(location, entry)
    after = f"Keep `clew serve` running: without it {PROGRAMS[program].title} cannot reach its model."
    current = location.form.get(settings_text(location)[1], location.path)
    if option := upstream_option(program, current, entry):
        after = (
            f"{current} was there before: start `clew serve {option}`, so that requests and keys go on to it. {after}"
        )
    _carried_out(scope, edit, None if remove else entry, after, yes=yes)
    if remove and current is not None and not edit.changes:
        err().print(f"{current} stays there. If it is Clew's, give it as --server.", style="dim", soft_wrap=True)


def _carried_out(scope: Scope, edit: SettingsEdit, entry: _Entry | None, after: str, *, yes: bool) -> bool:
    """Writes an edit that is agreed to and says so; `entry` is None if it is to be removed. False if it is refused."""
    if edit.changes and not yes and not _confirmed(scope, edit, entry):
        err().print("Nothing was written.", style="dim")
        return False
    apply(edit)
    _report(scope, edit, after, removed=entry is None)
    return True


def _confirmed(scope: Scope, edit: SettingsEdit, entry: _Entry | None) -> bool:
    """Shows the change and asks for confirmation."""
    if scope.as_json or not sys.stdin.isatty():
        raise click.UsageError(
            "cannot ask for confirmation: standard input is not a terminal. Give --yes to write, or --print to look."
        )
    file = edit.location.file
    if edit.after is None:
        change = f"{file} contains only Clew's entry and will be deleted."
    elif entry is None:
        change = f"Clew's entry will be removed from {file}."
    else:
        shown = entry if isinstance(entry, str) else as_json(entry, indent=2)
        change = f"This will be written to {file}, under {' > '.join(edit.location.path)}:\n{shown}"
    err().print(change)
    return click.confirm("Continue?", err=True)


def _report(scope: Scope, edit: SettingsEdit, after: str, *, removed: bool) -> None:
    location = edit.location
    backup = str(location.backup) if edit.saves else None
    if scope.as_json:
        emit({"file": str(location.file), "path": list(location.path), "changed": edit.changes, "backup": backup})
    elif not edit.changes:
        state = "Not installed in" if removed else "Already installed in"
        out().print(f"{state} {location.file}", soft_wrap=True)
    elif removed:
        out().print(f"Removed from {location.file}", soft_wrap=True)
    else:
        kept = f"\nCopy of the old file: {backup}" if backup else ""
        out().print(f"Installed in {location.file}{kept}", soft_wrap=True)
        err().print(f"{after} --remove undoes this.", style="dim")


def _offer_watch(scope: Scope, program: str, *, wanted: bool, yes: bool) -> None:
    """Says how new sessions come in, and installs the watcher if that was asked for, or is agreed to now."""
    if wanted:
        install_service(scope, (program,), yes=yes)
        return
    if scope.as_json:
        return
    err().print(
        f"New sessions come in by `clew import {program}`, or as they are written by `clew watch`.", style="dim"
    )
    if yes or not sys.stdin.isatty():
        err().print("`clew watch --install` runs it as a service of yours; --print shows the service.", style="dim")
    elif _agreed("Run `clew watch` as a service of yours from now on?"):
        install_service(scope, (program,), yes=True)


def _agreed(question: str) -> bool:
    """The answer to a question that may be left unanswered, since everything else is done."""
    try:
        return click.confirm(question, err=True)
    except click.Abort:
        return False
