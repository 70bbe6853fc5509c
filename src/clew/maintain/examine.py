"""What turns are, and what their words give: recomputed, to be compared with what is stored. Start at `examine`.

Pure, so that several processes can share the work; see `clew.maintain.examine_together`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final, NamedTuple

from clew.analyze.weigh import ANALYZE_VERSION
from clew.errors import StoreCorrupt
from clew.index.entry import SATURATION, TurnEntry
from clew.ingest.identity import content_hash
from clew.ingest.secrets.masking import masks_in
from clew.rows.annotation_codec import weighing_of
from clew.rows.annotations import weighing_tried
from clew.rows.name_spans import Spans
from clew.store.row_types import TurnRow, WeighingRow
from clew.store.rows import turn_from_row
from clew.structure.stored_graph import Counts
from clew.types.turn import Turn, full_text, plain_text
from clew.write.prepare import entry_of

_ALTERED: Final = "its words are not those that were stored: the content hash differs"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows to examine, with what is stored of each.

    Attributes:
        spans: the names that a model saw in each turn.
        counted_to: turns with a lower ordinal are counted in the entity graph.
        analysed_to: those from there on may wait to be weighed, or weighed again.
        uncounted, unweighed: those below on which rules failed, see `clew.rows.set_aside`.
    """

    rows: list[TurnRow]
    spans: list[Spans]
    weighings: list[WeighingRow | None]
    counted_to: int
    analysed_to: int
    uncounted: frozenset[int] = frozenset()
    unweighed: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Examined:
    """One turn.

    Attributes:
        damage: why it is not what was stored; None when it is. Then the other fields say nothing.
        blobs: the blobs that it refers to.
        entry: digest of its index entry, see `entry_digest`.
        is_plain: whether its text is that of its parts.
        is_weighed: whether the stored weighing is the one that its words give.
        masked: the number of masked secrets in it, by kind.
    """

    damage: str | None
    blobs: frozenset[str] = frozenset()
    entry: bytes = b""
    is_plain: bool = True
    is_weighed: bool = True
    masked: Mapping[str, int] = field(default_factory=dict)


class _Sound(NamedTuple):
    """A turn that is undamaged, with its row and what is stored for it."""

    turn: Turn
    row: TurnRow
    spans: Spans
    weighing: WeighingRow | None


def examine(stretch: Stretch) -> tuple[list[Examined], Counts]:
    """What each turn is, and the counts of the names in all that are sound and counted.

    Each kind of work goes over all turns before the next begins, which takes a quarter less time than turn by turn: the
    processor keeps at hand what one kind needs, which it cannot for all of them.
    """
    damaged: dict[int, Examined] = {}
    sound: list[_Sound] = []
    for place, of_turn in enumerate(zip(stretch.rows, stretch.spans, stretch.weighings, strict=True)):
        read = _read_turn(of_turn[0])
        if isinstance(read, Examined):
            damaged[place] = read
        else:
            sound.append(_Sound(read, *of_turn))
    entries = [entry_digest(entry_of(stored.turn, seq=stored.row.seq, ordinal=stored.row.ordinal)) for stored in sound]
    weighed = [_is_weighed(stored, waits=_waits(stored.row.ordinal, stretch)) for stored in sound]
    masked = [masks_in(stored.turn) for stored in sound]
    counts = Counts()
    for stored in sound:
        if stored.row.ordinal < stretch.counted_to and stored.row.ordinal not in stretch.uncounted:
            counts.add(stored.turn, stored.spans)
    examined = (
        Examined(None, _blobs(each.turn), entry, _agrees(each.turn), is_weighed, masks)
        for each, entry, is_weighed, masks in zip(sound, entries, weighed, masked, strict=True)
    )
    return [damaged.get(place) or next(examined) for place in range(len(stretch.rows))], counts


def _waits(ordinal: int, stretch: Stretch) -> bool:
    return ordinal >= stretch.analysed_to or ordinal in stretch.unweighed


def _read_turn(row: TurnRow) -> Turn | Examined:
    """The turn of a row, or why it is not what was stored."""
    try:
        turn = turn_from_row(row)
    except StoreCorrupt as error:
        return Examined(f"it cannot be read: {error.__cause__}")
    return turn if content_hash(turn) == row.hash else Examined(_ALTERED, _blobs(turn))


def _blobs(turn: Turn) -> frozenset[str]:
    return frozenset(part.blob for part in turn.parts if part.blob)


def _agrees(turn: Turn) -> bool:
    """Whether the text of a turn is that of its parts; an older release took the injected ones along."""
    return turn.text in (plain_text(turn.parts), full_text(turn.parts))


def _is_weighed(each: _Sound, *, waits: bool) -> bool:
    """Whether the stored weighing is the one that the words give; texts of an older form may say the same.

    Args:
        waits: whether it may be missing, or made by other rules.
    """
    row = each.weighing
    if row is None or row.version != ANALYZE_VERSION:
        return waits
    made = weighing_tried(each.turn.text)
    if made is None:
        return True  # the rules fail on it now, and there is nothing to compare with
    return row.value == made or _read(row.value) == weighing_of(made)


def _read(text: str) -> Mapping[str, object] | None:
    try:
        return weighing_of(text)
    except (ValueError, TypeError, KeyError, IndexError):  # the row may hold anything
        return None


def entry_digest(entry: TurnEntry) -> bytes:
    """A digest of all that segments keep of an entry; a count above `SATURATION` is kept as `SATURATION`."""
    columns = (entry.session, entry.seq, entry.branch, entry.speaker, entry.role, entry.at, entry.chars)
    marks = (bool(entry.first_person), bool(entry.asks), entry.stated)
    plain = (*columns, *marks, *((piece.chars, _counts(piece.body), _counts(piece.extra)) for piece in entry.pieces))
    return blake2b(repr(plain).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _counts(terms: Mapping[str, int]) -> list[tuple[str, int]]:
    if terms and max(terms.values()) > SATURATION:
        terms = {term: min(count, SATURATION) for term, count in terms.items()}
    return sorted(terms.items())
