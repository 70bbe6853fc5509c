"""Stored turns -> their analysis among the turns before them, and the beats and chapters that they form.

Strictly in sequence along each branch of a session, a bounded stretch at a time; the result does not depend on where
stretches end, nor on which process does them. Rows of META say how far the analysis has come:

    analysed          {"next": ordinal, "model": name, "version": n, "epoch": n}: everything before `next` is analysed;
                      with "learned": n once there are learned parameters (`clew.rows.parameters`), and with "met" where
                      the space is attached to a project: its turns are met with it
    line:<branch>     how far one branch of a session is (`clew.derive.branch_state.BranchMark`)
    redo:<session>    seq from which a session is analysed again, since one of its turns was forgotten

A turn waits for its vector where there is an embedder, unless the embedder cannot do it (docs/decisions/0008).
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from clew.analyze.novelty import calibration_of
from clew.analyze.prototypes import Prototypes
from clew.analyze.tags import LOOKBACK
from clew.analyze.turns import Rules, SeenTurn, TurnInput, analyze_turn, as_seen, with_tags
from clew.analyze.weigh import ANALYZE_VERSION
from clew.config import AnalyzeConfig
from clew.derive.analysis_dropped import REDO, drop_analysis
from clew.derive.branch_state import (
    UNTUNED,
    BranchMark,
    BranchState,
    TurnMaterial,
    mark_name,
    materials_of,
    read_branch_mark,
    replay,
    rows_to_replay,
)
from clew.derive.hierarchy import ClosedBeat, HierarchyGrowth, RowOrigin, grown
from clew.derive.rule_failures import Narrowing, RuleFailure, check_rules_work, tell, tried
from clew.derive.tagging import VocabularyState, enter, settled, tag_along, tags_of, words_of, write_words
from clew.derive.turn_vectors import last_ordinal, ready_to, stored_vectors
from clew.errors import ConflictError
from clew.index.live import LiveIndex
from clew.index.view import IndexView
from clew.models.protocol import Embedder
from clew.rows.analysis_progress import ANALYSIS_VERSION, PROGRESS, Progress, read_progress
from clew.rows.annotation_codec import analysis_text
from clew.rows.annotations import ANALYSIS, PROVENANCE, WEIGHING, maker_number, note_replaced, weighings_again
from clew.rows.domain_prototypes import make_prototypes, read_prototypes
from clew.rows.failed_jobs import RuleStage
from clew.rows.lenses import LensBook, Meet
from clew.rows.parameters import read_learned, structure_of
from clew.rows.set_aside import put_session_aside, put_turn_aside, turns_aside
from clew.rows.turn_log import rows_by_ordinal
from clew.rows.vocabulary import state_of
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import MetaRow, TurnRow
from clew.store.selections import META_ENTRIES, META_VALUE
from clew.store.tables import META, TURN
from clew.store.turn_selections import TURN_SEQ
from clew.store.values import past_prefix
from clew.structure.beats import BeatRule, advance
from clew.structure.chapters import OpenTree
from clew.structure.features import TurnFeatures
from clew.types.analysis import TurnAnalysis
from clew.types.ids import turn_id
from clew.types.tuning import LearnedValues

STRETCH: Final = 256
"""Most turns analysed between two commits."""

AT_ONCE: Final = 32
"""Turns for which one kind of work is done before the next; with more, what is made would only take memory."""

CACHED_BRANCHES: Final = 64
"""Branches whose state is cached between stretches."""

LAYER1: Final = ("layer1", "layer1:sentences", "layer1:window")


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The turns that come next, and the progress after them.

    Attributes:
        afresh: everything made so far is dropped; then there are no turns.
        redo: name and new value of the row that asked for this stretch; the value is None when that is done.
    """

    rows: Sequence[TurnRow]
    seen: str | None
    progress: Progress
    afresh: bool = False
    redo: tuple[str, str | None] | None = None


@dataclass(slots=True)
class _StretchResult:
    """What one stretch makes, before it is written.

    Attributes:
        turns: each turn with its analysis, by branch, in order.
        earlier: the last turns of branches whose state was made again.
        analyses: values of ANALYSIS by ordinal.
        weighings: values of WEIGHING that were missing, or made by older rules, by ordinal.
    """

    turns: dict[str, list[tuple[TurnMaterial, TurnAnalysis]]] = field(default_factory=dict)
    earlier: dict[str, list[TurnMaterial]] = field(default_factory=dict)
    analyses: list[tuple[int, str]] = field(default_factory=list)
    weighings: list[tuple[int, str]] = field(default_factory=list)
    closed: list[ClosedBeat] = field(default_factory=list)
    branches: list[BranchState] = field(default_factory=list)
    marks: dict[str, str | None] = field(default_factory=dict)  # as they were read
    growth: HierarchyGrowth = field(default_factory=HierarchyGrowth)
    words: VocabularyState | None = None


