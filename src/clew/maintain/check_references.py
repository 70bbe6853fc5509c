"""Finds references that lead nowhere: to missing turns, parents and job payloads; and rows without an owner."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from clew.errors import InputError
from clew.rows.tombstones import hashing_of, parent_seq
from clew.store.protocol import Reader
from clew.store.selections import JOB_PAYLOADS, OWNED_ROWS, SESSION_ENDS, TOMBSTONE_SEQ
from clew.store.tables import SPACE
from clew.store.turn_selections import TURN_PARENTS, TURN_PLACES, TURN_SEQ
from clew.store.values import Key
from clew.text.counted import counted
from clew.types.ids import parse_turn_id, turn_id
from clew.types.reports import Problem

Places = Mapping[str, set[int]]
"""Seqs by session."""

_OF_SESSIONS = frozenset(owned.table.name for owned in OWNED_ROWS if owned.column == "session")
_LOST = "restore a backup; nothing else can bring them back"


@dataclass(frozen=True, slots=True)
class Orphan:
    """A row that belongs to a turn or session that is not stored.

    Attributes:
        key: primary key of the row.
        owner: id of the turn, or name of the session.
    """

    table: str
    key: Key
    owner: str


def stored_places(reader: Reader, space: str) -> Places:
    """The seqs of the stored turns, by session."""
    places: dict[str, set[int]] = {}
    for session, seq in TURN_PLACES.scan(reader, (space,), (space,)):
        places.setdefault(session, set()).add(seq)
    return places


def find_gaps(reader: Reader, space: str, places: Places) -> Iterator[Problem]:
    """Seqs given out that have neither a turn nor a tombstone, and sessions without any turn."""
    row, buried = SPACE.get(reader, (space,)), _Buried(reader, space)
    missing = 0
    for session, upcoming in SESSION_ENDS.scan(reader, (space,), (space,)):
        seqs = places.get(session, set())
        gaps = set(range(upcoming)) - seqs - buried.of(session)
        missing += len(gaps)
        if gaps:
            detail = (
                f"{counted(len(gaps), 'turn', 'are missing')}: places {_some(gaps)} hold neither a turn nor a tombstone"
            )
            yield Problem(kind="numbering", where=f"session {session}", detail=detail, repair=_LOST)
        if not seqs:
            detail = "it has a row and no turn"
            yield Problem(kind="numbering", where=f"session {session}", detail=detail, repair="clew doctor --repair")
    if row is None:
        return
    tombstones = reader.count("tombstone", (space,), (space,))
    lost = row.next_ordinal - sum(map(len, places.values())) - tombstones - missing
    if lost > 0:
        detail = f"{counted(lost, 'turn', 'are missing')}: the space has numbered more than it holds and has forgotten"
        yield Problem(kind="numbering", where=f"space {space}", detail=detail, repair=_LOST)


def find_lost_parents(reader: Reader, space: str, places: Places) -> Iterator[Problem]:
    """Turns whose parent is neither stored nor forgotten. Parents named by ids of an external source are skipped."""
    buried = _Buried(reader, space)
    for session, seq, parent in TURN_PARENTS.scan(reader, (space,), (space,)):
        if parent is None or parent_seq(parent) is None:
            continue
        try:
            name, place = parse_turn_id(parent)
        except InputError:
            continue  # it only looks like one of ours
        if place in places.get(name, set()) or place in buried.of(name):
            continue
        yield Problem(
            kind="parent",
            where=turn_id(session, seq),
            detail=f"it answers {parent!r}, which is neither stored nor forgotten",
            repair="clew doctor --repair takes the reference out",
        )


def find_odd_jobs(reader: Reader, space: str) -> Iterator[Problem]:
    """Jobs whose payload cannot be read, or names a turn that is not stored."""
    for name, payload in JOB_PAYLOADS.scan(reader, (space,), (space,)):
        detail = _odd(reader, space, payload)
        if detail is not None:
            yield Problem(kind="job", where=f"job {name}", detail=detail, repair="clew doctor --repair drops it")


def find_orphans(reader: Reader, space: str, places: Places) -> Iterator[Orphan]:
    """Labels, recorded answers and feedback of missing turns, nodes and compactions of missing sessions."""
    for owned in OWNED_ROWS:
        for key, owner in owned.scan(reader, space):
            if not _is_there(owner, places, is_session=owned.column == "session"):
                yield Orphan(owned.table.name, key, owner)


def orphan_problem(orphan: Orphan) -> Problem:
    """The text with which `clew verify` reports an orphan."""
    what = "session" if orphan.table in _OF_SESSIONS else "turn"
    detail = f"a row of {orphan.table} belongs to this {what}, which is not stored"
    return Problem(kind="orphan", where=orphan.owner, detail=detail, repair="clew doctor --repair drops it")


def _is_there(named: str, sessions: Places, *, is_session: bool) -> bool:
    """Whether the named turn is stored, or the named session has turns; True for a name that is not a turn id."""
    if is_session:
        return named in sessions
    try:
        session, seq = parse_turn_id(named)
    except InputError:
        return True
    return seq in sessions.get(session, ())


def _odd(reader: Reader, space: str, payload: str) -> str | None:
    try:
        read = json.loads(payload)
    except ValueError:
        return "its payload is no JSON"
    named = read.get("turn") if isinstance(read, dict) else None
    if not isinstance(named, str):
        return None
    try:
        stored = TURN_SEQ.get(reader, (space, *parse_turn_id(named))) is not None
    except InputError:
        stored = False
    return None if stored else f"it is for the turn {named!r}, which is not stored"


class _Buried:
    """The forgotten turns of sessions; those of the session that was asked for last are held."""

    def __init__(self, reader: Reader, space: str) -> None:
        self._reader, self._space = reader, space
        self._hashed = hashing_of(reader, space)
        self._held: tuple[str, set[int]] = ("", set())

    def of(self, session: str) -> set[int]:
        """The seqs of a session's forgotten turns."""
        if self._hashed is not None and self._held[0] != session:
            key = (self._space, self._hashed("session", session))
            self._held = session, set(TOMBSTONE_SEQ.scan(self._reader, key, key))
        return self._held[1]


def _some(numbers: set[int]) -> str:
    shown = sorted(numbers)[:5]
    return ", ".join(map(str, shown)) + ", ..." * (len(numbers) > len(shown))
