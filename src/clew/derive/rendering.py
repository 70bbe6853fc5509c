"""Makes the renderings of nodes: of beats from their turns, of higher nodes from the renderings below them.

Notes in META say which sessions and labels have work (`clew.rows.renderings`); the analysis writes them with the nodes.
A stretch is one transaction that is given up when a turn or node it was made from is gone, so that nothing which was
forgotten comes back. Nodes are final once they are closed, and so are their renderings; those of a session and of a
label are made again when their source has changed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from clew.condense.node_material import SILENT, line_of, tool_values
from clew.condense.node_renderings import NodeLine, NodeSize, NodeSource, lines_of, render_node
from clew.condense.renderings import Rendering
from clew.derive.rule_failures import Narrowing, RuleFailure, tell, tried
from clew.rank.tuning.renderings import scale_of
from clew.rows.analysis_progress import ANALYSIS_VERSION
from clew.rows.annotations import NAME_OWNER, TAG, WEIGHING, annotation_values
from clew.rows.failed_jobs import RuleStage
from clew.rows.parameters import read_learned
from clew.rows.quotes import spoken_line
from clew.rows.renderings import (
    ALL_LABELS,
    LABEL_MARK,
    SESSION_MARK,
    count_marked,
    mark_labels,
    marked,
    put_renderings,
    rendering,
    salient_of,
    session_node,
    unmark,
)
from clew.rows.set_aside import put_labels_aside, put_session_aside
from clew.store.protocol import Reader, Store, Transaction
from clew.store.row_types import LabelRow, NodeRow, TurnRow
from clew.store.rows import turn_from_row
from clew.store.selections import LABEL_NAME, NODE_ID, NODE_OUTLINES, RENDERED_NODE
from clew.store.tables import LABEL, META, NODE, SESSION, TURN
from clew.store.turn_selections import TURN_SEQ
from clew.structure.hierarchy_codec import beat_of
from clew.text.counters import Counter, counter
from clew.text.terms import terms
from clew.types.ids import BEAT, session_prefix

STRETCH: Final = 64
"""Most nodes rendered between two commits."""

CACHED_SESSIONS: Final = 256

BEAT_SIZE: Final = NodeSize(480, 960)
CHAPTER_SIZE: Final = NodeSize(960, 1440)
SESSION_SIZE: Final = NodeSize(960, 1920)
LABEL_SIZE: Final = NodeSize(960, 960)

LABEL_BEATS: Final = 12
"""Beats that a label's rendering is made from: those in which it weighs most."""

Render = Callable[[NodeSource, NodeSize, Counter], list[Rendering]]
"""Makes the renderings of one node."""

_TITLE: Final = "title"
_UNTITLED: Final = "(no prose)"
_LONG: Final = 600  # characters of a turn whose sentences are weighed one by one


@dataclass(slots=True)
class _Places:
    """How far a session is rendered.

    Attributes:
        next: by level, place of the next node to render.
        child: by level, place of the next node that no rendered chapter has as its child.
    """

    next: dict[int, int] = field(default_factory=dict)
    child: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class _RenderingBatch:
    """The renderings of one stretch, and what they were made from.

    Attributes:
        scale: the learned factor of the lengths of renderings.
        quotable: by node, the turns that its renderings may be kept as places in.
        nodes: those rendered that are rows of NODE.
        below: nodes from whose renderings these were made.
        turns: keys of the rows of TURN that these were made from.
        labels: names whose renderings may change.
        done: whether the session has no more work.
        plain: nothing is read, and nodes get their titles alone: rules failed.
    """

    scale: float = 1.0
    plain: bool = False
    renderings: list[tuple[str, Rendering]] = field(default_factory=list)
    quotable: dict[str, Sequence[tuple[int, NodeLine]]] = field(default_factory=dict)
    nodes: list[str] = field(default_factory=list)
    below: list[str] = field(default_factory=list)
    turns: list[tuple[str, str, int]] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)
    done: bool = False


