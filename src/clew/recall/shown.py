"""What a compacted prompt shows for the turns of a session. Start at `shown_of`."""

from collections.abc import Iterator

from clew.condense.stand_ins import StandIn
from clew.errors import NotFoundError
from clew.recall.read_path import ReadPath
from clew.rows.compactions import newest_compaction
from clew.rows.recap_states import recap_mark
from clew.rows.stand_ins import stand_ins_from
from clew.store.protocol import Reader
from clew.store.rows import turn_from_row
from clew.store.tables import TURN
from clew.text.counters import Counter
from clew.types.ids import turn_id
from clew.types.shown import Shown
from clew.types.turn import Turn


def shown_of(path: ReadPath, session: str, count: Counter) -> list[Shown]:
    """What a prompt shows for the turns of a session, in the order of the first turns; injected text is left out.

    Raises:
        NotFoundError: there is no such session.
    """
    key = (path.space, session)
    with path.store.snapshot() as reader:
        mark = recap_mark(reader, *key)
        covered = [_covered(reader, key, stand_in) for stand_in in stand_ins_from(reader, *key)]
        compaction = newest_compaction(reader, *key) if mark >= 0 else None
        shortened = {} if compaction is None else compaction.shortened
        rest = [_last(turn, shortened.get(turn.seq or 0), count) for turn in _turns_after(reader, key, mark)]
    if not covered and not rest:
        raise NotFoundError(f"there is no session {session!r}; `clew sessions` lists those that there are")
    return covered + rest


def _covered(reader: Reader, key: tuple[str, str], stand_in: StandIn) -> Shown:
    _, session = key
    text = stand_in.text
    if stand_in.rendering == "full":
        row = TURN.get(reader, (*key, stand_in.low))
        text = "" if row is None else row.text
    return Shown(
        turn_ids=tuple(turn_id(session, seq) for seq in stand_in.seqs),
        rendering=stand_in.rendering,
        text=text,
        tokens=stand_in.tokens,
        full_tokens=stand_in.full_tokens,
        method=stand_in.method,
        labels=stand_in.labels,
    )


def _turns_after(reader: Reader, key: tuple[str, str], mark: int) -> Iterator[Turn]:
    for row in TURN.scan(reader, (*key, mark + 1), key):
        if row.origin != "injected":
            yield turn_from_row(row)


def _last(turn: Turn, shortened: str | None, count: Counter) -> Shown:
    full = count(turn.text)
    return Shown(
        turn_ids=(str(turn.id),),
        rendering="full" if shortened is None else "salient",
        text=turn.text if shortened is None else shortened,
        tokens=full if shortened is None else count(shortened),
        full_tokens=full,
        is_new=True,
    )
