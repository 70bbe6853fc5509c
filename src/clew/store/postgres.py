"""The store on a PostgreSQL server: for many processes, on many machines, and many spaces.

Borders: opens and closes the installation. Rows are asked for in `postgres_access`, read over `postgres_pool` and
written by `postgres_writer`.
"""

import os
import weakref
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from clew.errors import ClosedError, StoreError
from clew.forks import refuse_inherited
from clew.store.claims import Claiming
from clew.store.copying import copy_rows
from clew.store.new_file import folder_beside
from clew.store.postgres_address import Address
from clew.store.postgres_care import damage, rewrite
from clew.store.postgres_driver import POOLED, driver, refused
from clew.store.postgres_pool import Pool
from clew.store.postgres_schema import check_server, migrate
from clew.store.postgres_watch import Watch
from clew.store.postgres_writer import Limits, PostgresWriter
from clew.store.protocol import Reader, Transaction
from clew.store.sqlite import SqliteStore
from clew.store.statements import Statements, migrations, templates
from clew.store.translate import translating

if TYPE_CHECKING:
    from psycopg import Connection, Cursor

T = TypeVar("T")
STALLED: Final = 60
"""Seconds that a transaction may stand still before the server ends it."""


class PostgresStore(Claiming):
    """See `clew.store.protocol.Store`; made by `PostgresStore.open`."""

    encryption: str | None = None
    writable = True

    def __init__(
        self, address: Address, pool: Pool, engine: Mapping[str, str], watch: Watch, writer: PostgresWriter
    ) -> None:
        self.url = address.shown
        self._schema = address.schema
        self._pool = pool
        self._engine = engine
        self._watch = watch
        self._writer = writer
        self._process = os.getpid()
        self._close = weakref.finalize(self, _close, self._process, pool, self._writer)

    @classmethod
    def open(
        cls,
        url: str,
        *,
        patience: float = 30.0,
        limits: Limits = Limits(),  # noqa: B008  # it cannot change
    ) -> "PostgresStore":
        """Opens the installation at an address, and makes it, or brings its schema up to date, as needed.

        Args:
            url: as `Address.of` takes it.
            patience: seconds that a call waits for others, or for a server that went away while it committed.
            limits: of writing.

        Raises:
            ConfigError: the address cannot be read.
            MissingExtra: the driver is not installed.
            SchemaError: the schema is newer than this Clew, or not Clew's; nothing was touched.
            StoreError: the server cannot be used; the message says why and what to do.
        """
        address = Address.of(url)
        engine = _engine(address.schema, patience)
        statements = Statements(mark="%s", hint="", schema=address.schema)
        pool = Pool(lambda: _connect(address, engine), statements, engine["look"])
        try:
            with pool.begun(engine["facts"]) as cursor:
                check_server(*cursor.fetchall()[0])
                migrate(cursor.connection, address.schema, migrations("postgres"), engine)
            watch = Watch(pool, engine["changes"])
            writer = PostgresWriter(pool, statements, engine, watch.has_committed, patience, limits)
            return cls(address, pool, engine, watch, writer)
        except BaseException:
            pool.close()
            raise

    def transaction(self, work: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """See `Store.transaction`. `work` runs in a thread of the writer, and again when others were in its way."""
        self._check_open()
        self._check_not_nested("transaction")
        return cast(T, self._writer.submit(work, durable=durable).wait())

    def snapshot(self) -> AbstractContextManager[Reader]:
        """See `Store.snapshot`. A snapshot inside another one of the same thread shows the same state."""
        self._check_open()
        self._check_not_nested("snapshot")
        return self._pool.snapshot()

    def version(self) -> int:
        """See `Store.version`. What this process commits is seen at once, what another does after 50 ms."""
        self._check_open()
        return self._watch.version()

    def spaces(self) -> list[str]:
        """See `Store.spaces`."""
        self._check_open()
        with self._pool.snapshot() as reader:
            return reader.spaces()

    def migrate(self) -> int:
        """See `Store.migrate`. `open` has done it already; a newer Clew may have gone further since."""
        self._check_open()
        with self._pool.begun(self._engine["facts"]) as cursor:
            return migrate(cursor.connection, self._schema, migrations("postgres"), self._engine)

    def backup(self, path: Path) -> None:
        """See `Store.backup`. The copy is a database as `SqliteStore.backup` writes it: a home of its own.

        Raises:
            StoreError: something is there already.
        """
        self._check_open()
        with translating():
            if path.exists():
                raise StoreError(f"{str(path)!r} exists; expected the name of a new file for the backup")
            with self._pool.snapshot() as reader, folder_beside(path) as folder:
                copy = SqliteStore.open(folder)
                try:
                    copy_rows(reader, ("", *reader.spaces()), copy)
                    copy.backup(path)
                finally:
                    copy.close()

    def scrub(self) -> None:
        """See `Store.scrub`. Rewrites every table, one after the other, each unusable for others meanwhile.

        What the server keeps elsewhere (its write-ahead log until it is reused, archives, replicas) is not reached:
        docs/postgresql.md.

        Raises:
            StoreLocked: a snapshot that began before is still open, in this process or another; try again later.
        """
        self._check_open()
        self._check_not_nested("scrub")
        with self._pool.begun(self._engine["facts"]) as cursor:
            rewrite(cursor.connection, self._engine)

    def check(self) -> list[str]:
        """See `Store.check`: reads every value, and counts every table by itself and by its primary key."""
        self._check_open()
        return damage(self._pool, self._engine)

    def size(self) -> int:
        """See `Store.size`: tables, indexes and long values; the server's log is shared with others and not counted."""
        self._check_open()
        return int(self._pool.ask(self._engine["size"])[0][0])

    def close(self) -> None:
        """See `Store.close`."""
        if self._process == os.getpid():
            self._check_not_nested("close")
        self._close()

    def _check_open(self) -> None:
        refuse_inherited(self._process)
        if not self._close.alive:
            raise ClosedError

    def _check_not_nested(self, what: str) -> None:
        if self._writer.is_this_thread():
            raise StoreError(f"{what} inside a transaction; use the transaction that the function was given")


def _engine(schema: str, patience: float) -> Mapping[str, str]:
    """The statements of `sql/postgres.sql` for one installation."""
    fills = {
        "{schema}": f'"{schema}"',
        "{schema_name}": f"'{schema}'",
        "{patience_ms}": str(round(patience * 1000)),
        "{stalled_ms}": str(STALLED * 1000),
    }
    engine = dict(templates("postgres"))
    for mark, value in fills.items():
        engine = {name: text.replace(mark, value) for name, text in engine.items()}
    return engine


def _connect(address: Address, engine: Mapping[str, str]) -> "Connection[Any]":
    psycopg = driver()
    try:
        connection: Connection[Any] = psycopg.connect(address.told, autocommit=True)
    except (psycopg.Error, UnicodeError) as error:  # the second for a host that cannot be a name
        raise refused(error, address.shown) from error
    # One type for every number, so that a statement is prepared once and not for each size of its values.
    connection.adapters.register_dumper(int, psycopg.types.numeric.Int8BinaryDumper)
    try:
        first = _last_row(connection.execute(engine["connect"], prepare=False))
        if first[-1:] != _last_row(connection.execute(engine["backend"], prepare=False)):
            raise StoreError(f"{address.shown}: {POOLED}")
    except BaseException:
        connection.close()
        raise
    return connection


def _last_row(cursor: "Cursor[Any]") -> tuple[Any, ...]:
    """The only row of the last of several statements."""
    while cursor.nextset():
        pass
    return tuple(cursor.fetchall()[0])


def _close(process: int, pool: Pool, writer: PostgresWriter) -> None:
    if process == os.getpid():  # a forked child must not touch what its parent uses
        writer.close()
        pool.close()