class NodeRendering:
    """Renders the nodes of one space. Only the holder of the worker's lease may call `step`."""

    def __init__(self, store: Store, space: str, render: Render = render_node) -> None:
        """Nothing is read before it is asked for.

        Args:
            render: the rules.
        """
        self._store, self._space, self._render = store, space, render
        self._count = counter()
        self._narrowing = Narrowing(STRETCH)
        self._places: dict[str, _Places] = {}

    def pending(self) -> int:
        """Sessions and labels with something to render."""
        with self._store.snapshot() as reader:
            return count_marked(reader, self._space)

    def step(self) -> bool:
        """Renders one stretch of nodes; returns whether there was anything to do."""
        with self._store.snapshot() as reader:
            sessions = marked(reader, self._space, SESSION_MARK, limit=1)
            limit = self._narrowing.size
            labels = [] if sessions else marked(reader, self._space, LABEL_MARK, limit=limit)
            every = not sessions and META.get(reader, (self._space, ALL_LABELS)) is not None
        if sessions:
            self._session(*sessions[0])
        elif every:
            self._store.transaction(self._mark_all, durable=False)
        elif labels:
            self._labels(labels)
        return bool(sessions or labels or every)

    def _mark_all(self, tx: Transaction) -> None:
        names = set(LABEL_NAME.scan(tx, (self._space, TAG), (self._space, TAG), index="name"))
        mark_labels(tx, self._space, sorted(names))
        tx.delete("meta", (self._space, ALL_LABELS), (self._space, ALL_LABELS))

    def _session(self, session: str, mark: str) -> None:
        with self._store.snapshot() as reader:
            result = tried(lambda: self._next(reader, session))
            failure = result if isinstance(result, RuleFailure) else None
            if isinstance(result, RuleFailure):
                if self._narrowing.narrow(self._narrowing.size):
                    return
                result = tried(lambda: self._next(reader, session, plain=True))
        self._places.pop(session, None)

        def keep(tx: Transaction) -> tuple[bool, bool]:
            is_new = failure is not None and put_session_aside(
                tx, self._space, session, RuleStage.RENDERINGS, str(ANALYSIS_VERSION), failure.where
            )
            if isinstance(result, RuleFailure):
                unmark(tx, self._space, SESSION_MARK, session, mark)
                return False, is_new
            return self._keep_session(session, mark, result[0], tx), is_new

        is_kept, is_new = self._store.transaction(keep, durable=False)
        if failure is None:
            self._narrowing.widen()
        elif is_new:
            tell(f"session {session}", RuleStage.RENDERINGS, failure.where)
        if is_kept and not isinstance(result, RuleFailure):
            self._places[session] = result[1]
            while len(self._places) > CACHED_SESSIONS:
                del self._places[next(iter(self._places))]

    def _next(self, reader: Reader, session: str, *, plain: bool = False) -> tuple[_RenderingBatch, _Places]:
        """The next renderings of a session, and how far it is rendered with them."""
        places = self._places.get(session)
        if places is None or not _still(reader, self._space, session, places):
            places = _places_of(reader, self._space, session)
        ahead = _Places(dict(places.next), dict(places.child))
        batch = _RenderingBatch(scale_of(read_learned(reader, self._space).values), plain)
        self._beats(reader, session, ahead, batch)
        if not batch.nodes:
            self._chapters(reader, session, ahead, batch)
        if not batch.nodes:
            self._whole(reader, session, batch)
        return batch, ahead

    def _keep_session(self, session: str, mark: str, batch: _RenderingBatch, tx: Transaction) -> bool:
        nodes = NODE_ID.get_many(tx, [(self._space, node) for node in batch.nodes])
        if None in nodes or None in TURN_SEQ.get_many(tx, batch.turns) or not self._stand(tx, batch.below):
            return False  # forgotten meanwhile: what remains is rendered by the note that comes with the new nodes
        if batch.done and batch.below != self._tops(tx, session):
            return False
        put_renderings(tx, self._space, batch.renderings, batch.quotable)
        mark_labels(tx, self._space, sorted(batch.labels))
        if batch.done:
            unmark(tx, self._space, SESSION_MARK, session, mark)
        return True

    def _stand(self, reader: Reader, nodes: Sequence[str]) -> bool:
        """Whether nodes still have renderings; where they were dropped, others may come back under the same ids."""
        return None not in RENDERED_NODE.get_many(reader, [(self._space, node) for node in nodes])

    def _tops(self, reader: Reader, session: str) -> list[str]:
        return [row.node for row in _tops(reader, self._space, session)][::-1]

    def _beats(self, reader: Reader, session: str, places: _Places, batch: _RenderingBatch) -> None:
        rows = _nodes(reader, self._space, session, BEAT, places.next.get(BEAT, 0), self._narrowing.size)
        titles: list[tuple[NodeSource, list[tuple[str, str, int]]]] = [(_titled(row.title), []) for row in rows]
        sources = titles if batch.plain else beat_sources(reader, self._space, rows)
        for row, (source, read) in zip(rows, sources, strict=True):
            batch.turns += read
            self._add(batch, row.node, source, BEAT_SIZE)
            batch.nodes.append(row.node)
            owned = LABEL.scan(reader, (self._space, row.node, TAG), (self._space, row.node, TAG))
            batch.labels |= {label.name for label in owned}
            places.next[BEAT] = row.place + 1

    def _chapters(self, reader: Reader, session: str, places: _Places, batch: _RenderingBatch) -> None:
        level = BEAT + 1
        while not batch.nodes:
            rows = _nodes(reader, self._space, session, level, places.next.get(level, 0), self._narrowing.size)
            if not rows and not _nodes(reader, self._space, session, level, 0, limit=1):
                return
            for row in rows:
                children = _children(reader, self._space, row, places.child.get(level - 1, 0))
                below = [child.node for child in children]
                source = _titled(row.title) if batch.plain else self._above(reader, below, row.title)
                self._add(batch, row.node, source, CHAPTER_SIZE)
                batch.nodes.append(row.node)
                batch.below += below
                places.next[level] = row.place + 1
                places.child[level - 1] = children[-1].place + 1 if children else places.child.get(level - 1, 0)
            level += 1

    def _whole(self, reader: Reader, session: str, batch: _RenderingBatch) -> None:
        tops = self._tops(reader, session)
        stored = SESSION.get(reader, (self._space, session))
        title = None if stored is None else stored.title
        source = _titled(title) if batch.plain else self._above(reader, tops, title)
        batch.done = True
        before = rendering(reader, self._space, session_node(session), _TITLE)
        if tops and (before is None or before.source != source.digest().hex()):
            self._add(batch, session_node(session), source, SESSION_SIZE)
        batch.below = tops

    def _above(self, reader: Reader, below: Sequence[str], title: str | None, words: str = "") -> NodeSource:
        """The source of a node that stands above others."""
        stored, quoted = salient_of(reader, self._space, below)
        renderings = [salient for salient in stored if salient is not None]
        lines = sorted((line for salient in renderings for line in lines_of(salient.text)), key=_day)
        turns = () if words else sorted(quoted, key=_day_of_turn)
        hashes = [bytes.fromhex(salient.source) for salient in renderings]
        return NodeSource(lines, (), hashes, title, frozenset(terms(words)), turns)

    def _add(self, batch: _RenderingBatch, node: str, source: NodeSource, size: NodeSize) -> None:
        renderings = [] if batch.plain else self._render(source, size.scaled(batch.scale), self._count)
        if not renderings:  # a title says that the node was looked at
            name = source.title or _UNTITLED
            digest = source.digest().hex()
            renderings = [Rendering(kind=_TITLE, text=name, tokens=self._count(name), source=digest, coverage=0.0)]
        batch.renderings += [(node, short) for short in renderings]
        batch.quotable[node] = source.turns

    def _labels(self, labels: Sequence[tuple[str, str]]) -> None:
        with self._store.snapshot() as reader:
            result = tried(lambda: self._batch_of_labels(reader, labels))
        if not isinstance(result, RuleFailure):
            self._store.transaction(partial(self._keep_labels, labels, *result), durable=False)
            self._narrowing.widen()
        elif not self._narrowing.narrow(len(labels)):
            self._pass_label(*labels[0], result.where)

    def _pass_label(self, name: str, mark: str, why: str) -> None:
        """Leaves a label without a rendering."""

        def write(tx: Transaction) -> bool:
            unmark(tx, self._space, LABEL_MARK, name, mark)
            return put_labels_aside(tx, self._space, str(ANALYSIS_VERSION), why)

        if self._store.transaction(write, durable=False):
            tell("a label", RuleStage.RENDERINGS, why)

    def _batch_of_labels(self, reader: Reader, labels: Sequence[tuple[str, str]]) -> tuple[_RenderingBatch, list[str]]:
        """The renderings of labels, and the nodes of those that are to have none any more."""
        gone: list[str] = []
        batch = _RenderingBatch(scale_of(read_learned(reader, self._space).values))
        for name, _ in labels:
            node = NAME_OWNER + name
            beats = sorted(row.owner for row in _beats_of_label(reader, self._space, name))
            before = rendering(reader, self._space, node, _TITLE)
            if len(beats) < 2:
                gone += [node] if before is not None else []
                continue
            source = self._above(reader, beats, name, name)
            if before is None or before.source != source.digest().hex():
                self._add(batch, node, source, LABEL_SIZE)
                batch.below += beats
        return batch, gone

    def _keep_labels(
        self, labels: Sequence[tuple[str, str]], batch: _RenderingBatch, gone: Sequence[str], tx: Transaction
    ) -> None:
        if not self._stand(tx, batch.below):
            return  # forgotten meanwhile: all labels are noted again
        for node in gone:
            tx.delete("rendering", (self._space, node), (self._space, node))
        put_renderings(tx, self._space, batch.renderings)
        for name, mark in labels:
            unmark(tx, self._space, LABEL_MARK, name, mark)


