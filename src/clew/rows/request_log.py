"""Stores a log of requests through the proxy: what was decided about each, and what it cost."""

from clew.rows.pause import is_session_paused
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import RequestLogRow
from clew.store.tables import REQUEST_LOG


def log_request(store: Store, row: RequestLogRow) -> None:
    """Keeps a row, in place of one of the same time and id, unless its session is paused.

    The next durable write takes it to the disk.
    """

    def write(tx: Transaction) -> None:
        if not is_session_paused(tx, row.space, row.session or ""):
            REQUEST_LOG.put(tx, [row])

    store.transaction(write, durable=False)


def logged_requests(reader: Reader, space: str, session: str | None = None, since: int = 0) -> list[RequestLogRow]:
    """The requests of a session, or else of the space, from a time on (microseconds since 1970 UTC), oldest first."""
    if session is None:
        return REQUEST_LOG.scan(reader, (space, since), (space,))
    return REQUEST_LOG.scan(reader, (space, session, since), (space, session), index="session")


def forget_logged(tx: Transaction, space: str, session: str) -> None:
    """Removes the name of a session from the log; its requests still count for their day and model."""
    REQUEST_LOG.put(tx, [row._replace(session=None) for row in logged_requests(tx, space, session)])


def drop_logged(tx: Transaction, space: str, before: int, most: int) -> int:
    """Deletes the oldest requests of before a time (microseconds since 1970); returns how many."""
    rows = REQUEST_LOG.scan(tx, (space,), (space, before - 1), limit=most)
    return tx.delete(REQUEST_LOG.name, (space,), (space, rows[-1].at, rows[-1].request)) if rows else 0
