"""The backends that the contract suite runs against: a new one is one more line in BACKENDS."""

import itertools
import os
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Final

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from clew.store.cipher import CIPHER, can_encrypt
from clew.store.memory import MemoryStore
from clew.store.postgres import PostgresStore
from clew.store.postgres_address import Address
from clew.store.protocol import Store
from clew.store.sqlite import SqliteStore
from clew.store.tables import TABLES
from tests.support.postgres_servers import NoServer, running

SECRET: Final = "open sesame"  # noqa: S105  # what the encrypted backend of the tests is encrypted with
_numbers: Final = itertools.count()


def new_schema(server: str) -> str:
    """The address of an installation that does not exist yet, on a server of that name; it starts with the first."""
    return running(server).url(schema=f"test_{os.getpid()}_{next(_numbers)}")


@cache
def _schema(server: str) -> str:
    return new_schema(server)


def _on_postgres(server: str, _: Path) -> Store:
    """One installation serves store after store, emptied before each: making its tables takes longer than a test."""
    url = _schema(server)
    opened = PostgresStore.open(url)
    clauses = [SQL("DELETE FROM {}").format(Identifier(Address.of(url).schema, table)) for table in TABLES]
    with psycopg.connect(running(server).url()) as connection:
        connection.execute(SQL("; ").join(clauses))
    return opened


BACKENDS: Final[Mapping[str, Callable[[Path], Store]]] = {
    "memory": lambda _: MemoryStore(),
    "sqlite": lambda place: SqliteStore.open(place / "home"),
    "encrypted": lambda place: SqliteStore.open(place / "home", secret=SECRET),
    "postgres": partial(_on_postgres, "embedded"),
    "postgres-15": partial(_on_postgres, "debian"),
}
"""Name to a function that opens a new, empty store, which may use the directory; or raises NoServer."""

_SLOW: Final = {"postgres-15"}
"""The same engine in another version: not every run needs it."""

_ABSENT: Final = () if can_encrypt() else ("encrypted",)
"""Needs the other build of SQLite, on which ./dev test-encrypted runs these tests."""

PARAMETERS: Final = [
    pytest.param(name, marks=pytest.mark.slow if name in _SLOW else ()) for name in BACKENDS if name not in _ABSENT
]
"""The names, for tests that run once for each."""


def open_backend(name: str, place: Path) -> Store:
    """A new, empty store; skips the test when its server is not installed or does not start."""
    try:
        return BACKENDS[name](place)
    except NoServer as error:
        pytest.skip(str(error))


def open_backup(of: Store, place: Path) -> Store:
    """The home at a place, which a backup of that store was made into."""
    return SqliteStore.open(place, secret=SECRET if of.encryption == CIPHER else None)
