"""The embedded store: one SQLite database in the home directory, for many threads and several processes.

Borders: opens, closes and looks after the file. Rows are read in `readers`, written in `writer`, asked for in `access`.
"""

import os
import weakref
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Final, Literal, TypeVar, cast

import apsw

from clew.errors import ClosedError, StoreCorrupt, StoreError
from clew.forks import Shared, identity, refuse_after_unsafe_fork, refuse_inherited, using_sqlite
from clew.store.cipher import CIPHER, Key, fitting, key_for, layer_for
from clew.store.claims import Claiming
from clew.store.file_copy import copy_file, damage, noted
from clew.store.home import (
    check_writable,
    make_private,
    prepare_home,
    refuse_non_file,
    sync_directory,
)
from clew.store.log_sync import LogSync, sync_log
from clew.store.migrate import migrate, refuse_foreign, schema_number
from clew.store.protocol import Committed, Reader, Transaction
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
REKEYED: Final = "clew.db.rekeyed"
"""The database under another key, until it takes the place of the old one."""
RESTORED: Final = "clew.db.restored"
"""The copy of a backup, until it takes the place of the database."""
_WRITER_CACHE_KB: Final = 8_000
READER_CACHE_KB: Final = 2_000
_LOG_KEPT: Final = 16 << 20
"""Bytes of write-ahead log that stay on disk for reuse after a checkpoint."""


