"""Deletes turns for good: their rows, everything derived from them, and the space's receipts.

A tombstone per turn remains: keyed hashes that keep a client which resends its history from storing the turn again.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Final, TypedDict, cast

from clew.derive.analysis_dropped import analyse_again
from clew.derive.entity_counts import forget_names
from clew.derive.facts import forget_facts
from clew.derive.llm.tasks import QUESTIONS
from clew.errors import InputError, StoreCorrupt, shown
from clew.index.packer import forget_ordinals
from clew.ingest.media import inline
from clew.maintain.forget_corrections import repeating_corrections
from clew.maintain.forget_originals import Repeated, forget_originals, forget_quotes
from clew.rank.filter import escaped, session_name
from clew.rank.intent.time_window import time_window
from clew.rows.annotations import BY_TURN
from clew.rows.conversations import drop_session
from clew.rows.damaged_rows import UNREADABLE
from clew.rows.extraction import forget_extractions
from clew.rows.failed_jobs import EMBED, job_name
from clew.rows.pins import forget_pins
from clew.rows.quests import forget_quests
from clew.rows.recap_states import forget_condensed
from clew.rows.request_log import forget_logged
from clew.rows.scrub_requests import note, noted, try_scrub
from clew.rows.set_aside import forget_aside
from clew.rows.tombstones import hashing_of, tombstone
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import TombstoneRow, TurnRow
from clew.store.rows import turn_from_row
from clew.store.selections import COMPLETION_KEYS
from clew.store.tables import SESSION, TOMBSTONE, TURN
from clew.store.turn_selections import TURN_METADATA, TURN_PARTS
from clew.store.values import past_prefix
from clew.text.normalise import fold, fold_contains
from clew.types.exact import exact_text
from clew.types.ids import node_id, parse_turn_id, turn_id
from clew.types.reports import ForgetReport
from clew.types.turn import Turn
from clew.write.session_writes import title_of

REACHED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "turn": "deleted by key",
        "session": "loses a title that no remaining turn brings; deleted with its last turn",
        "blob": "deleted when no remaining turn refers to it",
        "annotation": "deleted by owner; of a label's name when nothing has the label any more",
        "analysis": "deleted by ordinal; remaining turns lose tags that no turn near them says",
        "tail": "deleted by ordinal",
        "segment": "written anew without the turns",
        "job": "deleted by the turn's name, or its session's",
        "completion": "deleted by owner",
        "receipt": "all of the space are deleted",
        "pin": "deleted by the turn's name",
        "original": "deleted when it repeats the turn's text or image",
        "node": "those of the session are made anew",
        "compaction": "those of the session are deleted",
        "recap_state": "that of the session is deleted",
        "material": "that of the session is deleted",
        "stand_in": "those of the session are deleted",
        "rendering": "those of the session, its beats and chapters, and of every label are deleted",
        "label": "those of the turn and of the session's nodes are deleted",
        "label_alias": "deleted with the last use of the name",
        "entity": "counted down",
        "edge": "counted down",
        "speaker": "counted down",
        "conversation": "deleted with its session's last turn, unless its name is a number that Clew gave it",
        "injection": "deleted when it quotes the turn or repeats its text, and with its session's last turn",
        "statement": "deleted by ordinal; turns that were read together with the turn are read again",
        "fact": "made again without the turn",
        "extraction_run": "that of the session is deleted",
        "extraction_chunk": "deleted when the turn is in its range",
        "mention": "deleted by ordinal",
        "quest": "deleted when it is about the turn; patterns from other homes stay",
        "meta": "marks and trees of the session are made anew",
    }
)
"""Table that holds text of users -> how forgetting a turn reaches it. A test compares it with the declared tables."""


class Conditions(TypedDict, total=False):
    """The turns to forget, as a caller describes them. A turn must meet every condition that is given.

    Attributes:
        turn_ids: these turns, as far as they exist.
        session, speaker: names as they were stored.
        since: event time at or after this moment, or since a time such as "last week", counted from today; turns
            without a time do not match.
        until: event time before this moment, or up to the end of such a time; turns without a time do not match.
        match: words that the turn's text contains, ignoring case, accents and marks.
        where: an expression (docs/query.md). Turns that are not analysed yet do not match: call `drain` first.
    """

    turn_ids: Iterable[str] | None
    session: str | None
    speaker: str | None
    since: datetime | str | None
    until: datetime | str | None
    match: str | None
    where: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The turns to forget, checked. A turn must meet every condition.

    Attributes:
        match: words that the turn's text contains, case and accents folded.
        older_than: event time before this moment; the time of storing where the event time is unknown.
    """

    turn_ids: tuple[str, ...] | None = None
    session: str | None = None
    speaker: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    match: str | None = None
    older_than: datetime | None = None

    def __post_init__(self) -> None:
        if all(getattr(self, name) is None for name in self.__dataclass_fields__):
            raise InputError("nothing is selected; name turns, a session, a speaker, a time or words that match")
        if self.match is not None and not fold(self.match):
            raise InputError(f"match {self.match!r} contains no word; give at least one letter or digit")

    def takes(self, turn: Turn) -> bool:
        """Whether a turn meets every condition other than being named."""
        return (
            (self.session is None or turn.session == self.session)
            and (self.speaker is None or turn.speaker == self.speaker)
            and (self.since is None or (turn.at is not None and turn.at >= self.since))
            and (self.until is None or (turn.at is not None and turn.at < self.until))
            and (self.match is None or fold_contains(turn.text, self.match))
            and (self.older_than is None or _before(turn.at or turn.ingested_at, self.older_than))
        )


