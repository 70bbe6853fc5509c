"""The state from which a session's recaps are made, as rows, with the material of turns for the next compaction."""

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from clew.condense.loss import TurnLedger
from clew.condense.material import Mark, RecapTurn
from clew.condense.open_tasks import OpenTasks
from clew.condense.recap_state import STATE_VERSION, RecapState
from clew.condense.reuse import Uses, ValueUse
from clew.condense.spoken_tasks import SpokenTasks
from clew.project.quests import QuestState
from clew.rows.analysis_progress import read_progress
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import MaterialRow, RecapStateRow
from clew.store.rows import dumps, from_us, to_us
from clew.store.selections import RECAP_MARKS, RecapMark
from clew.store.tables import MATERIAL, RECAP_STATE

_EFFORT: Final = 1
TABLES_OF_SESSIONS: Final = (RECAP_STATE.name, MATERIAL.name, "stand_in", "compaction")
"""What compactions made of a session; all of it goes when a turn of the session is forgotten."""


@dataclass(slots=True)
class StoredState:
    """The state of one session as it is stored.

    Attributes:
        revision: 0 while nothing is stored.
        mark: seq of the last turn that a compaction covers; -1 before the first.
        shown: tokens of what stands for these turns.
        maker: by what the state was made: another version, analysis or counter makes it again from the turns.
        cursors: rank of a way to shorten -> seq of the first turn whose stand-in it has not reached.
        quest: where the session was with its quests after its last compaction, as they were recognised.
        literal: values that the last recap shows, case-folded: its ledger is continued by them.
    """

    revision: int
    mark: int
    shown: int
    maker: str
    cursors: dict[str, int] = field(default_factory=dict)
    literal: list[str] = field(default_factory=list)
    quest: QuestState = field(default_factory=QuestState)
    state: RecapState = field(default_factory=RecapState)


def maker_of(reader: Reader, space: str, counter: str) -> str:
    """Identifies the rules by which states are made now."""
    return f"{STATE_VERSION} {read_progress(reader, space)[1].epoch} {counter}"


def read_state(reader: Reader, space: str, session: str, counter: str) -> StoredState:
    """The state of a session; an empty one if there is none yet, or it was made by other rules."""
    maker = maker_of(reader, space, counter)
    row = RECAP_STATE.get(reader, (space, session))
    if row is None:
        return StoredState(0, -1, 0, maker)
    said = json.loads(_text(row.data))
    state = _state(said["state"]) if said["maker"] == maker else RecapState()
    quest = QuestState.from_dict(said.get("quest", {}))
    return StoredState(
        row.revision, row.mark, row.shown, maker, said["cursors"], said["literal"], quest=quest, state=state
    )


def stored_tasks(reader: Reader, space: str, session: str) -> OpenTasks:
    """The tasks of a session's agent after the turns that were gathered."""
    row = RECAP_STATE.get(reader, (space, session))
    return OpenTasks() if row is None else _state(json.loads(_text(row.data))["state"]).tasks


def state_row(space: str, session: str, stored: StoredState) -> RecapStateRow:
    """The row of a state, one revision later."""
    said = {
        "maker": stored.maker,
        "cursors": stored.cursors,
        "literal": stored.literal,
        "state": _state_dict(stored.state),
        "quest": stored.quest.to_dict(),
    }
    data = zlib.compress(dumps(said).encode("utf-8", "surrogatepass"), _EFFORT)
    return RecapStateRow(space, session, stored.revision + 1, stored.state.last, stored.mark, stored.shown, data)


def replace_state(tx: Transaction, row: RecapStateRow) -> bool:
    """Writes a state in place of the one from which it was made; False, writing nothing, if that has changed."""
    stored = RECAP_STATE.get(tx, (row.space, row.session))
    if (0 if stored is None else stored.revision) != row.revision - 1:
        return False
    RECAP_STATE.put(tx, [row])
    return True


def recap_marks(reader: Reader, space: str) -> dict[str, RecapMark]:
    """How far the sessions of a space are compacted; sessions without a compaction are absent."""
    rows = RECAP_MARKS.scan(reader, (space,), (space,))
    return {row.session: row for row in rows if row.mark >= 0}


def recap_mark(reader: Reader, space: str, session: str) -> int:
    """Seq of the last turn that a session's compactions cover; -1 where there is none."""
    row = RECAP_MARKS.get(reader, (space, session))
    return -1 if row is None else row.mark