def beat_sources(
    reader: Reader, space: str, rows: Sequence[NodeRow]
) -> list[tuple[NodeSource, list[tuple[str, str, int]]]]:
    """What the renderings of beats are made from, and the keys of the turns that were read."""
    maps = [beat_of(row.data) for row in rows]
    keys = [(space, row.session, piece.seq) for row, beat in zip(rows, maps, strict=True) for piece in beat.pieces]
    turns = {(turn.session, turn.seq): turn for turn in TURN.get_many(reader, keys) if turn is not None}
    weights = _weights(reader, space, turns.values())
    sources = []
    for row, beat in zip(rows, maps, strict=True):
        lines: list[NodeLine] = []
        values: list[tuple[str, str]] = []
        plain: list[tuple[int, NodeLine]] = []
        stored = [(piece, turn) for piece in beat.pieces if (turn := turns.get((row.session, piece.seq))) is not None]
        for piece, turn in stored:
            line, called = _read(turn)
            values += called
            if line is not None:
                lines.append(line._replace(weight=piece.layer1, weights=weights.get(turn.ordinal, ())))
                plain += [(turn.seq, line)] if turn.parts is None else []
        source = NodeSource(lines, values, [turn.hash for _, turn in stored], row.title, turns=plain)
        sources.append((source, [(space, row.session, piece.seq) for piece, _ in stored]))
    return sources


