"""`clew add` and `clew import`: what goes in."""

import sys
import time
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from clew.cli.opening import open_memory, say_pending, settle
from clew.cli.options import Scope, common, moment
from clew.cli.show import counted, emit, err, numbers, out, printable, progress, shortened
from clew.errors import FormatError, InputError
from clew.ingest.importers import FORMATS, find_sessions
from clew.memory import Memory
from clew.types import IngestReport, Rejection, Turn
from clew.types.turn import ROLES

SHOWN: Final = 20
"""Rejected records that are printed; the others are counted, and `--json` has them all."""

PROGRAMS: Final = ("claude-code", "codex", "gemini-cli")
"""Programs whose sessions `import` finds by itself; a file or folder of that name is given as `./claude-code`."""

_FORMAT_LIST: Final = "\b\n" + "\n".join(["Formats:", *(f"  {each.name:20}{each.about}" for each in FORMATS.values())])


@click.command()
@click.argument("text", required=False)
@click.option("--role", type=click.Choice(ROLES), default="user", show_default=True, help="Who speaks.")
@click.option("--speaker", metavar="NAME", help="The person's or program's own name.")
@click.option("--session", metavar="NAME", default="default", show_default=True, help="The conversation it belongs to.")
@click.option("--at", type=moment, metavar="TIME", help="When it was said.  [default: now]")
@click.option("--external-id", metavar="ID", help="The turn's own id; adding it twice adds nothing.")
@common
def add(
    scope: Scope,
    text: str | None,
    role: str,
    speaker: str | None,
    session: str,
    at: datetime | None,
    external_id: str | None,
) -> None:
    """Store one turn.

    TEXT is what was said; `-`, or a pipe and no TEXT, reads it from standard input. The turn's id is printed once the
    turn is durable.
    """
    said = datetime.now(UTC) if at is None else at  # noqa: TID251 - what is typed here is said now
    turn = Turn(
        role=role,  # type: ignore[arg-type]  # click has checked the choice
        content=_given(text),
        session=session,
        speaker=speaker,
        at=said,
        external_id=external_id,
        source="cli",
    )
    with open_memory(scope) as memory:
        name = memory.add(turn)
        if not scope.as_json:
            click.echo(name)
        pending = settle(memory)
    if scope.as_json:
        emit({"id": name, "pending": pending})
    else:
        say_pending(pending)


def _given(text: str | None) -> str:
    """The text, from the command line or from standard input.

    Raises:
        UsageError: there is neither.
        InputError: standard input is not UTF-8.
    """
    if text is None and sys.stdin.isatty():
        raise click.UsageError("Missing TEXT: give what was said, or `-` to read it from standard input.")
    if text is not None and text != "-":
        return text
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"standard input is not UTF-8 (byte {error.start}); convert it, for example with iconv"
        ) from error


@click.command("import", epilog=_FORMAT_LIST)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), metavar="FORMAT", help="Instead of finding it out.")
@click.option("--session", metavar="NAME", help="Put every turn into this conversation.")
@common
def import_(scope: Scope, paths: tuple[str, ...], form: str | None, session: str | None) -> None:
    """Store what files, folders or a program's own sessions hold.

    PATH is a file, a zip or a folder of any known format, or `claude-code`, `codex` or `gemini-cli` for the sessions
    that this program keeps in its own folder. Importing again adds nothing, a longer file adds its new part.

    A record that cannot be taken is named by file and line, and does not stop the others. Exit status 1 means that
    nothing could be read.
    """
    with open_memory(scope) as memory:
        started = time.perf_counter()
        report = _import_all(memory, paths, form, session)
        seconds = time.perf_counter() - started
        if not scope.as_json:
            print_report(report, seconds)
        pending = settle(memory)
    if scope.as_json:
        emit({**report.to_dict(), "seconds": round(seconds, 3), "pending": pending})
    else:
        say_pending(pending)
    if not (report.added or report.known or report.skipped):
        raise FormatError("nothing was imported" if report.rejected else "no turn was found there")


def _import_all(memory: Memory, paths: Iterable[str], form: str | None, session: str | None) -> IngestReport:
    reports = []
    for path in paths:
        try:
            reports.append(import_shown(memory, path, form, session))
        except FormatError as error:
            reports.append(IngestReport(rejected=(Rejection(where=path, reason=str(error)),)))
    return _joined(reports)


def import_shown(memory: Memory, path: str, form: str | None = None, session: str | None = None) -> IngestReport:
    """Imports one path, or a program's sessions by its name, and shows how it goes on.

    Raises:
        FormatError: nothing of it can be read.
    """
    files = _sessions_of(path) if path in PROGRAMS else [Path(path)]
    form = form or (path if path in PROGRAMS else None)
    started = time.perf_counter()
    reports: list[IngestReport] = []
    before = 0
    with progress("{task.description}", "{task.completed:,.0f} turns", "{task.fields[pace]}") as shown:
        task = shown.add_task(shortened(path, 40), total=None, pace="")

        def tell(settled: int) -> None:
            pace = (before + settled) / max(time.perf_counter() - started, 1e-6)
            shown.update(task, completed=before + settled, pace=f"{pace:,.0f}/s")

        for file in files:
            report = memory.import_path(file, format=form, session=session, on_progress=tell)
            before += report.added + report.known
            reports.append(report)
    return _joined(reports)


def _sessions_of(program: str) -> list[Path]:
    found = find_sessions(program, Path.home())
    if not found:
        raise FormatError(f"no sessions of {program} below {Path.home()}; give the folder that holds them")
    return found


def _joined(reports: Iterable[IngestReport]) -> IngestReport:
    every = list(reports)
    masked, skipped = Counter[str](), Counter[str]()
    for report in every:
        masked.update(report.masked)
        skipped.update(report.skipped)
    return IngestReport(
        added=sum(report.added for report in every),
        known=sum(report.known for report in every),
        rejected=tuple(each for report in every for each in report.rejected),
        turn_ids=tuple(name for report in every for name in report.turn_ids),
        masked=dict(sorted(masked.items())),
        skipped=dict(sorted(skipped.items())),
    )


def print_report(report: IngestReport, seconds: float) -> None:
    """What became of an import, for people."""
    pace = (report.added + report.known) / max(seconds, 1e-6)
    known = f", {report.known:,} known before" if report.known else ""
    console = out()
    console.print(f"{counted(report.added, 'turn')} stored durably{known}, in {seconds:.2f} s ({pace:,.0f} turns/s)")
    if report.vectors:
        console.print(f"{counted(report.vectors, 'vector')} came along and need not be made again")
    if report.masked:
        console.print(f"secrets masked before they reached the disk: {numbers(report.masked)}")
    if report.skipped:
        console.print(f"records that were not stored: {numbers(report.skipped)}", style="dim")
    for each in report.rejected[:SHOWN]:
        err().print(f"rejected {printable(each.where)}: {printable(each.reason)}", soft_wrap=True)
    if len(report.rejected) > SHOWN:
        err().print(f"rejected {len(report.rejected) - SHOWN:,} more; --json names them all")
