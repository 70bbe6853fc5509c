"""Stores the answers of a named-entity model, from which the entity graph is counted.

A row of ANNOTATION of the kind `named` for each turn in which it saw something, a list of [start, end, type as a
letter]; and a row of META, `recogniser`:

    recogniser    {"model": name, "next": ordinal, "failed": n}: it was asked about every turn before `next`; with
                  "again": [ordinal] once turns that were set aside (`clew.rows.set_aside`) are to be tried again

So any process, with or without the model, counts the same, and forgetting takes off what was counted.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from clew.store.protocol import Reader, Transaction
from clew.store.row_types import AnnotationRow
from clew.store.rows import dumps
from clew.store.selections import ANNOTATION_VALUE, META_VALUE
from clew.store.tables import ANNOTATION
from clew.types.compact import NODE_TYPES
from clew.types.entity import NameSpan, NodeType
from clew.types.provenance import model_provenance
from clew.types.turn import Turn

KIND: Final = "named"
RECOGNISER: Final = "recogniser"
VERSION: Final = 1
"""Of the form of a row."""

Spans = tuple[NameSpan, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """How far a space's turns were shown to a model.

    Attributes:
        model: its name.
        next: ordinal of the first turn about which it was not asked.
        failed: turns that it could not do; they are named by rules alone.
        again: ordinals of turns before `next` about which it is asked again.
    """

    model: str
    next: int = 0
    failed: int = 0
    again: tuple[int, ...] = ()

    def to_json(self) -> str:
        """JSON with a fixed form."""
        said = {"model": self.model, "next": self.next, "failed": self.failed}
        return dumps(said | ({"again": self.again} if self.again else {}))


def read_asked(reader: Reader, space: str) -> tuple[str | None, Asked | None]:
    """The row's text and the progress in it; None and the beginning if no model was ever asked."""
    text = META_VALUE.get(reader, (space, RECOGNISER))
    if text is None:
        return None, None
    said = json.loads(text)
    return text, Asked(**{**said, "again": tuple(said.get("again", ()))})


def spans_seen(reader: Reader, space: str, turns: Sequence[Turn]) -> list[Spans]:
    """The recorded names in some turns; empty where no model was asked."""
    return spans_by_name(reader, space, [str(turn.id) for turn in turns])


def spans_by_name(reader: Reader, space: str, names: Sequence[str]) -> list[Spans]:
    """The recorded names in turns that are given by their ids."""
    if META_VALUE.get(reader, (space, RECOGNISER)) is None:
        return [()] * len(names)
    values = ANNOTATION_VALUE.get_many(reader, [(space, name, KIND) for name in names])
    return [() if value is None else _read(value) for value in values]


def put_spans(tx: Transaction, space: str, model: str, seen: Mapping[str, Spans]) -> None:
    """Replaces the recorded names in turns that are given by their ids."""
    rows: list[AnnotationRow] = []
    for owner, spans in seen.items():
        if spans:
            value = dumps([[span.start, span.end, NODE_TYPES.letter(span.type)] for span in spans])
            rows.append(AnnotationRow(space, owner, KIND, value, model_provenance(model), VERSION))
        else:
            tx.delete("annotation", (space, owner, KIND), (space, owner, KIND))
    ANNOTATION.put(tx, rows)


def _read(value: str) -> Spans:
    """The spans of a row; none of one that cannot be read, which `verify` notices by what is counted."""
    try:
        return tuple(
            NameSpan(int(start), int(end), NodeType(NODE_TYPES.name(kind))) for start, end, kind in json.loads(value)
        )
    except (ValueError, TypeError):
        return ()
