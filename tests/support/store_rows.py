"""Short ways to make, put and see rows in the tests of the store."""

from collections.abc import Callable
from typing import TypeVar

from clew.store.protocol import Reader, Store
from clew.store.values import Row

T = TypeVar("T")


def turn(
    session: str,
    seq: int,
    ordinal: int | None = None,
    *,
    space: str = "a",
    external_id: str | None = None,
    text: str = "hello",
) -> Row:
    return (
        *(space, session, seq, ordinal, b"hash", None, external_id, "main", None),
        *("user", "Alice", "user", "test", 1, None, None, text),
    )


def job(name: str, *, kind: str = "embed", space: str = "a", state: str | None = "pending", not_before: int = 0) -> Row:
    return (space, name, kind, state, "{}", 0, None, None, not_before)


def session(name: str, next_seq: int | None = 0, *, space: str = "a", title: str | None = None) -> Row:
    return (space, name, next_seq, title, "{}", 1)


def annotation(owner: str, kind: str, value: str | None = "v", *, space: str = "a") -> Row:
    return (space, owner, kind, value, "rule", 1)


def put(store: Store, table: str, *rows: Row) -> None:
    store.transaction(lambda tx: tx.put(table, rows))


def seen(store: Store, look: Callable[[Reader], T]) -> T:
    with store.snapshot() as reader:
        return look(reader)


def everything(store: Store, table: str, space: str = "a") -> list[Row]:
    return seen(store, lambda reader: reader.scan(table, (space,), (space,)))
