"""The entity graph around a question and the hierarchy of beats, read from the store.

Read only where a signal that uses them has a weight.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.analyze.entities import entities_in
from clew.config import RecallConfig
from clew.index.incremental_cache import CacheKey
from clew.index.view import IndexView
from clew.store.protocol import Store
from clew.store.selections import NODE_OUTLINES
from clew.structure.graph import spreading_activation
from clew.structure.stored_graph import StoredGraph
from clew.structure.tree import INHERITED, OWN

SEEDS: Final = 8
"""Most entities of a question from which activation spreads."""

_NO_NODES: Final[tuple["HierarchyNode", ...]] = ()


@dataclass(frozen=True, slots=True)
class HierarchyNode:
    """One node of the hierarchy.

    Attributes:
        session: name of its session.
        low: seq of its first turn.
        high: seq of its last turn.
        parent: index of its parent among the nodes; -1 for a root.
    """

    session: str
    low: int
    high: int
    parent: int


_NodesOfTurns = tuple[Sequence[HierarchyNode], NDArray[np.int64], NDArray[np.int64]]
"""The hierarchy, and of each turn its beat and its chapter as places in it; -1 for none."""

_NODES_OF: Final = CacheKey[dict[str, _NodesOfTurns]]("beat and chapter of each turn")
_BY_SESSION: Final = CacheKey[tuple[NDArray[np.intp], NDArray[np.int64]]]("turns by session")


@dataclass(frozen=True, slots=True)
class GraphContext:
    """The entities near a question, and the hierarchy of the space.

    Attributes:
        near: spellings and energy of each entity that activation reached, without the question's own entities.
        nodes: the hierarchy; parents come before their children.
    """

    near: tuple[tuple[tuple[str, ...], float], ...] = ()
    nodes: tuple[HierarchyNode, ...] = _NO_NODES


NOTHING: Final = GraphContext()


class GraphContextReader:
    """Reads graph and hierarchy of one space. Threads may share it; the hierarchy is re-read after every write."""

    def __init__(self, store: Store, space: str) -> None:
        """Reads nothing until `look` is called."""
        self._store, self._space = store, space
        self._lock = threading.Lock()
        self._held: tuple[int, tuple[HierarchyNode, ...]] = (-1, ())

    def look(self, question: str, config: RecallConfig, view: IndexView) -> GraphContext:
        """The graph context as far as signals with a weight need it."""
        if not (config.graph or config.tree or config.beat or config.gravity):
            return NOTHING
        near = self._near(question, view) if config.graph else ()
        return GraphContext(near, self._nodes() if config.tree or config.beat or config.gravity else ())

    def _near(self, question: str, view: IndexView) -> tuple[tuple[tuple[str, ...], float], ...]:
        with self._store.snapshot() as reader:
            graph = StoredGraph(reader, self._space, view)
            known = (graph.find(mention.name) for mention in entities_in(question).mentions)
            own = list(dict.fromkeys(key for key in known if key is not None))[:SEEDS]
            reached = spreading_activation(GraphByKey(graph), own)
            entities = ((graph.entity(key), energy) for key, energy in reached.items() if key not in own)
            return tuple(((entity.name, *entity.aliases), energy) for entity, energy in entities if entity is not None)

    def _nodes(self) -> tuple[HierarchyNode, ...]:
        version = self._store.version()
        with self._lock:
            if self._held[0] == version:
                return self._held[1]
        with self._store.snapshot() as reader:
            rows = NODE_OUTLINES.scan(reader, (self._space,), (self._space,))
        rows.sort(key=lambda row: (-row.level, row.session, row.low, row.node))
        places: dict[str | None, int] = {row.node: place for place, row in enumerate(rows)}
        nodes = tuple(HierarchyNode(row.session, row.low, row.high, places.get(row.parent, -1)) for row in rows)
        with self._lock:
            self._held = version, nodes
        return nodes


class GraphByKey:
    """A stored graph whose entities are looked up by key instead of by name."""

    def __init__(self, graph: StoredGraph) -> None:
        """Wraps it."""
        self._graph = graph
        self.linked = graph.linked

    def find(self, name: str) -> str:
        """The key itself."""
        return name


def inherited(view: IndexView, nodes: tuple[HierarchyNode, ...], cosines: NDArray[np.float64]) -> NDArray[np.float64]:
    """The score of the beat of each turn; NaN for a turn in no beat.

    A node's cosine is the mean of its turns' cosines. The score of a root is its cosine; the score of any other node is
    0.7 of its cosine and 0.3 of its parent's score.

    Args:
        cosines: one a turn; NaN where a turn has none, which counts as 0.
    """
    order, keys = _in_order(view)
    sums = np.concatenate(([0.0], np.cumsum(np.nan_to_num(cosines[order]))))
    beat_scores = np.full(len(order), np.nan)
    scores: list[float] = []
    inner = {node.parent for node in nodes}
    lows, highs = _bounds(view, nodes, keys)
    for place, (node, low, high) in enumerate(zip(nodes, lows, highs, strict=True)):
        mean = float(sums[high] - sums[low]) / max(1, high - low)
        scores.append(mean if node.parent < 0 else OWN * mean + INHERITED * scores[node.parent])
        if place not in inner:
            beat_scores[low:high] = scores[-1]
    spread = np.empty(len(order))
    spread[order] = beat_scores
    return spread


def nodes_of(view: IndexView, nodes: Sequence[HierarchyNode]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The beat and the chapter of each turn, as indexes into `nodes`; -1 for none.

    Cached with the view until the nodes change.
    """
    cache = view.derived(_NODES_OF, dict[str, _NodesOfTurns])
    cached = cache.get("now")
    if cached is None or cached[0] is not nodes:
        beats, chapters = np.full((2, len(view.turns.ordinal)), -1, dtype=np.int64)
        inner = {node.parent for node in nodes}
        order, keys = _in_order(view)
        for place, (node, low, high) in enumerate(zip(nodes, *_bounds(view, nodes, keys), strict=True)):
            if place not in inner:
                beats[order[low:high]], chapters[order[low:high]] = place, node.parent
        cached = cache["now"] = nodes, beats, chapters
    return cached[1:]


def _bounds(view: IndexView, nodes: Sequence[HierarchyNode], keys: NDArray[np.int64]) -> tuple[list[int], list[int]]:
    """First and end index of each node's turns among all turns in session order."""
    codes: Mapping[str, int] = {name: code for code, name in enumerate(view.sessions)}
    starts = [_key(codes.get(node.session, -1), node.low) for node in nodes]
    ends = [_key(codes.get(node.session, -1), node.high + 1) for node in nodes]
    low, high = (np.searchsorted(keys, edges).tolist() for edges in (starts, ends))
    return low, high


def _in_order(view: IndexView) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Positions of the turns ordered by session and seq, and their sort keys; cached with the view."""

    def ordered() -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        keys = (view.turns.session.astype(np.int64) << 32) + view.turns.seq
        order = np.argsort(keys, kind="stable")
        return order, keys[order]

    return view.derived(_BY_SESSION, ordered)


def _key(code: int, seq: int) -> int:
    return (code << 32) + seq
