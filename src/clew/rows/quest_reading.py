"""Lists the quests of a space: recognised from what turns did, with what a person set, and with their seals."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from clew.condense.material import is_summary, prose_of
from clew.condense.recap_lines import is_request
from clew.condense.session_titles import framed_wish
from clew.condense.session_titles import title_of as wish_of
from clew.errors import NotFoundError
from clew.project.quests import QuestState, TurnActs, quest_state, quest_title, quests_of, session_of_quest
from clew.rows.mentions import links_read_now, read_links, read_until, sessions_of_work
from clew.rows.quests import read_seals, read_set
from clew.rows.recap_source import title_of
from clew.store.project_row_types import QuestRow
from clew.store.protocol import Reader
from clew.store.row_types import TurnRow
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.store.turn_selections import TURN_ACTORS, TURN_HASH, TURN_ORIGINS, TURN_PLACES
from clew.text.terms import terms
from clew.types.ids import parse_turn_id, turn_id
from clew.types.quests import Quest, QuestSeal, QuestStage

_LATEST: Final = 8
"""Last turns of the person before a first change that are read for an order."""
_TELLING: Final = 4
"""Different terms from which on an order says what is to be done: not "go ahead"."""

_OPENING: Final = 16
"""First turns of a session among which the summary of earlier talk is looked for."""


def list_quests(reader: Reader, space: str, session: str | None = None) -> list[Quest]:
    """The quests, by session in the order of names and by first turn; of one session, or of all."""
    saved, seals = read_set(reader, space), read_seals(reader, space)
    if session is not None:
        names = {session}
    else:
        unread = TURN_PLACES.scan(reader, (space, read_until(reader, space)[1]), (space,), index="ordinal")
        names = {*sessions_of_work(reader, space), *(row.session for row, *_ in saved.values())}
        names |= {turn.session for turn in unread}
    quests = []
    for name in sorted(names):
        own = {key: entry for key, entry in saved.items() if entry[0].session == name}
        quests += sorted(_quests_in(reader, space, name, own), key=lambda quest: quest.first)
    return [
        replace(
            quest,
            title=quest.title or _title(reader, space, quest),
            sealed=seals[quest.id].head if quest.id in seals else "",
        )
        for quest in quests
    ]


def state_after(reader: Reader, space: str, session: str, last: int, before: QuestState) -> QuestState:
    """Where a session is after the turn `last`, as it is recognised; reads the turns after an earlier state."""
    opened = {row.first for row, *_ in read_set(reader, space).values() if row.session == session}
    return quest_state(session, _acts(reader, space, session, before.until + 1, last), last, opened, before)


def as_set(reader: Reader, space: str, quest: Quest | None) -> Quest | None:
    """The quest with the title and stage that a person gave to it."""
    entry = None if quest is None else read_set(reader, space).get(quest.id)
    if quest is None or entry is None:
        return quest
    _, title, stage = entry
    return replace(quest, title=title, stage=stage, provenance="user")


def get_quest(reader: Reader, space: str, quest_id: str) -> Quest:
    """One quest by its id.

    Raises:
        InputError: that is not an id of a quest. NotFoundError: there is none.
    """
    for quest in list_quests(reader, space, session_of_quest(quest_id)[0]):
        if quest.id == quest_id:
            return quest
    raise NotFoundError(f"no quest {quest_id!r} in space {space!r}; `clew quest` lists what there is")


def _quests_in(
    reader: Reader,
    space: str,
    session: str,
    saved: Mapping[str, tuple[QuestRow, str, QuestStage]],
) -> list[Quest]:
    """The quests of a session, with what persons set of them."""
    opened = {row.first for row, *_ in saved.values()}
    quests = {quest.id: quest for quest in quests_of(session, _acts(reader, space, session), opened)}
    for name, (row, title, stage) in saved.items():
        empty = Quest(id=name, session=session, title="", stage=stage, first=row.first, last=row.first)
        quests[name] = replace(quests.get(name, empty), title=title, stage=stage, provenance="user")
    return list(quests.values())


def turn_hashes(reader: Reader, space: str, session: str, first: int, last: int) -> list[tuple[str, str]]:
    """Id and content hash, hexadecimal, of the turns of a stretch of a session, in order."""
    rows = TURN.scan(reader, (space, session, first), (space, session, last))
    return [(turn_id(row.session, row.seq), row.hash.hex()) for row in rows]


def hashes_now(reader: Reader, space: str, seal: QuestSeal) -> dict[str, str]:
    """Content hash, hexadecimal, of the turns of a seal that are stored now, by their ids as they were sealed."""
    names = [entry.name for entry in seal.entries if entry.kind == "turn"]
    stored = TURN_HASH.get_many(reader, [(space, *parse_turn_id(seal.moved.get(name, name))) for name in names])
    return {name: digest.hex() for name, digest in zip(names, stored, strict=True) if digest is not None}


def _acts(reader: Reader, space: str, session: str, first: int = 0, last: int | None = None) -> Iterator[TurnActs]:
    """What the turns of a session did, in order; text that Clew injected did nothing."""
    end = (space, session) if last is None else (space, session, last)
    turns = [turn for turn in TURN_ACTORS.scan(reader, (space, session, first), end) if turn.origin != "injected"]
    read = read_until(reader, space)[1]
    links = read_links(reader, space, [turn.ordinal for turn in turns])
    for turn, turn_links in zip(turns, links, strict=True):
        said = turn_links
        if turn.ordinal >= read:  # what the background has not read yet is read now, so that nothing depends on it
            row = TURN.get(reader, (space, session, turn.seq))
            said = turn_links if row is None else links_read_now(row)
        yield TurnActs(seq=turn.seq, role="tool" if turn.origin == "tool" else turn.role, links=said)


def _title(reader: Reader, space: str, quest: Quest) -> str:
    """The request that led to a quest, or the title of the session if nothing asked for the work directly."""
    row: TurnRow | None = TURN.get(reader, (space, quest.session, quest.first))
    words = "" if row is None else prose_of(turn_from_row(row))
    if words and not _orders(words):
        row, words = _ordered(reader, space, quest) or (row, words)
    framed = None if row is None else framed_wish(row.text)
    return quest_title(framed or words) or _session_title(reader, space, quest.session)


def _ordered(reader: Reader, space: str, quest: Quest) -> tuple[TurnRow, str] | None:
    """The last order before the first change, and its words, for a quest that began with a question or "commit"."""
    changed = quest.began.get(QuestStage.TRANSFORM.value, quest.last)
    rows = TURN_ORIGINS.scan(reader, (space, quest.session, quest.first + 1), (space, quest.session, changed))
    for seq in [row.seq for row in rows if row.origin == "user"][: -_LATEST - 1 : -1]:
        row: TurnRow | None = TURN.get(reader, (space, quest.session, seq))
        words = "" if row is None or row.role != "user" else prose_of(turn_from_row(row))
        if row is not None and _orders(words):
            return row, words
    return None


def _orders(words: str) -> bool:
    """Whether words of a person ask for something to be done, and say enough to call it by."""
    is_question = words.rstrip().endswith("?")
    return not is_question and is_request(words) and len(set(terms(words))) >= _TELLING


def _session_title(reader: Reader, space: str, session: str) -> str:
    """The title that a client gave to a session, or its opening summary; otherwise its name."""
    if title := title_of(reader, space, session):
        return title
    turns = map(turn_from_row, TURN.scan(reader, (space, session), (space, session), limit=_OPENING))
    summary = next((prose_of(turn) for turn in turns if is_summary(turn)), None)
    return wish_of((), summary) or session
