"""`clew stats`, `export`, `pause`, `resume`, `verify`, `rebuild` and `work`."""

import shlex
import sys
import time
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

import click

from clew.cli.full_disk import told_once
from clew.cli.opening import damage_as_json, open_memory, session_named, work_through
from clew.cli.options import Scope, common
from clew.cli.problem_lines import problem_lines
from clew.cli.show import bar, err, lay_out, ledger_line, lines, numbers, out, say_encryption
from clew.cli.terminal import emit
from clew.errors import ClewError, NotFoundError
from clew.maintain.export_space import write_space
from clew.memory import Memory
from clew.rows.failed_jobs import jobs_of
from clew.store.protocol import JobState
from clew.text.counted import counted
from clew.text.printable import printable, printable_name
from clew.types.reports import Problem

IDLE: Final = 1.0
"""Seconds between two checks for new work."""


@click.command()
@common
def stats(scope: Scope) -> None:
    """Show how much is stored, and which background jobs are pending.

    Rows that would be empty are left out; --json has all of them.
    """
    with open_memory(scope) as memory:
        report = memory.stats().to_dict()
    if scope.as_json:
        emit(report)
    else:
        lay_out(out(), lines(_stat_rows(report)))


def _stat_rows(report: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The rows of the report in words, without the empty ones."""
    for name, value in {**report, **report["details"]}.items():
        if name != "details" and value not in (None, [], {}):
            yield name.replace("_", " "), _stat(value)


def _stat(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(map(ledger_line, value))
    if isinstance(value, Mapping):
        return numbers(value)
    return f"{value:,}" if isinstance(value, int) else printable(str(value))


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@common
def export(scope: Scope, file: Path) -> None:
    """Export all turns and attachments to a file that `clew import` can read.

    The format is JSON Lines. FILE must not exist yet; `-` writes to standard output, which must not be a terminal.
    """
    if str(file) == "-":
        _export_to_pipe(scope)
        return
    with open_memory(scope) as memory:
        count = memory.export(file)
    if scope.as_json:
        emit({"turns": count, "path": str(file)})
    else:
        out().print(f"{counted(count, 'turn')} written to {printable(str(file))}", soft_wrap=True)


def _export_to_pipe(scope: Scope) -> None:
    if sys.stdout.isatty():
        raise click.UsageError("standard output is a terminal; name a file, or direct the output into one.")
    with open_memory(scope) as memory:
        count = write_space(memory.reads.store, memory.space, sys.stdout)
    err().print(f"{counted(count, 'turn')} written to standard output", style="dim")


_SESSION: Final = click.option("--session", metavar="NAME", help="Only this conversation, known or still to come.")


def _meant(memory: Memory, session: str | None) -> str | None:
    """The conversation that --session means: a paused or stored one, else a future one of exactly this name.

    Raises:
        InputError: the name is empty, or may mean several conversations.
    """
    if session is None or session in memory.stats().details["paused_sessions"]:
        return session
    try:
        name = session_named(memory, session)
    except NotFoundError:
        err().print(f"no conversation is called {printable_name(session)} yet", style="dim", soft_wrap=True)
        return session
    if name != session:
        told = f"{printable_name(session)} is the conversation {printable_name(name)}"
        err().print(told, style="dim", soft_wrap=True)
    return name


@click.command()
@_SESSION
@common
def pause(scope: Scope, session: str | None) -> None:
    """Stop storing turns in this space until `clew resume`.

    This applies to every program that uses the space, and survives restarts. Stored turns can still be recalled;
    receipts are not stored while the space is paused. With --session it applies to one conversation, whose requests
    to `clew serve` are then incognito: nothing is stored, looked up or added. As elsewhere, the beginning of its name
    or its title is enough, if only one conversation has it.
    """
    with open_memory(scope, makes_home=True) as memory:
        session = _meant(memory, session)
        memory.pause(session)
        _say_paused(scope, memory, session)


@click.command()
@_SESSION
@common
def resume(scope: Scope, session: str | None) -> None:
    """Store turns in this space again after `clew pause`.

    Turns that came while the space was paused are not stored. A conversation that was paused by --session stays paused
    until it is resumed so.
    """
    with open_memory(scope, makes_home=True) as memory:
        session = _meant(memory, session)
        memory.resume(session)
        _say_paused(scope, memory, session)


def _say_paused(scope: Scope, memory: Memory, session: str | None) -> None:
    details = memory.stats().details
    space, alone = details["paused_since"], details["paused_sessions"]
    since = space if session is None else alone.get(session)
    which, option = (
        ("", "") if session is None else (f"conversation {session!r}: ", f" --session {shlex.quote(session)}")
    )
    if scope.as_json:
        emit({"paused_since": since, **({} if session is None else {"session": session})})
    elif since is not None:
        out().print(f"{which}paused since {since}: turns are not stored until `clew resume{option}`", markup=False)
    elif session is not None and space is not None:
        out().print(f"{which}not paused by itself, but the space is, since {space}", markup=False)
    else:
        out().print(f"{which}not paused: turns are stored", markup=False)
    if session is None and alone:
        out().print(f"conversations paused by themselves: {', '.join(sorted(alone))}", markup=False)


@click.command()
@click.option("--quest", metavar="QUEST_ID", help="Check the seal of this quest instead (`clew quest seal`).")
@click.option("--root", type=click.Path(), metavar="FOLDER", help="With --quest: folder to look for its files in.")
@common
def verify(scope: Scope, quest: str | None, root: str | None) -> None:
    """Check everything stored for damage, and list the problems.

    Checks the hashes, the references, the index against the turns, and the database file, and counts the secrets that
    stand masked in the turns; changes nothing. Of many problems of one kind, the first few are printed; --json has all.
    Exit status 1 means that a problem was found.
    """
    if quest is not None:
        _verify_quest(scope, quest, root)
        return
    if root is not None:
        raise click.UsageError("--root belongs to --quest; name a quest, or leave it out.")
    with damage_as_json(scope), open_memory(scope) as memory, bar("turns") as shown:
        task = shown.add_task("", total=0)
        report = memory.verify(lambda done, total: shown.update(task, completed=done, total=total))
    if scope.as_json:
        emit({"ok": report.ok, **report.to_dict()})
    else:
        out().print(f"checked: {numbers(report.checked) or 'not everything, since the file is damaged'}")
        if report.masked:
            out().print(f"masked secrets: {numbers(report.masked)}")
        say_encryption(report.encryption)
        for line in problem_lines(report.problems, _problem_line):
            out().print(line, soft_wrap=True)
    if not report.ok:
        raise ClewError(f"{counted(len(report.problems), 'problem')} found; `clew doctor` explains them")
    if not scope.as_json:
        out().print("no problems found")


def _problem_line(problem: Problem) -> str:
    return f"{problem.kind} {printable(problem.where)}: {printable(problem.detail)}; {problem.repair}"


def _verify_quest(scope: Scope, quest: str, root: str | None) -> None:
    with open_memory(scope) as memory:
        verdict = memory.verify_quest(quest, root=root)
    if scope.as_json:
        emit({"ok": verdict.ok, **verdict.to_dict()})
    else:
        out().print(f"checked: {counted(verdict.entries, 'entry')}, head {verdict.head}", soft_wrap=True)
        for path in verdict.changed:
            out().print(f"changed since: {printable(path)}", soft_wrap=True)
        for problem in verdict.problems:
            out().print(printable(problem), soft_wrap=True)
    if not verdict.ok:
        raise ClewError(f"the seal of {quest!r} does not hold: {counted(len(verdict.problems), 'problem')} found")
    if not scope.as_json:
        out().print("the seal holds")


@click.command()
@common
def rebuild(scope: Scope) -> None:
    """Rebuild derived data from the stored turns.

    The turns and the vectors are kept. The memory can be used meanwhile. If it is interrupted, run it again: it
    continues where it stopped.
    """
    with open_memory(scope) as memory, bar("turns") as shown:
        task = shown.add_task("", total=0)
        count = memory.rebuild(lambda done, total: shown.update(task, completed=done, total=total))
    if scope.as_json:
        emit({"turns": count})
    else:
        out().print(f"derived data of {counted(count, 'turn')} rebuilt")


def left_over(pending: Mapping[str, int], failed: Container[str]) -> Iterator[str]:
    """Lines about work that cannot run now; the kinds of which jobs failed, and those that only wait."""
    for kind, count in pending.items():
        why = "failed; retried later" if kind in failed else "waiting, none failed; done when it is due"
        yield f"{counted(count, f'{kind} job')} {why}"


@click.command()
@click.option("--once", is_flag=True, help="Exit when no job is pending, instead of waiting for more.")
@click.option("--retry", is_flag=True, help="Also retry the jobs that were set aside.")
@common
def work(scope: Scope, once: bool, retry: bool) -> None:
    """Run pending background jobs.

    Jobs make vectors, analyse turns and call language models. Every program that opens the memory runs them for as long
    as it is open; this command does nothing else, until Ctrl-C. Pending jobs are never lost. A job that fails is
    retried after 1 and after 10 minutes, then set aside. A turn on which a rule fails is set aside at once.
    """
    with told_once() if once else nullcontext(), open_memory(scope, makes_home=True) as memory:
        if retry:
            memory.retry()
        if not once:
            err().print("running pending jobs; Ctrl-C stops", style="dim")
        seen = work_through(memory, "jobs")
        while not once:
            time.sleep(IDLE)
            work_through(memory, "jobs")
        left = memory.stats()
        with memory.reads.store.snapshot() as reader:
            failed = {row.kind for row in jobs_of(reader, memory.space) if row.state == JobState.PENDING}
    aside = left.details["deferred"]
    if scope.as_json:
        emit({"done": True, "pending": left.pending, "deferred": aside})
        return
    if done := Counter(seen) - Counter(left.pending):
        err().print(f"jobs done: {numbers(done)}", style="dim")
    out().print("no job can run now" if left.pending else "no jobs are pending")
    for line in left_over(left.pending, failed):
        err().print(line, style="dim")
    if aside:
        err().print(f"{counted(aside, 'job')} set aside: `clew doctor` shows why, `clew work --retry` retries")
