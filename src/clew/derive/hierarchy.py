"""Closed beats -> rows of NODE and LABEL, the chapters that they fill among them; and snapshots back from such rows.

The right edge of a session's tree is made again from the log where that is bounded: the beats without a chapter. What
lies above stands in a row of META, `tree:<session>`, once there is a chapter.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from clew.analyze.keyphrases import Keyphrase
from clew.analyze.tags import beat_labels, beat_phrases
from clew.derive.branch_state import Item
from clew.rows.annotations import TAG
from clew.rows.vocabulary import Closing
from clew.store.protocol import Reader, Transaction
from clew.store.rows import EPOCH, turn_from_row
from clew.store.tables import NODE
from clew.store.values import Row
from clew.structure.beats import Beat
from clew.structure.chapters import Chapter, OpenTree, Profile, grow, profile_of
from clew.structure.hierarchy_codec import (
    EMPTY_SUMMARY,
    NodeSummary,
    beat_of,
    beat_text,
    chapter_text,
    seqs_of,
    summary_of,
    tree_of,
    tree_text,
)
from clew.structure.snapshot import PieceContent, as_snapshot, freeze
from clew.types.chunk import ContextSnapshot
from clew.types.ids import BEAT, node_id, session_prefix

TREE: Final = "tree:"
"""Rows of META with this prefix hold the right edge of a session's tree above its beats."""

_TITLE_PHRASES: Final = 3
_DIGITS: Final = 4
_COLUMNS: Final = {name: place for place, name in enumerate(NODE.names)}

Load = Callable[[Sequence[tuple[str, int]]], list[Item]]
"""Gives the turns under (session, seq), those that are stored, with what is said of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Closed:
    """A beat that was just closed, with its turns, and the ordinal of the turn that closed it."""

    beat: Beat
    turns: tuple[Item, ...]
    by: int

    @property
    def session(self) -> str:
        """The session that it is a part of."""
        return self.turns[0].turn.session


@dataclass(slots=True)
class Growth:
    """What closed beats add to a space, before it is written.

    Attributes:
        nodes: by id; also nodes that were there and got a parent.
        tagged: what the beats are about, for the vocabulary.
        trees: right edge of each session that grew.
    """

    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    labels: list[Row] = field(default_factory=list)
    tagged: list[Closing] = field(default_factory=list)
    trees: dict[str, OpenTree] = field(default_factory=dict)

    def rows(self, space: str) -> dict[str, list[Row]]:
        """By table."""
        nodes = [tuple({**node, "space": space}.get(column) for column in NODE.names) for node in self.nodes.values()]
        trees: list[Row] = [
            (space, TREE + session, tree_text(tree)) for session, tree in self.trees.items() if tree.closed
        ]
        labels: list[Row] = [(space, *row) for row in self.labels]
        return {"node": nodes, "label": labels, "meta": trees}


@dataclass(frozen=True, slots=True)
class Maker:
    """What every row made in one stretch names."""

    epoch: int
    version: int
    provenance: str


def grown(
    reader: Reader, space: str, closed: Sequence[Closed], trees: Mapping[str, OpenTree], load: Load, maker: Maker
) -> Growth:
    """The nodes of closed beats, in order, and of the chapters that they fill.

    Args:
        trees: right edges that are remembered; the others are read.
        load: gives turns of beats that are stored already.
    """
    growth = Growth()
    places: dict[tuple[str, int], int] = {}

    def place(session: str, level: int) -> int:
        key = (session, level)
        places[key] = places[key] + 1 if key in places else next_place(reader, space, session, level)
        return places[key]

    for each in closed:
        session = each.session
        number = place(session, BEAT)
        name = node_id(session, "beat", number)
        texts = [item.turn.text for item in each.turns]
        phrases = beat_phrases(texts)
        tags = beat_labels(texts, phrases)
        growth.nodes[name] = _beat(each, name, number, phrases, maker)
        growth.tagged.append((each.by, name, tags))
        growth.labels += _tags(name, tags, maker)
        tree = growth.trees.get(session) or trees.get(session) or read_tree(reader, space, session, load)
        step = grow(tree, profile_of(name, [item.features for item in each.turns]), session_prefix(session))
        growth.trees[session] = step.state
        for chapter in step.closed:
            children = [_node(reader, space, growth, child) for child in chapter.children]
            made = _chapter(session, chapter, children, place(session, chapter.level), maker)
            growth.nodes[made["node"]] = made
            growth.nodes |= {child["node"]: {**child, "parent": made["node"]} for child in children}
    return growth


def next_place(reader: Reader, space: str, session: str, level: int) -> int:
    """The place of a session's next node of a level."""
    key = (space, session, level)
    rows = reader.scan("node", key, key, index="level", limit=1, reverse=True, columns=("place",))
    return cast(int, rows[0][0]) + 1 if rows else 0