def selection_of(conditions: Conditions, now: datetime, held: Callable[[str], tuple[str, ...]]) -> Selection:
    """The turns to forget, checked.

    Args:
        now: what words for a time are counted from.
        held: returns the ids of the turns for which an expression holds.

    Raises:
        InputError: no condition is given, there is no condition of that name (passing over a mistyped one would forget
            too much), the time range ends before it starts, or `match` holds no letter or digit.
    """
    unknown = sorted(conditions.keys() - Conditions.__annotations__.keys())
    if unknown:
        raise InputError(f"{unknown[0]!r} is not a condition; expected some of {', '.join(Conditions.__annotations__)}")
    window = time_window(conditions.get("since"), conditions.get("until"), "", now, None)
    where, named = conditions.get("where"), conditions.get("turn_ids")
    if isinstance(named, str | bytes) or not isinstance(named, Iterable | None):
        raise InputError(f"turn_ids is {shown(named)}; expected a list of turn ids")
    turn_ids = None if named is None else tuple(map(_turn_id, named))
    if where is not None:
        wanted = None if turn_ids is None else frozenset(turn_ids)
        turn_ids = tuple(name for name in held(where) if wanted is None or name in wanted)
    return Selection(
        turn_ids=turn_ids,
        session=session_name(conditions.get("session")),
        speaker=escaped(conditions.get("speaker")),
        since=window.since,
        until=window.until,
        match=escaped(conditions.get("match")),
    )


def _turn_id(name: object) -> str:
    if not isinstance(name, str):
        raise InputError(f"turn_ids holds {shown(name)}; expected turn ids as text, as recall and search print them")
    return exact_text(name)


def _before(moment: datetime | None, limit: datetime) -> bool:
    return moment is not None and moment < limit


def forget(store: Store, space: str, selection: Selection, now: datetime, *, dry_run: bool = False) -> ForgetReport:
    """Deletes the selected turns and everything derived from them, then overwrites the freed parts of the files.

    Parts that cannot be overwritten now are scheduled (`clew.rows.scrub_requests`), and parts left by earlier calls are
    overwritten. An empty selection is not an error: the report counts 0 turns. The report contains keyed hashes only;
    that of a dry run names the turns, which still exist.

    Raises:
        StoreCorrupt: a row of what is derived cannot be read; nothing was deleted.
    """
    if dry_run:
        with store.snapshot() as reader:
            rows = _selected(reader, space, selection)
            digests = _digests(_tombstones(reader, space, rows, now))
            repeated = repeating_corrections(reader, space, [turn_from_row(row) for row in rows])
        names = tuple(turn_id(row.session, row.seq) for row in rows)
        return ForgetReport(
            turns=len(rows), rows={}, digests=digests, dry_run=True, turn_ids=names, corrections=repeated
        )
    try:
        report, said = store.transaction(lambda tx: (_remove(tx, space, selection, now), noted(tx, space)))
    except UNREADABLE as error:
        raise StoreCorrupt(
            f"nothing was deleted, since a row of what is derived cannot be read ({type(error).__name__}: {error}); "
            "`clew doctor --repair` makes it again, then delete once more"
        ) from error
    return replace(report, unscrubbed=try_scrub(store, space, said))


def _selected(reader: Reader, space: str, selection: Selection) -> list[TurnRow]:
    if selection.turn_ids is not None:
        keys = [key for name in dict.fromkeys(selection.turn_ids) if turn_id(*(key := parse_turn_id(name))) == name]
        rows: Sequence[TurnRow | None] = TURN.get_many(reader, [(space, *key) for key in keys])
    else:
        low = (space,) if selection.session is None else (space, selection.session)
        rows = TURN.scan(reader, low, low)
    return [row for row in rows if row is not None and selection.takes(turn_from_row(row))]


def _tombstones(reader: Reader, space: str, rows: Sequence[TurnRow], now: datetime) -> list[TombstoneRow]:
    hashed = hashing_of(reader, space)
    if hashed is None:
        return []
    return [tombstone(space, turn_from_row(row), row.hash, hashed, now) for row in rows]


def _digests(tombstones: Sequence[TombstoneRow]) -> tuple[str, ...]:
    return tuple(row.digest.hex() for row in tombstones)


