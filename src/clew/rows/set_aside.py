"""Turns and sessions on which a rule failed: one row of JOB each, `deferred` at once, while the stage goes on.

A rule that failed on a turn fails on it again, so that there are no further tries until somebody asks for one, or the
rules change (docs/decisions/0026). The row says where it failed and nothing of what was said.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from clew.rows.failed_jobs import RuleStage, job_name, jobs_of, owner_of
from clew.store.protocol import JobState, Reader, Transaction
from clew.store.row_types import JobRow, TurnRow
from clew.store.rows import dumps
from clew.store.tables import JOB
from clew.store.turn_selections import TURN_SEQ
from clew.types.ids import session_prefix, turn_id

LABELS: Final = "(labels)"
"""What the note about labels is named by; a session of this name is quoted in its own, as in ids."""

_STAGES: Final = frozenset(RuleStage)


def put_turn_aside(tx: Transaction, row: TurnRow, stage: RuleStage, version: str, why: str) -> str:
    """Records that a stage skips a turn, unless the turn was forgotten meanwhile; returns the turn's id.

    Args:
        version: of the stage's rules.
        why: where they failed; no word of the turn.
    """
    name = turn_id(row.session, row.seq)
    if TURN_SEQ.get(tx, (row.space, row.session, row.seq)) is not None:
        _put(tx, row.space, stage, name, {"turn": name, "ordinal": row.ordinal, "version": version}, why)
    return name


def put_session_aside(tx: Transaction, space: str, session: str, stage: RuleStage, version: str, why: str) -> bool:
    """Records that a stage skips a session or a part of it; returns whether that is new.

    Nothing is noted of one that was forgotten meanwhile.
    """
    if not TURN_SEQ.scan(tx, (space, session), (space, session), limit=1):
        return False
    return _put(tx, space, stage, _owner(session), {"session": session, "version": version}, why)


def put_labels_aside(tx: Transaction, space: str, version: str, why: str) -> bool:
    """Notes that labels are without short forms; their names, which are words of turns, are not repeated."""
    return _put(tx, space, RuleStage.RENDERINGS, LABELS, {"version": version}, why)


def _owner(session: str) -> str:
    """What the note about a session is named by."""
    return session_prefix(session) if session == LABELS else session


def _put(tx: Transaction, space: str, stage: RuleStage, owner: str, payload: dict[str, object], why: str) -> bool:
    name = job_name(stage, owner)
    before = JOB.get(tx, (space, name))
    attempts = 1 if before is None else before.attempts + 1
    state = JobState.DEFERRED.value
    JOB.put(tx, [JobRow(space, name, stage.value, state, dumps(payload), attempts, why, None, 0)])
    return attempts == 1


def turns_aside(reader: Reader, space: str, stage: RuleStage) -> frozenset[int]:
    """Ordinals of the turns that a stage skipped, including those that it is to try again."""
    return frozenset(ordinal for ordinal in _payloads(reader, space, stage, "ordinal") if isinstance(ordinal, int))


def names_aside(reader: Reader, space: str, stage: RuleStage) -> frozenset[str]:
    """Ids of the turns that a stage skipped, including those that it is to try again."""
    return frozenset(name for name in _payloads(reader, space, stage, "turn") if isinstance(name, str))


def sessions_aside(reader: Reader, space: str, stage: RuleStage, version: str | None = None) -> frozenset[str]:
    """The sessions that a stage skipped.

    Args:
        version: only those on which the rules of this version failed.
    """
    payloads = _payloads(reader, space, stage, "session", version)
    return frozenset(session for session in payloads if isinstance(session, str))


def _payloads(reader: Reader, space: str, stage: RuleStage, field: str, version: str | None = None) -> Iterator[object]:
    owners = (owner_of(row) for row in jobs_of(reader, space, stage))
    return (payload.get(field) for payload in owners if version is None or payload.get("version") == version)


def take_turns_back(tx: Transaction, rows: Iterable[TurnRow], stage: RuleStage) -> None:
    """Deletes the records of turns that a stage has processed now."""
    for row in rows:
        key = (row.space, job_name(stage, turn_id(row.session, row.seq)))
        tx.delete("job", key, key)


def take_sessions_back(tx: Transaction, space: str, sessions: Sequence[str], stage: RuleStage) -> None:
    """Deletes the records of sessions that a stage has processed, or starts again."""
    for session in sessions:
        key = (space, job_name(stage, _owner(session)))
        tx.delete("job", key, key)


def forget_aside(tx: Transaction, space: str, turns: Collection[str], sessions: Collection[str]) -> None:
    """Drops the notes of turns that are forgotten, and of their sessions, of which all is made again."""
    for row in jobs_of(tx, space):
        payload = owner_of(row)
        if row.kind in _STAGES and (payload.get("turn") in turns or payload.get("session") in sessions):
            tx.delete("job", (space, row.job), (space, row.job))
