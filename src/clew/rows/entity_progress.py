"""How far the turns of a space are counted in the entity graph, as a row of META.

entities    {"next": ordinal, "version": n}: everything before `next` is counted, but for turns that were set aside
            (`clew.rows.set_aside`); with "again": [ordinal] those of them that are to be counted after all
"""

import json
from dataclasses import dataclass
from typing import Final

from clew.store.protocol import Reader
from clew.store.rows import dumps
from clew.store.selections import META_VALUE
from clew.structure.stored_graph import ENTITY_VERSION

ENTITY_PROGRESS: Final = "entities"


@dataclass(frozen=True, slots=True)
class CountingProgress:
    """How far a space's turns are counted.

    Attributes:
        next: ordinal of the first turn that is not.
        again: ordinals of turns before it that are not either, and are to be.
    """

    next: int = 0
    version: int = ENTITY_VERSION
    again: tuple[int, ...] = ()

    def to_json(self) -> str:
        """JSON with a fixed form."""
        return dumps({"next": self.next, "version": self.version} | ({"again": self.again} if self.again else {}))


def read_entity_progress(reader: Reader, space: str) -> tuple[str | None, CountingProgress]:
    """The row's text and the progress in it; None and the beginning for a space of which nothing was counted."""
    text = META_VALUE.get(reader, (space, ENTITY_PROGRESS))
    if text is None:
        return None, CountingProgress()
    said = json.loads(text)
    return text, CountingProgress(**{**said, "again": tuple(said.get("again", ()))})


def counted_to(reader: Reader, space: str) -> int:
    """Turns with a lower ordinal are counted in the graph; 0 where an older version counted them."""
    _, progress = read_entity_progress(reader, space)
    return progress.next if progress.version == ENTITY_VERSION else 0
