"""Closed beats -> rows of NODE and LABEL, the chapters that they fill among them; and snapshots back from such rows.

The right edge of a session's tree is made again from the log where that is bounded: the beats without a chapter. What
lies above stands in a row of META, `tree:<session>`, once there is a chapter.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from clew.analyze.keyphrases import Keyphrase
from clew.analyze.tags import beat_labels, beat_phrases
from clew.derive.branch_state import TurnMaterial
from clew.rows.annotations import TAG
from clew.rows.renderings import mark_sessions
from clew.rows.vocabulary import Closing
from clew.store.protocol import Reader, Transaction
from clew.store.row_types import LabelRow, MetaRow, NodeRow
from clew.store.rows import EPOCH, turn_from_row
from clew.store.selections import META_VALUE, NODE_PLACE
from clew.store.tables import LABEL, META, NODE, TURN
from clew.store.values import Key, past_prefix
from clew.structure.beats import Beat
from clew.structure.chapters import Chapter, OpenTree, Profile, grow, profile_of
from clew.structure.hierarchy_codec import (
    NodeSummary,
    beat_of,
    beat_text,
    chapter_text,
    seqs_of,
    summary_of,
    tree_of,
    tree_text,
)
from clew.structure.snapshot import BeatMap, PieceContent, as_snapshot, freeze
from clew.types.chunk import ContextSnapshot
from clew.types.ids import BEAT, node_id, session_prefix

TREE: Final = "tree:"
"""Rows of META with this prefix hold the right edge of a session's tree above its beats."""

_TITLE_PHRASES: Final = 3
_DIGITS: Final = 4

Load = Callable[[Sequence[tuple[str, int]]], list[TurnMaterial]]
"""Reads the turns under (session, seq) that are stored, with their annotations."""


@dataclass(frozen=True, slots=True, eq=False)
class ClosedBeat:
    """A beat that was just closed, with its turns, and the ordinal of the turn that closed it."""

    beat: Beat
    turns: tuple[TurnMaterial, ...]
    by: int

    @property
    def session(self) -> str:
        """The session that it is a part of."""
        return self.turns[0].turn.session


@dataclass(slots=True)
class HierarchyGrowth:
    """What closed beats add to a space, before it is written.

    Attributes:
        nodes: by id; also nodes that were there and got a parent.
        tagged: what the beats are about, for the vocabulary.
        trees: right edge of each session that grew.
    """

    nodes: dict[str, NodeRow] = field(default_factory=dict)
    labels: list[LabelRow] = field(default_factory=list)
    tagged: list[Closing] = field(default_factory=list)
    trees: dict[str, OpenTree] = field(default_factory=dict)

    def put(self, tx: Transaction, space: str, mark: str) -> None:
        """Writes the rows.

        Args:
            mark: of what is to be rendered, see `mark_sessions`.
        """
        NODE.put(tx, list(self.nodes.values()))
        LABEL.put(tx, self.labels)
        mark_sessions(tx, space, self.trees, mark)
        trees = ((session, tree) for session, tree in self.trees.items() if tree.closed)
        META.put(tx, [MetaRow(space, TREE + session, tree_text(tree)) for session, tree in trees])


@dataclass(frozen=True, slots=True)
class RowOrigin:
    """Where the rows of one stretch come from: what each of them names."""

    epoch: int
    version: int
    provenance: str


def grown(
    reader: Reader,
    space: str,
    closed: Sequence[ClosedBeat],
    trees: Mapping[str, OpenTree],
    load: Load,
    origin: RowOrigin,
) -> HierarchyGrowth:
    """The nodes of closed beats, in order, and of the chapters that they fill.

    Args:
        trees: right edges that are cached; the others are read.
        load: reads turns of beats that are stored already.
    """
    growth = HierarchyGrowth()
    places: dict[tuple[str, int], int] = {}

    def place(session: str, level: int) -> int:
        key = (session, level)
        places[key] = places[key] + 1 if key in places else next_place(reader, space, session, level)
        return places[key]

    spoken = [[item.naming for item in closing.turns] for closing in closed]
    phrased = [beat_phrases(texts, _speakers(closing)) for texts, closing in zip(spoken, closed, strict=True)]
    labelled = [beat_labels(texts, phrases) for texts, phrases in zip(spoken, phrased, strict=True)]
    frozen = [_frozen(closing) for closing in closed]
    for closing, phrases, tags, beat_map in zip(closed, phrased, labelled, frozen, strict=True):
        session = closing.session
        beat = _beat(space, closing, place(session, BEAT), phrases, beat_map, origin)
        name = beat.node
        growth.nodes[name] = beat
        growth.tagged.append((closing.by, name, tags))
        growth.labels += _tags(space, name, tags, origin)
        tree = growth.trees.get(session) or trees.get(session) or read_tree(reader, space, session, load)
        step = grow(tree, profile_of(name, [item.features for item in closing.turns]), session_prefix(session))
        growth.trees[session] = step.state
        for chapter in step.closed:
            nodes = (_node(reader, space, growth, child) for child in chapter.children)
            children = [node for node in nodes if node is not None]
            made = _chapter(space, session, chapter, children, place(session, chapter.level), origin)
            growth.nodes[made.node] = made
            growth.nodes |= {child.node: child._replace(parent=made.node) for child in children}
    return growth


def _speakers(closing: ClosedBeat) -> list[str]:
    return [item.turn.speaker for item in closing.turns if item.turn.speaker]


