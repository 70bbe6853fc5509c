"""Corrections that repeat what a deleted turn said: they are turns of their own, and stay."""

from collections.abc import Sequence
from typing import cast

from clew.derive.corrections import wrong_value
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.text.normalise import fold, fold_contains
from clew.types.facts import CORRECTIONS
from clew.types.ids import turn_id
from clew.types.turn import Turn


def repeating_corrections(reader: Reader, space: str, turns: Sequence[Turn]) -> tuple[str, ...]:
    """The corrections of facts that repeat a value which one of these turns states, as `not prawns` does."""
    gone = {(turn.session, turn.seq) for turn in turns}
    ids: list[str] = []
    for row in TURN.scan(reader, (space, CORRECTIONS), (space, CORRECTIONS)):
        correction = turn_from_row(row)
        value = wrong_value(correction)
        if (correction.session, correction.seq) in gone or value is None or not fold(value):
            continue
        if any(fold_contains(turn.text, value) for turn in turns):
            ids.append(turn_id(correction.session, cast(int, correction.seq)))
    return tuple(ids)
