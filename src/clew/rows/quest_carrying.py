"""Carries the stored parts of quests from one home to another: titles and stages that people set, seals, patterns.

Turns may have other ids in the other home, so a quest is found there by the hashes of its turns, in their order. A seal
is carried as it was made, with a list of the ids that its turns have in the other home; it is left out if it does not
hold there.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from clew.errors import InputError
from clew.ingest.secrets.masking import mask
from clew.project.quests import quest_id
from clew.project.seals import check_seal, pattern_name
from clew.rows.pause import paused_since
from clew.rows.quests import PATTERN, SEAL, SET
from clew.store.project_row_types import QuestRow
from clew.store.protocol import Reader, Store, Transaction
from clew.store.rows import dumps
from clew.store.tables import QUEST
from clew.store.turn_selections import TURN_CONTENTS, TURN_HASH, TurnContent
from clew.types.ids import turn_id
from clew.types.quests import QuestPattern, QuestSeal
from clew.types.record import Record

_TRIED: Final = 200
"""Most turns of a session, with the hash of a quest's first turn, from which on the quest is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedQuest(Record):
    """One stored row of a quest, as it is exported.

    Attributes:
        kind: `set`, `seal` or `pattern`.
        name: id of the quest in the home that it comes from, or name of the pattern.
        session: empty for a pattern that came from elsewhere.
        at: when it was written, microseconds since 1970.
        turns: content hashes, hexadecimal, of its first and last turn; of a seal those of all turns.
        place: how many earlier turns of the session have the first hash.
        data: content of the row.
    """

    kind: str
    name: str
    session: str
    at: int
    turns: tuple[str, ...]
    place: int
    data: Mapping[str, Any]


def quests_to_carry(reader: Reader, space: str) -> Iterator[CarriedQuest]:
    """The stored rows of the quests of a space, the oldest first; rows whose turns are not stored are left out."""
    for row in sorted(QUEST.scan(reader, (space,), (space,)), key=lambda row: (row.at, row.kind, row.name)):
        data = json.loads(row.data)
        turns: tuple[str, ...] = ()
        place = 0
        if row.session:
            ends = TURN_HASH.get_many(reader, [(space, row.session, seq) for seq in (row.first, row.last)])
            if None in ends:
                continue
            turns = tuple(digest.hex() for digest in ends if digest is not None)
            if row.kind == SEAL:
                turns = tuple(entry["digest"] for entry in data["entries"] if entry["kind"] == "turn")
            before = TURN_CONTENTS.scan(reader, (space, row.session), (space, row.session, row.first))
            place = sum(turn.hash == ends[0] for turn in before) - 1
        yield CarriedQuest(
            kind=row.kind, name=row.name, session=row.session, at=row.at, turns=turns, place=place, data=data
        )


def carry_quests(carried: Sequence[CarriedQuest], target: Store, space: str, *, mask_secrets: bool) -> int:
    """Store what comes from another home, and return how many rows were stored.

    Left out are rows that the same quest has here already, rows about turns that are not stored here, seals and
    patterns that do not hold, and, if secrets are masked, seals and patterns that contain one.
    """

    def write(tx: Transaction) -> int:
        if paused_since(tx, space) is not None:
            return 0
        rows = [row for quest in carried if (row := _row(tx, space, quest, mask_secrets=mask_secrets)) is not None]
        QUEST.put(tx, rows)
        return len(rows)

    return target.transaction(write) if carried else 0


def _row(tx: Reader, space: str, quest: CarriedQuest, *, mask_secrets: bool) -> QuestRow | None:
    """The row of a carried quest; None if it is to be left out."""
    seqs: Sequence[int] = (0,)
    name = quest.name
    if quest.session:
        places = _places(tx, space, quest)
        if places is None:
            return None
        seqs = places
        name = quest.name if quest.kind == PATTERN else quest_id(quest.session, seqs[0])
    if QUEST.get(tx, (space, quest.kind, name)) is not None:
        return None
    data = _data(quest, seqs)
    if data is not None and mask_secrets and (masked := mask(dumps(data))[0]) != dumps(data):
        data = json.loads(masked) if quest.kind == SET else None
    if data is None:
        return None
    return QuestRow(space, quest.kind, name, quest.session, seqs[0], seqs[-1], quest.at, dumps(data))


def _data(quest: CarriedQuest, seqs: Sequence[int]) -> dict[str, Any] | None:
    """The content of the row; None if it is not what was sealed or exported."""
    try:
        if quest.kind == SEAL:
            seal = QuestSeal.from_dict(quest.data)
            names = [entry.name for entry in seal.entries if entry.kind == "turn"]
            moved = {name: turn_id(quest.session, seq) for name, seq in zip(names, seqs, strict=True)}
            is_whole = check_seal(seal, dict(zip(names, quest.turns, strict=True))).ok
            carried = {name: here for name, here in moved.items() if name != here}
            return replace(seal, moved=carried).to_dict() if is_whole else None
        if quest.kind == PATTERN:
            pattern = QuestPattern.from_dict(quest.data)
            name = pattern_name(pattern.title, pattern.steps, pattern.checks, pattern.endings, pattern.provenance)
            return pattern.to_dict() if name == pattern.name == quest.name else None
        title, stage = quest.data["title"], quest.data["stage"]
    except (InputError, KeyError, ValueError):
        return None
    return {"title": str(title), "stage": str(stage)} if quest.kind == SET else None


def _places(reader: Reader, space: str, quest: CarriedQuest) -> list[int] | None:
    """Seqs of the stored turns of a quest, in their order; None if one is missing."""
    here = TURN_CONTENTS.scan(reader, (space, quest.session), (space, quest.session))
    if not quest.turns:
        return None
    starts = [place for place, turn in enumerate(here) if turn.hash.hex() == quest.turns[0]]
    wanted = starts[quest.place : quest.place + 1]
    tried = [*wanted, *(start for start in starts[:_TRIED] if start not in wanted)]
    return next((seqs for start in tried if (seqs := _in_order(here[start:], quest.turns)) is not None), None)


def _in_order(here: Iterable[TurnContent], wanted: Sequence[str]) -> list[int] | None:
    """Seqs of the turns with these hashes, quest after the one before; None if one is missing."""
    turns = iter(here)
    seqs = [next((turn.seq for turn in turns if turn.hash.hex() == digest), None) for digest in wanted]
    return None if None in seqs else [seq for seq in seqs if seq is not None]
