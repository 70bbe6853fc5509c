"""`clew forget`: deletes turns, after showing which."""

import functools
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from clew.cli.narrowing import with_times
from clew.cli.opening import PATIENCE, open_memory
from clew.cli.options import Scope, common, since, until, where
from clew.cli.show import day, dim, err, numbers, out, shortened, who
from clew.cli.terminal import emit
from clew.errors import ClewError
from clew.maintain.forget_proof import prove
from clew.maintain.forget_traces import Traces, traces_of
from clew.memory import Memory
from clew.memory.arguments import given_session
from clew.recall.session_names import is_session, no_such_session, session_shown_as, turn_meant
from clew.store.open import open_store
from clew.text.counted import counted
from clew.text.printable import printable
from clew.types import ForgetProof, ForgetReport

SHOWN = 10
"""Most turns shown before the confirmation; the rest are counted."""


@click.command()
@click.argument("turn_ids", nargs=-1, metavar="[TURN_ID]...")
@click.option("--session", metavar="NAME", help="All turns of this conversation.")
@click.option("--speaker", metavar="NAME", help="All turns of this speaker.")
@since
@until
@click.option("--match", metavar="WORDS", help="All turns that contain these words; case and accents are ignored.")
@where
@click.option("--expired", is_flag=True, help="All turns older than the setting keep_days. Excludes other conditions.")
@click.option("--dry-run", is_flag=True, help="Only list the turns that would be deleted.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--proof", is_flag=True, help="Search for traces afterwards, in every table and in the raw files.")
@click.option(
    "--look-in",
    multiple=True,
    type=click.Path(path_type=Path, exists=True),
    help="Also search this file or folder, such as a backup. May be repeated; implies --proof.",
)
@common
def forget(
    scope: Scope,
    turn_ids: tuple[str, ...],
    expired: bool,
    dry_run: bool,
    yes: bool,
    proof: bool,
    look_in: tuple[Path, ...],
    **conditions: Any,
) -> None:
    """Delete turns and everything derived from them.

    A turn is deleted if it meets all the conditions given. The turns are listed first, and you are asked to confirm. A
    keyed hash of each turn is kept, so that an import does not bring it back. With --proof, exit status 1 means that a
    trace of a deleted turn was found.
    """
    selection: dict[str, Any] = {**conditions, "turn_ids": turn_ids or None}
    _check_together(selection, expired=expired, dry_run=dry_run, proves=proof or bool(look_in))
    forget_proof: ForgetProof | None = None
    with open_memory(scope) as memory:
        selection["session"] = _session(memory, conditions["session"])
        selection["turn_ids"] = _turns(memory, turn_ids)
        with_times(memory, {name: conditions[name] for name in ("since", "until")})  # words without a time are usage
        if conditions["where"] is not None and not memory.drain(PATIENCE):
            err().print("Some turns are not analysed yet and match no score; run `clew work --once` first.")
        remove = memory.forget_expired if expired else functools.partial(memory.forget, **selection)
        report = remove(dry_run=True)
        if not (dry_run or yes):
            _ask(scope, memory, report)
        elif dry_run and not scope.as_json:
            _print_choice(memory, report)
        if not dry_run and report.turns:
            traces = traces_of(map(memory.restore, report.turn_ids)) if proof or look_in else None
            report = remove()
            forget_proof = None if traces is None else _proof(scope, traces, look_in)
    if scope.as_json:
        emit(report.to_dict() | ({} if forget_proof is None else {"proof": forget_proof.to_dict()}))
    elif not dry_run:
        err().print(_result(report))
        _say_corrections(report)
    if report.unscrubbed is not None:
        err().print(f"The raw files may still contain traces: {report.unscrubbed}", soft_wrap=True)
        err().print(
            "A job is pending that removes them; `clew work --once` runs it, or any program that opens the memory."
        )
    if forget_proof is not None:
        _say_proof(scope, forget_proof)


