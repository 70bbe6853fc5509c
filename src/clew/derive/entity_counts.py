"""Stored turns -> the entities that they name, as counts in the entity graph; behind the acknowledgement, in order.

Independent of the analysis: it needs neither vectors nor a model, and keeps its own watermark
(`clew.rows.entity_progress`).

A turn's counts do not depend on other turns, so a forgotten turn is subtracted by counting it once more. The names that
a named-entity model found in it are recorded (`clew.rows.name_spans`) and count as well; no model is asked here.
"""

from collections.abc import Iterator, Sequence
from typing import Final, cast

from clew.derive.branch_state import turn_of
from clew.errors import ConflictError
from clew.index.view import IndexView
from clew.rows.entity_progress import ENTITY_PROGRESS, CountingProgress, read_entity_progress
from clew.rows.name_spans import Spans, spans_seen
from clew.rows.turn_log import rows_by_ordinal
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import MetaRow
from clew.store.selections import TURN_SEQ
from clew.store.tables import META
from clew.structure.stored_graph import ENTITY_VERSION, Counts, StoredGraph, drop_graph, stored_counts
from clew.text.counted import counted as with_noun
from clew.text.terms import quote_terms
from clew.types.entity import Entity, EntityPage
from clew.types.ids import turn_id
from clew.types.reports import Problem
from clew.types.turn import Turn

STRETCH: Final = 256
"""Most turns counted between two commits."""

NEIGHBOURS: Final = 20
TURNS: Final = 50
"""Most neighbours and turns on the page of one entity."""

_SHOWN: Final = 3


class EntityCounting:
    """Counts the entities of one space, for one Memory. Only the holder of the worker's lease calls `step`."""

    def __init__(self, store: Store, space: str) -> None:
        """Nothing is read before it is asked for."""
        self._store, self._space = store, space

    def pending(self) -> int:
        """Turns that are not counted."""
        with self._store.snapshot() as reader:
            _, progress = read_entity_progress(reader, self._space)
            start = progress.next if progress.version == ENTITY_VERSION else 0
            return reader.count("turn", (self._space, start), (self._space,), index="ordinal")

    def step(self) -> bool:
        """Counts one stretch; says whether there was anything to count.

        Raises:
            ConflictError: another process counted meanwhile; nothing was written.
        """
        with self._store.snapshot() as reader:
            seen, progress = read_entity_progress(reader, self._space)
            rows = rows_by_ordinal(reader, (self._space, progress.next), (self._space,), STRETCH)
            turns = [turn_of(row) for row in rows]
            spans = spans_seen(reader, self._space, turns)
        if progress.version != ENTITY_VERSION:
            self._store.transaction(lambda tx: drop_entities(tx, self._space), durable=False)
            return True
        if not rows:
            return False
        after = CountingProgress(rows[-1].ordinal + 1)
        made = counted(turns, spans)

        def write(tx: Transaction) -> None:
            if read_entity_progress(tx, self._space)[0] != seen:
                raise ConflictError("the space's names were counted by another process; it is tried again")
            seqs = TURN_SEQ.get_many(tx, [(self._space, row.session, row.seq) for row in rows])
            living = [place for place, seq in enumerate(seqs) if seq is not None]
            is_whole = len(living) == len(rows)
            counts = made if is_whole else counted([turns[at] for at in living], [spans[at] for at in living])
            counts.apply(tx, self._space, 1)
            META.put(tx, [MetaRow(self._space, ENTITY_PROGRESS, after.to_json())])

        self._store.transaction(write, durable=False)
        return True


def drop_entities(tx: Transaction, space: str) -> None:
    """Deletes the whole graph; the worker counts it again."""
    drop_graph(tx, space)
    tx.delete("meta", (space, ENTITY_PROGRESS), (space, ENTITY_PROGRESS))


def forget_names(tx: Transaction, space: str, turns: Sequence[Turn]) -> None:
    """Subtracts turns that are forgotten. Counts of an older version cannot be changed: then all is counted again."""
    seen, progress = read_entity_progress(tx, space)
    if seen is not None and progress.version != ENTITY_VERSION:
        drop_entities(tx, space)
        return
    known = [turn for turn in turns if cast(int, turn.ordinal) < progress.next]
    counted(known, spans_seen(tx, space, known)).apply(tx, space, -1)


def entity_problems(reader: Reader, space: str, fresh: Counts) -> Iterator[Problem]:
    """The rows of the graph that differ from what was counted again, of all turns that are counted."""
    for table, known in stored_counts(reader, space).rows.items():
        wrong = sorted(key for key in known.keys() | fresh.rows[table].keys() if known[key] != fresh.rows[table][key])
        if wrong:
            shown = ", ".join("/".join(key) for key in wrong[:_SHOWN]) + ", ..." * (len(wrong) > _SHOWN)
            detail = with_noun(len(wrong), "row", "are not what the turns name")
            yield Problem(kind="entity", where=f"{table} {shown}", detail=detail, repair="clew rebuild")


def entities_of(reader: Reader, space: str, view: IndexView) -> tuple[Entity, ...]:
    """The entities of a space, see `StoredGraph.entities`."""
    return StoredGraph(reader, space, view).entities()


def entity_page(reader: Reader, space: str, view: IndexView, name: str) -> EntityPage | None:
    """One entity by any of its names, with its neighbours and turns; None when no entity has that name."""
    graph = StoredGraph(reader, space, view)
    key = graph.find(name)
    if key is None:
        return None
    found = graph.with_nicknames(key)
    if found is None:
        return None
    entity, names = found
    return EntityPage(entity, graph.neighbours(key, NEIGHBOURS), tuple(_turns_naming(view, names)))


def _turns_naming(view: IndexView, names: Sequence[str]) -> list[str]:
    """Ids of the newest turns of which one piece has all words of one of the names."""
    found: set[int] = set()
    for name in names:
        pieces: set[int] | None = None
        for term in dict.fromkeys(quote_terms(name)):
            held, body, _ = view.postings(term)
            here = set(held[body > 0].tolist())
            pieces = here if pieces is None else pieces & here
        found.update(view.pieces.turn[sorted(pieces or ())].tolist())
    newest = sorted(found, reverse=True)[:TURNS]
    turns = view.turns
    return [turn_id(view.sessions[int(turns.session[each])], int(turns.seq[each])) for each in newest]


def counted(turns: Sequence[Turn], spans: Sequence[Spans]) -> Counts:
    """The counts of turns, each with the names that a model found in it."""
    counts = Counts()
    for turn, seen in zip(turns, spans, strict=True):
        counts.add(turn, seen)
    return counts
