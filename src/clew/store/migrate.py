"""Applies the numbered steps of the SQLite schema: forward only, one transaction each, after a backup.

The number is SQLite's `user_version`; `application_id` tells a database of Clew from anyone else's.
"""

from collections.abc import Callable, Sequence
from typing import Final

import apsw

from clew.errors import SchemaError

APPLICATION: Final = 0x436C6577
"""`Clew` in ASCII."""


def refuse_foreign(connection: apsw.Connection, latest: int) -> None:
    """Refuses a database that is not Clew's, or has a newer schema; only reads.

    Raises:
        SchemaError: the schema is newer than `latest`, or the database belongs to another program.
    """
    number, application = schema_number(connection), connection.pragma("application_id")
    if application != APPLICATION and (number or application or _has_tables(connection)):
        raise SchemaError(
            f"{connection.filename!r} is the database of another program; it was left untouched. Choose another home"
        )
    if number > latest:
        raise SchemaError(
            f"{connection.filename!r} has schema {number}, and this Clew knows schemas up to {latest}; it was left "
            "untouched. Upgrade Clew to open it"
        )


def migrate(connection: apsw.Connection, steps: Sequence[str], save: Callable[[int], None]) -> int:
    """Applies the missing steps and returns the schema's number; the caller holds the lock of the home.

    Args:
        steps: all steps; the first leads to schema 1.
        save: makes a copy of a database that already has a schema, of the number given, before it changes.

    Raises:
        SchemaError: as `refuse_foreign`.
    """
    refuse_foreign(connection, len(steps))
    start = schema_number(connection)
    if 0 < start < len(steps):
        save(start)
    for number, step in enumerate(steps[start:], start + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(step).fetchall()
            connection.execute(f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {number}").fetchall()
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    return len(steps)


def schema_number(connection: apsw.Connection) -> int:
    """The number of the last applied step; 0 for an empty database."""
    return int(connection.pragma("user_version"))


def _has_tables(connection: apsw.Connection) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_schema").get)
