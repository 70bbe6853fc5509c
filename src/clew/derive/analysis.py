"""Turns that are stored -> what each is beside those before it, and the beats and chapters they make.

Strictly in sequence along each line of a session, a bounded stretch at a time; what is found does not depend on where
stretches end, nor on which process does them. How far it has come stands in rows of META:

    analysed          {"next": ordinal, "model": name, "version": n, "epoch": n}: everything before `next` is analysed;
                      with "learned": n once there are learned parameters (`clew.rows.parameters`)
    line:<line>       how far one line of a session is (`clew.derive.branch_state.Mark`)
    redo:<session>    seq from which a session is analysed again, since one of its turns was forgotten

A turn waits for its vector where there is an embedder, unless that cannot do it (docs/decisions/0008).
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, cast

import numpy as np

from clew.analyze.novelty import Vector, calibration_of
from clew.analyze.prototypes import Prototypes
from clew.analyze.tags import LOOKBACK
from clew.analyze.turns import Rules, analyze_turn
from clew.analyze.weigh import ANALYZE_VERSION, weigh
from clew.config import AnalyzeConfig
from clew.derive.branch_state import UNTUNED, Item, Line, items_of, mark_name, read_mark, replay, rows_to_replay
from clew.derive.hierarchy import TREE, Closed, Growth, Maker, drop_nodes, grown
from clew.derive.tagging import Words, enter, settled, tag_along, tags_of, words_of, write_words
from clew.errors import ConflictError
from clew.index.live import LiveIndex
from clew.index.vectors import has_vector, vectors_at
from clew.index.view import IndexView
from clew.models.protocol import Embedder
from clew.rows.analysis_progress import ANALYSIS_VERSION, PROGRESS, Progress, read_progress
from clew.rows.annotation_codec import analysis_text, weighing_text
from clew.rows.annotations import ANALYSIS, PROVENANCE, TAG, WEIGHING, maker_number, note_replaced
from clew.rows.domain_prototypes import make_prototypes, read_prototypes
from clew.rows.parameters import read_learned, structure_of
from clew.rows.vocabulary import adopt, drop_vocabulary, labels_in, let_go, state_of, untag
from clew.store.protocol import Reader, Store, Transaction
from clew.store.rows import TURN_COLUMNS
from clew.store.values import Row
from clew.structure.beats import BeatRule, advance
from clew.structure.chapters import OpenTree
from clew.types.analysis import TurnAnalysis
from clew.types.ids import parse_turn_id, turn_id
from clew.types.tuning import LearnedValues

STRETCH: Final = 256
"""Most turns analysed between two commits."""

KEPT_LINES: Final = 64
"""Lines whose state is remembered between stretches."""

REDO: Final = "redo:"
LAYER1: Final = ("layer1", "layer1:sentences", "layer1:window")
_LINES: Final = "line:"

_SESSION, _SEQ, _ORDINAL, _BRANCH = (TURN_COLUMNS[name] for name in ("session", "seq", "ordinal", "branch"))


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The turns that come next, and how things stand after them.

    Attributes:
        afresh: everything made so far is dropped; then there are no turns.
        redo: name and new value of the row that asked for it; the value is None when that is done.
    """

    rows: Sequence[Row]
    seen: str | None
    progress: Progress
    afresh: bool = False
    redo: tuple[str, str | None] | None = None


