"""The quests of a space as they are now: recognised from what turns did, with what a person set, and sealed or not."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from clew.condense.material import prose_of
from clew.errors import NotFoundError
from clew.index.view import IndexView
from clew.project.quests import TurnActs, quest_title, quests_of, session_of_quest
from clew.rows.mentions import read_links
from clew.rows.quests import read_seals, read_set
from clew.store.project_row_types import QuestRow
from clew.store.protocol import Reader
from clew.store.row_types import TurnRow
from clew.store.rows import turn_from_row
from clew.store.selections import TURN_HASH
from clew.store.tables import TURN
from clew.types.ids import turn_id
from clew.types.quests import Quest, QuestStage
from clew.types.turn import ROLES


def list_quests(reader: Reader, space: str, view: IndexView, session: str | None = None) -> list[Quest]:
    """The quests, by session in the order of names and by first turn; of one session, or of all."""
    kept, seals = read_set(reader, space), read_seals(reader, space)
    names = {*view.sessions, *(row.session for row, *_ in kept.values())} if session is None else {session}
    found = []
    for name in sorted(names):
        own = {key: held for key, held in kept.items() if held[0].session == name}
        found += sorted(_quests_in(reader, space, view, name, own), key=lambda quest: quest.first)
    return [
        replace(
            quest,
            title=quest.title or _title(reader, space, quest),
            sealed=seals[quest.id].head if quest.id in seals else "",
        )
        for quest in found
    ]


def get_quest(reader: Reader, space: str, view: IndexView, quest_id: str) -> Quest:
    """One quest by its id.

    Raises:
        InputError: that is no id of a quest. NotFoundError: there is none.
    """
    for quest in list_quests(reader, space, view, session_of_quest(quest_id)[0]):
        if quest.id == quest_id:
            return quest
    raise NotFoundError(f"no quest {quest_id!r} in space {space!r}; `clew quest` lists what there is")


def _quests_in(
    reader: Reader, space: str, view: IndexView, session: str, kept: Mapping[str, tuple[QuestRow, str, QuestStage]]
) -> list[Quest]:
    """The quests of a session, with what persons set of them."""
    opened = {row.first for row, *_ in kept.values()}
    quests = {quest.id: quest for quest in quests_of(session, _acts(reader, space, view, session), opened)}
    for name, (row, title, stage) in kept.items():
        empty = Quest(id=name, session=session, title="", stage=stage, first=row.first, last=row.first)
        quests[name] = replace(quests.get(name, empty), title=title, stage=stage, provenance="user")
    return list(quests.values())


def turn_hashes(reader: Reader, space: str, session: str, first: int, last: int) -> list[tuple[str, str]]:
    """Id and content hash, hexadecimal, of the turns of a stretch of a session, in order."""
    rows = TURN.scan(reader, (space, session, first), (space, session, last))
    return [(turn_id(row.session, row.seq), row.hash.hex()) for row in rows]


def hashes_now(reader: Reader, space: str, session: str, first: int, last: int) -> dict[str, str]:
    """The same by id."""
    keys = [(space, session, seq) for seq in range(first, last + 1)]
    stored = TURN_HASH.get_many(reader, keys)
    return {
        turn_id(session, seq): digest.hex()
        for seq, digest in zip(range(first, last + 1), stored, strict=True)
        if digest is not None
    }


def _acts(reader: Reader, space: str, view: IndexView, session: str) -> Iterator[TurnActs]:
    """What the turns of a session did, in order; text that Clew injected did nothing."""
    if session not in view.sessions:
        return
    turns = view.turns
    places = np.flatnonzero((turns.session == view.sessions.index(session)) & (turns.chars > 0))
    places = places[np.argsort(turns.seq[places], kind="stable")]
    links = read_links(reader, space, turns.ordinal[places].tolist())
    for seq, role, said in zip(turns.seq[places].tolist(), turns.role[places].tolist(), links, strict=True):
        yield TurnActs(seq=seq, role=ROLES[role], links=said)


def _title(reader: Reader, space: str, quest: Quest) -> str:
    """The words that asked for a quest; those of the nearest request before work that nobody asked for in words."""
    row: TurnRow | None = TURN.get(reader, (space, quest.session, quest.first))
    words = "" if row is None else prose_of(turn_from_row(row))
    return quest_title(words) or quest.session
