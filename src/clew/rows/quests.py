"""Stores what cannot be recognised about quests: what a person set, seals, patterns."""

import json
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, Final

from clew.store.project_row_types import QuestRow
from clew.store.protocol import Reader, Store, Transaction
from clew.store.rows import dumps, to_us
from clew.store.tables import QUEST
from clew.types.quests import Quest, QuestPattern, QuestSeal, QuestStage

SET: Final = "set"
SEAL: Final = "seal"
PATTERN: Final = "pattern"


def put_set(tx: Transaction, space: str, quest: Quest, now: datetime) -> None:
    """Stores the title and stage that a person gave to a quest."""
    _put(tx, space, SET, quest.id, quest, now, {"title": quest.title, "stage": quest.stage.value})


def put_seal(tx: Transaction, space: str, seal: QuestSeal) -> None:
    """Stores a seal, replacing an older one of the same quest."""
    _put(tx, space, SEAL, seal.quest.id, seal.quest, seal.sealed_at, seal.to_dict())


def put_pattern(tx: Transaction, space: str, pattern: QuestPattern, quest: Quest | None, now: datetime) -> None:
    """Keeps a pattern of a quest of this space, or of none of it."""
    _put(tx, space, PATTERN, pattern.name, quest, now, pattern.to_dict())


def _put(
    tx: Transaction, space: str, kind: str, name: str, quest: Quest | None, now: datetime, said: Mapping[str, Any]
) -> None:
    session, first, last = ("", 0, 0) if quest is None else (quest.session, quest.first, quest.last)
    QUEST.put(tx, [QuestRow(space, kind, name, session, first, last, to_us(now), dumps(said))])


def read_set(reader: Reader, space: str) -> dict[str, tuple[QuestRow, str, QuestStage]]:
    """What people set, by the id of the quest: the row, the title (empty for none) and the stage."""
    rows = QUEST.scan(reader, (space, SET), (space, SET))
    return {row.name: (row, *_set_of(row)) for row in rows}


def _set_of(row: QuestRow) -> tuple[str, QuestStage]:
    said = json.loads(row.data)
    return said["title"], QuestStage(said["stage"])


def read_seals(reader: Reader, space: str) -> dict[str, QuestSeal]:
    """The seals by the id of their quest, the oldest first."""
    rows = sorted(QUEST.scan(reader, (space, SEAL), (space, SEAL)), key=lambda row: (row.at, row.name))
    return {row.name: QuestSeal.from_dict(json.loads(row.data)) for row in rows}


def sealed_digests(store: Store) -> frozenset[str]:
    """SHA-256 of the files that the seals of all spaces cover, hexadecimal, as they were sealed."""
    with store.snapshot() as reader:
        seals = [seal for space in store.spaces() for seal in read_seals(reader, space).values()]
    return frozenset(entry.digest for seal in seals for entry in seal.entries if entry.kind == "file")


def read_patterns(reader: Reader, space: str) -> list[QuestPattern]:
    """The patterns, the oldest first."""
    rows = sorted(QUEST.scan(reader, (space, PATTERN), (space, PATTERN)), key=lambda row: (row.at, row.name))
    return [QuestPattern.from_dict(json.loads(row.data)) for row in rows]


def forget_quests(tx: Transaction, space: str, gone: Mapping[str, Collection[int]]) -> int:
    """Deletes the rows about forgotten turns; returns how many.

    Args:
        gone: their seqs by session.
    """
    keys = [
        (space, row.kind, row.name)
        for row in QUEST.scan(tx, (space,), (space,))
        if any(row.first <= seq <= row.last for seq in gone.get(row.session, ()))
    ]
    return sum(tx.delete(QUEST.name, key, key) for key in keys)