def next_place(reader: Reader, space: str, session: str, level: int) -> int:
    """The place of a session's next node of a level."""
    key = (space, session, level)
    last = NODE_PLACE.first(reader, key, key, index="level", reverse=True)
    return 0 if last is None else last + 1


def read_tree(reader: Reader, space: str, session: str, load: Load) -> OpenTree:
    """The right edge of a session's tree: beats without a chapter from their turns, what is above as it was written."""
    text = META_VALUE.get(reader, (space, TREE + session))
    above = OpenTree() if text is None else tree_of(text, session_prefix(session))
    loose: list[Profile] = []
    for node in _loose_beats(reader, space, session):
        turns = load([(session, seq) for seq in seqs_of(node.data) or ()])
        if turns:
            loose.append(profile_of(node.node, [item.features for item in turns]))
    if not loose and not above.levels:
        return OpenTree()
    return OpenTree(levels=(tuple(reversed(loose)), *above.levels[1:]), closed=above.closed)


def drop_nodes(tx: Transaction, space: str, session: str) -> None:
    """Takes out the nodes of a session, what marks them, and the edge of its tree."""
    for kind in ("beat", "chapter"):
        first = node_id(session, kind, 0).removesuffix("0")
        for table in ("node", "label"):
            tx.delete(table, (space, first), (space, past_prefix(first)))
    tx.delete("meta", (space, TREE + session), (space, TREE + session))


def snapshots_of(reader: Reader, space: str, session: str) -> list[ContextSnapshot]:
    """The closed beats of a session in their order, with the words that are still stored."""
    key = (space, session, BEAT)
    rows = NODE.scan(reader, key, key, index="level")
    maps = [beat_of(row.data) for row in rows]
    keys = [(space, session, piece.seq) for beat_map in maps for piece in beat_map.pieces]
    turns = [(row.seq, turn_from_row(row)) for row in TURN.get_many(reader, keys) if row is not None]
    texts = {seq: (turn.text, ((turn.at or turn.ingested_at or EPOCH) - EPOCH).total_seconds()) for seq, turn in turns}
    return [
        as_snapshot(row.node, session, row.place, beat_map, texts) for row, beat_map in zip(rows, maps, strict=True)
    ]


def _loose_beats(reader: Reader, space: str, session: str) -> list[NodeRow]:
    """The beats of a session that no chapter has, the last first."""
    nodes: list[NodeRow] = []
    end: Key = (space, session, BEAT)
    while True:
        rows = NODE.scan(reader, (space, session, BEAT), end, index="level", limit=16, reverse=True)
        for row in rows:
            if row.parent is not None:
                return nodes
            nodes.append(row)
        if len(rows) < 16:
            return nodes
        end = (space, session, BEAT, rows[-1].place - 1)


def _node(reader: Reader, space: str, growth: HierarchyGrowth, name: str) -> NodeRow | None:
    return growth.nodes.get(name) or NODE.get(reader, (space, name))


def _frozen(closed: ClosedBeat) -> BeatMap:
    by = closed.turns[0].by
    contents = [
        PieceContent(item.reading, item.evidence, item.features.terms, item.vector is not None) for item in closed.turns
    ]
    return freeze(closed.beat, [item.piece() for item in closed.turns], contents, by.window, by.weight)


def _beat(
    space: str, closed: ClosedBeat, place: int, phrases: Sequence[Keyphrase], beat_map: BeatMap, origin: RowOrigin
) -> NodeRow:
    return NodeRow(
        space=space,
        node=node_id(closed.session, "beat", place),
        session=closed.session,
        level=BEAT,
        place=place,
        low=closed.beat.low,
        high=closed.beat.high,
        epoch=origin.epoch,
        parent=None,
        title=", ".join(phrase.name for phrase in phrases[:_TITLE_PHRASES]) or None,
        data=beat_text(beat_map),
        version=origin.version,
    )


def _chapter(
    space: str, session: str, chapter: Chapter, children: Sequence[NodeRow], place: int, origin: RowOrigin
) -> NodeRow:
    """A chapter's row: weight and domains are the mean of its children's, each weighted by its turns."""
    summaries = [summary_of(child.data) for child in children]
    turns = sum(summary.turns for summary in summaries)
    whole = turns or 1
    domains: dict[str, float] = {}
    for summary in summaries:
        for domain, share in summary.domains.items():
            domains[domain] = domains.get(domain, 0.0) + share * summary.turns / whole
    weight = sum(summary.macro_weight * summary.turns for summary in summaries) / whole
    shares = {name: round(share, _DIGITS) for name, share in domains.items()}
    phrases = (phrase for child in children for phrase in (child.title or "").split(", ")[:1] if phrase)
    return NodeRow(
        space=space,
        node=chapter.profile.node,
        session=session,
        level=chapter.level,
        place=place,
        low=chapter.profile.low,
        high=chapter.profile.high,
        epoch=origin.epoch,
        parent=None,
        title=", ".join(list(dict.fromkeys(phrases))[:_TITLE_PHRASES]) or None,
        data=chapter_text(NodeSummary(turns, round(weight, _DIGITS), shares)),
        version=origin.version,
    )


def _tags(space: str, node: str, tags: Mapping[str, float], origin: RowOrigin) -> list[LabelRow]:
    return [
        LabelRow(space, node, TAG, name, round(weight, _DIGITS), origin.provenance, origin.version)
        for name, weight in tags.items()
    ]