def read_tree(reader: Reader, space: str, session: str, load: Load) -> OpenTree:
    """The right edge of a session's tree: beats without a chapter from their turns, what is above as it was written."""
    row = reader.get("meta", (space, TREE + session))
    above = OpenTree() if row is None else tree_of(cast(str, row[2]), session_prefix(session))
    loose: list[Profile] = []
    for node in _loose_beats(reader, space, session):
        turns = load([(session, seq) for seq in seqs_of(node["data"]) or ()])
        if turns:
            loose.append(profile_of(node["node"], [item.features for item in turns]))
    if not loose and not above.levels:
        return OpenTree()
    return OpenTree(levels=(tuple(reversed(loose)), *above.levels[1:]), closed=above.closed)


def drop_nodes(tx: Transaction, space: str, session: str) -> None:
    """Takes out the nodes of a session, what marks them, and the edge of its tree."""
    for kind in ("beat", "chapter"):
        first = node_id(session, kind, 0).removesuffix("0")
        for table in ("node", "label"):
            tx.delete(table, (space, first), (space, first[:-1] + ";"))
    tx.delete("meta", (space, TREE + session), (space, TREE + session))


def snapshots_of(reader: Reader, space: str, session: str) -> list[ContextSnapshot]:
    """The closed beats of a session in their order, with the words that are still stored."""
    key = (space, session, BEAT)
    rows = reader.scan("node", key, key, index="level")
    maps = [beat_of(cast(str, row[_COLUMNS["data"]])) for row in rows]
    keys = [(space, session, piece.seq) for each in maps for piece in each.pieces]
    turns = [turn_from_row(row) for row in reader.get_many("turn", keys) if row is not None]
    said = {
        cast(int, turn.seq): (turn.text, ((turn.at or turn.ingested_at or EPOCH) - EPOCH).total_seconds())
        for turn in turns
    }
    return [
        as_snapshot(cast(str, row[_COLUMNS["node"]]), session, cast(int, row[_COLUMNS["place"]]), each, said)
        for row, each in zip(rows, maps, strict=True)
    ]


def _loose_beats(reader: Reader, space: str, session: str) -> list[dict[str, Any]]:
    """The beats of a session that no chapter has, the last first."""
    found: list[dict[str, Any]] = []
    end: tuple[Any, ...] = (space, session, BEAT)
    while True:
        rows = reader.scan("node", (space, session, BEAT), end, index="level", limit=16, reverse=True)
        for row in rows:
            node = dict(zip(NODE.names, row, strict=True))
            if node["parent"] is not None:
                return found
            found.append(node)
        if len(rows) < 16:
            return found
        end = (space, session, BEAT, cast(int, rows[-1][_COLUMNS["place"]]) - 1)


def _node(reader: Reader, space: str, growth: Growth, name: str) -> dict[str, Any]:
    held = growth.nodes.get(name)
    if held is not None:
        return held
    row = reader.get("node", (space, name))
    return dict(zip(NODE.names, row, strict=True)) if row is not None else {"node": name}


def _beat(each: Closed, name: str, place: int, phrases: Sequence[Keyphrase], maker: Maker) -> dict[str, Any]:
    by = each.turns[0].by
    said = [PieceContent(item.reading, item.evidence, item.features.terms) for item in each.turns]
    frozen = freeze(each.beat, [item.piece() for item in each.turns], said, by.window, by.weight)
    return {
        "node": name,
        "session": each.session,
        "level": BEAT,
        "place": place,
        "low": each.beat.low,
        "high": each.beat.high,
        "epoch": maker.epoch,
        "title": ", ".join(phrase.name for phrase in phrases[:_TITLE_PHRASES]) or None,
        "data": beat_text(frozen),
        "version": maker.version,
    }


def _chapter(
    session: str, chapter: Chapter, children: Sequence[Mapping[str, Any]], place: int, maker: Maker
) -> dict[str, Any]:
    """A chapter's row: weight and domains are the mean of its children's, each by its turns."""
    said = [summary_of(child["data"]) if "data" in child else EMPTY_SUMMARY for child in children]
    turns = sum(each.turns for each in said)
    whole = turns or 1
    domains: dict[str, float] = {}
    for each in said:
        for domain, share in each.domains.items():
            domains[domain] = domains.get(domain, 0.0) + share * each.turns / whole
    weight = sum(each.macro_weight * each.turns for each in said) / whole
    shares = {name: round(share, _DIGITS) for name, share in domains.items()}
    phrases = (phrase for child in children for phrase in (child.get("title") or "").split(", ")[:1] if phrase)
    return {
        "node": chapter.profile.node,
        "session": session,
        "level": chapter.level,
        "place": place,
        "low": chapter.profile.low,
        "high": chapter.profile.high,
        "epoch": maker.epoch,
        "title": ", ".join(list(dict.fromkeys(phrases))[:_TITLE_PHRASES]) or None,
        "data": chapter_text(NodeSummary(turns, round(weight, _DIGITS), shares)),
        "version": maker.version,
    }


def _tags(node: str, tags: Mapping[str, float], maker: Maker) -> list[Row]:
    return [(node, TAG, name, round(weight, _DIGITS), maker.provenance, maker.version) for name, weight in tags.items()]
