"""Takes what is kept of quests from one home to another: what persons set, seals, patterns.

Turns may have other ids in the other home, so a quest is found there by the hashes of its turns, in their order. A seal
stays as it was made, with the ids under which its turns are stored now beside it; it is kept only if it holds.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from clew.errors import InputError
from clew.ingest.secrets import mask
from clew.project.quests import quest_id
from clew.project.seals import check_seal, pattern_name
from clew.rows.pause import paused_since
from clew.rows.quests import PATTERN, SEAL, SET
from clew.store.project_row_types import QuestRow
from clew.store.protocol import Reader, Store, Transaction
from clew.store.rows import dumps
from clew.store.selections import TURN_CONTENTS, TURN_HASH, TurnContent
from clew.store.tables import QUEST
from clew.types.ids import turn_id
from clew.types.quests import QuestPattern, QuestSeal
from clew.types.record import Record

_TRIED: Final = 200
"""Most places at which a quest is looked for in a session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedQuest(Record):
    """What is kept of one quest, as it goes from home to home.

    Attributes:
        kind: `set`, `seal` or `pattern`.
        name: id of the quest there, or name of the pattern.
        session: empty for a pattern that came from elsewhere.
        at: when it was written, microseconds since 1970.
        turns: content hashes, hexadecimal, of its first and last turn; of a seal those of all turns.
        place: how many earlier turns of the session have the first hash.
        data: as the row holds it.
    """

    kind: str
    name: str
    session: str
    at: int
    turns: tuple[str, ...]
    place: int
    data: Mapping[str, Any]


def quests_to_carry(reader: Reader, space: str) -> Iterator[CarriedQuest]:
    """What is kept of the quests of a space, the oldest first; without those that no turn has opened yet."""
    for row in sorted(QUEST.scan(reader, (space,), (space,)), key=lambda row: (row.at, row.kind, row.name)):
        data = json.loads(row.data)
        turns: tuple[str, ...] = ()
        place = 0
        if row.session:
            ends = TURN_HASH.get_many(reader, [(space, row.session, seq) for seq in (row.first, row.last)])
            if None in ends:
                continue
            turns = tuple(each.hex() for each in ends if each is not None)
            if row.kind == SEAL:
                turns = tuple(entry["digest"] for entry in data["entries"] if entry["kind"] == "turn")
            before = TURN_CONTENTS.scan(reader, (space, row.session), (space, row.session, row.first))
            place = sum(turn.hash == ends[0] for turn in before) - 1
        yield CarriedQuest(
            kind=row.kind, name=row.name, session=row.session, at=row.at, turns=turns, place=place, data=data
        )


def carry_quests(carried: Sequence[CarriedQuest], target: Store, space: str, *, mask_secrets: bool) -> int:
    """Keeps what comes from another home, unless the same quest has it here already; gives how much was kept.

    Left out is what belongs to turns that are not stored here, a seal or pattern that does not hold, and, where
    secrets are masked, a seal or pattern that has one.
    """

    def write(tx: Transaction) -> int:
        if paused_since(tx, space) is not None:
            return 0
        rows = [row for each in carried if (row := _row(tx, space, each, mask_secrets=mask_secrets)) is not None]
        QUEST.put(tx, rows)
        return len(rows)

    return target.transaction(write) if carried else 0


def _row(tx: Reader, space: str, each: CarriedQuest, *, mask_secrets: bool) -> QuestRow | None:
    """The row of what was carried; None for what is not to be kept."""
    seqs: Sequence[int] = (0,)
    name = each.name
    if each.session:
        found = _found(tx, space, each)
        if found is None:
            return None
        seqs = found
        name = each.name if each.kind == PATTERN else quest_id(each.session, seqs[0])
    if QUEST.get(tx, (space, each.kind, name)) is not None:
        return None
    data = _data(each, seqs)
    if data is not None and mask_secrets and (masked := mask(dumps(data))[0]) != dumps(data):
        data = json.loads(masked) if each.kind == SET else None
    if data is None:
        return None
    return QuestRow(space, each.kind, name, each.session, seqs[0], seqs[-1], each.at, dumps(data))


def _data(each: CarriedQuest, seqs: Sequence[int]) -> dict[str, Any] | None:
    """What the row holds; None where it is not what was sealed or exported."""
    try:
        if each.kind == SEAL:
            seal = QuestSeal.from_dict(each.data)
            names = [entry.name for entry in seal.entries if entry.kind == "turn"]
            moved = {name: turn_id(each.session, seq) for name, seq in zip(names, seqs, strict=True)}
            is_whole = check_seal(seal, dict(zip(names, each.turns, strict=True))).ok
            kept = {name: here for name, here in moved.items() if name != here}
            return replace(seal, moved=kept).to_dict() if is_whole else None
        if each.kind == PATTERN:
            made = QuestPattern.from_dict(each.data)
            name = pattern_name(made.title, made.steps, made.checks, made.endings, made.provenance)
            return made.to_dict() if name == made.name == each.name else None
        title, stage = each.data["title"], each.data["stage"]
    except (InputError, KeyError, ValueError):
        return None
    return {"title": str(title), "stage": str(stage)} if each.kind == SET else None


def _found(reader: Reader, space: str, each: CarriedQuest) -> list[int] | None:
    """Where the turns of a quest are stored here, in their order; None where one is missing."""
    here = TURN_CONTENTS.scan(reader, (space, each.session), (space, each.session))
    if not each.turns:
        return None
    starts = [place for place, turn in enumerate(here) if turn.hash.hex() == each.turns[0]]
    wanted = starts[each.place : each.place + 1]
    tried = [*wanted, *(start for start in starts[:_TRIED] if start not in wanted)]
    return next((seqs for start in tried if (seqs := _in_order(here[start:], each.turns)) is not None), None)


def _in_order(here: Iterable[TurnContent], wanted: Sequence[str]) -> list[int] | None:
    """The seqs of turns with these hashes, each after the one before."""
    turns = iter(here)
    found = [next((turn.seq for turn in turns if turn.hash.hex() == each), None) for each in wanted]
    return None if None in found else [seq for seq in found if seq is not None]
