"""Annotations of turns as columns, one value per turn in the order of a view. Start at `AnnotationCache.columns`.

A turn's annotations are final once the analysis has passed it, and are then cached. Until then they are cached as they
are (`PendingAnnotations`). A count in META (`clew.rows.annotations.note_replaced`) rises when final annotations are
replaced after all (a turn was forgotten, everything is analysed again); the whole cache is then read again.

Cost: about 0.05 ms of CPU a turn when it is first read (half of that as long as nobody asks what rules weigh of a turn
alone, next to nothing for a turn that waits to be analysed), 200 bytes of memory a turn, and then the reading of what
came since the last call. Where few turns are asked for and many were never read, only those few are read.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from clew.index.columns import Column
from clew.index.view import IndexView
from clew.rank.algebra.evaluate import Positions, Values
from clew.rank.algebra.fields import DOMAINS, NUANCES, OVERLAYS, OWN_SCORES, SCORES
from clew.rows.analysis_progress import read_progress
from clew.rows.annotation_codec import analysis_of, weighing_of
from clew.rows.annotations import ANALYSIS, WEIGHING, replaced, weighings_made
from clew.store.protocol import Reader
from clew.store.selections import ANALYSIS_VALUE, ANALYSIS_VALUES, WEIGHING_VALUE, WEIGHING_VALUES
from clew.types.ids import turn_id

FEW: Final = 256
"""Turns that are always read and kept when they are new."""

_PAGE: Final = 2_048
_FLAGS: Final = ("paradigm_shift", "routine")
_SCORE: Final = {name: place for place, name in enumerate(SCORES)}
_FLAG: Final = {name: place for place, name in enumerate(_FLAGS)}
_BITS: Final = {"domains": {name: 1 << n for n, name in enumerate(DOMAINS)}}
_BITS["nuance"] = {name: 1 << n for n, name in enumerate(NUANCES)}
_UNKNOWN: Final = -1
_TAGS: Final = 5
_Said = Mapping[str, Any]
_NOTHING: Final[_Said] = MappingProxyType({})
ReadPending = Callable[[Reader, str, IndexView, Positions], tuple["Table", Positions]]
"""Reads turns whose annotations are not final: from a space, a view and positions to a table and their rows in it."""


class Table:
    """The annotations of some turns, decoded into columns: one row per turn, numbered from 0 in the order of `extend`.

    Attributes:
        weighed: what rules weigh of a turn alone is there too: layer 1, coherence, domains, nuance.
    """

    def __init__(self, *, weighed: bool) -> None:
        self.size, self.weighed = 0, weighed
        self._names: dict[str, int] = {}
        self._listed: list[str] = []
        self._scores = np.zeros((0, len(SCORES)))
        self._flags = np.zeros((0, len(_FLAGS)))
        self._bits = np.zeros((0, len(_BITS)), dtype=np.int32)
        self._tags = np.zeros((0, _TAGS), dtype=np.int32)
        self._weights = np.zeros((0, _TAGS))

    def score(self, field: str, rows: Positions) -> Values:
        """A score of `SCORES` for these rows; NaN where it is unknown."""
        scores: Values = self._scores[rows, _SCORE[field]]
        return scores

    def flag(self, name: str, rows: Positions) -> Values:
        """A flag for these rows, 1 or 0; NaN for turns that are not analysed."""
        flags: Values = self._flags[rows, _FLAG[name]]
        return flags

    def bits(self, kind: str, rows: Positions) -> NDArray[np.int32]:
        """The list `domains` or `nuance` of each row as a bit set, see `bit`; -1 for a turn without such a list."""
        bits: NDArray[np.int32] = self._bits[rows, list(_BITS).index(kind)]
        return bits

    def tag(self, forms: Sequence[str], rows: Positions) -> Values:
        """The greatest weight that each row has for one of these tags: 0 without any, NaN if it is not analysed."""
        codes = [self._names[form] for form in forms if form in self._names]
        numbers, weights_of_tags = _of_one_width(self._tags, self._weights)
        weights = np.where(np.isin(numbers[rows], codes), weights_of_tags[rows], 0.0).max(axis=1, initial=0.0)
        return np.where(np.isnan(self._scores[rows, _SCORE["importance"]]), np.nan, weights)

    @property
    def names(self) -> Sequence[str]:
        """The names of all tags, by their numbers in `tagged`; another thread may be appending further names."""
        return self._listed

    def tagged(self, size: int) -> tuple[NDArray[np.int32], Values, NDArray[np.bool_]]:
        """The tags of the first `size` rows by number, their weights, and which rows are analysed.

        A row with fewer tags than others has -1 in place of the missing ones.
        """
        numbers, weights = _of_one_width(self._tags, self._weights)
        known = ~np.isnan(self._scores[:size, _SCORE["importance"]])
        return numbers[:size], weights[:size], known

    def tags(self, row: int) -> list[str]:
        """The names of a turn's tags."""
        return [self._listed[code] for code in self._tags[row].tolist() if code != _UNKNOWN]

    def extend(self, rows: Sequence[tuple[str | None, str | None]]) -> None:
        """Decodes rows and appends them; each has the texts of a weighing and of an analysis, None where absent."""
        analyses = [_NOTHING if analysis is None else analysis_of(analysis) for _, analysis in rows]
        annotations = [
            analysis if weighing is None else {**weighing_of(weighing), **analysis}
            for (weighing, _), analysis in zip(rows, analyses, strict=True)
        ]
        tags = [analysis.get("tags", _NOTHING) for analysis in analyses]
        start, end = self.size, self.size + len(rows)
        self._reserve(end, max(map(len, tags), default=0))
        self._put_scores(start, annotations, analyses)
        for place, (kind, known) in enumerate(_BITS.items()):
            self._bits[start:end, place] = [_listed(annotation.get(kind), known) for annotation in annotations]
        at, nth = _spread(start, tags)
        self._tags[at, nth] = [self._code(name) for mapping in tags for name in mapping]
        self._weights[at, nth] = [weight for mapping in tags for weight in mapping.values()]
        self.size = end

    def _put_scores(self, start: int, annotations: Sequence[_Said], analyses: Sequence[_Said]) -> None:
        """Writes scores and flags. In an analysed turn, a missing overlay scores 0, and a missing flag is off."""
        end = start + len(annotations)
        for name in OWN_SCORES:
            self._scores[start:end, _SCORE[name]] = [annotation.get(name, np.nan) for annotation in annotations]
        analysed = np.array([bool(analysis) for analysis in analyses], dtype=np.bool_)
        for place, name in enumerate(_FLAGS):
            self._flags[start:end, place] = np.where(
                analysed, [bool(analysis.get(name)) for analysis in analyses], np.nan
            )
        self._scores[start:end, : len(OVERLAYS)] = np.where(analysed, 0.0, np.nan)[:, None]
        for row, analysis in enumerate(analyses, start):
            for name, score in analysis.get("overlays", _NOTHING).items():
                if name in _SCORE:
                    self._scores[row, _SCORE[name]] = score

    def _code(self, name: str) -> int:
        code = self._names.setdefault(name, len(self._listed))
        if code == len(self._listed):
            self._listed.append(name)
        return code

    def _reserve(self, size: int, tags: int) -> None:
        """Enlarges the arrays if needed, so that they hold `size` rows with `tags` tags each."""
        room, wide = self._tags.shape
        if size <= room and tags <= wide:
            return
        rows = room if size <= room else max(size, room * 5 // 4)
        self._scores = _larger(self._scores, rows, len(SCORES), np.nan)
        self._flags = _larger(self._flags, rows, len(_FLAGS), np.nan)
        self._bits = _larger(self._bits, rows, len(_BITS), _UNKNOWN)
        self._tags = _larger(self._tags, rows, max(tags, wide), _UNKNOWN)
        self._weights = _larger(self._weights, rows, max(tags, wide), 0.0)


def _of_one_width(tags: NDArray[np.int32], weights: Values) -> tuple[NDArray[np.int32], Values]:
    """Cuts both arrays to the columns that both have, since another thread may be adding columns for more tags."""
    wide = min(tags.shape[1], weights.shape[1])
    return tags[:, :wide], weights[:, :wide]


def _spread(start: int, mappings: Sequence[_Said]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each entry of some mappings: the row of its mapping, counted from `start`, and its index in the mapping."""
    sizes = np.array([len(mapping) for mapping in mappings], dtype=np.int64)
    firsts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(np.arange(start, start + len(mappings)), sizes), np.arange(len(firsts)) - firsts


def _listed(names: Sequence[str] | None, known: Mapping[str, int]) -> int:
    return _UNKNOWN if names is None else sum({known.get(name, 0) for name in names})


def bit(kind: str, name: str) -> int:
    """The bit of a name in `Table.bits`."""
    return _BITS[kind][name]


class PendingAnnotations:
    """The annotations of turns that the analysis has not reached yet, cached as they are now. Threads may share it.

    Args:
        final: the number of turns, the first of the view, whose annotations are final.
    """

    def __init__(self, final: int, *, weighed: bool) -> None:
        self.final, self.weighed = final, weighed
        self._lock = threading.Lock()
        self._table = Table(weighed=weighed)
        self._rows = Column(np.int32, _UNKNOWN)

    def passed(self, final: int) -> None:
        """Drops the turns that the analysis has reached meanwhile, because their annotations have changed."""
        with self._lock:
            self._rows.array[self.final : min(final, self._rows.size)] = _UNKNOWN
            self.final = final

    @property
    def is_stale(self) -> bool:
        """Whether most rows of the table belong to turns that were dropped."""
        return self._table.size > FEW and self._table.size > 2 * int(np.count_nonzero(self._rows.array >= 0))

    def rows(
        self, final: int, reader: Reader, space: str, view: IndexView, places: Positions
    ) -> tuple[Table, Positions]:
        """A table, and the row of each of these turns in it; turns that are not in the table yet are read first.

        Args:
            final: the number of final turns in the reader's state. A reader of an older state gets a table of its own.
        """
        with self._lock:
            if final != self.final:
                table = Table(weighed=self.weighed)
                read_into(table, reader, space, view, places)
                return table, np.arange(len(places))
            size = int(places.max(initial=-1)) + 1
            if size > self._rows.size:
                self._rows.extend(np.full(size - self._rows.size, _UNKNOWN, dtype=np.int32))
            lacking = places[self._rows.array[places] < 0]
            start = self._table.size
            read_into(self._table, reader, space, view, lacking)
            self._rows.array[lacking] = np.arange(start, self._table.size)  # not before: reading may fail
            return self._table, self._rows.array[places].astype(np.int64)


class AnnotationCache:
    """The annotations of one space that were read so far. Threads may share it."""

    def __init__(self, space: str) -> None:
        self._space = space
        self._lock = threading.Lock()
        self._lineage: object = None
        self._replaced = -1
        self._table = Table(weighed=False)
        self._pending = PendingAnnotations(0, weighed=False)

    def columns(
        self, reader: Reader, view: IndexView, places: Positions, *, weighed: bool
    ) -> tuple[Table, int, ReadPending]:
        """A table of the first turns of a view, how many turns it holds, and a function that reads the other turns.

        The table holds every turn whose annotations are final, unless so few turns are asked for that reading all of
        them would cost more.

        Args:
            reader: a state of the store that is not older than the view.
            places: the positions that are asked for.
            weighed: what rules weigh of a turn alone is asked for.
        """
        seen = replaced(reader, self._space)
        final = int(np.searchsorted(view.turns.ordinal, read_progress(reader, self._space)[1].next))
        with self._lock:
            if view.lineage is not self._lineage or seen != self._replaced:
                self._lineage, self._replaced, self._table = view.lineage, seen, Table(weighed=weighed)
                self._pending = PendingAnnotations(final, weighed=weighed)
            if weighed and not self._table.weighed:
                self._table = Table(weighed=True)
            table = self._table
            lacking = int(np.count_nonzero((places >= table.size) & (places < final)))
            if lacking and final - table.size <= max(FEW, 4 * lacking):
                read_into(table, reader, self._space, view, np.arange(table.size, final))
            return table, table.size, self._reads_pending(final, weighed=weighed)

    def _reads_pending(self, final: int, *, weighed: bool) -> ReadPending:
        """A function that reads turns not in the table, for a reader to whom the first `final` turns are final."""
        if final < self._pending.final:
            return partial(PendingAnnotations(final, weighed=weighed).rows, final)  # another thread saw a newer state
        self._pending.passed(final)
        if (weighed and not self._pending.weighed) or self._pending.is_stale:
            self._pending = PendingAnnotations(final, weighed=weighed)
        return partial(self._pending.rows, final)


def read_into(table: Table, reader: Reader, space: str, view: IndexView, places: Positions) -> None:
    """Reads the annotations of turns and adds them to a table, in the order of `places`."""
    for start in range(0, len(places), _PAGE):
        numbers = view.turns.ordinal[places[start : start + _PAGE]].tolist()
        weighing = _weighings(reader, space, numbers) if table.weighed else [None] * len(numbers)
        table.extend(list(zip(weighing, _values(reader, space, numbers, ANALYSIS), strict=True)))


def owners(view: IndexView, places: Positions) -> list[str]:
    """The ids of the turns at these positions."""
    sessions = [view.sessions[code] for code in view.turns.session[places].tolist()]
    return [turn_id(session, seq) for session, seq in zip(sessions, view.turns.seq[places].tolist(), strict=True)]


def _weighings(reader: Reader, space: str, numbers: Sequence[int]) -> list[str | None]:
    values = _values(reader, space, numbers, WEIGHING)
    lacking = [number for number, value in zip(numbers, values, strict=True) if value is None]
    computed = dict(zip(lacking, weighings_made(reader, space, lacking), strict=True))
    return [computed.get(number) if value is None else value for number, value in zip(numbers, values, strict=True)]


def _values(reader: Reader, space: str, numbers: Sequence[int], table: str) -> list[str | None]:
    """The values of a table for turns, by ordinal. A run of ordinals is read in one scan; gaps in it cost nothing."""
    low, high = min(numbers, default=0), max(numbers, default=0)
    if numbers and high - low < 2 * len(numbers):
        columns = WEIGHING_VALUES if table == WEIGHING else ANALYSIS_VALUES
        values = dict(cast("list[tuple[int, str]]", columns.scan(reader, (space, low), (space, high))))
        return [values.get(number) for number in numbers]
    column = WEIGHING_VALUE if table == WEIGHING else ANALYSIS_VALUE
    return column.get_many(reader, [(space, number) for number in numbers])


def _larger(array: NDArray[Any], rows: int, width: int, blank: float) -> NDArray[Any]:
    larger = np.full((rows, width), blank, dtype=array.dtype)
    larger[: array.shape[0], : array.shape[1]] = array
    return larger
