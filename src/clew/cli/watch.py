"""`clew watch`: stores the sessions of coding agents while they are written."""

import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

import click

from clew.cli.opening import open_memory, settle
from clew.cli.options import Scope, common
from clew.cli.service import install_service, print_service, remove_service
from clew.cli.show import err, out
from clew.cli.terminal import OutputClosed, emit
from clew.errors import ConflictError, FormatError, StoreError
from clew.ingest.session_folders import PROGRAMS, USUAL, SessionFile, SessionFolders
from clew.text.counted import counted
from clew.text.printable import printable
from clew.types.reports import IngestReport

if TYPE_CHECKING:
    from clew.memory import Memory

LOOK: Final = 0.4
"""Seconds between two looks at the session folders."""

SHARE: Final = 1
"""A file that takes a second of the processor to read is read again after this many seconds at the earliest."""

DATABASE_SHARE: Final = 20
"""Likewise for a database, which changes with every click and is always read as a whole."""

LEASE_US: Final = 30_000_000
"""Microseconds until another process may follow the sessions, if this one is stopped without notice."""


@click.command()
@click.argument("programs", nargs=-1, type=click.Choice(PROGRAMS), metavar="[PROGRAM]...")
@click.option("--once", is_flag=True, help="Store what is new and exit.")
@click.option("--install", is_flag=True, help="Run this as a user service from now on, also after a restart.")
@click.option("--print", "only_print", is_flag=True, help="Print the user service, without installing it.")
@click.option("--remove", is_flag=True, help="Remove the user service.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@common
def watch(scope: Scope, programs: tuple[str, ...], *, yes: bool, **how: bool) -> None:
    """Store the sessions of coding agents while they are written.

    Follows the session folders of PROGRAM, or of claude-code, codex and gemini-cli. A line is findable within a
    second after it was written. What was written while this did not run is stored first. It runs until Ctrl-C; one
    process per space and machine is enough, and another one is refused.

    Cursor is followed where it is named. It has all its chats in one database, so a new message may take some
    seconds; reading takes a twentieth of a processor at most.
    """
    if sum(how.values()) > 1:
        raise click.UsageError("--once, --install, --print and --remove cannot be combined; give only one of them.")
    if how["remove"] and programs:
        raise click.UsageError("--remove removes the service with all its programs; leave out PROGRAM.")
    if how["install"]:
        install_service(scope, programs, yes=yes)
    elif how["only_print"]:
        print_service(scope, programs)
    elif how["remove"]:
        remove_service(scope, yes=yes)
    else:
        with (
            _ended_by_signal(),
            open_memory(scope, makes_home=True) as memory,
            _Watch(memory, scope, programs or USUAL) as running,
        ):
            running.run(once=how["once"])


class _Watch:
    """One run of the command: follows the folders and imports what changed."""

    def __init__(self, memory: "Memory", scope: Scope, programs: tuple[str, ...]) -> None:
        from clew.background.lease import WorkLease  # not needed by the help page

        store = memory.reads.store
        self._memory, self._scope = memory, scope
        self._folders = SessionFolders(programs, Path.home())
        self._lease = WorkLease(store, scope.space, f"watch:{socket.gethostname()}", LEASE_US)
        self._next: dict[Path, float] = {}
        self._told: dict[Path, str] = {}

    def __enter__(self) -> "_Watch":
        if not self._lease.take():
            raise ConflictError(
                f"another `clew watch` already follows the sessions for space {self._scope.space!r} on this machine; "
                "stop it first"
            )
        return self

    def __exit__(self, *_: object) -> None:
        self._lease.give_back()

    def run(self, *, once: bool) -> None:
        """Imports what changed, over and over, or once."""
        added = self._look()
        if not self._scope.as_json:
            with suppress(OutputClosed):  # likewise
                out().print(f"{counted(added, 'new turn')} stored")
        if once:
            settle(self._memory)
            return
        if not self._scope.as_json:
            err().print("following the session folders; Ctrl-C stops", style="dim")
        while True:
            time.sleep(LOOK)
            if not self._lease.take():
                raise ConflictError("another process follows the sessions now, since this one was stopped for too long")
            self._look()

    def _look(self) -> int:
        """Imports every file that changed and may be read again; returns the number of new turns."""
        now = time.monotonic()
        changed = self._folders.changed()
        for folder, problem in self._folders.closed.items():
            self._tell(folder, f"{problem}; its sessions are not stored")
        return sum(self._import(file) for file in changed if self._next.get(file.path, now) <= now)

    def _import(self, file: SessionFile) -> int:
        started, worked = time.monotonic(), time.thread_time()
        try:
            report = self._memory.import_path(file.path, format=file.program)
        except StoreError as error:  # nothing is noted: the file is tried again
            self._tell(file.path, f"{error}; it is tried again")
            self._next[file.path] = time.monotonic() + SHARE
            return 0
        except (FormatError, OSError) as error:
            self._tell(file.path, str(error))
            self._folders.take(file)
            return 0
        self._folders.take(file)
        took = time.thread_time() - worked  # not what it waited: the analysis of what was just stored is at work too
        is_read_again = report.known > report.added  # the first reading is long once; what was added later is not
        share = DATABASE_SHARE if file.program == "cursor" else SHARE if took > LOOK and is_read_again else 0
        self._next[file.path] = started + (1 + share) * took if share else started
        self._say(file, report)
        if report.rejected:
            first = report.rejected[0]
            count = counted(len(report.rejected), "record")
            self._tell(file.path, f"{count} cannot be stored; the first, {first.where}: {first.reason}")
        return report.added

    def _say(self, file: SessionFile, report: IngestReport) -> None:
        if not report.added:
            return
        with suppress(OutputClosed):  # what follows the sessions may be started without standard output
            if self._scope.as_json:
                emit({"program": file.program, "file": str(file.path), "added": report.added})
            else:
                out().print(f"{counted(report.added, 'turn')} from {file.program}: {file.path}", soft_wrap=True)

    def _tell(self, path: Path, problem: str) -> None:
        """Reports a problem with a file or folder, once as long as it stays the same."""
        if self._told.get(path) != problem:
            self._told[path] = problem
            err().print(printable(f"{path}: {problem}"), soft_wrap=True)


@contextmanager
def _ended_by_signal() -> Iterator[None]:
    """Ends the block without an error when the system asks the process to end, as a service manager does."""

    def end(_number: int, _frame: FrameType | None) -> Any:
        raise click.exceptions.Exit(0)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
