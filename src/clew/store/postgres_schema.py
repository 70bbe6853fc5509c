"""Applies the numbered steps of the PostgreSQL schema: forward only, one transaction each.

The number stands in a table of the installation's schema; a schema without that table is someone else's. Several who
open a new installation at once all try: the first makes it, the others find it made.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from clew.errors import SchemaError, StoreError
from clew.store.postgres_driver import driver, translating

if TYPE_CHECKING:
    from psycopg import Connection

_LOG: Final = logging.getLogger(__name__)
OLDEST: Final = 130_000
"""As the server counts its versions; older ones are maintained by nobody."""
_MADE_BY_OTHERS: Final = ("23505", "42P06", "42P07", "42710")
"""SQLSTATEs of a name that came into being meanwhile."""


def check_server(version: int, encoding: str, fsync: str) -> None:
    """Checks that the server can store what Clew writes; logs a warning if commits may not be durable on its disk.

    Raises:
        StoreError: it is too old, or its database has another encoding than UTF-8.
    """
    if version < OLDEST:
        raise StoreError(
            f"the server is PostgreSQL {version // 10_000}; expected {OLDEST // 10_000} or newer: upgrade it"
        )
    if encoding != "UTF8":
        raise StoreError(
            f"the database has the encoding {encoding}, which cannot hold every text; make one with "
            "CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0 and give that one's address"
        )
    if fsync != "on":
        _LOG.warning("the server has fsync = %s: what is acknowledged may be lost to a power cut; set it to on", fsync)


def schema_number(connection: "Connection[Any]", schema: str, engine: Mapping[str, str]) -> int:
    """The number of the last step that was applied; 0 where nothing is yet. Reads only.

    Raises:
        SchemaError: the schema belongs to another program.
    """
    _, things, is_ours = connection.execute(engine["schema_state"]).fetchall()[0]
    if not is_ours:
        if things:
            raise SchemaError(
                f"the schema {schema!r} holds tables of another program; it was left untouched. Choose another: add "
                "?schema=NAME to the address"
            )
        return 0
    return int(connection.execute(engine["schema_number"]).fetchall()[0][0])


def migrate(connection: "Connection[Any]", schema: str, steps: Sequence[str], engine: Mapping[str, str]) -> int:
    """Applies the steps that are missing and gives the schema's number.

    Raises:
        SchemaError: the schema is newer than `steps`, or belongs to another program; nothing was touched.
        StoreError: it cannot be made; the message says why.
    """
    with translating():
        while (number := schema_number(connection, schema, engine)) < len(steps):
            try:
                with connection.transaction():
                    _apply(connection, schema, number, steps[number], engine)
            except driver().Error as error:
                if error.sqlstate not in _MADE_BY_OTHERS or schema_number(connection, schema, engine) == number:
                    raise
    if number > len(steps):
        raise SchemaError(
            f"the schema {schema!r} has number {number}, and this Clew knows schemas up to {len(steps)}; it was left "
            "untouched. Upgrade Clew to open it"
        )
    return number


def _apply(connection: "Connection[Any]", schema: str, number: int, step: str, engine: Mapping[str, str]) -> None:
    if number:
        connection.execute(engine["lock_schema"])
        if schema_number(connection, schema, engine) != number:
            return  # someone else was faster
    elif not connection.execute(engine["schema_state"]).fetchall()[0][0]:
        connection.execute(f'CREATE SCHEMA "{schema}"')
    connection.execute(f'SET LOCAL search_path = "{schema}"')
    connection.execute(step, prepare=False)
    connection.execute(engine["schema_reached"].format(number=number + 1))
