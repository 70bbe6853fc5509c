"""The attached projects of a space, as a row of META: their folders, in the order in which they were attached."""

import json
from pathlib import Path
from typing import Final

from clew.errors import InputError, NotFoundError
from clew.rows.pause import refuse_while_paused
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import MetaRow
from clew.store.rows import dumps
from clew.store.selections import META_VALUE
from clew.store.tables import META

PROJECTS: Final = "projects"
MOST: Final = 20
"""Projects that a space may be attached to."""


def attached(reader: Reader, space: str) -> tuple[str, ...]:
    """The folders of the attached projects."""
    return tuple(json.loads(META_VALUE.get(reader, (space, PROJECTS)) or "[]"))


def attach(store: Store, space: str, root: Path) -> tuple[str, ...]:
    """Attaches a project; returns the folders of all attached projects.

    Raises:
        InputError: there are `MOST` already, or the space is paused.
    """

    def write(tx: Transaction) -> tuple[str, ...]:
        refuse_while_paused(tx, space)
        roots = attached(tx, space)
        if root.as_posix() in roots:
            return roots
        if len(roots) >= MOST:
            raise InputError(f"there are {MOST} projects already, which is the limit; detach one first")
        return _put(tx, space, (*roots, root.as_posix()))

    return store.transaction(write)


def detach(store: Store, space: str, root: str) -> tuple[str, ...]:
    """Detaches a project; returns the folders of the projects that are still attached.

    Raises:
        NotFoundError: it is not attached.
    """

    def write(tx: Transaction) -> tuple[str, ...]:
        roots = attached(tx, space)
        if root not in roots:
            raise NotFoundError(f"{root!r} is not attached to space {space!r}; attached: {', '.join(roots) or 'none'}")
        return _put(tx, space, tuple(path for path in roots if path != root))

    return store.transaction(write)


def _put(tx: Transaction, space: str, roots: tuple[str, ...]) -> tuple[str, ...]:
    META.put(tx, [MetaRow(space, PROJECTS, dumps(roots))])
    return roots
