"""`clew tune` and `clew mark-used`: what a memory learns from its own history."""

from collections.abc import Mapping
from typing import Any

import click
from rich.text import Text

from clew.cli.opening import open_memory
from clew.cli.options import Scope, common
from clew.cli.show import counted, dim, emit, grid, lay_out, numbers, out, printable
from clew.types.tuning import Change, TuneReport, Verdict

_TITLES = {"recall": "weights of recall", "weights": "window and nuance weights", "beats": "threshold of beats"}


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would change, and change nothing.")
@click.option("--history", is_flag=True, help="List every change so far, with what it was measured on.")
@click.option("--revert", type=click.IntRange(0), metavar="VERSION", help="Take every value back to that version.")
@common
def tune(scope: Scope, dry_run: bool, history: bool, revert: int | None) -> None:
    """Learn from what became of recalls.

    Which recalled turns were marked as used, quoted or echoed in the answer, or restored, moves the weights of recall,
    the window and nuance weights of layer 1 and the threshold of beats: within bounds, and only if that is
    significantly better on history that did not choose the change. Without feedback nothing moves. Version 0 is before
    anything was learned.
    """
    if dry_run + history + (revert is not None) > 1:
        raise click.UsageError("--dry-run, --history and --revert exclude each other; give one of them.")
    with open_memory(scope) as memory:
        if history:
            _show_history(scope, memory.learned())
        elif revert is not None:
            number = memory.revert(revert)
            _say(scope, {"version": number, "reverted_to": revert}, f"as in version {revert}; this is version {number}")
        else:
            _show_report(scope, memory.tune(dry_run=dry_run))


@click.command(name="mark-used")
@click.argument("receipt")
@click.argument("turns", nargs=-1, required=True)
@common
def mark_used(scope: Scope, receipt: str, turns: tuple[str, ...]) -> None:
    """Say which turns of a recall were of use.

    RECEIPT is the name that `clew recall` prints, or `last` for the newest; TURNS are ids of turns that it shows, or
    names as left out. `clew tune` learns from them.
    """
    with open_memory(scope) as memory:
        name = memory.explain().id if receipt == "last" else receipt
        count = memory.mark_used(name, turns)
    _say(scope, {"receipt": name, "marked": count}, f"{counted(count, 'turn')} marked as used")


def _say(scope: Scope, data: Mapping[str, Any], sentence: str) -> None:
    if scope.as_json:
        emit(data)
    else:
        out().print(printable(sentence))


def _show_report(scope: Scope, report: TuneReport) -> None:
    if scope.as_json:
        emit(report.to_dict())
        return
    if not report.feedback:
        out().print("nothing is known of what became of recalls, so nothing moves; `clew mark-used` says it")
        return
    out().print(f"turns of recalls: {numbers(report.feedback)}; {counted(report.silver, 'silver question')}")
    table = grid("family", "verdict")
    for verdict in report.verdicts:
        said = Text(f"{'adopted: ' if verdict.adopted else 'unchanged: '}{verdict.reason}")
        if verdict.before is not None and verdict.after is not None:
            said.append(f"\n{verdict.before:.4f} before, {verdict.after:.4f} after, {_interval(verdict)}", style="dim")
        table.add_row(_TITLES[verdict.family], said)
    lay_out(out(), table)
    for name, value in report.changed.items():
        out().print(f"{name} = {value:g}", highlight=False)
    if report.dry_run and report.changed:
        out().print("nothing was changed: it was a dry run")
    else:
        out().print(f"version {report.version} holds")


def _interval(verdict: Verdict) -> str:
    return f"difference {verdict.low:+.4f} to {verdict.high:+.4f} over {counted(verdict.pairs, 'recall')}"


def _show_history(scope: Scope, changes: list[Change]) -> None:
    if scope.as_json:
        emit(*(change.to_dict() for change in changes))
        return
    if not changes:
        out().print("nothing was ever learned")
    table = grid(">version", "when", "values and reason")
    for change in changes:
        values = ", ".join(
            f"{name} {'as before tuning' if value is None else f'{value:g}'}" for name, value in change.values.items()
        )
        table.add_row(
            str(change.version), f"{change.at:%Y-%m-%d %H:%M}", Text.assemble(values, "\n", dim(_why(change)))
        )
    lay_out(out(), table)


def _why(change: Change) -> str:
    reason = change.reason
    if "reverted_to" in reason:
        return f"taken back to version {reason['reverted_to']}"
    return printable(str(reason.get("reason", reason)))