@dataclass(slots=True)
class _Found:
    """What one stretch says, before it is written.

    Attributes:
        turns: what is said of each turn, by line, in order.
        earlier: the last turns of lines whose state was made again.
        said: rows of ANALYSIS by ordinal.
        weighed: rows of WEIGHING that were missing.
    """

    turns: dict[str, list[tuple[Item, TurnAnalysis]]] = field(default_factory=dict)
    earlier: dict[str, list[Item]] = field(default_factory=dict)
    said: list[tuple[int, str]] = field(default_factory=list)
    weighed: list[tuple[int, str]] = field(default_factory=list)
    closed: list[Closed] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    marks: dict[str, str | None] = field(default_factory=dict)  # as they were read
    growth: Growth = field(default_factory=Growth)
    words: Words | None = None


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
    ) -> None:
        self._store, self._space, self._live, self._limits = store, space, live, config
        self._stretch = stretch
        self._embedder, self._model = embedder, None if embedder is None else embedder.name
        self._prototypes: dict[str, Prototypes] = {}  # by model
        self._by = UNTUNED
        self._lines: OrderedDict[str, Line] = OrderedDict()
        self._trees: OrderedDict[str, OpenTree] = OrderedDict()
        self._words: Words | None = None  # None also while a stretch changes it

    def pending(self, aside: frozenset[int] = frozenset()) -> int:
        """Turns that are not analysed and will be by this process; those whose vector is still on its way count.

        Args:
            aside: as in `step`.
        """
        view = self._live.view()
        with self._store.snapshot() as reader:
            seen, progress = read_progress(reader, self._space)
            learned = read_learned(reader, self._space)
            again = _redos(reader, self._space)
            ends = [(self._space, session) for session, _ in again]
            starts = [(self._space, session, start) for session, start in again]
            behind = sum(reader.count("turn", start, end) for start, end in zip(starts, ends, strict=True))
        start = 0 if seen is None or self._is_stale(progress, learned) else progress.next
        end = _last(view) + 1 if self._model is not None else _ready(view, progress.model, aside)
        ordinals = view.turns.ordinal
        return behind + max(0, int(np.searchsorted(ordinals, end) - np.searchsorted(ordinals, start)))

    def step(self, aside: frozenset[int] = frozenset()) -> bool:
        """Analyses one stretch; says whether there was anything that could be.

        Args:
            aside: ordinals of turns that the embedder cannot do.

        Raises:
            ConflictError: turns were forgotten, or another process analysed, meanwhile; nothing was written.
            ModelError: the embedder cannot do the sentences that domains are compared with, or names of labels.
        """
        view = self._live.view()
        if self._embedder is not None and self._embedder.name in view.vectors:
            make_prototypes(self._store, self._space, self._embedder)
        with self._store.snapshot() as reader:
            stretch = self._next(reader, view, aside)
            if stretch is None:
                return False
            found = self._look(reader, view, stretch)
        self._store.transaction(lambda tx: self._write(tx, stretch, found), durable=False)
        if found.words is not None:
            with self._store.snapshot() as reader:
                self._words = settled(reader, self._space, found.words)
        for line in found.lines:
            for item in line.turns.values():
                item.let_go()
            self._lines[line.key] = line
            self._lines.move_to_end(line.key)
        while len(self._lines) > KEPT_LINES:
            self._lines.popitem(last=False)
        self._trees |= found.growth.trees
        while len(self._trees) > KEPT_LINES:
            self._trees.popitem(last=False)
        return True

    def _is_stale(self, progress: Progress, learned: LearnedValues) -> bool:
        """Whether everything is to be analysed anew, as soon as that is possible."""
        other_model = self._model is not None and progress.model != self._model
        return other_model or (progress.version, progress.learned) != (ANALYSIS_VERSION, learned.structure)

    def _next(self, reader: Reader, view: IndexView, aside: frozenset[int]) -> _Stretch | None:
        seen, progress = read_progress(reader, self._space)
        learned = read_learned(reader, self._space)
        self._by = structure_of(learned)
        if seen is None:
            progress = Progress(model=self._model, learned=learned.structure)
        elif self._is_stale(progress, learned):
            model = progress.model if self._model is None else self._model
            if _ready(view, model, aside) <= _last(view):
                return None  # the new model's vectors are on their way; what the old one gave stays until then
            anew = Progress(model=model, epoch=progress.epoch + 1, learned=learned.structure)
            return _Stretch((), seen, anew, afresh=True)
        ready = _ready(view, progress.model, aside)
        for session, start in _redos(reader, self._space):
            return self._again(reader, _Stretch((), seen, progress), session, start, ready)
        return self._fresh(reader, _Stretch((), seen, progress), ready)

    def _fresh(self, reader: Reader, stretch: _Stretch, ready: int) -> _Stretch | None:
        start = stretch.progress.next
        if start >= ready:
            return None
        low, high = (self._space, start), (self._space, ready - 1)
        rows = reader.scan("turn", low, high, index="ordinal", limit=self._stretch)
        if not rows:
            return None
        after = cast(int, rows[-1][_ORDINAL]) + 1
        return replace(stretch, rows=rows, progress=replace(stretch.progress, next=after))

    def _again(self, reader: Reader, stretch: _Stretch, session: str, start: int, ready: int) -> _Stretch | None:
        name = REDO + session
        rows = reader.scan("turn", (self._space, session, start), (self._space, session), limit=self._stretch)
        late = next((place for place, row in enumerate(rows) if cast(int, row[_ORDINAL]) >= ready), None)
        if late == 0:
            return None
        done = late is None and len(rows) < self._stretch
        rows = rows[:late]
        return replace(stretch, rows=rows, redo=(name, None if done else str(cast(int, rows[-1][_SEQ]) + 1)))

    def _look(self, reader: Reader, view: IndexView, stretch: _Stretch) -> _Found:
        found = _Found()
        lines: dict[tuple[str, str], list[Row]] = {}
        for row in stretch.rows:
            lines.setdefault((cast(str, row[_SESSION]), cast(str, row[_BRANCH])), []).append(row)
        model = stretch.progress.model
        for (session, branch), rows in lines.items():
            line = self._line(reader, view, model, Line(session, branch), found)
            items = self._items(reader, view, model, rows)
            new = [item for item in items if item.seq >= line.mark.next]
            found.lines.append(self._along(line, new, cast(int, rows[-1][_SEQ]) + 1, model, found))

        def load(places: Sequence[tuple[str, int]]) -> list[Item]:
            held = reader.get_many("turn", [(self._space, *place) for place in places])
            rows = [row for row in held if row is not None]
            return self._items(reader, view, model, rows)

        maker = Maker(stretch.progress.epoch, ANALYSIS_VERSION, PROVENANCE)
        found.growth = grown(reader, self._space, found.closed, self._trees, load, maker)
        self._tag(reader, model, found)
        return found

    def _tag(self, reader: Reader, model: str | None, found: _Found) -> None:
        """Enters the labels of closed beats, then gives each turn those that were there before it."""
        words, self._words = words_of(reader, self._space, model, self._words), None
        found.words = words
        enter(reader, self._space, words, found.growth.tagged, self._embedder)
        for place, line in enumerate(found.lines):
            earlier = found.earlier.get(line.key)
            history = line.tags if earlier is None else [tags_of(item, words.vocabulary) for item in earlier]
            turns = found.turns[line.key]
            tags, recent = tag_along([item for item, _ in turns], history, words.vocabulary)
            found.lines[place] = replace(line, tags=recent)
            for (item, analysis), each in zip(turns, tags, strict=True):
                said = analysis_text(replace(analysis, tags=each).annotations() | _said_again(item))
                found.said.append((cast(int, item.turn.ordinal), said))
                if not item.weighed:
                    rules = weighing_text(weigh(item.turn.text).annotations())
                    found.weighed.append((cast(int, item.turn.ordinal), rules))

    def _items(self, reader: Reader, view: IndexView, model: str | None, rows: Sequence[Row]) -> list[Item]:
        if model is not None and model not in self._prototypes:
            kept = read_prototypes(reader, self._space, model)
            if kept is not None:
                self._prototypes[model] = kept
        prototypes = None if model is None else self._prototypes.get(model)
        return items_of(reader, self._space, rows, stored_vectors(view, model, rows), prototypes, self._by)

    def _line(self, reader: Reader, view: IndexView, model: str | None, line: Line, found: _Found) -> Line:
        """The line's state: as it is remembered if that is what the store says, else made again."""
        mark, text = read_mark(reader, self._space, line.session, line.branch)
        found.marks[line.key] = text
        held = self._lines.get(line.key)
        if held is not None and held.mark == mark:
            return held
        self._trees.pop(line.session, None)  # what is remembered of the session is not what is stored
        if mark is None:
            return line
        rows = rows_to_replay(reader, self._space, line.session, line.branch, mark)
        items = self._items(reader, view, model, rows)
        found.earlier[line.key] = items[-LOOKBACK:]
        return replay(replace(line, mark=mark), items)

    def _along(self, line: Line, items: Sequence[Item], after: int, model: str | None, found: _Found) -> Line:
        """Takes a line forward over turns; `after` is the seq behind the last of them, analysed or not."""
        before, state, turns = line.before, line.open, dict(line.turns)
        rules, beats = self._rules(model), BeatRule(maturity=self._by.maturity)
        told = found.turns.setdefault(line.key, [])
        for item in items:
            analysis, before = analyze_turn(item.told(), before, rules)
            told.append((item, analysis))
            turns[item.seq] = item
            step = advance(state, item.features, beats)
            state = step.state
            for beat in step.closed:
                members = tuple(turns.pop(seq) for seq in beat.seqs)
                found.closed.append(Closed(beat, members, cast(int, item.turn.ordinal)))
        mark = replace(
            line.mark,
            next=max(after, line.mark.next),
            open=tuple(sorted(turns)),
            usual=before.usual,
        )
        return replace(line, mark=mark, before=before, open=state, turns=turns)

    def _rules(self, model: str | None) -> Rules:
        limits = self._limits
        return Rules(
            calibration=calibration_of(model),
            profile="sigma" if limits.importance_profile == "sigma" else "calibrated",
            shift=limits.paradigm_shift_threshold,
            preserve=limits.preserve_threshold,
            routine=limits.routine_threshold,
        )

    def _write(self, tx: Transaction, stretch: _Stretch, found: _Found) -> None:
        """All of a stretch or nothing: what it was read from must still stand."""
        space = self._space
        held, _ = read_progress(tx, space)
        keys = [(space, row[_SESSION], row[_SEQ]) for row in stretch.rows]
        living = tx.get_many("turn", keys, columns=("seq",))
        marks = {line.key: tx.get("meta", (space, line.key)) for line in found.lines}
        same = all((row and row[2]) == found.marks[name] for name, row in marks.items())
        words = found.words
        same = same and (words is None or words.state == state_of(tx, space))
        if held != stretch.seen or None in living or not same:
            raise ConflictError("the space changed while its turns were analysed; it is tried again")
        if stretch.afresh:
            drop_analysis(tx, space)
        model = stretch.progress.model
        maker = maker_number(tx, space, PROVENANCE if model is None else f"model:{model}") if found.said else 0
        tx.put(ANALYSIS, [(space, ordinal, said, maker, ANALYSIS_VERSION) for ordinal, said in found.said])
        tx.put(WEIGHING, [(space, ordinal, said, ANALYZE_VERSION) for ordinal, said in found.weighed])
        tx.put("meta", [(space, line.key, line.mark.to_json()) for line in found.lines])
        tx.put("meta", [(space, PROGRESS, stretch.progress.to_json())])
        for table, rows in found.growth.rows(space).items():
            tx.put(table, rows)
        if words is not None:
            write_words(tx, space, words)
        if stretch.redo is not None:
            note_replaced(tx, space)
            name, value = stretch.redo
            if value is None:
                tx.delete("meta", (space, name), (space, name))
            else:
                tx.put("meta", [(space, name, value)])