@dataclass(frozen=True, slots=True)
class _Detour:
    """A turn on which rules failed.

    Attributes:
        where: they did.
        mark: of its branch, as stored.
        is_whole: whether they fail on the turn alone; if not, on what comes before it.
    """

    row: TurnRow
    where: str
    mark: str | None
    is_whole: bool


class Analysis:
    """Analyses one space for one Memory. Only the holder of the worker's lease may call `step`."""

    def __init__(
        self,
        store: Store,
        space: str,
        live: LiveIndex,
        embedder: Embedder | None,
        config: AnalyzeConfig,
        stretch: int = STRETCH,
        book: LensBook | None = None,
    ) -> None:
        """Nothing is read before it is asked for.

        Args:
            book: returns what turns are met with; None where nothing is.
        """
        self._store, self._space, self._live, self._limits = store, space, live, config
        self._narrowing, self._book = Narrowing(stretch), book
        self._meet: Meet | None = None
        self._is_met = False
        self._embedder, self._model = embedder, None if embedder is None else embedder.name
        self._prototypes: dict[str, Prototypes] = {}  # by model
        self._by = UNTUNED
        self._aside: frozenset[int] = frozenset()  # ordinals of turns on which rules failed
        self._branches: OrderedDict[str, BranchState] = OrderedDict()
        self._trees: OrderedDict[str, OpenTree] = OrderedDict()
        self._words: VocabularyState | None = None  # None also while a stretch changes it

    def pending(self, aside: frozenset[int] = frozenset()) -> int:
        """Turns that are not analysed and will be by this process; those whose vector is still on its way count.

        Args:
            aside: as in `step`.
        """
        view = self._live.outline()
        self._is_met = self._book is not None and self._book.is_attached()
        with self._store.snapshot() as reader:
            seen, progress = read_progress(reader, self._space)
            learned = read_learned(reader, self._space)
            again = _redos(reader, self._space)
            ends = [(self._space, session) for session, _ in again]
            starts = [(self._space, session, start) for session, start in again]
            behind = sum(reader.count("turn", start, end) for start, end in zip(starts, ends, strict=True))
        start = 0 if seen is None or self._is_stale(progress, learned) else progress.next
        end = last_ordinal(view) + 1 if self._model is not None else ready_to(view, progress.model, aside)
        ordinals = view.turns.ordinal
        return behind + max(0, int(np.searchsorted(ordinals, end) - np.searchsorted(ordinals, start)))

    def step(self, aside: frozenset[int] = frozenset()) -> bool:
        """Analyses one stretch; returns whether there was anything that could be.

        Args:
            aside: ordinals of turns that the embedder cannot do.

        Raises:
            ConflictError: turns were forgotten, or another process analysed, meanwhile; nothing was written.
            ModelError: the embedder cannot do the sentences that domains are compared with, or names of labels.
        """
        view = self._live.outline()
        self._meet = None if self._book is None else self._book.meet()
        self._is_met = self._meet is not None
        if self._embedder is not None and self._embedder.name in view.vectors:
            make_prototypes(self._store, self._space, self._embedder)
        with self._store.snapshot() as reader:
            stretch = self._next(reader, view, aside)
            if stretch is None:
                return False
            result = tried(lambda: self._look(reader, view, stretch))
            detour = self._detour(reader, view, stretch, result) if isinstance(result, RuleFailure) else None
        if isinstance(result, RuleFailure):
            if detour is not None:
                self._go_around(stretch, detour)
            return True
        self._store.transaction(lambda tx: self._write(tx, stretch, result), durable=False)
        self._narrowing.widen()
        if result.words is not None:
            with self._store.snapshot() as reader:
                self._words = settled(reader, self._space, result.words)
        for state in result.branches:
            turns = {seq: item.for_open_beat() for seq, item in state.turns.items()}
            self._branches[state.key] = replace(state, turns=turns)
            self._branches.move_to_end(state.key)
        while len(self._branches) > CACHED_BRANCHES:
            self._branches.popitem(last=False)
        self._trees |= result.growth.trees
        while len(self._trees) > CACHED_BRANCHES:
            self._trees.popitem(last=False)
        return True

    def _detour(self, reader: Reader, view: IndexView, stretch: _Stretch, failure: RuleFailure) -> _Detour | None:
        """What to do where rules failed on one turn; None for several, of which fewer are tried next."""
        if self._narrowing.narrow(len(stretch.rows)):
            return None
        row = stretch.rows[0]
        alone = tried(lambda: self._look(reader, view, stretch, is_alone=True))
        if isinstance(alone, RuleFailure):
            check_rules_work(
                failure, lambda plain: self._look(reader, view, replace(stretch, rows=[plain]), is_alone=True), row
            )
        mark = META_VALUE.get(reader, (self._space, mark_name(row.session, row.branch)))
        return _Detour(row, failure.where, mark, is_whole=isinstance(alone, RuleFailure))

    def _go_around(self, stretch: _Stretch, detour: _Detour) -> None:
        """Sets the turn aside; or, where it can be analysed alone, has its branch start over with it."""
        row, where, space = detour.row, detour.where, self._space
        name = mark_name(row.session, row.branch)

        def write(tx: Transaction) -> bool:
            seen, progress = read_progress(tx, space)
            if seen != stretch.seen or META_VALUE.get(tx, (space, name)) != detour.mark:
                raise ConflictError("the space changed while its turns were analysed; it is tried again")
            if detour.is_whole:
                put_turn_aside(tx, row, RuleStage.ANALYSIS, str(ANALYSIS_VERSION), where)
                begun = replace(stretch.progress, next=0) if seen is None else progress
                META.put(tx, [MetaRow(space, PROGRESS, replace(begun, aside=True).to_json())])
                return True
            META.put(tx, [MetaRow(space, name, BranchMark(row.seq, since=row.seq).to_json())])
            return put_session_aside(tx, space, row.session, RuleStage.BEATS, str(ANALYSIS_VERSION), where)

        is_new = self._store.transaction(write, durable=False)
        self._branches.pop(name, None)
        if detour.is_whole:
            tell(turn_id(row.session, row.seq), RuleStage.ANALYSIS, where)
        elif is_new:
            tell(f"session {row.session}", RuleStage.BEATS, where)

    def _is_stale(self, progress: Progress, learned: LearnedValues) -> bool:
        """Whether everything is to be analysed again, as soon as that is possible."""
        other_model = self._model is not None and progress.model != self._model
        now = ANALYSIS_VERSION, learned.structure, self._is_met
        return other_model or (progress.version, progress.learned, progress.met) != now

    def _next(self, reader: Reader, view: IndexView, aside: frozenset[int]) -> _Stretch | None:
        seen, progress = read_progress(reader, self._space)
        learned = read_learned(reader, self._space)
        self._by = structure_of(learned)
        self._aside = turns_aside(reader, self._space, RuleStage.ANALYSIS) if progress.aside else frozenset()
        progress = replace(progress, aside=bool(self._aside))
        if seen is None:
            progress = Progress(model=self._model, learned=learned.structure, met=self._is_met)
        elif self._is_stale(progress, learned):
            model = progress.model if self._model is None else self._model
            if ready_to(view, model, aside) <= last_ordinal(view):
                return None  # the new model's vectors are on their way; what the old one gave stays until then
            anew = Progress(model=model, epoch=progress.epoch + 1, learned=learned.structure, met=self._is_met)
            return _Stretch((), seen, anew, afresh=True)
        ready = ready_to(view, progress.model, aside)
        for session, start in _redos(reader, self._space):
            return self._again(reader, _Stretch((), seen, progress), session, start, ready)
        return self._fresh(reader, _Stretch((), seen, progress), ready)

    def _fresh(self, reader: Reader, stretch: _Stretch, ready: int) -> _Stretch | None:
        start = stretch.progress.next
        if start >= ready:
            return None
        rows = rows_by_ordinal(reader, (self._space, start), (self._space, ready - 1), self._narrowing.size)
        if not rows:
            return None
        progress = replace(stretch.progress, next=rows[-1].ordinal + 1)
        return replace(stretch, rows=rows, progress=progress)

    def _again(self, reader: Reader, stretch: _Stretch, session: str, start: int, ready: int) -> _Stretch | None:
        name = REDO + session
        rows = TURN.scan(reader, (self._space, session, start), (self._space, session), limit=self._narrowing.size)
        late = next((place for place, row in enumerate(rows) if row.ordinal >= ready), None)
        if late == 0:
            return None
        done = late is None and len(rows) < self._narrowing.size
        rows = rows[:late]
        return replace(stretch, rows=rows, redo=(name, None if done else str(rows[-1].seq + 1)))

    def _look(self, reader: Reader, view: IndexView, stretch: _Stretch, *, is_alone: bool = False) -> _StretchResult:
        """What a stretch makes.

        Args:
            is_alone: its branches begin with it, for a try of which nothing is written.
        """
        result = _StretchResult()
        by_branch: dict[tuple[str, str], list[TurnRow]] = {}
        for row in stretch.rows:
            by_branch.setdefault((row.session, row.branch), []).append(row)
        model = stretch.progress.model
        for (session, branch), rows in by_branch.items():
            fresh = BranchState(session, branch)
            state = fresh if is_alone else self._state_of(reader, view, model, fresh, result)
            items = self._items(reader, view, model, rows)
            new = [item for item in items if item.seq >= state.mark.next]
            result.branches.append(self._along(state, new, rows[-1].seq + 1, model, result))

        def load(places: Sequence[tuple[str, int]]) -> list[TurnMaterial]:
            rows = TURN.get_many(reader, [(self._space, *place) for place in places])
            return self._items(reader, view, model, [row for row in rows if row is not None])

        result.weighings += weighings_again(reader, self._space, stretch.rows)
        maker = RowOrigin(stretch.progress.epoch, ANALYSIS_VERSION, PROVENANCE)
        result.growth = grown(reader, self._space, result.closed, self._trees, load, maker)
        if stretch.afresh:
            self._words = None  # the names go with what they were names of, and nothing may bring them back
        else:
            self._tag(reader, model, result)
        return result

    def _tag(self, reader: Reader, model: str | None, result: _StretchResult) -> None:
        """Enters the labels of closed beats, then gives each turn those that were there before it."""
        words, self._words = words_of(reader, self._space, model, self._words), None
        result.words = words
        enter(reader, self._space, words, result.growth.tagged, self._embedder)
        for place, state in enumerate(result.branches):
            earlier = result.earlier.get(state.key)
            history = state.tags if earlier is None else [tags_of(item, words.vocabulary) for item in earlier]
            turns = result.turns[state.key]
            tags, recent = tag_along([item for item, _ in turns], history, words.vocabulary)
            result.branches[place] = replace(state, tags=recent)
            for (item, analysis), own in zip(turns, tags, strict=True):
                text = analysis_text(with_tags(analysis, own).annotations() | _annotated_again(item))
                result.analyses.append((item.ordinal, text))
                if not item.weighed:
                    result.weighings.append((item.ordinal, item.weighing))

    def _items(self, reader: Reader, view: IndexView, model: str | None, rows: Sequence[TurnRow]) -> list[TurnMaterial]:
        if model is not None and model not in self._prototypes:
            stored = read_prototypes(reader, self._space, model)
            if stored is not None:
                self._prototypes[model] = stored
        prototypes = None if model is None else self._prototypes.get(model)
        rows = [row for row in rows if row.ordinal not in self._aside] if self._aside else rows
        return materials_of(reader, self._space, rows, stored_vectors(view, model, rows), prototypes, self._by)

    def _state_of(
        self, reader: Reader, view: IndexView, model: str | None, fresh: BranchState, result: _StretchResult
    ) -> BranchState:
        """The branch's state: the cached one if its mark is what the store says, else made again.

        Args:
            fresh: the state of a branch that was never analysed.
        """
        mark, text = read_branch_mark(reader, self._space, fresh.session, fresh.branch)
        result.marks[fresh.key] = text
        cached = self._branches.get(fresh.key)
        if cached is not None and cached.mark == mark:
            return cached
        self._trees.pop(fresh.session, None)  # the cached tree of the session is not what is stored
        if mark is None:
            return fresh
        rows = rows_to_replay(reader, self._space, fresh.session, fresh.branch, mark, self._aside)
        items = self._items(reader, view, model, rows)
        result.earlier[fresh.key] = items[-LOOKBACK:]
        return replay(replace(fresh, mark=mark), items)

    def _along(
        self, state: BranchState, items: Sequence[TurnMaterial], after: int, model: str | None, result: _StretchResult
    ) -> BranchState:
        """Takes a branch forward over turns; `after` is the seq behind the last of them, analysed or not."""
        before, beat_state, turns = state.before, state.open, dict(state.turns)
        rules, beats = self._rules(model), BeatRule(maturity=self._by.maturity)
        analysed = result.turns.setdefault(state.key, [])
        for item, turn, seen, features in self._prepared(items, model):
            analysis, before = analyze_turn(turn, before, rules, seen)
            analysed.append((item, analysis))
            turns[item.seq] = item
            step = advance(beat_state, features, beats)
            beat_state = step.state
            for beat in step.closed:
                members = tuple(turns.pop(seq) for seq in beat.seqs)
                result.closed.append(ClosedBeat(beat, members, item.ordinal))
        mark = replace(
            state.mark,
            next=max(after, state.mark.next),
            open=tuple(sorted(turns)),
            usual=before.usual,
            margin=before.margin,
            spread=before.spread,
            heard=beat_state.heard,
        )
        return replace(state, mark=mark, before=before, open=beat_state, turns=turns)

    def _prepared(
        self, items: Sequence[TurnMaterial], model: str | None
    ) -> Iterator[tuple[TurnMaterial, TurnInput, SeenTurn, TurnFeatures]]:
        """Turns with what depends on no other turn, each kind made for many turns before the next, which is faster."""
        for start in range(0, len(items), AT_ONCE):
            chunk = items[start : start + AT_ONCE]
            inputs = [self._met(item, model) for item in chunk]
            seen = list(map(as_seen, inputs))
            yield from zip(chunk, inputs, seen, [item.features for item in chunk], strict=True)

    def _met(self, item: TurnMaterial, model: str | None) -> TurnInput:
        """The turn as `analyze_turn` takes it, with its meet where a project is attached."""
        turn_input = item.analysis_input()
        if self._meet is None:
            return turn_input
        return replace(turn_input, meet=self._meet.scores(item.terms, item.vector, model))

    def _rules(self, model: str | None) -> Rules:
        limits = self._limits
        return Rules(
            calibration=calibration_of(model),
            profile="sigma" if limits.importance_profile == "sigma" else "calibrated",
            shift=limits.paradigm_shift_threshold,
            preserve=limits.preserve_threshold,
            routine=limits.routine_threshold,
        )

    def _write(self, tx: Transaction, stretch: _Stretch, result: _StretchResult) -> None:
        """All of a stretch or nothing: what it was read from must still stand."""
        space = self._space
        progress, _ = read_progress(tx, space)
        living = TURN_SEQ.get_many(tx, [(space, row.session, row.seq) for row in stretch.rows])
        names = [state.key for state in result.branches]
        marks = META_VALUE.get_many(tx, [(space, name) for name in names])
        same = all(mark == result.marks[name] for name, mark in zip(names, marks, strict=True))
        words = result.words
        same = same and (words is None or words.state == state_of(tx, space))
        if progress != stretch.seen or None in living or not same:
            raise ConflictError("the space changed while its turns were analysed; it is tried again")
        if stretch.afresh:
            drop_analysis(tx, space)
        model = stretch.progress.model
        maker = maker_number(tx, space, PROVENANCE if model is None else f"model:{model}") if result.analyses else 0
        tx.put(ANALYSIS, [(space, ordinal, text, maker, ANALYSIS_VERSION) for ordinal, text in result.analyses])
        tx.put(WEIGHING, [(space, ordinal, text, ANALYZE_VERSION) for ordinal, text in result.weighings])
        META.put(tx, [MetaRow(space, state.key, state.mark.to_json()) for state in result.branches])
        META.put(tx, [MetaRow(space, PROGRESS, stretch.progress.to_json())])
        result.growth.put(tx, space, str(stretch.progress.next))
        if words is not None:
            write_words(tx, space, words)
        if stretch.redo is not None:
            note_replaced(tx, space)
            name, value = stretch.redo
            if value is None:
                tx.delete("meta", (space, name), (space, name))
            else:
                META.put(tx, [MetaRow(space, name, value)])


def _annotated_again(item: TurnMaterial) -> dict[str, object]:
    """Annotations that the analysis makes better than the rules that weigh a turn alone, by kind."""
    weighed = item.annotations
    domains = {} if item.vector is None or "domains" not in weighed else {"domains": list(item.tags)}
    layer1 = LAYER1 if "layer1:window" in weighed else ()
    return domains | {kind: weighed[kind] for kind in layer1 if kind in weighed}


def _redos(reader: Reader, space: str) -> list[tuple[str, int]]:
    rows = META_ENTRIES.scan(reader, (space, REDO), (space, past_prefix(REDO)))
    return [(row.name[len(REDO) :], int(row.value)) for row in rows]
