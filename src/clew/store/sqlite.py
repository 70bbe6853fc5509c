"""The embedded store: one SQLite database in the home directory, for many threads and several processes.

Borders: opens, closes and looks after the file. Rows are read in `readers`, written in `writer`, asked for in `access`.
"""

import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Final, Literal, TypeVar, cast

import apsw

from clew.errors import ClosedError, StoreError
from clew.store.claims import Claiming
from clew.store.home import prepare_home, sync_directory
from clew.store.migrate import migrate, refuse_foreign, schema_number
from clew.store.protocol import Reader, Transaction
from clew.store.readers import Readers
from clew.store.statements import migrations
from clew.store.ticket import Ticket
from clew.store.translate import translating
from clew.store.writer import Limits, Pending, Writer

T = TypeVar("T")
DATABASE: Final = "clew.db"
LOCK: Final = "clew.lock"
_SAVED: Final = "clew.db.schema-{number}.backup"
"""The copy that a migration makes of the database as it was."""
_WRITER_CACHE_KB: Final = 8_000
_READER_CACHE_KB: Final = 2_000
_LOG_KEPT: Final = 16 << 20
"""Bytes of write-ahead log that stay on disk for reuse after a checkpoint."""


class SqliteStore(Claiming):
    """See `clew.store.protocol.Store`; made by `SqliteStore.open`."""

    def __init__(self, file: Path, ticket: Ticket, writer: Writer, readers: Readers, watch: apsw.Connection) -> None:
        self.url = f"sqlite:///{file.parent}"
        self._file = file
        self._ticket = ticket
        self._writer = writer
        self._readers = readers
        self._watch = watch
        self._watching = threading.Lock()
        self._process = os.getpid()
        self._close = weakref.finalize(self, _close, self._process, ticket, writer, readers, watch, self._watching)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        busy_timeout: float = 30.0,
        synchronous: Literal["full", "extra"] = "full",
        limits: Limits = Limits(),  # noqa: B008  # it cannot change
        vfs: str | None = None,
    ) -> "SqliteStore":
        """Opens the home at `path`, a directory; makes it and brings its schema up to date as needed.

        Args:
            busy_timeout: seconds that a call waits for other processes before it gives up.
            synchronous: how durable commits reach the disk; "extra" also syncs the directory when files come and go.
            limits: of one commit and of the write-ahead log.
            vfs: name of the SQLite file layer to use; None for the operating system's own. Tests let it fail.

        Raises:
            SchemaError: the schema is newer than this Clew, or the file is not Clew's; nothing was touched.
            StoreError: the home cannot be used; the message says why and what to do.
        """
        home = prepare_home(path, os.environ)
        file, ticket = home / DATABASE, Ticket.of(home / LOCK)
        opened: list[apsw.Connection] = []

        def connect(cache_kb: int, *, writes: bool) -> apsw.Connection:
            flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if writes else 0)
            connection = apsw.Connection(str(file), flags=flags, vfs=vfs)
            connection.set_busy_timeout(round(busy_timeout * 1000))
            connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)  # else new values may have a statement planned anew
            connection.execute(f"PRAGMA cache_size = -{cache_kb}; PRAGMA query_only = {not writes}").fetchall()
            return connection

        try:
            with translating():
                with ticket.turn(busy_timeout):
                    has_log = file.with_name(DATABASE + "-wal").exists()
                    opened.append(connect(_WRITER_CACHE_KB, writes=True))
                    _bring_up(opened[0], file, migrations("sqlite"), has_log=has_log)
                opened.append(connect(_READER_CACHE_KB, writes=False))
            writer = Writer(opened[0], ticket, timeout=busy_timeout, synchronous=synchronous, limits=limits)
            return cls(file, ticket, writer, Readers(lambda: connect(_READER_CACHE_KB, writes=False)), opened[1])
        except BaseException:
            for connection in opened:
                connection.close()
            ticket.close()
            raise

    def transaction(self, work: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """See `Store.transaction`. `work` runs in the writer's thread."""
        self._see_that_it_is_open()
        self._see_that_it_is_outside("transaction")
        return cast(T, self._writer.submit(Pending(work, durable=durable)).wait())

    def snapshot(self) -> AbstractContextManager[Reader]:
        """See `Store.snapshot`. A snapshot inside another one of the same thread shows the same state."""
        self._see_that_it_is_open()
        self._see_that_it_is_outside("snapshot")
        return self._readers.snapshot()

    def version(self) -> int:
        """See `Store.version`: SQLite's `data_version`, seen by a connection that never writes."""
        self._see_that_it_is_open()
        with self._watching, translating():
            self._see_that_it_is_open()  # it may have been closed meanwhile
            return int(self._watch.pragma("data_version"))

    def spaces(self) -> list[str]:
        """See `Store.spaces`."""
        self._see_that_it_is_open()
        with self._readers.snapshot() as reader:
            return reader.spaces()

    def migrate(self) -> int:
        """See `Store.migrate`. `open` has done it already; a newer Clew may have gone further since."""
        self._see_that_it_is_open()
        with self._watching, translating():
            refuse_foreign(self._watch, len(migrations("sqlite")))
            return schema_number(self._watch)

    def backup(self, path: Path) -> None:
        """See `Store.backup`. The copy is one file, checked before it gets its name.

        Put into an empty directory as `clew.db` it makes that directory a home.

        Raises:
            StoreError: something is there already, or the copy is not sound.
        """
        self._see_that_it_is_open()
        with self._readers.connection() as source:
            _copy(source, path)

    def scrub(self) -> None:
        """See `Store.scrub`.

        Writes the database anew, for which it needs as much free disk again, empties the log, and removes the copies
        that migrations made.

        Raises:
            StoreLocked: a snapshot that began before is still open, in this process or another; try again later.
        """
        self._see_that_it_is_open()
        self._see_that_it_is_outside("scrub")
        self._writer.submit(Pending(_rewrite, durable=True, alone=True)).wait()
        for saved in self._file.parent.glob(_SAVED.format(number="*")):
            with translating():
                saved.unlink()

    def check(self) -> list[str]:
        """See `Store.check`."""
        self._see_that_it_is_open()
        with self._readers.connection() as connection:
            return _damage(connection)

    def size(self) -> int:
        """See `Store.size`."""
        self._see_that_it_is_open()
        total = 0
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):  # the log and its index exist only while someone writes
                total += self._file.with_name(DATABASE + suffix).stat().st_size
        return total

    def close(self) -> None:
        """See `Store.close`."""
        if self._process == os.getpid():
            self._see_that_it_is_outside("close")
        self._close()

    def _see_that_it_is_open(self) -> None:
        if self._process != os.getpid():
            raise ClosedError(
                f"the store was opened by process {self._process} and cannot be used in its fork {os.getpid()}; "
                "open it again in this process"
            )
        if not self._close.alive:
            raise ClosedError

    def _see_that_it_is_outside(self, what: str) -> None:
        if self._writer.is_this_thread():
            raise StoreError(f"{what} inside a transaction; use the transaction that the function was given")


