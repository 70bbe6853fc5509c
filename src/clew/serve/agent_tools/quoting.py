"""Which turns an answer of a tool quotes, so that what keeps the answer can be deleted together with one of them."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class NotTraceable:
    """Stands among the ids for words whose turns cannot be named."""


_Quoted = set[str | type[NotTraceable]]
_QUOTED: ContextVar[_Quoted | None] = ContextVar("clew_quoted_turns", default=None)


@contextmanager
def quoting() -> Iterator[_Quoted]:
    """Collects, while the block runs, the ids of the turns that tools quote in this thread."""
    turns: _Quoted = set()
    token = _QUOTED.set(turns)
    try:
        yield turns
    finally:
        _QUOTED.reset(token)


def is_asked() -> bool:
    """Whether the ids are being collected."""
    return _QUOTED.get() is not None


def quotes(turns: Iterable[str | type[NotTraceable]]) -> None:
    """Adds ids of quoted turns to the collection, if there is one."""
    quoted = _QUOTED.get()
    if quoted is not None:
        quoted.update(turns)