def drop_analysis(tx: Transaction, space: str) -> None:
    """Takes back everything that is made here but the annotations, which the next pass replaces one by one.

    What a person marked stays, and so does what a language model said of a turn.
    """
    note_replaced(tx, space)
    tx.delete("node", (space,), (space,))
    drop_vocabulary(tx, space)
    kept = [row for row in tx.scan("label", (space,), (space,)) if _is_given(row)]
    tx.delete("label", (space,), (space,))
    tx.put("label", kept)
    adopt(tx, space, _born(tx, space, [row for row in kept if row[2] == TAG and row[5] != "user"]))
    tx.delete("meta", (space, PROGRESS), (space, PROGRESS))
    for prefix in (_LINES, REDO, TREE):
        tx.delete("meta", (space, prefix), (space, _past(prefix)))


def analyse_again(tx: Transaction, space: str, sessions: Sequence[str]) -> None:
    """Takes back what was made of sessions, and asks for it to be made anew: a turn of each was forgotten.

    A session that has no turns left is not asked for again, so that its name goes with this transaction.
    """
    for session in sessions:
        dropped, beats = labels_in(tx, space, session)
        drop_nodes(tx, space, session)
        untag(tx, space, session)
        let_go(tx, space, _drop_lost(tx, space, session) | dropped, beats)
        name = mark_name(session, "")
        tx.delete("meta", (space, name), (space, name))
        tx.delete("meta", (space, name + ":"), (space, name + ";"))
        if tx.count("turn", (space, session), (space, session)):
            tx.put("meta", [(space, REDO + session, "0")])
        else:
            tx.delete("meta", (space, REDO + session), (space, REDO + session))


