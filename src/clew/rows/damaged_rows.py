"""Reports derived rows that cannot be read as damage, with the command that repairs it. Start at `reading_derived`."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from clew.errors import StoreCorrupt
from clew.store.protocol import Reader, Store

UNREADABLE: Final = (ValueError, TypeError, LookupError, AttributeError, zlib.error)
"""What reading a row may raise: something outside of Clew may have written anything into it."""


@contextmanager
def reading_derived(store: Store) -> Iterator[Reader]:
    """A snapshot from which derived rows are read; one that cannot be read is told as damage.

    Raises:
        StoreCorrupt: there is one.
    """
    try:
        with store.snapshot() as reader:
            yield reader
    except UNREADABLE as error:
        raise StoreCorrupt(
            f"a row of what is derived cannot be read ({type(error).__name__}: {error}); "
            "`clew doctor` names it, and `clew doctor --repair` makes again what it can"
        ) from error
