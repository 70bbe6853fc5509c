"""Annotations as rows; one row holds everything that one stage says about a turn (docs/decisions/0006).

Rows of ANNOTATION are found by what they are about and by kind. What is said of every turn without a language model
stands in two tables of its own, by the turn's ordinal, encoded by `clew.rows.annotation_codec` (docs/decisions/0010).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from clew.analyze.weigh import ANALYZE_VERSION, weigh
from clew.errors import InputError, is_rule_failure
from clew.rows.annotation_codec import analysis_of, weighing_of, weighing_text
from clew.store import tables
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import MetaRow, TurnRow
from clew.store.rows import dumps
from clew.store.selections import (
    ANALYSIS_ORDINAL,
    ANALYSIS_VALUE,
    ANNOTATION_OWNER,
    LABEL_NAME,
    MENTION_ORDINAL,
    META_VALUE,
    WEIGHING_ORDINAL,
    WEIGHING_VALUE,
)
from clew.store.tables import META
from clew.store.turn_selections import TURN_ORDINAL, TURN_PLACES, TURN_TEXT
from clew.types.annotation import Annotation
from clew.types.ids import parse_turn_id, turn_id
from clew.types.provenance import Provenance

PROVENANCE: Final = Provenance.RULE.value
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

_BY_TURN_VALUE: Final = MappingProxyType({WEIGHING: WEIGHING_VALUE, ANALYSIS: ANALYSIS_VALUE})
_BY_TURN_ORDINAL: Final = (WEIGHING_ORDINAL, ANALYSIS_ORDINAL, MENTION_ORDINAL)


def makers_of(reader: Reader, space: str) -> list[str]:
    """The provenances that rows of ANALYSIS may name; the first is that of rules."""
    text = META_VALUE.get(reader, (space, MAKERS))
    return [PROVENANCE] if text is None else list(json.loads(text))


def maker_number(tx: Transaction, space: str, provenance: str) -> int:
    """The index of a provenance among those of `makers_of`; a new one is added."""
    makers = makers_of(tx, space)
    if provenance not in makers:
        makers.append(provenance)
        META.put(tx, [MetaRow(space, MAKERS, dumps(makers))])
    return makers.index(provenance)


def annotation_values(reader: Reader, space: str, table: str, ordinals: Sequence[int]) -> list[dict[str, Any] | None]:
    """The annotations of turns in a table of `BY_TURN`, by kind; None for a turn without a row."""
    column, read = _BY_TURN_VALUE[table], BY_TURN[table]
    texts = column.get_many(reader, [(space, ordinal) for ordinal in ordinals])
    return [None if text is None else read(text) for text in texts]


def weighing_values(reader: Reader, space: str, ordinals: Sequence[int]) -> list[dict[str, Any] | None]:
    """The weighings of turns, by kind; None for a turn that is not weighed, or by rules of another version."""
    rows = tables.WEIGHING.get_many(reader, [(space, ordinal) for ordinal in ordinals])
    return [weighing_of(row.value) if row is not None and row.version == ANALYZE_VERSION else None for row in rows]


def weighings_again(reader: Reader, space: str, turns: Sequence[TurnRow]) -> list[tuple[int, str]]:
    """New weighings, by ordinal, of injected turns that older rules weighed, since the analysis passes these over."""
    own = [turn for turn in turns if turn.origin == "injected"]
    rows = tables.WEIGHING.get_many(reader, [(space, turn.ordinal) for turn in own])
    pairs = zip(own, rows, strict=True)
    outdated = [turn for turn, row in pairs if row is not None and row.version != ANALYZE_VERSION]
    weighings = [(turn.ordinal, weighing_tried(turn.text)) for turn in outdated]
    return [(ordinal, text) for ordinal, text in weighings if text is not None]


def replaced(reader: Reader, space: str) -> int:
    """How often final annotations of turns of the space were replaced or removed."""
    return int(META_VALUE.get(reader, (space, SAID)) or 0)


def weighing_made(text: str) -> str:
    """What rules weigh of a text, as a row of WEIGHING has it."""
    return weighing_text(weigh(text).annotations())


def weighing_tried(text: str) -> str | None:
    """The value of WEIGHING of a text; None where the rules fail on it, which the analysis reports."""
    try:
        return weighing_made(text)
    except Exception as error:
        if not is_rule_failure(error):
            raise
        return None


def weighed_anyway(text: str) -> Mapping[str, Any]:
    """What rules weigh of a text, by kind; of an empty one where they fail on it, so that who asks gets an answer."""
    try:
        return weigh(text).annotations()
    except Exception as error:
        if not is_rule_failure(error):
            raise
        return weigh("").annotations()


def weighings_made(reader: Reader, space: str, ordinals: Sequence[int]) -> list[str | None]:
    """The values of WEIGHING of turns that wait for the analysis, which writes them; None for those that are gone."""
    texts = [TURN_TEXT.first(reader, (space, ordinal), (space, ordinal), index="ordinal") for ordinal in ordinals]
    return [None if text is None else weighing_text(weighed_anyway(text)) for text in texts]


def note_replaced(tx: Transaction, space: str) -> None:
    """Raises the count of `replaced`; called in the transaction that replaces or removes final annotations."""
    META.put(tx, [MetaRow(space, SAID, str(replaced(tx, space) + 1))])


def annotations_of(reader: Reader, space: str, owner: str) -> dict[str, Annotation]:
    """All that is said of a turn or node, by kind, sorted; what nobody computed is absent.

    Where the analysis says something again in the light of more (domains, with a vector), that counts.
    """
    annotations: dict[str, Annotation] = {}
    for row in tables.ANNOTATION.scan(reader, (space, owner), (space, owner)):
        annotations[row.kind] = Annotation(json.loads(row.value), row.provenance, row.version)
    ordinal = _ordinal_of(reader, space, owner)
    if ordinal is None:
        return dict(sorted(annotations.items()))
    weighing = tables.WEIGHING.get(reader, (space, ordinal))
    if weighing is None:
        value, version = weighings_made(reader, space, [ordinal])[0], ANALYZE_VERSION
    else:
        value, version = weighing.value, weighing.version
    if value is not None:
        annotations |= {kind: Annotation(each, PROVENANCE, version) for kind, each in weighing_of(value).items()}
    analysis = tables.ANALYSIS.get(reader, (space, ordinal))
    if analysis is not None:
        provenance = makers_of(reader, space)[analysis.maker]
        values = analysis_of(analysis.value).items()
        annotations |= {kind: Annotation(value, provenance, analysis.version) for kind, value in values}
    return dict(sorted(annotations.items()))


def _ordinal_of(reader: Reader, space: str, owner: str) -> int | None:
    """The number of a turn that is stored, by its id; None for what is none."""
    try:
        key = (space, *parse_turn_id(owner))
    except InputError:
        return None
    return TURN_ORDINAL.get(reader, key)


def orphans(reader: Reader, space: str) -> list[str]:
    """The owners of annotations that are neither a stored turn nor a label in use, sorted."""
    owners = set(ANNOTATION_OWNER.scan(reader, (space,), (space,)))
    unknown = owners - {turn_id(place.session, place.seq) for place in TURN_PLACES.scan(reader, (space,), (space,))}
    labels = LABEL_NAME.scan(reader, (space, TAG), (space, TAG), index="name") if unknown else []
    return sorted(unknown - {NAME_OWNER + name for name in labels})


def lost_ordinals(reader: Reader, space: str) -> list[int]:
    """The ordinals with annotations that belong to no stored turn, ascending."""
    described = {ordinal for column in _BY_TURN_ORDINAL for ordinal in column.scan(reader, (space,), (space,))}
    return sorted(described - set(TURN_ORDINAL.scan(reader, (space,), (space,), index="ordinal")))