class SqliteStore(Claiming):
    """See `clew.store.protocol.Store`; made by `SqliteStore.open`."""

    writable = True

    def __init__(
        self,
        file: Path,
        key: Key | None,
        ticket: Ticket,
        writer: Writer,
        readers: Readers,
        watch: Shared,
    ) -> None:
        self.url = f"sqlite:///{file.parent}"
        self._own = identity(file)
        self.encryption: str | None = CIPHER if key else "none"
        self._file = file
        self._key = key
        self._ticket = ticket
        self._writer = writer
        self._readers = readers
        self._watch = watch
        self._log_sync = LogSync(file.with_name(DATABASE + "-wal"), writer.doubt)
        self._process = os.getpid()
        parts = (ticket, writer, self._log_sync, readers, watch)
        self._close = weakref.finalize(self, _close, self._process, *parts)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        secret: str | None = None,
        busy_timeout: float = 30.0,
        synchronous: Literal["full", "extra"] = "full",
        limits: Limits = Limits(),  # noqa: B008  # it cannot change
        vfs: str | None = None,
    ) -> "SqliteStore":
        """Opens the home at `path`, a directory; makes it and brings its schema up to date as needed.

        Args:
            secret: what the home is encrypted with, or shall be when it is made now; None for a plain one.
            busy_timeout: seconds that a call waits for other processes before it gives up.
            synchronous: how durable commits reach the disk; "extra" also syncs the directory when files come and go.
            limits: of one commit and of the write-ahead log.
            vfs: name of the SQLite file layer to use; None for the operating system's own. Tests let it fail.

        Raises:
            SchemaError: the schema is newer than this Clew, or the file is not Clew's; nothing was touched.
            KeyRefused: the secret does not fit, or one is missing or too many; nothing was touched.
            MissingExtra: there is a secret, and the SQLite of this Python cannot encrypt.
            StoreError: the home cannot be used; the message says why and what to do.
        """
        home = prepare_home(path, os.environ)
        refuse_non_file(home / DATABASE)
        check_writable(home, DATABASE)
        refuse_after_unsafe_fork(home / DATABASE)
        file, ticket = home / DATABASE, Ticket.of(home / LOCK)
        opened: list[Shared] = []
        key: Key | None = None

        def connect(cache_kb: int, *, writes: bool) -> apsw.Connection:
            flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if writes else 0)
            connection = apsw.Connection(str(file), flags=flags, vfs=layer_for(key, vfs))
            connection.set_busy_timeout(round(busy_timeout * 1000))
            return prepare_connection(connection, key, cache_kb, writes=writes)

        try:
            with translating(), ticket.turn(busy_timeout), using_sqlite():
                _refuse_emptied(file, ticket)
                key = key_for(file, secret)
                _make_ready(file)
                has_log = file.with_name(DATABASE + "-wal").exists()
                with fitting(file, key):
                    opened.append(Shared(connect(_WRITER_CACHE_KB, writes=True)))
                    _bring_up(opened[0].connection, file, migrations("sqlite"), key=key, has_log=has_log)
                ticket.mark()
                opened.append(Shared(connect(READER_CACHE_KB, writes=False)))
            writer = Writer(opened[0], ticket, timeout=busy_timeout, synchronous=synchronous, limits=limits)
            return cls(file, key, ticket, writer, Readers(lambda: connect(READER_CACHE_KB, writes=False)), opened[1])
        except BaseException:
            for shared in opened:
                shared.close()
            ticket.close()
            raise

    def transaction(self, work: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """See `Store.transaction`. `work` runs in the writer's thread, or in the caller's, see `Writer.begin`.

        A durable one that writes nothing syncs the log, too: it may have read what was committed without that.
        """
        self._check_open()
        self._check_not_nested("transaction")
        self._check_in_place()
        item = self._writer.begin(Pending(work, durable=durable))
        result = cast(T, item.wait())
        if durable and not item.is_synced:
            self._begin_sync()()
        return result

    def committed(self, work: Callable[[Transaction], T]) -> Committed[T]:
        """See `Store.committed`."""
        result = self.transaction(work, durable=False)
        return Committed(result, self._begin_sync())

    def _begin_sync(self) -> Callable[[], None]:
        """Starts a sync of what is committed; returns a function that waits for it, also while the store is closed."""
        try:
            return self._log_sync.begin()
        except ClosedError:
            return self._wait_for_the_end

    def _wait_for_the_end(self) -> None:
        """Waits until the writer has ended; the log that it leaves for other processes is synced here."""
        self._writer.join()
        log = self._file.with_name(DATABASE + "-wal")
        with translating(), suppress(FileNotFoundError):  # SQLite copied it into the database and removed it
            sync_log(log)

    def snapshot(self) -> AbstractContextManager[Reader]:
        """See `Store.snapshot`. A snapshot inside another one of the same thread shows the same state."""
        self._check_open()
        self._check_not_nested("snapshot")
        return self._readers.snapshot()

    def version(self) -> int:
        """See `Store.version`: SQLite's `data_version`, seen by a connection that never writes."""
        self._check_open()
        with self._watch.lock, translating():
            self._check_open()  # it may have been closed meanwhile
            return int(self._watch.connection.pragma("data_version"))

    def spaces(self) -> list[str]:
        """See `Store.spaces`."""
        self._check_open()
        with self._readers.snapshot() as reader:
            return reader.spaces()

    def migrate(self) -> int:
        """See `Store.migrate`. `open` has done it already; a newer Clew may have gone further since."""
        self._check_open()
        with self._watch.lock, translating():
            refuse_foreign(self._watch.connection, len(migrations("sqlite")))
            return schema_number(self._watch.connection)

    def backup(self, path: Path) -> None:
        """See `Store.backup`. The copy is one file, checked before it gets its name.

        Put into an empty directory as `clew.db` it makes that directory a home.

        Raises:
            StoreError: something is there already, or the copy is not sound.
        """
        self._check_open()
        with self._readers.connection() as source, noted(self._file.parent, path):
            copy_file(source, path, self._key)

    def scrub(self) -> None:
        """See `Store.scrub`.

        Rewrites the database, for which it needs as much free disk again, empties the log, and removes the copies
        that migrations made.

        Raises:
            StoreLocked: a snapshot that began before is still open, in this process or another; try again later.
        """
        self._check_open()
        self._check_not_nested("scrub")
        self._writer.submit(Pending(_rewrite, durable=True, alone=True)).wait()
        with translating():
            remove_saved_copies(self._file.parent)

    def check(self) -> list[str]:
        """See `Store.check`."""
        self._check_open()
        with self._readers.connection() as connection:
            return damage(connection)

    def size(self) -> int:
        """See `Store.size`."""
        self._check_open()
        total = 0
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):  # the log and its index exist only while someone writes
                total += self._file.with_name(DATABASE + suffix).stat().st_size
        return total

    def close(self) -> None:
        """See `Store.close`."""
        if self._process == os.getpid():
            self._check_not_nested("close")
        self._close()

    def _check_open(self) -> None:
        refuse_inherited(self._process)
        if not self._close.alive:
            raise ClosedError

    def _check_in_place(self) -> None:
        """Refuses to write into a file that has no name any more: it would be acknowledged, and lost on closing."""
        if identity(self._file) != self._own:
            raise StoreError(
                f"{str(self._file)!r} was moved, deleted or replaced while it was open; nothing more is written: put "
                "the home back, or open it again where it is now"
            )

    def _check_not_nested(self, what: str) -> None:
        if self._writer.is_this_thread():
            raise StoreError(f"{what} inside a transaction; use the transaction that the function was given")