def _weights(reader: Reader, space: str, turns: Iterable[TurnRow]) -> dict[int, Sequence[float]]:
    """Layer 1 of the sentences of turns that have many, by ordinal; of those whose whole text is prose."""
    long = [row.ordinal for row in turns if row.parts is None and len(row.text) > _LONG]
    weights: dict[int, Sequence[float]] = {}
    for ordinal, weighing in zip(long, annotation_values(reader, space, WEIGHING, long), strict=True):
        scores = None if weighing is None else weighing.get("layer1:sentences")
        if isinstance(scores, list):
            weights[ordinal] = scores
    return weights


def _read(row: TurnRow) -> tuple[NodeLine | None, list[tuple[str, str]]]:
    """What a turn says to a reader, and the files and commands of its tool calls."""
    if row.parts is None or row.role in SILENT or row.origin in SILENT:
        return spoken_line(row), []
    turn = turn_from_row(row)
    return line_of(turn), tool_values(turn)


def _day(line: NodeLine) -> str:
    return line.day


def _day_of_turn(turn: tuple[int, NodeLine]) -> str:
    return turn[1].day


def _titled(title: str | None) -> NodeSource:
    """The source of a node that gets its title alone."""
    return NodeSource([], [], [], title)


def _nodes(reader: Reader, space: str, session: str, level: int, place: int, limit: int = STRETCH) -> list[NodeRow]:
    """The next nodes of a level from a place on."""
    low, high = (space, session, level, place), (space, session, level)
    return NODE.scan(reader, low, high, index="level", limit=limit)


