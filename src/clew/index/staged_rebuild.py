"""Rebuilds the term index from the stored turns, one window of ordinals at a time, while the old index stays in use.

Each finished window is stored as a segment of kind `staged`, together with the ordinal to continue from. So a killed
rebuild resumes there, and two rebuilds at once share their work. The last step replaces the old segments by the new
ones in one transaction.

Windows are ranges of ordinals, not numbers of turns: forgetting a turn during a rebuild changes only its own window,
and every other window is byte for byte what an uninterrupted rebuild makes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from clew.errors import ConflictError, StoreError
from clew.index.entry import TurnEntry
from clew.index.packer import STEP, index_changed, level_of, not_stored, rewrite
from clew.index.segment import VERSION, build
from clew.index.segment_kinds import (
    STAGED,
    TERMS,
    generation,
    list_segments,
    segment_data,
    segment_row,
    staged_kind,
    terms_kind,
)
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import MetaRow
from clew.store.selections import META_VALUE, TAIL_ORDINAL, SegmentKey
from clew.store.tables import META, SEGMENT
from clew.store.turn_selections import newest_ordinal
from clew.text.counted import counted
from clew.types.reports import Problem

Entries = Callable[[int, int], Iterable[TurnEntry]]
"""Returns the entries of the turns from a first to a last ordinal, both included, in ascending order."""

_STATE: Final = "rebuild"
"""Name of the META row of an unfinished rebuild: the first ordinal that is not staged, and the maker of the entries."""

_TRIES: Final = 20


@dataclass(frozen=True, slots=True)
class _Window:
    """A built window: its maker, its first ordinal and that of the next window, and its turns."""

    maker: str
    low: int
    upcoming: int
    ordinals: Sequence[int]
    packed: bytes | None

    @property
    def state(self) -> str:
        """The META value that must be stored for this window to be the next one."""
        return _state(self.low, self.maker)


def rebuild(
    store: Store,
    space: str,
    entries: Entries,
    *,
    maker: str = "",
    minimum: int = 512,
    fan_out: int = 16,
    step: int = STEP,
) -> int:
    """Rebuilds the term index, or resumes an unfinished rebuild; returns the number of turns.

    Vectors are not changed. Turns added after the last window was read keep their tail entries.

    Args:
        maker: name and version of what makes the entries; windows staged by another maker are dropped.
        minimum, fan_out: as in `clew.index.packer.pack`.
        step: ordinals per window, and so the most turns of a segment.

    Raises:
        ConflictError: turns of a window were forgotten during every attempt; run it again.
    """
    maker = f"{maker} {VERSION} {step}"
    _begin(store, space, maker)
    missed = 0
    while missed < _TRIES:
        with store.snapshot() as reader:
            low, last = resume_ordinal(reader, space), newest_ordinal(reader, space)
            if low is None:
                return reader.count("turn", (space,), (space,))  # there is no space, or another one has finished it
        is_last = low + step > last
        upcoming = last + 1 if is_last else low + step
        built = list(entries(low, upcoming - 1))
        window = _Window(maker, low, upcoming, [entry.ordinal for entry in built], build(built) if built else None)
        work = _taking_over(space, window, minimum, fan_out) if is_last else _staging(space, window)
        missed = 0 if store.transaction(work, durable=is_last) else missed + 1
    raise ConflictError("turns were forgotten during every attempt to rebuild the index; nothing is lost: run it again")


def resume_ordinal(reader: Reader, space: str) -> int | None:
    """The ordinal at which an unfinished rebuild resumes; None if there is none."""
    state = META_VALUE.get(reader, (space, _STATE))
    return None if state is None else int(state.partition(" ")[0])


def staged_problems(reader: Reader, space: str) -> list[Problem]:
    """Problems of staged segments: unreadable, containing turns that are not stored, or left by no known rebuild."""
    kind, begun = staged_kind(space), resume_ordinal(reader, space)
    problems = []
    for key in list_segments(reader, space, STAGED):
        try:
            ordinals = kind.ordinals(kind.load(segment_data(reader, space, key))).tolist()
        except StoreError as error:
            detail = str(error)
        else:
            gone = len(not_stored(reader, space, ordinals))
            if begun is not None and key.high < begun and not gone:
                continue
            detail = (
                f"it contains {counted(gone, 'turn', 'are not stored')}"
                if gone
                else "it belongs to no unfinished rebuild"
            )
        where = f"segment {STAGED} {key.low} to {key.high}"
        problems.append(Problem(kind="index", where=where, detail=detail, repair="clew rebuild"))
    return problems


def _state(low: int, maker: str) -> str:
    return f"{low} {maker}"


def _begin(store: Store, space: str, maker: str) -> None:
    """Keeps staged windows that are valid and by this maker; otherwise drops them and starts at the first turn."""
    with store.snapshot() as reader:
        state = META_VALUE.get(reader, (space, _STATE))
        own = state is not None and state.partition(" ")[2] == maker
        if own and not staged_problems(reader, space):
            return

    def begin(tx: Transaction) -> None:
        tx.delete("segment", (space, STAGED), (space, STAGED))
        if generation(tx, space) is not None:
            META.put(tx, [MetaRow(space, _STATE, _state(0, maker))])

    store.transaction(begin, durable=False)


def _is_still(tx: Transaction, space: str, window: _Window) -> bool:
    """Whether no other rebuild staged this window meanwhile, and none of its turns was forgotten."""
    return META_VALUE.get(tx, (space, _STATE)) == window.state and not not_stored(tx, space, window.ordinals)


def _staging(space: str, window: _Window) -> Callable[[Transaction], bool]:
    def stage(tx: Transaction) -> bool:
        if not _is_still(tx, space, window):
            return False
        if window.packed is not None:
            key = SegmentKey(STAGED, window.ordinals[0], window.ordinals[-1], 0, 0)
            SEGMENT.put(tx, [segment_row(space, key, window.packed)])
        META.put(tx, [MetaRow(space, _STATE, _state(window.upcoming, window.maker))])
        return True

    return stage


def _taking_over(space: str, window: _Window, minimum: int, fan_out: int) -> Callable[[Transaction], bool]:
    """The transaction of the last window: replaces the current term segments by the staged ones."""
    last = window.upcoming - 1

    def put(tx: Transaction, low: int, high: int, packed: bytes, version: int) -> None:
        turns = tx.count("turn", (space, low), (space, high), index="ordinal")
        key = SegmentKey(TERMS, low, high, level_of(turns, minimum, fan_out), version)
        SEGMENT.put(tx, [segment_row(space, key, packed)])

    def take_over(tx: Transaction) -> bool:
        now = generation(tx, space)
        if now is None or not _is_still(tx, space, window):
            return False
        _clear(tx, space, last, now + 1)
        for key in list_segments(tx, space, STAGED):
            put(tx, key.low, key.high, segment_data(tx, space, key), now + 1)
        if window.packed is not None:
            put(tx, window.ordinals[0], window.ordinals[-1], window.packed, now + 1)
        tx.delete("segment", (space, STAGED), (space, STAGED))
        tx.delete("meta", (space, _STATE), (space, _STATE))
        index_changed(tx, space, now)
        return True

    return take_over


def _clear(tx: Transaction, space: str, last: int, version: int) -> None:
    """Deletes the index entries up to the ordinal `last`, and later entries whose turns are not stored."""
    terms = terms_kind(space)
    for key in list_segments(tx, space, TERMS):
        if key.high > last:  # it contains turns that were added and packed meanwhile
            ordinals = terms.ordinals(terms.load(segment_data(tx, space, key))).tolist()
            old = sorted({*range(key.low, last + 1), *not_stored(tx, space, ordinals)})
            rewrite(tx, space, terms, key, old, version)
        else:  # deleted without reading, so that damaged segments can be replaced
            tx.delete("segment", (space, TERMS, key.low), (space, TERMS, key.low))
    tx.delete("tail", (space,), (space, last))
    for ordinal in not_stored(tx, space, TAIL_ORDINAL.scan(tx, (space, last + 1), (space,))):
        tx.delete("tail", (space, ordinal), (space, ordinal))
