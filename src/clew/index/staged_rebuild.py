"""Makes the term index again from the turns, a window of ordinals at a time, while the old one goes on serving.

Each finished window is kept as a segment of kind `staged`, together with the place at which to go on. So a rebuild that
was killed goes on there, and of two at once each takes up what the other has done. The last step puts the new
segments in the place of the old ones, in one transaction.

Windows are cut by ordinals, not by counting turns: one that is forgotten under way leaves its window, and every other
window stays what an uninterrupted rebuild makes of it, byte for byte.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, cast

from clew.errors import ConflictError, StoreError
from clew.index.entry import TurnEntry
from clew.index.packer import STEP, index_changed, level_of, not_stored, rewrite
from clew.index.segment import VERSION, build
from clew.index.segment_kinds import STAGED, TERMS, generation, list_segments, segment_data, staged_kind, terms_kind
from clew.store.protocol import Reader, Store, Transaction
from clew.types.reports import Problem

Entries = Callable[[int, int], Iterable[TurnEntry]]
"""From a first and a last ordinal, both included, to the entries of the turns between them, ascending."""

_STATE: Final = "rebuild"
"""Row of META while a rebuild is under way: the first ordinal that is not staged, and what makes the entries."""

_TRIES: Final = 20


@dataclass(frozen=True, slots=True)
class _Window:
    """A window as it was made: who made it, its first ordinal and the next one's, and its turns."""

    maker: str
    low: int
    upcoming: int
    ordinals: Sequence[int]
    packed: bytes | None

    @property
    def state(self) -> str:
        """The state from which it follows."""
        return _said(self.low, self.maker)


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
    """Makes the term index again, or goes on where one that was broken off had come to; gives the number of turns.

    Vectors are left as they are. Turns that are added after the last window was read keep their tail entries.

    Args:
        maker: what makes the entries; what another one has staged is dropped.
        minimum, fan_out: as in `clew.index.packer.pack`.
        step: ordinals of a window, and so the most turns of a segment.

    Raises:
        ConflictError: turns of one window were forgotten again and again; run it again.
    """
    maker = f"{maker} {VERSION} {step}"
    _begin(store, space, maker)
    missed = 0
    while missed < _TRIES:
        with store.snapshot() as reader:
            low, last = resume_ordinal(reader, space), _last(reader, space)
            if low is None:
                return reader.count("turn", (space,), (space,))  # there is no space, or another one has finished it
        is_last = low + step > last
        upcoming = last + 1 if is_last else low + step
        made = list(entries(low, upcoming - 1))
        window = _Window(maker, low, upcoming, [each.ordinal for each in made], build(made) if made else None)
        work = _taking_over(space, window, minimum, fan_out) if is_last else _staging(space, window)
        missed = 0 if store.transaction(work, durable=is_last) else missed + 1
    raise ConflictError("turns were forgotten again and again while the index was made; nothing is lost: run it again")


def resume_ordinal(reader: Reader, space: str) -> int | None:
    """The ordinal with which a rebuild that has begun goes on; None when none has."""
    row = reader.get("meta", (space, _STATE))
    return None if row is None else int(cast(str, row[2]).partition(" ")[0])


def staged_problems(reader: Reader, space: str) -> list[Problem]:
    """What is wrong with the staged segments: they cannot be read, hold turns that are gone, or belong to nothing."""
    kind, begun = staged_kind(space), resume_ordinal(reader, space)
    found = []
    for key in list_segments(reader, space, STAGED):
        try:
            ordinals = kind.ordinals(kind.load(segment_data(reader, space, key))).tolist()
        except StoreError as error:
            detail = str(error)
        else:
            gone = len(not_stored(reader, space, ordinals))
            if begun is not None and key.high < begun and not gone:
                continue
            detail = f"it holds {gone} turns that are not stored" if gone else "it belongs to no rebuild under way"
        where = f"segment {STAGED} {key.low} to {key.high}"
        found.append(Problem(kind="index", where=where, detail=detail, repair="clew rebuild"))
    return found


def _said(low: int, maker: str) -> str:
    return f"{low} {maker}"


def _last(reader: Reader, space: str) -> int:
    """The last turn's ordinal; -1 when there is none."""
    rows = reader.scan("turn", (space,), (space,), index="ordinal", columns=("ordinal",), limit=1, reverse=True)
    return cast(int, rows[0][0]) if rows else -1


def _begin(store: Store, space: str, maker: str) -> None:
    """Goes on with what is staged if it is sound and of this maker; else drops it and starts with the first turn."""
    with store.snapshot() as reader:
        row = reader.get("meta", (space, _STATE))
        own = row is not None and cast(str, row[2]).partition(" ")[2] == maker
        if own and not staged_problems(reader, space):
            return

    def begin(tx: Transaction) -> None:
        tx.delete("segment", (space, STAGED), (space, STAGED))
        if generation(tx, space) is not None:
            tx.put("meta", [(space, _STATE, _said(0, maker))])

    store.transaction(begin, durable=False)


def _is_still(tx: Transaction, space: str, window: _Window) -> bool:
    """Whether nobody staged this window meanwhile, and none of its turns was forgotten."""
    row = tx.get("meta", (space, _STATE))
    return row is not None and row[2] == window.state and not not_stored(tx, space, window.ordinals)


def _staging(space: str, window: _Window) -> Callable[[Transaction], bool]:
    def stage(tx: Transaction) -> bool:
        if not _is_still(tx, space, window):
            return False
        if window.packed is not None:
            tx.put("segment", [(space, STAGED, window.ordinals[0], window.ordinals[-1], 0, 0, window.packed)])
        tx.put("meta", [(space, _STATE, _said(window.upcoming, window.maker))])
        return True

    return stage


def _taking_over(space: str, window: _Window, minimum: int, fan_out: int) -> Callable[[Transaction], bool]:
    """The last window's transaction: what is staged takes the place of what was there."""
    last = window.upcoming - 1

    def put(tx: Transaction, low: int, high: int, packed: bytes, version: int) -> None:
        turns = tx.count("turn", (space, low), (space, high), index="ordinal")
        tx.put("segment", [(space, TERMS, low, high, level_of(turns, minimum, fan_out), version, packed)])

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
    """Takes everything out of the index up to an ordinal, and beyond it what is no turn's."""
    terms = terms_kind(space)
    for key in list_segments(tx, space, TERMS):
        if key.high > last:  # it holds turns that were added and packed meanwhile
            ordinals = terms.ordinals(terms.load(segment_data(tx, space, key))).tolist()
            old = sorted({*range(key.low, last + 1), *not_stored(tx, space, ordinals)})
            rewrite(tx, space, terms, key, old, version)
        else:  # unread, so that a damaged one can be mended
            tx.delete("segment", (space, TERMS, key.low), (space, TERMS, key.low))
    tx.delete("tail", (space,), (space, last))
    newer = tx.scan("tail", (space, last + 1), (space,), columns=("ordinal",))
    for ordinal in not_stored(tx, space, [cast(int, row[0]) for row in newer]):
        tx.delete("tail", (space, ordinal), (space, ordinal))