def _is_given(row: Row) -> bool:
    """Whether a label was not made by the analysis."""
    return row[5] == "user" or (":turn:" in cast(str, row[1]) and str(row[5]).startswith("model:"))


def _born(reader: Reader, space: str, labels: Sequence[Row]) -> list[tuple[str, int]]:
    """The names of labels of turns, with the turns' ordinals."""
    turns = reader.get_many("turn", [(space, *parse_turn_id(cast(str, row[1]))) for row in labels])
    pairs = zip(labels, turns, strict=True)
    return [(cast(str, label[3]), cast(int, turn[_ORDINAL])) for label, turn in pairs if turn is not None]


def _drop_lost(tx: Transaction, space: str, session: str) -> dict[str, int]:
    """Takes out the labels of turns of a session that are gone; gives the names of those that were no person's."""
    first = turn_id(session, 0).removesuffix("0")
    dropped: dict[str, int] = {}
    for row in tx.scan("label", (space, first), (space, first[:-1] + ";")):
        if tx.get("turn", (space, *parse_turn_id(cast(str, row[1])))) is None:
            tx.delete("label", row[:4], row[:4])
            if row[2] == TAG:
                dropped[cast(str, row[3])] = 0  # of beats
    return dropped


def _said_again(item: Item) -> dict[str, object]:
    """Annotations that the analysis knows better than who weighed the turn alone, by kind."""
    domains = {} if item.vector is None or "domains" not in item.said else {"domains": list(item.tags)}
    layer1 = LAYER1 if "layer1:window" in item.said else ()
    return domains | {kind: item.said[kind] for kind in layer1 if kind in item.said}


