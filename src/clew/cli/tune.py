"""`clew tune` and `clew mark-used`: learn from which recalled turns were useful."""

from collections.abc import Mapping
from typing import Any

import click
from rich.text import Text

from clew.cli.opening import open_memory
from clew.cli.options import Scope, common
from clew.cli.show import dim, grid, lay_out, numbers, out
from clew.cli.terminal import emit
from clew.recall.session_names import turn_meant
from clew.text.counted import counted
from clew.text.printable import printable
from clew.types.tuning import Change, TuneReport, Verdict

_TITLES = {
    "recall": "weights of recall",
    "weights": "window and nuance weights",
    "beats": "threshold of beats",
    "renderings": "length of renderings",
    "recaps": "length of recaps",
}


@click.command()
@click.option("--dry-run", is_flag=True, help="Show what would change, without changing it.")
@click.option("--history", is_flag=True, help="List all changes so far, with their measurements.")
@click.option("--revert", type=click.IntRange(0), metavar="VERSION", help="Restore all values of this version.")
@common
def tune(scope: Scope, dry_run: bool, history: bool, revert: int | None) -> None:
    """Tune the ranking, based on which recalled turns were useful.

    Learns from recalled turns that were marked as used, quoted or echoed in the answer, or restored. Adjusts the
    weights of recall, the window and nuance weights of layer 1 and the threshold of beats, within bounds, and only if
    the change is significantly better on held-out history. Without feedback, nothing changes. Version 0 is the state
    before any tuning.
    """
    if dry_run + history + (revert is not None) > 1:
        raise click.UsageError("--dry-run, --history and --revert cannot be combined; give only one of them.")
    with open_memory(scope) as memory:
        if history:
            _show_history(scope, memory.learned())
        elif revert is not None:
            number = memory.revert(revert)
            _say(scope, {"version": number, "reverted_to": revert}, f"restored version {revert} as version {number}")
        else:
            _show_report(scope, memory.tune(dry_run=dry_run))


@click.command(name="mark-used")
@click.argument("receipt")
@click.argument("turns", nargs=-1, required=True)
@common
def mark_used(scope: Scope, receipt: str, turns: tuple[str, ...]) -> None:
    """Record which turns of a recall were useful.

    RECEIPT is the id that `clew recall` prints, or `last` for the newest. TURNS are ids of turns in the receipt, chosen
    or left out. `clew tune` learns from this.
    """
    with open_memory(scope) as memory:
        name = memory.explain().name if receipt == "last" else receipt
        count = memory.mark_used(name, [turn_meant(memory.reads, ref) for ref in turns])
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
        out().print("no feedback yet, so nothing changes; `clew mark-used` records which recalled turns were useful")
        return
    out().print(f"feedback on turns: {numbers(report.feedback)}; {counted(report.silver, 'silver question')}")
    table = grid("family", "verdict")
    for verdict in report.verdicts:
        result = Text(f"{'adopted: ' if verdict.adopted else 'unchanged: '}{verdict.reason}")
        if verdict.before is not None and verdict.after is not None:
            result.append(
                f"\n{verdict.before:.4f} before, {verdict.after:.4f} after, {_interval(verdict)}", style="dim"
            )
        table.add_row(_TITLES[verdict.family], result)
    lay_out(out(), table)
    for name, value in report.changed.items():
        out().print(f"{name} = {value:g}", highlight=False)
    if report.dry_run and report.changed:
        out().print("dry run: nothing was changed")
    else:
        out().print(f"version {report.version} is in effect")


def _interval(verdict: Verdict) -> str:
    return f"difference {verdict.low:+.4f} to {verdict.high:+.4f} over {counted(verdict.pairs, 'recall')}"


def _show_history(scope: Scope, changes: list[Change]) -> None:
    if scope.as_json:
        emit(*(change.to_dict() for change in changes))
        return
    if not changes:
        out().print("no changes yet")
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
        return f"reverted to version {reason['reverted_to']}"
    return printable(str(reason.get("reason", reason)))
