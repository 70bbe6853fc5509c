"""Applies filters to the turns of a view; what the index does not hold is read from rows."""

import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from clew.config import AnalyzeConfig
from clew.index.columns import Column
from clew.index.view import IndexView, Mask
from clew.rank.algebra import TRUE, parse, truth
from clew.rank.algebra.syntax import Node
from clew.rank.covered_days import covered_days
from clew.rank.filter import Filter, SearchScope
from clew.rank.frame import Scores
from clew.rank.sigma import BOOSTING
from clew.recall.annotation_columns import AnnotationCache, owners
from clew.recall.field_values import RowFieldSource, weighs
from clew.recall.sessions import ProjectFilter, sessions_of
from clew.rows.annotations import replaced
from clew.rows.vocabulary import read_vocabulary, state_of
from clew.store.protocol import Reader, Store
from clew.store.rows import to_us, turn_from_row
from clew.store.tables import TURN
from clew.store.turn_selections import TURN_ORDINAL_ARRIVALS
from clew.structure.vocabulary import Vocabulary
from clew.types.turn import Turn

if TYPE_CHECKING:
    from clew.rows.lenses import Meet

_AT_ONCE: Final = 256
"""Turns that are read at once."""


class TurnSelector:
    """Applies filters to one space. Threads may share it.

    Cost: `known_at` reads once when each turn came; an expression reads what its parts ask for, see
    `annotation_columns`.

    Attributes:
        annotations: those that were read so far.
    """

    def __init__(
        self, store: Store, space: str, limits: AnalyzeConfig, meet: Callable[[], "Meet | None"] = lambda: None
    ) -> None:
        """Nothing is read before it is asked for.

        Args:
            meet: returns the lenses of the projects that the space is attached to.
        """
        self._store, self._space, self._limits = store, space, limits
        self._meet = meet
        self.annotations = AnnotationCache(space)
        self._lock = threading.Lock()
        self._words: tuple[object, Vocabulary] = (None, Vocabulary())
        self._arrivals: tuple[object, Column] = (None, Column(np.int64, 0))

    def mask(self, view: IndexView, chosen: Filter, now: datetime) -> Mask | None:
        """Which turns pass a filter, as a mask; None if all do.

        Args:
            view: not older than any open snapshot of this thread.
            now: what "last month" in the expression is counted from.

        Raises:
            ExpressionError: `where` cannot be read.
            InputError: the role is unknown.
        """
        tree = None if chosen.where is None else parse(chosen.where, now, covered_days(view))
        mask = chosen.mask(view)
        if not chosen.by_rows:
            return mask
        places = np.arange(len(view.turns.ordinal)) if mask is None else np.flatnonzero(mask)
        with self._store.snapshot() as reader:
            if chosen.by_session:
                names = sessions_of(reader, self._space, view, ProjectFilter(chosen.project, chosen.branch))
                wanted = [code for code, name in enumerate(view.sessions) if name in names]
                places = places[np.isin(view.turns.session[places], wanted)]
            if chosen.known_at is not None:
                places = places[self._came(reader, view)[places] <= to_us(chosen.known_at)]
            if tree is not None:
                places = self._holding(reader, view, tree, places)
        passed = np.zeros(len(view.turns.ordinal), dtype=np.bool_)
        passed[places] = True
        return passed

    def scope(self, chosen: Filter, now: datetime) -> SearchScope:
        """The scope of a question with this filter, whose mask is that of `mask`."""
        return SearchScope.of(chosen.session, lambda view: self.mask(view, chosen, now))

    def turns(self, view: IndexView, chosen: Filter, now: datetime) -> Iterator[Turn]:
        """Yields the turns that pass a filter, in the order in which they were stored.

        Injected text is included, since it is stored and a caller that forgets turns means it as well.
        """
        mask = self.mask(view, chosen, now)
        return self._read(view, np.arange(len(view.turns.ordinal)) if mask is None else np.flatnonzero(mask))

    def _read(self, view: IndexView, places: NDArray[np.int64]) -> Iterator[Turn]:
        for start in range(0, len(places), _AT_ONCE):
            chunk = places[start : start + _AT_ONCE]
            keys = zip(view.turns.session[chunk].tolist(), view.turns.seq[chunk].tolist(), strict=True)
            with self._store.snapshot() as reader:
                rows = TURN.get_many(reader, [(self._space, view.sessions[code], seq) for code, seq in keys])
            yield from (turn_from_row(row) for row in rows if row is not None)

    def names(self, view: IndexView, chosen: Filter, now: datetime) -> tuple[str, ...]:
        """The ids of the turns that pass a filter, in the order in which they were stored."""
        mask = self.mask(view, chosen, now)
        return tuple(owners(view, np.arange(len(view.turns.ordinal)) if mask is None else np.flatnonzero(mask)))

    def sigma(self, view: IndexView, places: NDArray[np.int64]) -> tuple[Scores, Scores, Scores]:
        """Three columns for these turns: the importance, the sum of O1, O4 and O5, and 1 for a paradigm shift.

        NaN where a value is unknown.
        """
        with self._store.snapshot() as reader:
            fields = RowFieldSource(reader, self._space, view, self.annotations, self._limits, self._vocabulary)
            overlays = np.zeros(len(places))
            for name in BOOSTING:
                overlays += np.nan_to_num(fields.scores(name, places))
            return fields.scores("importance", places), overlays, fields.flags("paradigm_shift", places)

    def importance(self, view: IndexView) -> Scores:
        """The importance of every turn of a view; NaN while it is unknown."""
        with self._store.snapshot() as reader:
            fields = RowFieldSource(reader, self._space, view, self.annotations, self._limits, self._vocabulary)
            return fields.scores("importance", np.arange(len(view.turns.ordinal)))

    def _holding(self, reader: Reader, view: IndexView, tree: Node, places: NDArray[np.int64]) -> NDArray[np.int64]:
        fields = RowFieldSource(
            reader, self._space, view, self.annotations, self._limits, self._vocabulary, weighs(tree), self._meet
        )
        positions: NDArray[np.int64] = places[truth(tree, view, fields, places) == TRUE]
        return positions

    def _vocabulary(self, reader: Reader) -> Vocabulary:
        """All labels of the space, read again when they have changed."""
        state = (state_of(reader, self._space), replaced(reader, self._space))  # the first starts over with a rebuild
        seen, words = self._words
        if state != seen:
            words = read_vocabulary(reader, self._space, None)[0]
            self._words = state, words
        return words

    def _came(self, reader: Reader, view: IndexView) -> NDArray[np.int64]:
        """When each turn was stored, in microseconds since 1970. It never changes, so only new turns are read."""
        with self._lock:
            lineage, column = self._arrivals
            if lineage is not view.lineage:
                column = Column(np.int64, 0)
                self._arrivals = view.lineage, column
            ordinals = view.turns.ordinal[column.size :]
            if len(ordinals):
                low, high = (self._space, int(ordinals[0])), (self._space, int(ordinals[-1]))
                rows = TURN_ORDINAL_ARRIVALS.scan(reader, low, high, index="ordinal")
                came = {row.ordinal: row.ingested_at for row in rows}
                column.extend(np.array([came.get(ordinal, 0) for ordinal in ordinals.tolist()], dtype=np.int64))
            return column.array[: column.size]
