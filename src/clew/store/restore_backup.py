"""Replaces a home's database by a backup, after checking the whole backup.

The copy is written beside the database, checked, and takes its name: killed at any moment, the home has the old one or
the backup, never a part of each.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

import apsw

from clew.errors import InputError, NotFoundError, StoreCorrupt, StoreError
from clew.forks import refuse_after_unsafe_fork, using_sqlite
from clew.store.cipher import fitting, key_for
from clew.store.file_copy import check_copy, damage, row_counts
from clew.store.home import local_home, make_private, prepare_home, refuse_non_file, sync_directory
from clew.store.migrate import refuse_foreign, schema_number
from clew.store.raw_file import raw_chunks
from clew.store.rekey import connect_alone
from clew.store.sqlite import DATABASE, LOCK, RESTORED, remove_saved_copies
from clew.store.statements import migrations
from clew.store.ticket import Ticket
from clew.store.translate import translating

_CHUNK: Final = 1 << 20


def restore_backup(backup: Path, path: Path, secret: str | None, *, busy_timeout: float = 5.0) -> dict[str, int]:
    """Puts a backup in the place of a home's database and gives its rows by table; the home is made if it is absent.

    Args:
        secret: what opens the backup, and the home if it is encrypted; None for plain ones.
        busy_timeout: seconds to wait for others who have the home open.

    Raises:
        NotFoundError: there is no such file.
        InputError: the file is the home's own database.
        KeyRefused: the secret does not open the backup, or the database in its place.
        SchemaError: the file is not a database of Clew, or of a newer Clew.
        StoreLocked: somebody has the home open.
        StoreCorrupt: the backup is damaged.
        StoreError: the copy could not be written. In each case the home is as it was, or absent as before.
    """
    with translating():
        if not backup.is_file():
            raise NotFoundError(f"there is no file {str(backup)!r}; name one that `clew backup` wrote")
        with using_sqlite():
            expected = _checked(backup, secret)
        with _home_for_it(path) as home:
            file = home / DATABASE
            if file.exists() and file.samefile(backup):
                raise InputError(f"{str(backup)!r} is the home's own database; name a backup of it")
            refuse_non_file(file)
            refuse_after_unsafe_fork(file)
            ticket = Ticket.of(home / LOCK)
            try:
                with ticket.turn(busy_timeout), using_sqlite():
                    _empty_log(file, secret, busy_timeout)
                    _replace(home, backup, secret, expected)
                    ticket.mark()
            finally:
                ticket.close()
    return expected


@contextmanager
def _home_for_it(path: Path) -> Iterator[Path]:
    """The home, made if it is absent; what was made of it is removed again when the block fails."""
    wanted = local_home(path, os.environ)
    absent = [each for each in (wanted, *wanted.parents) if not each.exists()]
    lock = wanted / LOCK
    is_new = not lock.exists()
    try:
        yield prepare_home(path, os.environ)
    except BaseException:
        if is_new and not (wanted / DATABASE).exists():
            lock.unlink(missing_ok=True)
        with suppress(OSError):  # somebody else put something into it meanwhile
            for folder in absent:
                folder.rmdir()
        raise


def _replace(home: Path, backup: Path, secret: str | None, expected: Mapping[str, int]) -> None:
    """Writes the copy beside the database, checks it, and gives it the database's name."""
    file, fresh = home / DATABASE, home / RESTORED
    fresh.unlink(missing_ok=True)
    try:
        make_private(fresh)
        with fresh.open("wb") as copy:
            copy.writelines(raw_chunks(backup, _CHUNK))
        check_copy(fresh, key_for(fresh, secret), expected)
        _sync(fresh)
        for suffix in ("-wal", "-shm"):  # those of a damaged database; another's are gone by now
            file.with_name(DATABASE + suffix).unlink(missing_ok=True)
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)
    remove_saved_copies(home)
    sync_directory(home)


def _checked(backup: Path, secret: str | None) -> dict[str, int]:
    """The rows of a backup by table, once it is known to be a sound database of Clew that this version can open."""
    key = key_for(backup, secret)
    with closing(apsw.Connection(str(backup), flags=apsw.SQLITE_OPEN_READONLY)) as source:
        try:
            if key is not None:
                key.open(source)
            with fitting(backup, key):
                refuse_foreign(source, len(migrations("sqlite")))
            if not schema_number(source):
                raise StoreError(f"{str(backup)!r} holds no memory; name a file that `clew backup` wrote")
            wrong = damage(source)
            if wrong:
                raise _damaged(backup, wrong[0])
            return row_counts(source)
        except apsw.CorruptError as error:  # where `damage` cannot even begin, as in a file that was cut
            raise _damaged(backup, str(error)) from error
        except apsw.NotADBError as error:
            raise StoreCorrupt(
                f"{str(backup)!r} is not a backup, or is encrypted; name a file that `clew backup` wrote, and in "
                "store.key the key of an encrypted one"
            ) from error


def _damaged(backup: Path, why: str) -> StoreCorrupt:
    reason = " ".join(why.split())  # SQLite's has lines
    return StoreCorrupt(f"the backup {str(backup)!r} is damaged: {reason}; nothing was replaced, try an older one")


def _empty_log(file: Path, secret: str | None, busy_timeout: float) -> None:
    """Checks that nobody has the database open, and removes its log; the log of a damaged database goes in any case."""
    if file.exists() and file.stat().st_size:
        with suppress(StoreCorrupt), translating():  # then nothing of it is worth keeping
            connect_alone(file, key_for(file, secret), busy_timeout).close()


def _sync(file: Path) -> None:
    handle = os.open(file, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
