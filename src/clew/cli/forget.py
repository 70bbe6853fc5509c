"""`clew forget`: takes turns out for good, after showing which."""

import functools
import sys
from typing import Any

import click
from rich.text import Text

from clew.cli.opening import open_memory
from clew.cli.options import Scope, common, since, until
from clew.cli.show import counted, day, dim, emit, err, out, shortened, who
from clew.memory import Memory
from clew.types import ForgetReport

SHOWN = 10
"""Turns that are shown before the question; the others are counted."""


@click.command()
@click.argument("turn_ids", nargs=-1, metavar="[TURN_ID]...")
@click.option("--session", metavar="NAME", help="All turns of this conversation.")
@click.option("--speaker", metavar="NAME", help="All turns of this speaker.")
@since
@until
@click.option("--match", metavar="WORDS", help="All turns that hold these words, case and accents aside.")
@click.option("--expired", is_flag=True, help="What is older than the setting keep_days; no other condition with it.")
@click.option("--dry-run", is_flag=True, help="Only show what would go.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
def forget(scope: Scope, turn_ids: tuple[str, ...], expired: bool, dry_run: bool, yes: bool, **conditions: Any) -> None:
    """Take turns out for good, with all that was made of them.

    Conditions add up: a turn goes when it meets every one that is given. What goes is shown, and asked for. A keyed
    hash of each turn stays, so that an import does not bring it back.
    """
    selection = {**conditions, "turn_ids": turn_ids or None}
    if expired and any(value is not None for value in selection.values()):
        raise click.UsageError("--expired takes no other condition.")
    with open_memory(scope) as memory:
        remove = memory.forget_expired if expired else functools.partial(memory.forget, **selection)
        report = remove(dry_run=True)
        if not (dry_run or yes):
            _print_choice(memory, report)
            _ask(report)
        elif dry_run and not scope.as_json:
            _print_choice(memory, report)
        if not dry_run and report.turns:
            report = remove()
    if scope.as_json:
        emit(report.to_dict())
    elif not dry_run:
        err().print(_result(report))


def _print_choice(memory: Memory, report: ForgetReport) -> None:
    """Shows what would go, on stdout."""
    console = out()
    console.print(f"{counted(report.turns, 'turn')} would go for good" + ":" * bool(report.turns))
    for name in report.turn_ids[:SHOWN]:
        turn = memory.get(name)
        console.print(Text.assemble(f"  {day(turn.at)} {who(turn)}: ", shortened(turn.text, 100), dim(f"  {name}")))
    if report.turns > SHOWN:
        console.print(f"  and {report.turns - SHOWN:,} more")


def _ask(report: ForgetReport) -> None:
    if not report.turns:
        return
    if not sys.stdin.isatty():
        raise click.UsageError(
            "Nobody can be asked here: give --yes to forget these turns, or --dry-run to only see them."
        )
    if not click.confirm("Forget them?", err=True):
        err().print("Nothing was forgotten.")
        raise click.exceptions.Exit(0)


def _result(report: ForgetReport) -> str:
    if not report.turns:
        return "No turn meets the conditions; nothing was forgotten."
    rows = ", ".join(f"{count:,} {table}" for table, count in report.rows.items() if count and table != "turn")
    made = f"; of what was made of them, {rows}" if rows else ""
    return f"forgotten for good: {counted(report.turns, 'turn')}{made}"