def _remove(tx: Transaction, space: str, selection: Selection, now: datetime) -> ForgetReport:
    rows = _selected(tx, space, selection)
    if not rows:
        return ForgetReport(turns=0, rows={}, digests=())
    turns = [turn_from_row(row) for row in rows]
    whole = [inline(turn, lambda sha: tx.get_blob(space, sha) or b"") for turn in turns]
    tombstones = _tombstones(tx, space, rows, now)
    repeated = repeating_corrections(tx, space, turns)
    forget_names(tx, space, turns)
    removed = {"turn": 0, "annotation": 0, "completion": 0, "statement": forget_facts(tx, space, turns)}
    for turn in turns:
        key = (space, turn.session, turn.seq)
        removed["turn"] += tx.delete("turn", key, key)
        owner = (space, turn_id(turn.session, cast(int, turn.seq)))
        said = [("annotation", owner), *((table, (space, turn.ordinal)) for table in BY_TURN)]
        removed["annotation"] += sum(tx.delete(table, place, place) for table, place in said)
        tx.delete("mention", (space, turn.ordinal), (space, turn.ordinal))
        removed["completion"] += _drop_answers(tx, *owner)
    removed |= forget_ordinals(tx, space, [cast(int, turn.ordinal) for turn in turns])
    removed["blob"] = _drop_blobs(tx, space, turns)
    traces = Repeated.of(whole)
    removed["original"] = forget_originals(tx, space, whole, traces)
    removed["injection"] = forget_quotes(tx, space, whole, traces)
    removed["receipt"] = _drop_receipts(tx, space)
    removed["pin"] = forget_pins(tx, space, [turn_id(turn.session, cast(int, turn.seq)) for turn in turns])
    sessions = {turn.session for turn in turns}
    forget_aside(tx, space, {cast(str, turn.id) for turn in turns}, sessions)
    gone = {name: {cast(int, turn.seq) for turn in turns if turn.session == name} for name in sessions}
    removed["quest"] = forget_quests(tx, space, gone)
    removed["extraction"] = forget_extractions(tx, space, gone)
    removed["completion"] += sum(_drop_node_answers(tx, space, name) for name in sorted(sessions))
    removed["compaction"] = sum(forget_condensed(tx, space, name) for name in sorted(sessions))
    _mend_sessions(tx, space, sessions)
    analyse_again(tx, space, sorted(sessions))
    TOMBSTONE.put(tx, tombstones)
    note(tx, space)
    return ForgetReport(turns=len(turns), rows=removed, digests=_digests(tombstones), corrections=repeated)


def _drop_blobs(tx: Transaction, space: str, turns: Sequence[Turn]) -> int:
    """Drops the blobs that no remaining turn refers to. Reads the parts of every turn: forgetting is rare."""
    candidates = {part.blob for turn in turns for part in turn.parts if part.blob}
    if not candidates:
        return 0
    for parts in TURN_PARTS.scan(tx, (space,), (space,)):
        if parts is not None:
            candidates = {sha for sha in candidates if sha not in parts}
    return sum(tx.delete_blob(space, sha) for sha in sorted(candidates))


def _drop_answers(tx: Transaction, space: str, owner: str) -> int:
    """Deletes the recorded model answers about a turn, and its failed jobs, whose reasons may repeat its text."""
    for kind in (EMBED, *(question.kind for question in QUESTIONS)):
        key = (space, job_name(kind, owner))
        tx.delete("job", key, key)
    answers = COMPLETION_KEYS.scan(tx, (space, owner), (space, owner), index="owner")
    return sum(tx.delete("completion", key, key) for key in answers)


def _drop_node_answers(tx: Transaction, space: str, session: str) -> int:
    """Deletes the recorded model answers about the beats of a session."""
    low = node_id(session, "beat", 0).removesuffix("0")
    answers = COMPLETION_KEYS.scan(tx, (space, low), (space, past_prefix(low)), index="owner")
    return sum(tx.delete("completion", key, key) for key in answers)


def _drop_receipts(tx: Transaction, space: str) -> int:
    """Deletes every receipt of the space: a query may repeat forgotten words without naming the turn.

    Feedback about recalled turns goes with the receipts. Learned values, which are numbers, stay.
    """
    tx.delete("feedback", (space,), (space,))
    return tx.delete("receipt", (space,), (space,))


def _mend_sessions(tx: Transaction, space: str, sessions: set[str]) -> None:
    """Removes titles that came from forgotten turns, and rows of sessions that have no turns left."""
    for session in sorted(sessions):
        key = (space, session)
        row = SESSION.get(tx, key)
        kept = TURN_METADATA.scan(tx, key, key)
        if row is None:
            continue
        tx.delete("session", key, key)
        if not kept:
            drop_session(tx, space, session)
            forget_logged(tx, space, session)
            tx.delete("injection", key, key)
        else:
            title = row.title and title_of(json.loads(metadata) for metadata in kept if metadata is not None)
            SESSION.put(tx, [row._replace(title=title)])
