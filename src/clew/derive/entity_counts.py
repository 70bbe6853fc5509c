"""Stored turns -> the entities that they name, as counts in the entity graph; in the background, in order.

Independent of the analysis: it needs neither vectors nor a model, and keeps its own watermark
(`clew.rows.entity_progress`).

A turn's counts do not depend on other turns, so a forgotten turn is subtracted by counting it once more. The names that
a named-entity model found in it are recorded (`clew.rows.name_spans`) and count as well; no model is asked here.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from clew.derive.branch_state import turn_of
from clew.derive.rule_failures import Narrowing, RuleFailure, check_rules_work, tell, tried
from clew.errors import ConflictError
from clew.index.view import IndexView
from clew.rows.entity_progress import ENTITY_PROGRESS, CountingProgress, read_entity_progress
from clew.rows.failed_jobs import RuleStage, drop_jobs
from clew.rows.name_spans import Spans, spans_by_name, spans_seen
from clew.rows.set_aside import put_turn_aside, take_turns_back, turns_aside
from clew.rows.turn_log import rows_by_ordinal, rows_of_ordinals
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import MetaRow, TurnRow
from clew.store.rows import turns_from_rows
from clew.store.tables import META
from clew.store.turn_selections import TURN_SEQ
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

Count = Callable[[Sequence[Turn], Sequence[Spans]], Counts]
"""Counts the names in turns, each with the names that a model found in it."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The turns that come next, and the progress before and after them.

    Attributes:
        is_again: whether these were set aside once.
    """

    rows: Sequence[TurnRow]
    seen: str | None
    after: CountingProgress
    is_again: bool = False


class EntityCounting:
    """Counts the entities of one space, for one Memory. Only the holder of the worker's lease calls `step`."""

    def __init__(self, store: Store, space: str, count: Count | None = None) -> None:
        """Nothing is read before it is asked for.

        Args:
            count: the rules; None for `counted`.
        """
        self._store, self._space, self._counted = store, space, count or counted
        self._narrowing = Narrowing(STRETCH)

    def pending(self) -> int:
        """Turns that are not counted, but for those that were set aside."""
        with self._store.snapshot() as reader:
            _, progress = read_entity_progress(reader, self._space)
            if progress.version != ENTITY_VERSION:
                progress = CountingProgress()
            left = reader.count("turn", (self._space, progress.next), (self._space,), index="ordinal")
            return left + len(progress.again)

    def step(self) -> bool:
        """Counts one stretch; returns whether there was anything to count.

        Raises:
            ConflictError: another process counted meanwhile; nothing was written.
        """
        with self._store.snapshot() as reader:
            seen, progress = read_entity_progress(reader, self._space)
            is_older = progress.version != ENTITY_VERSION
            stretch = None if is_older else self._next(reader, seen, progress)
            names = [] if stretch is None else [turn_id(row.session, row.seq) for row in stretch.rows]
            spans = spans_by_name(reader, self._space, names)
        if is_older:
            self._store.transaction(lambda tx: drop_entities(tx, self._space), durable=False)
            return True
        if stretch is None:
            return False
        made = tried(lambda: self._made(stretch, spans))
        if not isinstance(made, RuleFailure):
            self._store.transaction(lambda tx: self._write(tx, stretch, spans, *made), durable=False)
            self._narrowing.widen()
        elif not self._narrowing.narrow(len(stretch.rows)):
            self._set_aside(stretch, made)
        return True

    def _next(self, reader: Reader, seen: str | None, progress: CountingProgress) -> _Stretch | None:
        rows = rows_by_ordinal(reader, (self._space, progress.next), (self._space,), self._narrowing.size)
        if rows:
            return _Stretch(rows, seen, replace(progress, next=rows[-1].ordinal + 1))
        if not progress.again:
            return None
        first, rest = progress.again[: self._narrowing.size], progress.again[self._narrowing.size :]
        after = replace(progress, again=rest)
        return _Stretch(rows_of_ordinals(reader, self._space, first), seen, after, is_again=True)

    def _made(self, stretch: _Stretch, spans: Sequence[Spans]) -> tuple[list[Turn], Counts]:
        turns = turns_from_rows(stretch.rows)
        return turns, self._counted(turns, spans)

    def _write(
        self, tx: Transaction, stretch: _Stretch, spans: Sequence[Spans], turns: Sequence[Turn], made: Counts
    ) -> None:
        self._note(tx, stretch)
        seqs = TURN_SEQ.get_many(tx, [(self._space, row.session, row.seq) for row in stretch.rows])
        living = [place for place, seq in enumerate(seqs) if seq is not None]
        is_whole = len(living) == len(stretch.rows)
        counts = made if is_whole else self._counted([turns[at] for at in living], [spans[at] for at in living])
        counts.apply(tx, self._space, 1)
        if stretch.is_again:
            take_turns_back(tx, stretch.rows, RuleStage.ENTITIES)

    def _set_aside(self, stretch: _Stretch, failure: RuleFailure) -> None:
        row = stretch.rows[0]
        check_rules_work(failure, lambda plain: self._counted((turn_of(plain),), ((),)), row)

        def write(tx: Transaction) -> str:
            self._note(tx, stretch)
            return put_turn_aside(tx, row, RuleStage.ENTITIES, str(ENTITY_VERSION), failure.where)

        tell(self._store.transaction(write, durable=False), RuleStage.ENTITIES, failure.where)

    def _note(self, tx: Transaction, stretch: _Stretch) -> None:
        """Notes the progress after a stretch."""
        if read_entity_progress(tx, self._space)[0] != stretch.seen:
            raise ConflictError("the space's names were counted by another process; it is tried again")
        META.put(tx, [MetaRow(self._space, ENTITY_PROGRESS, stretch.after.to_json())])


