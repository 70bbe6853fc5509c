"""Changes the key of a home: encrypts it, encrypts it with another key, or decrypts it.

The database is rewritten beside the old one, checked, and takes its name: killed at any moment, the home has the old
key or the new one, never a part of each.
"""

import os
from contextlib import closing
from pathlib import Path

import apsw

from clew.errors import KeyRefused, NotFoundError
from clew.forks import refuse_after_unsafe_fork, using_sqlite
from clew.store.cipher import Key, fitting, key_for, new_key, plain_address
from clew.store.file_copy import check_copy, row_counts
from clew.store.home import prepare_home, refuse_non_file, sync_directory
from clew.store.migrate import refuse_foreign
from clew.store.sqlite import DATABASE, LOCK, REKEYED, remove_saved_copies
from clew.store.statements import migrations
from clew.store.ticket import Ticket
from clew.store.translate import translating


def rekey(path: Path, old: str | None, new: str | None, *, busy_timeout: float = 5.0) -> bool:
    """Writes a home's database under another key; copies that migrations made, which have the old one, are removed.

    Takes as much free disk as the database. What stood in plain text stays on the disk until its blocks are used again.

    Args:
        old: the secret that opens the home now; None for a plain one.
        new: the secret that shall open it; None makes it plain.
        busy_timeout: seconds to wait for others who have the home open.

    Returns:
        False when the home had the new key already, and nothing was done.

    Raises:
        NotFoundError: there is no home.
        KeyRefused: neither secret opens it; nothing was touched.
        MissingExtra: the SQLite of this Python cannot encrypt.
        StoreLocked: somebody else has it open.
        StoreError: the database could not be written; the home is as it was.
    """
    file = path.expanduser().resolve() / DATABASE
    with translating():
        refuse_non_file(file)
        if not file.is_file():
            raise NotFoundError(
                f"{str(path)!r} is not a home: it has no {DATABASE}; name the directory of an existing one"
            )
    refuse_after_unsafe_fork(file)
    ticket = Ticket.of(prepare_home(path, os.environ) / LOCK)
    fresh = file.with_name(REKEYED)
    try:
        with translating(), ticket.turn(busy_timeout), using_sqlite():
            source = _held(file, old, new, busy_timeout)
            if source is None:
                return False
            try:
                with closing(source):
                    if old == new:
                        return False
                    _write(source, fresh, None if new is None else new_key(new))
                sync_directory(file.parent)  # the log is gone for good before another database takes its place
                fresh.replace(file)
            finally:
                fresh.unlink(missing_ok=True)
            remove_saved_copies(file.parent)
            sync_directory(file.parent)
            return True
    finally:
        ticket.close()


def _held(file: Path, old: str | None, new: str | None, busy_timeout: float) -> apsw.Connection | None:
    """A connection that has the home for itself; None when the new secret opens it already."""
    try:
        return connect_alone(file, key_for(file, old), busy_timeout)
    except KeyRefused:
        try:
            connect_alone(file, key_for(file, new), busy_timeout).close()
        except KeyRefused:
            pass  # the first refusal speaks of the key that is said to be the home's
        else:
            return None
        raise


def connect_alone(file: Path, key: Key | None, busy_timeout: float) -> apsw.Connection:
    """A connection to a database that nobody else has open, with an empty log."""
    connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI)
    try:
        connection.set_busy_timeout(round(busy_timeout * 1000))
        if key is not None:
            key.open(connection)
        connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()  # from the first reading on
        with fitting(file, key):
            refuse_foreign(connection, len(migrations("sqlite")))
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except BaseException:
        connection.close()
        raise
    return connection


def _write(source: apsw.Connection, fresh: Path, key: Key | None) -> None:
    """Writes the whole database durably to a new file, and reads it back."""
    fresh.unlink(missing_ok=True)
    fresh.touch(mode=0o600)
    try:
        source.execute("VACUUM INTO ?", (plain_address(fresh) if key is None else key.address(fresh),))
    except apsw.Error as error:
        raise type(error)(f"{fresh.name} could not be written") from None  # SQLite's words may hold the address
    check_copy(fresh, key, row_counts(source))
    handle = os.open(fresh, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
