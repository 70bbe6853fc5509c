"""What turns are, and what their words give: recomputed, to be compared with what is stored. Start at `examine`.

Pure, so that several processes can share the work; see `clew.maintain.examine_together`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final

from clew.analyze.weigh import ANALYZE_VERSION
from clew.errors import StoreCorrupt
from clew.index.entry import SATURATION, TurnEntry
from clew.ingest.identity import content_hash
from clew.ingest.secrets.masking import masks_in
from clew.rows.annotation_codec import weighing_of
from clew.rows.name_spans import Spans
from clew.store.row_types import TurnRow, WeighingRow
from clew.store.rows import turn_from_row
from clew.store.tables import WEIGHING
from clew.structure.stored_graph import Counts
from clew.types.turn import Turn, full_text, plain_text
from clew.write.prepare import derive

_ALTERED: Final = "its words are not those that were stored: the content hash differs"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows to examine, with what is stored of each.

    Attributes:
        spans: the names that a model saw in each turn.
        counted_to: turns with a lower ordinal are counted in the entity graph.
        analysed_to: those from there on may wait to be weighed.
    """

    rows: list[TurnRow]
    spans: list[Spans]
    weighings: list[WeighingRow | None]
    counted_to: int
    analysed_to: int


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


def examine(stretch: Stretch) -> tuple[list[Examined], Counts]:
    """What each turn is, and the counts of the names in all that are sound and counted."""
    counts = Counts()
    found = []
    for row, spans, weighing in zip(stretch.rows, stretch.spans, stretch.weighings, strict=True):
        try:
            turn = turn_from_row(row)
        except StoreCorrupt as error:
            found.append(Examined(f"it cannot be read: {error.__cause__}"))
            continue
        blobs = frozenset(part.blob for part in turn.parts if part.blob)
        if content_hash(turn) != row.hash:
            found.append(Examined(_ALTERED, blobs))
            continue
        found.append(_derived(turn, row, blobs, weighing, waits=row.ordinal >= stretch.analysed_to))
        if row.ordinal < stretch.counted_to:
            counts.add(turn, spans)
    return found, counts


def _derived(turn: Turn, row: TurnRow, blobs: frozenset[str], weighing: WeighingRow | None, *, waits: bool) -> Examined:
    is_unweighed = weighing is None and waits
    fresh = derive(turn, weighed=not is_unweighed)
    entry = entry_digest(fresh.entry(seq=row.seq, ordinal=row.ordinal))
    is_weighed = is_unweighed or _is_weighed(weighing, fresh.annotations[WEIGHING.name])
    agrees = turn.text in (plain_text(turn.parts), full_text(turn.parts))  # the second: of an older release
    return Examined(None, blobs, entry, agrees, is_weighed, masks_in(turn))


def _is_weighed(row: WeighingRow | None, made: str) -> bool:
    """Whether a stored weighing is the one that was made; texts of an older form may say the same."""
    if row is None or row.version != ANALYZE_VERSION:
        return False
    return row.value == made or _read(row.value) == weighing_of(made)


def _read(text: str) -> Mapping[str, object] | None:
    try:
        return weighing_of(text)
    except (ValueError, TypeError, KeyError, IndexError):  # the row may hold anything
        return None


def entry_digest(entry: TurnEntry) -> bytes:
    """A digest of everything of an entry that segments keep: counts above the greatest are that."""
    columns = (entry.session, entry.seq, entry.branch, entry.speaker, entry.role, entry.at, entry.chars)
    marks = (bool(entry.first_person), bool(entry.asks), entry.stated)
    plain = (*columns, *marks, *((piece.chars, _counts(piece.body), _counts(piece.extra)) for piece in entry.pieces))
    return blake2b(repr(plain).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _counts(terms: Mapping[str, int]) -> list[tuple[str, int]]:
    if terms and max(terms.values()) > SATURATION:
        terms = {term: min(count, SATURATION) for term, count in terms.items()}
    return sorted(terms.items())
