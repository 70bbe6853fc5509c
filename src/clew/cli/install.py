"""`clew install`: tells an agent's program of the memory, and takes it back."""

import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from clew.cli.options import Scope, common
from clew.cli.show import emit, err, out
from clew.errors import MissingExtra
from clew.serve.install import PROGRAMS, Place, Plan, apply, entry, plan_install, plan_remove


@click.command()
@click.argument("program", type=click.Choice(list(PROGRAMS)))
@click.option(
    "--scope",
    "reach",
    type=click.Choice(["user", "local", "project"]),
    default="user",
    show_default=True,
    help="For you everywhere, for you in this folder, or for everyone in this folder (.mcp.json).",
)
@click.option("--print", "only_print", is_flag=True, help="Print the entry and write nothing.")
@click.option("--remove", is_flag=True, help="Take the entry back.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
def install(scope: Scope, program: str, reach: str, only_print: bool, remove: bool, yes: bool) -> None:
    """Tell an agent's program to use this memory, over `clew mcp`.

    PROGRAM is `claude-code`. What would be written is shown, and written after you agree. Nothing else in the file
    changes; a file that is no JSON is left alone. The file as it was is kept beside it, and --remove takes everything
    back. --home and --space decide which memory the program gets.
    """
    place = PROGRAMS[program](reach, Path.home(), Path.cwd(), os.environ)  # type: ignore[arg-type]  # click has checked it
    wanted = entry(_arguments(scope), shared=reach == "project")
    if only_print:
        click.echo(json.dumps({place.path[-2]: {place.path[-1]: wanted}}, ensure_ascii=False, indent=2))
        return
    if not remove and find_spec("mcp") is None:
        raise MissingExtra("the server needs the package mcp; install clew[mcp], then run this again")
    plan = plan_remove(place) if remove else plan_install(place, wanted)
    if plan.changes and not yes and not _agreed(scope, plan, None if remove else wanted):
        err().print("Nothing was written.", style="dim")
        return
    apply(plan)
    _report(scope, plan, removed=remove)


def _arguments(scope: Scope) -> list[str]:
    """What the server is started with, so that it finds the same home and space from any folder.

    Raises:
        UsageError: the store is an address, which may hold a password.
    """
    if scope.home is not None and "://" in scope.home:
        raise click.UsageError(
            "an address may hold a password, and the settings are plain text: set CLEW_STORE where the program starts, "
            "and leave --store out."
        )
    home = scope.home or os.environ.get("CLEW_HOME")
    words = [] if not home else ["--home", str(Path(home).expanduser().absolute())]
    return words if scope.space == "default" else [*words, "--space", scope.space]


def _agreed(scope: Scope, plan: Plan, wanted: dict[str, object] | None) -> bool:
    """Whether the person agrees; `wanted` is what would be put there, None when it would be taken out."""
    if scope.as_json or not sys.stdin.isatty():
        raise click.UsageError("nobody can be asked here; give --yes to write, or --print to look.")
    if plan.after is None:
        what = f"This file held nothing else and will be deleted: {plan.place.file}"
    elif wanted is None:
        what = f"Clew's entry will be taken out of {plan.place.file}"
    else:
        shown = json.dumps(wanted, ensure_ascii=False, indent=2)
        what = f"This will be put under {' > '.join(plan.place.path)} in {plan.place.file}:\n{shown}"
    err().print(what)
    return click.confirm("Go on?", err=True)


def _report(scope: Scope, plan: Plan, *, removed: bool) -> None:
    place: Place = plan.place
    backup = str(place.backup) if plan.saves else None
    if scope.as_json:
        emit({"file": str(place.file), "path": list(place.path), "changed": plan.changes, "backup": backup})
    elif not plan.changes:
        out().print("There is no entry to take back." if removed else f"It stands there already: {place.file}")
    elif removed:
        out().print(f"Taken back: {place.file}")
    else:
        out().print(f"Written: {place.file}" + (f"\nThe file as it was: {backup}" if backup else ""))
        err().print("Start Claude Code anew; `/mcp` lists the server. --remove takes it back.", style="dim")
