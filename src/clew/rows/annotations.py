"""Annotations as rows and back. What one stage says of one turn at one time is one row (docs/decisions/0006).

Rows of ANNOTATION are found by what they are about and by kind. What is said of every turn without a language model
stands in two tables of its own, by the turn's ordinal, encoded by `clew.rows.annotation_codec` (docs/decisions/0010).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, cast

from clew.errors import InputError
from clew.rows.annotation_codec import analysis_of, weighing_of
from clew.store.protocol import Reader, Transaction
from clew.store.rows import dumps
from clew.types.annotation import Annotation
from clew.types.ids import parse_turn_id, turn_id

PROVENANCE: Final = "rule"
WEIGHING: Final = "weighing"
"""The table that holds the values of layers 1 to 3 together (docs/decisions/0006)."""

ANALYSIS: Final = "analysis"
"""The table that holds what is said of a turn in the light of those before it."""

TAG: Final = "tag"
"""The namespace of labels that say what something is about."""

NAME_OWNER: Final = "tag:"
"""What is kept of a label of that namespace is owned by this prefix and its name."""

SAID: Final = "said"
"""The row of META that counts how often rows of turns were replaced that had been final: who remembers them notices."""

MAKERS: Final = "makers"
"""The row of META that lists the provenances which rows of ANALYSIS name by their place in it."""

BY_TURN: Final[Mapping[str, Callable[[str], dict[str, Any]]]] = MappingProxyType(
    {WEIGHING: weighing_of, ANALYSIS: analysis_of}
)
"""The tables that hold a row for each turn, by its ordinal, with what reads their values."""


def makers_of(reader: Reader, space: str) -> list[str]:
    """The provenances that rows of ANALYSIS may name; the first is that of rules."""
    row = reader.get("meta", (space, MAKERS))
    return [PROVENANCE] if row is None else cast("list[str]", json.loads(cast(str, row[2])))


def maker_number(tx: Transaction, space: str, provenance: str) -> int:
    """The place of a provenance among them; a new one is entered."""
    known = makers_of(tx, space)
    if provenance not in known:
        known.append(provenance)
        tx.put("meta", [(space, MAKERS, dumps(known))])
    return known.index(provenance)


def said_of(reader: Reader, space: str, table: str, ordinals: Sequence[int]) -> list[dict[str, Any] | None]:
    """What a table of `BY_TURN` says of turns, by kind; None for one of which it says nothing."""
    rows = reader.get_many(table, [(space, ordinal) for ordinal in ordinals], columns=("value",))
    return [None if row is None else BY_TURN[table](cast(str, row[0])) for row in rows]


def replaced(reader: Reader, space: str) -> int:
    """How often annotations of turns were replaced that had been final."""
    row = reader.get("meta", (space, SAID))
    return 0 if row is None else int(cast(str, row[2]))


def note_replaced(tx: Transaction, space: str) -> None:
    """Counts once more; whoever replaces or removes annotations of analysed turns calls it in the same transaction."""
    tx.put("meta", [(space, SAID, str(replaced(tx, space) + 1))])


def annotations_of(reader: Reader, space: str, owner: str) -> dict[str, Annotation]:
    """All that is said of a turn or node, by kind, sorted; what nobody computed is absent.

    Where the analysis says something again in the light of more (domains, with a vector), that counts.
    """
    found: dict[str, Annotation] = {}
    for _, _, kind, value, provenance, version in reader.scan("annotation", (space, owner), (space, owner)):
        said = json.loads(cast(str, value))
        found[cast(str, kind)] = Annotation(said, cast(str, provenance), cast(int, version))
    ordinal = _ordinal_of(reader, space, owner)
    for table, read in BY_TURN.items() if ordinal is not None else ():
        row = reader.get(table, (space, ordinal))
        if row is not None:
            provenance = PROVENANCE if table == WEIGHING else makers_of(reader, space)[cast(int, row[3])]
            for kind, value in read(cast(str, row[2])).items():
                found[kind] = Annotation(value, provenance, cast(int, row[-1]))
    return dict(sorted(found.items()))


def _ordinal_of(reader: Reader, space: str, owner: str) -> int | None:
    """The number of a turn that is stored, by its id; None for what is none."""
    try:
        key = (space, *parse_turn_id(owner))
    except InputError:
        return None
    row = reader.get_many("turn", [key], columns=("ordinal",))[0]
    return None if row is None else cast(int, row[0])


def orphans(reader: Reader, space: str) -> list[str]:
    """Owners of annotations that are no stored turn and no label in use, sorted."""
    owners = {cast(str, owner) for (owner,) in reader.scan("annotation", (space,), (space,), columns=("owner",))}
    places = reader.scan("turn", (space,), (space,), columns=("session", "seq"))
    left = owners - {turn_id(cast(str, session), cast(int, seq)) for session, seq in places}
    labels = reader.scan("label", (space, TAG), (space, TAG), index="name", columns=("name",)) if left else []
    return sorted(left - {NAME_OWNER + cast(str, name) for (name,) in labels})


def lost_ordinals(reader: Reader, space: str) -> list[int]:
    """Numbers under which something is said of a turn that is not stored, ascending."""
    held = {cast(int, row[1]) for table in BY_TURN for row in reader.scan(table, (space,), (space,), columns=_KEY)}
    turns = reader.scan("turn", (space,), (space,), index="ordinal", columns=("ordinal",))
    return sorted(held - {cast(int, ordinal) for (ordinal,) in turns})


_KEY: Final = ("space", "ordinal")