def material_row(space: str, session: str, turns: Sequence[TurnLedger]) -> MaterialRow:
    """The row of a stretch of turns, at least one."""
    said = [[turn.seq, turn.tokens, turn.grade, turn.line, *_by_kind(turn.values)] for turn in turns]
    data = zlib.compress(dumps(said).encode("utf-8", "surrogatepass"), _EFFORT)
    return MaterialRow(space, session, turns[0].seq, turns[-1].seq, data)


def read_material(reader: Reader, space: str, session: str) -> list[TurnLedger]:
    """The turns that the next compaction covers, as far as they were gathered."""
    material = []
    for row in MATERIAL.scan(reader, (space, session), (space, session)):
        for seq, tokens, grade, line, *kinds in json.loads(_text(row.data)):
            values = {value: kind for kind, values in kinds for value in values}
            material.append(TurnLedger(seq, tokens, grade, values, line))
    return material


def condensed_text(row: RecapStateRow | MaterialRow) -> str:
    """The JSON of a row."""
    return _text(row.data)


def forget_condensed(tx: Transaction, space: str, session: str) -> int:
    """Deletes all that compactions made of a session; returns the number of compactions."""
    key = (space, session)
    return [tx.delete(name, key, key) for name in TABLES_OF_SESSIONS][-1]


def _text(data: bytes) -> str:
    return zlib.decompress(data).decode("utf-8", "surrogatepass")


def _by_kind(values: Any) -> list[tuple[str, list[str]]]:
    kinds: dict[str, list[str]] = {}
    for value, kind in values.items():
        kinds.setdefault(kind, []).append(value)
    return list(kinds.items())


def _state_dict(state: RecapState) -> dict[str, Any]:
    uses = state.uses
    return {
        "last": state.last,
        "turns": state.turns,
        "tokens": state.tokens,
        "sums": [state.tool_turns, state.structural, state.code_blocks, state.files],
        "shifts": state.shifts,
        "kept": [_turn_list(turn) for turn in state.kept.values()],
        "labels": list(state.labels.items()),
        "position": uses.position,
        "values": [[*use.mark, use.count, use.last, use.ends, use.days, use.day] for use in uses.values.values()],
        "tasks": [
            list(state.tasks.tasks.items()),
            list(state.tasks.created.items()),
            state.tasks.count,
            state.tasks.told,
            [state.tasks.spoken.noted, state.tasks.spoken.called, state.tasks.spoken.called_in],
        ],
    }


def _state(said: Any) -> RecapState:
    tool_turns, structural, code_blocks, files = said["sums"]
    tasks, created, count, *later = said["tasks"]
    details = later[0] if later else {}  # versions before 7 did not keep the turns
    spoken = later[1] if len(later) > 1 else []  # nor those before 12 what was written down
    uses = {
        value.casefold(): ValueUse(Mark(kind, value), number, ends, last, *days)
        for kind, value, number, last, ends, *days in said["values"]  # versions before 2 knew no days
    }
    turns = [_turn(row) for row in said["kept"]]
    return RecapState(
        said["last"],
        said["turns"],
        said["tokens"],
        tool_turns,
        structural,
        code_blocks,
        files,
        said["shifts"],
        {turn.seq: turn for turn in turns},
        dict(said["labels"]),
        Uses(said["position"], uses),
        OpenTasks(
            {number: (text, status) for number, (text, status) in tasks},
            dict(created),
            count,
            details,
            SpokenTasks(*spoken),
        ),
    )


def _turn_list(turn: RecapTurn) -> list[Any]:
    return [
        turn.seq,
        turn.role,
        turn.origin,
        turn.speaker,
        to_us(turn.at),
        turn.prose,
        turn.marks,
        turn.calls,
        turn.results,
        turn.characters,
        turn.importance,
        turn.is_shift,
        dict(turn.overlays),
    ]


def _turn(said: Any) -> RecapTurn:
    seq, role, origin, speaker, at, prose, marks, calls, results, characters, importance, is_shift, overlays = said
    return RecapTurn(
        seq=seq,
        role=role,
        origin=origin,
        speaker=speaker,
        at=from_us(at),
        prose=prose,
        marks=tuple(Mark(*mark) for mark in marks),
        calls=tuple(calls),
        results=tuple(results),
        characters=characters,
        importance=importance,
        is_shift=is_shift,
        overlays=overlays,
    )
