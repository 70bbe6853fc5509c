"""The store of a home that this process may read and not write: another user's, or one on a read-only disk.

Where a write-ahead log lies beside the database, somebody writes or was killed while writing: SQLite then reads both,
with the log's index, and takes its locks on that. Where there is none the database is whole, and is read without any
lock as long as its size and time stay the same.

Borders: writes nothing, neither rows nor files. Rows are read in `readers`.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

import apsw

from clew.errors import ClosedError, StoreCorrupt, StoreLocked, StoreReadOnly
from clew.forks import refuse_after_unsafe_fork, refuse_inherited, using_sqlite
from clew.store.access import SqliteReader
from clew.store.cipher import CIPHER, Key, fitting, key_for
from clew.store.claims import Claiming
from clew.store.file_copy import copy_file, damage
from clew.store.home import allowed, local_home, refuse_non_file
from clew.store.migrate import refuse_foreign, schema_number
from clew.store.protocol import Transaction
from clew.store.readers import Readers
from clew.store.sqlite import DATABASE, READER_CACHE_KB, prepare_connection
from clew.store.statements import migrations
from clew.store.translate import translating

T = TypeVar("T")
_COPY: Final = "copy the home and open the copy, or ask its owner for the right to write"

Stamp = tuple[int, int, int, int]
"""Device, number, size and time of a file: what differs once it was written or replaced."""

Stamps = tuple[Stamp | None, Stamp | None]
"""Those of the database and of its log; None for a file that is not there."""


def is_read_only(home: Path) -> bool:
    """Whether a home has a database that this process may read, and may not write it or its directory."""
    file = home / DATABASE
    return allowed(file, os.R_OK) and not (allowed(home, os.W_OK) and allowed(file, os.W_OK))


class ReadOnlyStore(Claiming):
    """See `clew.store.protocol.Store`; every write raises StoreReadOnly."""

    writable = False

    def __init__(self, path: Path, secret: str | None = None) -> None:
        """Opens the home at `path`, which has a database.

        Raises:
            StoreReadOnly: it can be read only after something is written: its schema is old, or its log has no index.
            SchemaError: the schema is newer than this Clew, or the file is not Clew's.
            KeyRefused: the secret does not fit, or one is missing or too many.
            StoreError: the home cannot be read; the message says why and what to do.
        """
        with translating():
            home = local_home(path, os.environ)
            self.url = f"sqlite:///{home}"
            self._file = home / DATABASE
            refuse_non_file(self._file)
            refuse_after_unsafe_fork(self._file)
            with using_sqlite():
                self._key: Key | None = key_for(self._file, secret)
        self._process = os.getpid()
        self.encryption: str | None = "none" if self._key is None else CIPHER
        self._changing = threading.Lock()
        self._current = threading.local()
        self._version = 0
        self._stamps: Stamps = (None, None)
        self._readers: Readers | None = None
        self._closed = False
        try:
            self._check_schema()
        except BaseException:
            self.close()
            raise

    def _check_schema(self) -> None:
        latest = len(migrations("sqlite"))
        with translating(), self._fresh()[0].connection() as connection, fitting(self._file, self._key):
            refuse_foreign(connection, latest)
            number = schema_number(connection)
        if number < latest:
            raise StoreReadOnly(
                f"{str(self._file)!r} has schema {number} and must be brought to {latest} first, which this user may "
                f"not write; {_COPY}"
            )

    def transaction(self, work: Callable[[Transaction], T], *, durable: bool = True) -> T:  # noqa: ARG002  # see `Store`
        """Refuses: see `Store.transaction`."""
        raise self._refusal()

    def _refusal(self) -> StoreReadOnly:
        return StoreReadOnly(
            f"{str(self._file.parent)!r} cannot be written by this user, so it can be read and not changed; {_COPY}"
        )

    @contextmanager
    def snapshot(self) -> Iterator[SqliteReader]:
        """See `Store.snapshot`.

        Raises:
            StoreLocked: the owner wrote into the database meanwhile, so that what was read may be of two states.
        """
        outer: SqliteReader | None = getattr(self._current, "reader", None)
        if outer is not None:
            yield outer
            return
        readers, (before, log) = self._fresh()
        try:
            with readers.snapshot() as reader:
                self._current.reader = reader
                try:
                    yield reader
                finally:
                    self._current.reader = None
        except StoreCorrupt:
            self._check_unchanged(before, log)
            raise
        self._check_unchanged(before, log)

    def _check_unchanged(self, before: Stamp | None, log: Stamp | None) -> None:
        if log is None and _stamp(self._file) != before:
            raise StoreLocked(f"{str(self._file)!r} was written by its owner while it was read; try again")

    def version(self) -> int:
        """See `Store.version`."""
        self._fresh()
        return self._version

    def spaces(self) -> list[str]:
        """See `Store.spaces`."""
        with self.snapshot() as reader:
            return reader.spaces()

    def migrate(self) -> int:
        """See `Store.migrate`; the schema is what this Clew knows, or the home was not opened."""
        return len(migrations("sqlite"))

    def backup(self, path: Path) -> None:
        """See `Store.backup`."""
        with self._fresh()[0].connection() as source:
            copy_file(source, path, self._key)

    def scrub(self) -> None:
        """Refuses, as every write."""
        raise self._refusal()

    def check(self) -> list[str]:
        """See `Store.check`."""
        with self._fresh()[0].connection() as connection:
            return damage(connection)

    def size(self) -> int:
        """See `Store.size`."""
        self._check_open()
        with translating():
            stamps = [_stamp(self._file.with_name(DATABASE + suffix)) for suffix in ("", "-wal", "-shm")]
        return sum(stamp[2] for stamp in stamps if stamp is not None)

    def close(self) -> None:
        """See `Store.close`."""
        if self._process != os.getpid():  # a forked child must not touch what its parent uses
            return
        with self._changing:
            self._closed = True
            if self._readers is not None:
                self._readers.close()

    def _check_open(self) -> None:
        refuse_inherited(self._process)
        if self._closed:
            raise ClosedError

    def _fresh(self) -> tuple[Readers, Stamps]:
        """The connections to the files as they are now; new ones where a file came, went or was replaced."""
        with self._changing, translating():
            self._check_open()
            database = _stamp(self._file)
            log = _stamp(self._file.with_name(DATABASE + "-wal"))
            if log is not None and not log[2] and not self._has_log_index():
                log = None  # an empty one says nothing
            if self._readers is None or (database, log) != self._stamps:
                old, old_log = self._stamps
                same_file = database is not None and old is not None and database[:2] == old[:2]
                if self._readers is None or log is None or old_log is None or not same_file:
                    self._readers = self._connected(has_log=log is not None)
                self._stamps = (database, log)
                self._version += 1
            return self._readers, self._stamps

    def _connected(self, *, has_log: bool) -> Readers:
        if has_log and not self._has_log_index():
            raise StoreReadOnly(
                f"{str(self._file)!r} has a log whose index (clew.db-shm) is gone, and this user may not make it; "
                f"{_COPY}"
            )
        if self._readers is not None:
            self._readers.retire()
        address = f"{self._file.as_uri()}?{'mode=ro' if has_log else 'immutable=1'}"

        def connect() -> apsw.Connection:
            connection = apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
            return prepare_connection(connection, self._key, READER_CACHE_KB, writes=False)

        return Readers(connect)

    def _has_log_index(self) -> bool:
        return allowed(self._file.with_name(DATABASE + "-shm"), os.R_OK)


def _stamp(file: Path) -> Stamp | None:
    try:
        status = file.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