def _close(
    process: int, ticket: Ticket, writer: Writer, readers: Readers, watch: apsw.Connection, watching: threading.Lock
) -> None:
    """The writer goes last: whoever closes the last connection copies the log into the database and removes it."""
    if process == os.getpid():  # a forked child must not touch what its parent uses
        readers.close()
        with watching:  # another thread may be asking
            watch.close()
        writer.close()
        ticket.close()


def _bring_up(connection: apsw.Connection, file: Path, steps: Sequence[str], *, has_log: bool) -> None:
    """Sets the database up; the caller has the turn, so that of several first openers one does the work."""
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, int(has_log))  # what is refused stays as it is
    refuse_foreign(connection, len(steps))
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    connection.execute(
        f"PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = {_LOG_KEPT}; "
        "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON"  # macOS: fsync alone stops at the drive's cache
    ).fetchall()
    migrate(connection, steps, lambda number: _copy(connection, file.with_name(_SAVED.format(number=number))))
    sync_directory(file.parent)


def _copy(source: apsw.Connection, path: Path) -> None:
    """One consistent copy in one file, checked, then named."""
    with translating():
        if path.exists():
            raise StoreError(f"{str(path)!r} exists; expected the name of a new file for the backup")
        unfinished = path.with_name(path.name + ".unfinished")
        unfinished.unlink(missing_ok=True)
        unfinished.touch(mode=0o600)
        try:
            _copy_pages(source, unfinished)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
        sync_directory(path.parent)


def _copy_pages(source: apsw.Connection, path: Path) -> None:
    own = not source.in_transaction
    if own:
        source.execute("BEGIN")  # one state for copying and counting
    try:
        expected = _row_counts(source)
        target = apsw.Connection(str(path))
        try:
            with target.backup("main", source, "main") as backup:
                backup.step(-1)
            target.execute("PRAGMA journal_mode = DELETE").fetchall()  # one file, with no log beside it
        finally:
            target.close()
    finally:
        if own:
            source.execute("COMMIT")
    _check_copy(path, expected)


def _check_copy(path: Path, expected: Mapping[str, int]) -> None:
    """Reads a copy as whoever restores it will: from the file, which must be sound and hold all rows."""
    copy = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        wrong = _damage(copy)
        if not wrong and (found := _row_counts(copy)) != expected:
            wrong = [f"it holds {sum(found.values())} rows instead of {sum(expected.values())}"]
    finally:
        copy.close()
    if wrong:
        raise StoreError(f"the backup {str(path)!r} is not sound and was removed: {wrong[0]}; run `clew verify`")


def _row_counts(connection: apsw.Connection) -> dict[str, int]:
    """Rows by table."""
    names = [str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    counts = ((name, connection.execute(f'SELECT count(*) FROM "{name}"').fetchall()[0][0]) for name in names)  # noqa: S608  # names of the schema itself
    return {name: int(cast(int, count)) for name, count in counts}


def _damage(connection: apsw.Connection) -> list[str]:
    with translating():
        try:
            found = [str(line) for (line,) in connection.execute("PRAGMA integrity_check")]
        except (apsw.CorruptError, apsw.NotADBError) as error:
            return [str(error)]
    return [] if found == ["ok"] else found


def _rewrite(connection: apsw.Connection) -> None:
    connection.execute("VACUUM")
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
