"""How far the turns of a space were read for facts, as a row of META that changes with every change of facts."""

import json
from dataclasses import asdict, dataclass, replace
from typing import Final

from clew.errors import ConflictError
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import MetaRow
from clew.store.rows import dumps
from clew.store.selections import META_VALUE
from clew.store.tables import META, SPACE

_ROW: Final = "facts"


@dataclass(frozen=True, slots=True)
class FactProgress:
    """How far turns were read.

    Attributes:
        version: of the rules by which they were; empty where none was.
        next: ordinal of the first turn that was not.
        redo: ordinals of turns before it that are read again, since what they were read together with went.
        afresh: turns with a lower ordinal have no facts since a rebuild, until they are read.
        revision: rises with every change of facts.
    """

    version: str = ""
    next: int = 0
    redo: tuple[int, ...] = ()
    afresh: int = 0
    revision: int = 0

    @property
    def is_partial(self) -> bool:
        """Whether there may be turns with statements of which no facts are made yet."""
        return self.next < self.afresh


def read_fact_progress(reader: Reader, space: str) -> FactProgress:
    """The progress as stored; the beginning for a space of which no turn was read."""
    text = META_VALUE.get(reader, (space, _ROW))
    if text is None:
        return FactProgress()
    said = json.loads(text)
    return FactProgress(**{**said, "redo": tuple(said["redo"])})


def mend_fact_progress(tx: Transaction, space: str) -> None:
    """Has every turn read again where the row cannot be read."""
    try:
        read_fact_progress(tx, space)
    except Exception:  # noqa: BLE001  # the row may hold anything
        row = SPACE.get(tx, (space,))
        afresh = FactProgress(afresh=0 if row is None else row.next_ordinal)
        META.put(tx, [MetaRow(space, _ROW, dumps(asdict(afresh)))])


def unread_turns(reader: Reader, space: str, progress: FactProgress) -> int:
    """Turns that are to be read for facts, those that are read again among them."""
    unread = reader.count("turn", (space, progress.next), (space,), index="ordinal")
    return unread + len(progress.redo)


def write_fact_progress(tx: Transaction, space: str, seen: FactProgress, after: FactProgress) -> FactProgress:
    """Notes the progress after a change of facts, and returns it as it stands now.

    Raises:
        ConflictError: somebody changed facts since `seen` was read.
    """
    if read_fact_progress(tx, space) != seen:
        raise ConflictError("facts were changed by somebody else meanwhile; it is tried again")
    after = replace(after, revision=seen.revision + 1)
    META.put(tx, [MetaRow(space, _ROW, dumps(asdict(after)))])
    return after
