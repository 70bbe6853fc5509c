"""The driver's errors, each translated once; and a driver that is not there."""

import sys

import psycopg
import pytest
from psycopg import errors

from clew.errors import (
    ClewError,
    MissingExtra,
    SchemaError,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreReadOnly,
)
from clew.store.open import open_store
from clew.store.postgres_driver import driver, is_lost, may_go_again, refused, translated, translating

STATES: list[tuple[str, type[StoreError], str]] = [
    ("53100", StoreFull, "Free space"),
    ("53200", StoreError, "out of memory"),
    ("53300", StoreError, "max_connections"),
    ("25006", StoreReadOnly, "standby"),
    ("42501", StoreReadOnly, "grant"),
    ("55P03", StoreLocked, "try again"),
    ("57014", StoreLocked, "cancelled"),
    ("40001", StoreLocked, "try again"),
    ("40P01", StoreLocked, "try again"),
    ("57P01", StoreError, "Try again"),
    ("08006", StoreError, "connection to the server was lost"),
    ("28P01", StoreError, "password"),
    ("3D000", StoreError, "create it"),
    ("58030", StoreError, "Check the disk"),
    ("XX001", StoreCorrupt, "clew verify"),
    ("XX002", StoreCorrupt, "REINDEX"),
    ("54000", StoreError, "2,700 bytes"),
    ("42P01", SchemaError, "backup"),
    ("22003", StoreError, "does not fit"),
    ("23502", StoreError, "breaks a rule"),
    ("XX000", StoreError, "could not do its work"),
]


@pytest.mark.requirement("S-POSTGRES-03")
@pytest.mark.parametrize(("state", "ours", "advice"), STATES)
def test_each_error_of_the_server_becomes_one_of_ours(state: str, ours: type[StoreError], advice: str) -> None:
    with pytest.raises(ours, match=advice) as caught, translating():
        raise errors.lookup(state)("its own words")
    assert type(caught.value) is ours
    assert "its own words" in str(caught.value)
    assert isinstance(caught.value.__cause__, psycopg.Error)


@pytest.mark.requirement("S-POSTGRES-03")
def test_what_is_not_the_driver_s_stays_as_it_is() -> None:
    assert translated(ValueError("mine")) is None
    with pytest.raises(ValueError, match="mine"), translating():
        raise ValueError("mine")


@pytest.mark.requirement("S-POSTGRES-03")
def test_lost_connections_and_second_tries_are_told_apart() -> None:
    gone = psycopg.OperationalError("server closed the connection unexpectedly")
    assert [is_lost(error) for error in (gone, errors.AdminShutdown(""), errors.DiskFull(""))] == [True, True, False]
    again = [errors.SerializationFailure(""), errors.DeadlockDetected(""), errors.DiskFull(""), gone, StoreLocked()]
    assert [may_go_again(error) for error in again] == [True, True, False, False, False]


@pytest.mark.requirement("S-POSTGRES-03")
@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ('FATAL:  password authentication failed for user "ann"', "role or its password"),
        ('FATAL:  role "ann" does not exist', "role or its password"),
        ("fe_sendauth: no password supplied", "role or its password"),
        ('FATAL:  no pg_hba.conf entry for host "10.0.0.1"', "role or its password"),
        ('FATAL:  database "app" does not exist', "create it"),
        ("FATAL:  sorry, too many clients already", "max_connections"),
        ('FATAL:  too many connections for role "ann"', "max_connections"),
        ("FATAL:  the database system is starting up", "try again soon"),
        ("Connection refused\n\tIs the server running?", "cannot be reached"),
        ("failed to resolve host 'db.example'", "cannot be reached"),
        ("FATAL:  quelque chose", "refused the connection"),
    ],
)
def test_a_connection_that_was_not_made_is_explained(words: str, advice: str) -> None:
    told = str(refused(psycopg.OperationalError(words), "postgresql://ann@db/app"))
    assert told.startswith("postgresql://ann@db/app: ")
    assert advice in told
    assert " ".join(words.split()) in told


@pytest.mark.requirement("S-POSTGRES-04")
def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    driver.cache_clear()
    with pytest.raises(MissingExtra, match=r"pip install 'clew\[postgres\]'") as caught:
        open_store("postgresql://127.0.0.1/app")
    assert isinstance(caught.value, ClewError)
    monkeypatch.undo()
    driver.cache_clear()
    assert driver() is psycopg
