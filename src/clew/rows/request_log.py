"""The log of requests that passed through the proxy, as rows: what each was decided to be, and what it cost."""

from collections.abc import Iterable

from clew.store.protocol import Reader, Store
from clew.store.row_types import RequestLogRow
from clew.store.tables import REQUEST_LOG


def log_requests(store: Store, rows: Iterable[RequestLogRow], *, durable: bool = False) -> None:
    """Keeps rows; one of the same time and id takes the place of the older.

    Args:
        durable: whether they are on the disk on return; otherwise the next durable write takes them along.
    """
    kept = list(rows)
    if kept:
        store.transaction(lambda tx: REQUEST_LOG.put(tx, kept), durable=durable)


def logged_requests(reader: Reader, space: str, since: int, until: int) -> list[RequestLogRow]:
    """The requests between two times (microseconds since 1970 UTC, both included), the oldest first."""
    return REQUEST_LOG.scan(reader, (space, since), (space, until))


def logged_of_session(reader: Reader, space: str, session: str, limit: int | None = None) -> list[RequestLogRow]:
    """The requests of a session, the newest first; at most so many."""
    key = (space, session)
    return REQUEST_LOG.scan(reader, key, key, index="session", limit=limit, reverse=True)