def prepare_connection(connection: apsw.Connection, key: Key | None, cache_kb: int, *, writes: bool) -> apsw.Connection:
    """Gives a new connection its key, its cache and its rights, and returns it; closes one that cannot be used."""
    try:
        if key is not None:
            key.open(connection)
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)  # else new values may have a statement planned again
        connection.execute(f"PRAGMA cache_size = -{cache_kb}; PRAGMA query_only = {not writes}").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def _make_ready(file: Path) -> None:
    """Makes the file private, and removes what was to replace it: its writer was killed, since we have the turn."""
    make_private(file)
    for unfinished in (REKEYED, RESTORED):
        file.with_name(unfinished).unlink(missing_ok=True)


def _refuse_emptied(file: Path, ticket: Ticket) -> None:
    """Tells a database that lost its bytes from one that is only begun, which has none either."""
    if file.exists() and file.stat().st_size == 0 and ticket.is_marked():
        raise StoreCorrupt(
            f"{str(file)!r} is empty, and it was not: something other than Clew emptied it. Put a backup back with "
            "`clew restore-backup FILE`, or delete the empty file to begin with nothing"
        )


def remove_saved_copies(home: Path) -> None:
    """Removes the copies of a home's database that migrations made; another process may be doing the same."""
    for saved in home.glob(_SAVED.format(number="*")):
        saved.unlink(missing_ok=True)


def _close(
    process: int,
    ticket: Ticket,
    writer: Writer,
    log_sync: LogSync,
    readers: Readers,
    watch: Shared,
) -> None:
    """The writer goes last: whoever closes the last connection copies the log into the database and removes it."""
    if process == os.getpid():  # a forked child must not touch what its parent uses
        readers.close()
        watch.close()
        log_sync.close()
        writer.close()
        ticket.close()


def _bring_up(
    connection: apsw.Connection, file: Path, steps: Sequence[str], *, key: Key | None = None, has_log: bool
) -> None:
    """Sets the database up; the caller has the turn, so that of several first openers one does the work."""
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, int(has_log))  # what is refused stays as it is
    refuse_foreign(connection, len(steps))
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
    connection.execute(
        f"PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = {_LOG_KEPT}; "
        "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON"  # macOS: fsync alone stops at the drive's cache
    ).fetchall()

    def save(number: int) -> None:
        copy = file.with_name(_SAVED.format(number=number))
        copy.unlink(missing_ok=True)  # of a migration that was killed before its first step: nothing is lost with it
        copy_file(connection, copy, key)

    migrate(connection, steps, save)
    sync_directory(file.parent)


def _rewrite(connection: apsw.Connection) -> None:
    connection.execute("VACUUM")
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
