"""`clew add` and `clew import`."""

import errno
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import click

from clew.cli.full_disk import told_once
from clew.cli.opening import open_memory, say_pending, settle
from clew.cli.options import Scope, common, moment
from clew.cli.show import err, numbers, out, progress, shortened
from clew.cli.terminal import decoded, emit, say
from clew.errors import ClewError, FormatError, StoreError
from clew.ingest.importers import FORMATS, find_sessions
from clew.ingest.importers.files import SESSIONS, UNCHANGED
from clew.ingest.importers.record import UNFINISHED, UNREAD
from clew.memory import Memory
from clew.store.home import usable_path
from clew.text.counted import counted
from clew.text.printable import printable
from clew.types import IngestReport, Rejection, Turn
from clew.types.turn import ROLES
from clew.write.skipped_records import SkippedRecords

SHOWN: Final = 20
"""Most rejected records that are printed; the rest are counted, and `--json` has them all."""

SHOWN_SKIPPED: Final = 3
"""Most skipped records of one kind that are named; `--json` names the first 20."""

_FORMAT_LIST: Final = "\b\n" + "\n".join(
    ["Formats:", *(f"  {file_format.name:20}{file_format.about}" for file_format in FORMATS.values())]
)


@click.command()
@click.argument("text", required=False)
@click.option("--role", type=click.Choice(ROLES), default="user", show_default=True, help="Role of the speaker.")
@click.option("--speaker", metavar="NAME", help="Name of the person or program that speaks.")
@click.option(
    "--session", metavar="NAME", default="default", show_default=True, help="Conversation that the turn belongs to."
)
@click.option("--at", type=moment, metavar="TIME", help="When it was said.  [default: now]")
@click.option("--external-id", metavar="ID", help="Id of the turn elsewhere; adding the same id again adds nothing.")
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

    TEXT is what was said. If it is `-`, or left out in a pipe, it is read from standard input. The id of the turn is
    printed once the turn is durable.
    """
    said = datetime.now(UTC) if at is None else at  # noqa: TID251 - a turn without --at is said now
    turn = Turn(
        role=role,  # type: ignore[arg-type]  # click has checked the choice
        content=_given(text),
        session=session,
        speaker=speaker,
        at=said,
        external_id=external_id,
        source="cli",
    )
    with told_once(), open_memory(scope, makes_home=True) as memory:
        name = memory.add(turn)
        if not scope.as_json:
            with _already_stored(f"the turn is stored as {name}"):
                say(name)
        stats = settle(memory)
    if scope.as_json:
        with _already_stored(f"the turn is stored as {name}"):
            emit({"id": name, "pending": stats.pending})
    else:
        say_pending(stats.pending, stats.details["pending_seconds"], is_ours=memory.is_writable)


@contextmanager
def _already_stored(what: str) -> Iterator[None]:
    """Says of an output that cannot be written what was stored nevertheless; a reader that went away asked for no more.

    Raises:
        ClewError: the output cannot be written.
    """
    try:
        yield
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        raise ClewError(f"{what}, but the output cannot be written: {error.strerror or error}") from error


def _given(text: str | None) -> str:
    """The text of the turn, from the command line or from standard input.

    Raises:
        UsageError: there is no text, and standard input is a terminal.
        InputError: standard input is not UTF-8.
    """
    if text is None and sys.stdin.isatty():
        raise click.UsageError("Missing argument 'TEXT': give the text, or `-` to read it from standard input.")
    if text is not None and text != "-":
        return text
    return decoded(sys.stdin.buffer.read())


@click.command("import", epilog=_FORMAT_LIST)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format", "form", type=click.Choice(list(FORMATS)), metavar="FORMAT", help="Input format (default: detect)."
)
@click.option("--session", metavar="NAME", help="Store every turn in this conversation.")
@common
def import_(scope: Scope, paths: tuple[str, ...], form: str | None, session: str | None) -> None:
    """Store the turns of files, folders or a program's own sessions.

    PATH is a file, zip archive or folder in any of the formats below; or `claude-code`, `codex`, `cursor`,
    `gemini-cli` or `vscode` for the sessions that this program has stored on this machine. Importing a file again adds
    only what is new.

    Records that cannot be read are listed by file and line, and the others are imported. Links and pipes in a folder
    are skipped. Exit status 1 means that a record was rejected or nothing could be read.
    """
    for path in paths:
        usable_path(path, "the path to import")  # before anything of the others is stored
    with told_once(), open_memory(scope, makes_home=True) as memory:
        started = time.perf_counter()
        report = _import_all(memory, paths, form, session)
        seconds = time.perf_counter() - started
        done = f"the import is done ({counted(report.added, 'turn')} stored)"
        if not scope.as_json:
            with _already_stored(done):
                print_report(report, seconds)
        stats = settle(memory)
    if scope.as_json:
        with _already_stored(done):
            emit({**report.to_dict(), "seconds": round(seconds, 3), "pending": stats.pending})
    else:
        say_pending(stats.pending, stats.details["pending_seconds"], is_ours=memory.is_writable)
    if not (report.added or report.known or report.skipped.keys() - UNREAD):
        raise FormatError("nothing was imported" if report.rejected or report.skipped else "no turns were found")
    if report.rejected:
        raise click.exceptions.Exit(1)


@contextmanager
def _telling_what_is_stored(reports: Sequence[IngestReport], of_what: str) -> Iterator[None]:
    """Has an error of the store, which is about one path or session, say what those before it gave."""
    try:
        yield
    except StoreError as error:
        added = sum(report.added for report in reports)
        if not added:
            raise
        raise type(error)(
            f"{error}. Stored from the {of_what} before: {counted(added, 'turn')}; import all again then, nothing is "
            "stored twice"
        ) from error


def _import_all(memory: Memory, paths: Iterable[str], form: str | None, session: str | None) -> IngestReport:
    reports: list[IngestReport] = []
    for path in paths:
        try:
            with _telling_what_is_stored(reports, "paths"):
                reports.append(import_shown(memory, path, form, session))
        except FormatError as error:
            reports.append(IngestReport(rejected=(Rejection(where=path, reason=str(error)),)))
    return _joined(reports)


def import_shown(memory: Memory, path: str, form: str | None = None, session: str | None = None) -> IngestReport:
    """Imports a path, or the sessions of a program, and shows the progress.

    Raises:
        FormatError: nothing could be read.
    """
    is_program = path in SESSIONS  # a file or folder of the same name is written `./claude-code`
    files = _sessions_of(path) if is_program else [path]
    form = form or (path if is_program else None)
    started = time.perf_counter()
    reports: list[IngestReport] = []
    before = 0
    with progress("{task.description}", "{task.completed:,.0f} turns", "{task.fields[pace]}") as shown:
        task = shown.add_task(shortened(path, 40), total=None, pace="")

        def tell(settled: int) -> None:
            pace = (before + settled) / max(time.perf_counter() - started, 1e-6)
            shown.update(task, completed=before + settled, pace=f"{pace:,.0f}/s")

        for file in files:
            with _telling_what_is_stored(reports, "sessions"):
                report = memory.import_path(file, format=form, session=session, on_progress=tell)
            before += report.added + report.known
            reports.append(report)
    return _joined(reports)


def _sessions_of(program: str) -> Sequence[str | Path]:
    files = find_sessions(program, Path.home())
    if not files:
        raise FormatError(f"no sessions of {program} were found in {Path.home()}; give their folder instead")
    return files


def _joined(reports: Iterable[IngestReport]) -> IngestReport:
    every = list(reports)
    masked, records = Counter[str](), SkippedRecords()
    for report in every:
        masked.update(report.masked)
        records.update(report.skipped, report.skipped_at)
    skipped, skipped_at = records.as_fields()
    return IngestReport(
        added=sum(report.added for report in every),
        known=sum(report.known for report in every),
        rejected=tuple(rejection for report in every for rejection in report.rejected),
        turn_ids=tuple(name for report in every for name in report.turn_ids),
        masked=dict(sorted(masked.items())),
        skipped=skipped,
        skipped_at=skipped_at,
        undated=sum(report.undated for report in every),
        first_undated=next((report.first_undated for report in every if report.first_undated), None),
    )


def print_report(report: IngestReport, seconds: float) -> None:
    """Prints the result of an import."""
    pace = (report.added + report.known) / max(seconds, 1e-6)
    known = f", {report.known:,} already stored" if report.known else ""
    console = out()
    console.print(f"{counted(report.added, 'turn')} stored{known}, in {seconds:.2f} s ({pace:,.0f} turns/s)")
    if report.vectors:
        console.print(f"{counted(report.vectors, 'vector')} copied along")
    if report.masked:
        console.print(f"secrets masked before storing: {numbers(report.masked)}")
    skipped = dict(report.skipped)
    same = skipped.pop(UNCHANGED, 0)
    if same:
        console.print(f"{counted(same, 'file')} not read again, unchanged since the last import", style="dim")
    if cut := skipped.pop(UNFINISHED, 0):
        console.print(f"{counted(cut, 'file')} ended within a line; the next import reads the rest of it")
        _name_skipped(report, UNFINISHED)
    if skipped:
        console.print(f"records skipped: {numbers(skipped)}", style="dim")
    for kind in skipped:
        _name_skipped(report, kind)
    if report.first_undated is not None:
        said = f"{counted(report.undated, 'turn')} stored without a time, because it could not be read"
        console.print(f"{said}; the first, {printable(report.first_undated)}", soft_wrap=True)
    for rejection in report.rejected[:SHOWN]:
        err().print(f"rejected {printable(_rejected(rejection))}", soft_wrap=True)
    if len(report.rejected) > SHOWN:
        err().print(f"rejected {len(report.rejected) - SHOWN:,} more; --json lists all of them")


def _rejected(each: Rejection) -> str:
    """What was rejected and why; a reason that begins with the place says it already."""
    return each.reason if each.reason.startswith(f"{each.where} ") else f"{each.where}: {each.reason}"


def _name_skipped(report: IngestReport, kind: str) -> None:
    """Names the first skipped records of a kind on one line."""
    places = report.skipped_at.get(kind, ())[:SHOWN_SKIPPED]
    if places:
        more = f", and {left:,} more" if (left := report.skipped[kind] - len(places)) else ""
        out().print(f"  {kind}: {', '.join(map(printable, _of_one_file(places)))}{more}", style="dim", soft_wrap=True)


def _of_one_file(places: Sequence[str]) -> list[str]:
    """Places of records, without the file where it is that of the place before: `a.jsonl:1`, `:19`, `b.jsonl:4`."""
    files = ["", *(place.rpartition(":")[0] for place in places)]
    return [
        place.removeprefix(file) if file and file == before else place
        for place, before, file in zip(places, files, files[1:], strict=False)
    ]