def _redos(reader: Reader, space: str) -> list[tuple[str, int]]:
    rows = reader.scan("meta", (space, REDO), (space, _past(REDO)), columns=("name", "value"))
    return [(cast(str, name)[len(REDO) :], int(cast(str, value))) for name, value in rows]


def _past(prefix: str) -> str:
    """Comes after every name with a prefix that ends in a colon, and before all others."""
    return prefix[:-1] + ";"


def _last(view: IndexView) -> int:
    return int(view.turns.ordinal[-1]) if len(view.turns.ordinal) else -1


def _ready(view: IndexView, model: str | None, aside: frozenset[int]) -> int:
    """The ordinal below which every turn has its vector, or will never have one."""
    if model is None:
        return _last(view) + 1
    lacking = view.turns.ordinal[~has_vector(view, model) & (view.turns.chars > 0)]
    return next((int(ordinal) for ordinal in lacking if int(ordinal) not in aside), _last(view) + 1)


def stored_vectors(view: IndexView, model: str | None, rows: Sequence[Row]) -> Mapping[int, Vector]:
    """The vectors of turns, by ordinal."""
    if model is None or not rows:
        return {}
    ordinals = np.array([row[_ORDINAL] for row in rows])
    places = np.searchsorted(view.turns.ordinal, ordinals)
    known = {int(place): int(ordinal) for place, ordinal in zip(places, ordinals, strict=True)}
    return {known[place]: vector for place, vector in vectors_at(view, model, known).items()}