def _children(reader: Reader, space: str, chapter: NodeRow, place: int) -> list[NodeRow]:
    """The children of a chapter, which stand side by side; from a place at or before the first of them."""
    children: list[NodeRow] = []
    while rows := _nodes(reader, space, chapter.session, chapter.level - 1, place, limit=16):
        for row in rows:
            if row.parent == chapter.node:
                children.append(row)
            elif children:
                return children
        place = rows[-1].place + 1
    return children


def _tops(reader: Reader, space: str, session: str) -> Iterator[NodeRow]:
    """The nodes of a session without a parent, the last first: those of the level below before those above."""
    level = BEAT
    while True:
        end: tuple[str, str, int] | tuple[str, str, int, int] = (space, session, level)
        rows = NODE.scan(reader, (space, session, level), end, index="level", limit=16, reverse=True)
        if not rows:
            return
        loose = True
        while rows and loose:
            for row in rows:
                loose = loose and row.parent is None
                if loose:
                    yield row
            end = (space, session, level, rows[-1].place - 1)
            rows = NODE.scan(reader, (space, session, level), end, index="level", limit=16, reverse=True)
        level += 1


def _beats_of_label(reader: Reader, space: str, name: str) -> list[LabelRow]:
    """The beats in which a label weighs most."""
    bound = (space, TAG, name)
    rows = LABEL.scan(reader, bound, bound, index="name", limit=4 * LABEL_BEATS, reverse=True)
    return [row for row in rows if ":beat:" in row.owner][:LABEL_BEATS]


def _places_of(reader: Reader, space: str, session: str) -> _Places:
    """How far a session is rendered, by a look at all its nodes."""
    prefix = session_prefix(session)
    done = {
        node
        for kind in ("beat", "chapter")
        for node in RENDERED_NODE.scan(reader, (space, f"{prefix}:{kind}:"), (space, f"{prefix}:{kind};"))
    }
    places = _Places()
    rows = NODE_OUTLINES.scan(reader, (space, session), (space, session), index="level")
    by_level: dict[int, list[str]] = {}
    for row in rows:
        at = by_level.setdefault(row.level, [])
        if row.node in done:
            places.next[row.level] = len(at) + 1
            if row.parent in done:
                places.child[row.level] = len(at) + 1
        at.append(row.node)
    return places


def _still(reader: Reader, space: str, session: str, places: _Places) -> bool:
    """Whether the beat that was rendered last is still the one at its place."""
    last = places.next.get(BEAT, 0) - 1
    if last < 0:
        return True
    rows = _nodes(reader, space, session, BEAT, last, limit=1)
    return bool(rows) and rendering(reader, space, rows[0].node, _TITLE) is not None