def _check_together(selection: dict[str, Any], *, expired: bool, dry_run: bool, proves: bool) -> None:
    """Refuses options of which one would be ignored beside the other, and a call without any condition.

    Raises:
        UsageError: two of them cannot be combined, or none says what to delete.
    """
    if not expired and all(value is None for value in selection.values()):
        raise click.UsageError("nothing is selected; name turns, a session, a speaker, a time or words that match.")
    if expired and any(value is not None for value in selection.values()):
        raise click.UsageError("--expired cannot be combined with other conditions.")
    if dry_run and proves:
        raise click.UsageError("--dry-run deletes nothing: leave out --proof and --look-in.")


def _say_corrections(report: ForgetReport) -> None:
    """Names the corrections that repeat what was forgotten, which are turns of their own."""
    if report.corrections:
        names = " ".join(report.corrections)
        what = "A correction of a fact repeats" if len(report.corrections) == 1 else "Corrections of facts repeat"
        err().print(f"{what} what was said; `clew forget {names}` deletes that, too", soft_wrap=True)


def _turns(memory: Memory, refs: tuple[str, ...]) -> tuple[str, ...] | None:
    for ref in refs:
        if is_session(memory.reads, ref):
            raise click.UsageError(f"{ref!r} is a conversation; to delete all its turns, give it with --session.")
    return tuple(turn_meant(memory.reads, ref) for ref in refs) or None


def _session(memory: Memory, name: str | None) -> str | None:
    """The session of this name, or that a block shows so; no mere beginning, which could delete another one.

    Raises:
        NotFoundError: there is none. A mistyped name that deletes nothing must not look like a deletion.
    """
    if name is None or is_session(memory.reads, given_session(name)):
        return name
    if (session := session_shown_as(memory.reads, name)) is None:
        raise no_such_session(memory.reads, name)
    return session


def _proof(scope: Scope, traces: Traces, look_in: tuple[Path, ...]) -> ForgetProof:
    with closing(open_store(scope.home)) as store:
        return prove(store, scope.space, traces, look_in)


def _say_proof(scope: Scope, proof: ForgetProof) -> None:
    if not scope.as_json:
        out().print(f"searched for text unique to the deleted turns: {numbers(proof.looked_for)}")
        for place, size in proof.looked_in.items():
            hits = proof.found.get(place, 0)
            out().print(f"  {printable(place)} ({size:,}): {counted(hits, 'trace')}", soft_wrap=True)
    if not proof.ok:
        raise ClewError(f"traces were found in {counted(len(proof.found), 'place')}: {', '.join(proof.found)}")


def _print_choice(memory: Memory, report: ForgetReport) -> None:
    """Lists the turns that would be deleted, on stdout."""
    console = out()
    console.print(f"{counted(report.turns, 'turn')} would be deleted" + ":" * bool(report.turns))
    for name in report.turn_ids[:SHOWN]:
        turn = memory.get(name)
        console.print(Text.assemble(f"  {day(turn.at)} {who(turn)}: ", shortened(turn.text, 100), dim(f"  {name}")))
    if report.turns > SHOWN:
        console.print(f"  and {report.turns - SHOWN:,} more")


def _ask(scope: Scope, memory: Memory, report: ForgetReport) -> None:
    """Lists the turns that would be deleted, and asks whether to delete them.

    Raises:
        UsageError: nobody can be asked, or nothing was listed since the output is JSON.
        Exit: the answer was no.
    """
    if not scope.as_json:
        _print_choice(memory, report)
    if not report.turns:
        return
    if scope.as_json or not sys.stdin.isatty():
        why = "the output is JSON" if scope.as_json else "standard input is not a terminal"
        raise click.UsageError(f"cannot ask for confirmation: {why}. Give --yes to delete, or --dry-run to list.")
    if not click.confirm("Delete them permanently?", err=True):
        err().print("Nothing was deleted.")
        raise click.exceptions.Exit(0)


def _result(report: ForgetReport) -> str:
    if not report.turns:
        return "No turn meets the conditions; nothing was deleted."
    rows = ", ".join(f"{count:,} {table}" for table, count in report.rows.items() if count and table != "turn")
    derived = f"; derived rows deleted: {rows}" if rows else ""
    return f"deleted {counted(report.turns, 'turn')}{derived}"
