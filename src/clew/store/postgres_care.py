"""Maintenance of an installation on PostgreSQL: removes deleted rows from its files, and looks for damage."""

import logging
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from clew.errors import StoreError, StoreLocked, StoreReadOnly
from clew.store.postgres_driver import driver, translating
from clew.store.postgres_pool import Pool
from clew.store.tables import TABLES, Table
from clew.text.counted import counted

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.errors import Diagnostic

_LOG: Final = logging.getLogger(__name__)


def rewrite(connection: "Connection[Any]", engine: Mapping[str, str]) -> None:
    """Rewrites every table, without the rows that were deleted or replaced.

    All of them: rows that were forgotten have left traces in whatever table they passed through, and nothing tells in
    which pages.

    Raises:
        StoreLocked: a snapshot that began before still sees such rows, so that they had to be kept.
        StoreReadOnly: the role may not.
    """
    with translating():
        for table in TABLES:
            _rewrite(connection, table, engine["rewrite"].format(table=table))
        try:
            connection.execute(engine["settle"])
        except driver().errors.InsufficientPrivilege:
            _LOG.debug("the role may not order a checkpoint; the server makes one by itself")


def _rewrite(connection: "Connection[Any]", table: str, statement: str) -> None:
    said: list[tuple[str | None, str | None, str | None]] = []

    def note(notice: "Diagnostic") -> None:  # which is empty after the call
        said.append((notice.severity_nonlocalized, notice.message_primary, notice.message_detail))

    connection.add_notice_handler(note)
    try:
        connection.execute(statement, prepare=False)
    finally:
        connection.remove_notice_handler(note)
    for severity, message, detail in said:
        if severity == "WARNING":
            raise StoreReadOnly(f"{table} was not written anew: {message}; only its owner may do that")
        match = re.match(r"\s*(\d+)", detail or "")  # "2 dead row versions cannot be removed yet"
        if match is not None and int(match[1]):
            raise StoreLocked(
                f"{match[1]} deleted rows of {table} are still there for a snapshot that began before; close it, in "
                "this process or another, and try again"
            )


def damage(pool: Pool, engine: Mapping[str, str]) -> list[str]:
    """One line for each damage found: reads every value, and counts each table by itself and by its primary key."""
    unsound = pool.ask(engine["unsound_indexes"])
    problems = [f"index {name}: the server does not trust it; REINDEX it" for (name,) in unsound]
    for table in TABLES.values():
        try:
            by_table, by_index = _counts(pool, engine, table)
        except StoreError as error:
            problems.append(f"table {table.name}: {error}")
        else:
            if by_table != by_index:
                problems.append(
                    f"table {table.name}: it has {counted(by_table, 'row')}, and its primary key {by_index}; REINDEX it"
                )
    return problems


def _counts(pool: Pool, engine: Mapping[str, str], table: Table) -> tuple[int, int]:
    """Rows of one state of a table, by itself, where every value is read, and by its primary key."""
    digested = {"bytes": '"{name}"', "text": "convert_to(\"{name}\", 'UTF8')"}
    digests = "".join(
        f", count(sha256({digested[kind].format(name=name)}))"
        for name, kind in table.columns.items()
        if kind in digested
    )
    with pool.begun(engine["look"]) as cursor, translating():
        connection = cursor.connection
        counts = []
        for way, values in (("through_tables", digests), ("through_indexes", "")):
            connection.execute(engine[way], prepare=False)
            statement = engine["count_all"].format(digests=values, table=table.name)
            counts.append(int(connection.execute(statement).fetchall()[0][0]))
        return counts[0], counts[1]