def drop_entities(tx: Transaction, space: str) -> None:
    """Deletes the whole graph; the worker counts it again."""
    drop_graph(tx, space)
    drop_jobs(tx, space, RuleStage.ENTITIES)
    tx.delete("meta", (space, ENTITY_PROGRESS), (space, ENTITY_PROGRESS))


def forget_names(tx: Transaction, space: str, turns: Sequence[Turn]) -> None:
    """Subtracts turns that are forgotten. Counts of an older version cannot be changed: then all is counted again."""
    seen, progress = read_entity_progress(tx, space)
    if seen is not None and progress.version != ENTITY_VERSION:
        drop_entities(tx, space)
        return
    aside = turns_aside(tx, space, RuleStage.ENTITIES)
    ordinals = [cast(int, turn.ordinal) for turn in turns]
    known = [turn for turn, at in zip(turns, ordinals, strict=True) if at < progress.next and at not in aside]
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
    named = graph.with_nicknames(key)
    if named is None:
        return None
    entity, names = named
    return EntityPage(entity, graph.neighbours(key, NEIGHBOURS), tuple(_turns_naming(view, names)))


def _turns_naming(view: IndexView, names: Sequence[str]) -> list[str]:
    """Ids of the newest turns of which one piece has all words of one of the names."""
    ordinals: set[int] = set()
    for name in names:
        pieces: set[int] | None = None
        for term in dict.fromkeys(quote_terms(name)):
            held, body, _ = view.postings(term)
            here = set(held[body > 0].tolist())
            pieces = here if pieces is None else pieces & here
        ordinals.update(view.pieces.turn[sorted(pieces or ())].tolist())
    newest = sorted(ordinals, reverse=True)[:TURNS]
    turns = view.turns
    return [turn_id(view.sessions[int(turns.session[place])], int(turns.seq[place])) for place in newest]


def counted(turns: Sequence[Turn], spans: Sequence[Spans]) -> Counts:
    """The counts of turns, each with the names that a model found in it."""
    counts = Counts()
    for turn, seen in zip(turns, spans, strict=True):
        counts.add(turn, seen)
    return counts
