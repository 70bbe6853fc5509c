"""Reduces the vectors of a session's chunks to the session's one vector. Pure, bounded, and without a model.

    entities    one for each `(type, name)`, spelling folded; an unknown type gives way to the one known type
    relations   one for each `(source, verb, target)`, with all turns that state it
    deltas      in order; a later chunk closes what it says is done, in the same words
    summary     the chunks' summaries in order, whole sentences, each chunk its share of the room

Two things with one type and one name are merged, whoever they are. What the words alone do not decide (an alias, a
reversed goal, a contradiction, a relation across chunks) stays as it is; `open_questions` names it.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import Final, TypeVar

from clew.text.counters import Counter
from clew.text.normalise import fold
from clew.text.sentences import sentence_spans
from clew.text.terms import terms
from clew.types.entity import NodeType
from clew.types.extraction import GraphEdge, GraphNode, OpenDelta, TriVector, Unresolved

MOST: Final = 1_000
"""Entities, and relations, of a session; those of the fewest turns are left out, the later of equals first."""

MOST_DELTAS: Final = 200
MOST_QUESTIONS: Final = 200
"""Open questions that are named, all kinds together."""

SUMMARY_TOKENS: Final = 600

_ALIKE: Final = 0.5
"""Share of the terms of the shorter of two deltas from which one may reverse the other."""

T = TypeVar("T", GraphNode, GraphEdge)


def reduced_vector(session: str, parts: Sequence[TriVector], count: Counter) -> tuple[TriVector, int]:
    """The vector of a session from those of its chunks in order, and the number of items beyond the bounds."""
    nodes = _merged_nodes(node for part in parts for node in part.nodes)
    edges = _merged_edges(edge for part in parts for edge in part.edges)
    deltas = _merged_deltas(parts)
    kept_nodes, kept_edges, kept_deltas = _best(nodes), _best(edges), deltas[-MOST_DELTAS:]
    left_out = len(nodes) + len(edges) + len(deltas) - len(kept_nodes) - len(kept_edges) - len(kept_deltas)
    vector = TriVector(
        session=session,
        summary=_joined_summary([part.summary for part in parts if part.summary], count),
        feature_namespace=_namespace(parts),
        nodes=tuple(kept_nodes),
        edges=tuple(kept_edges),
        open_deltas=tuple(kept_deltas),
    )
    return vector, left_out


def node_key(node: GraphNode) -> tuple[NodeType, str]:
    """What two nodes have in common when they are one; a name of signs alone counts as it stands."""
    return node.type, fold(node.name) or node.name


def edge_key(edge: GraphEdge) -> tuple[str, str, str]:
    """What two relations have in common when they are one."""
    source, verb, target = (fold(text) or text for text in (edge.source, edge.verb, edge.target))
    return source, verb, target


def merged_nodes(first: GraphNode, other: GraphNode) -> GraphNode:
    """One node for two: the name of the first, and every other spelling as an alias."""
    names = {*first.aliases, *other.aliases, other.name} - {first.name}
    return GraphNode(
        type=other.type if first.type == NodeType.NAME else first.type,
        name=first.name,
        aliases=tuple(sorted(names)),
        turn_ids=_in_order(first.turn_ids, other.turn_ids),
    )


def _merged_nodes(nodes: Iterable[GraphNode]) -> list[GraphNode]:
    merged: dict[tuple[NodeType, str], GraphNode] = {}
    for node in nodes:
        key = node_key(node)
        merged[key] = merged_nodes(merged[key], node) if key in merged else node
    types: dict[str, list[NodeType]] = {}
    for kind, name in merged:
        types.setdefault(name, []).append(kind)
    for name, kinds in types.items():
        known = [kind for kind in kinds if kind != NodeType.NAME]
        if NodeType.NAME in kinds and len(known) == 1:
            untyped = merged.pop((NodeType.NAME, name))
            merged[known[0], name] = merged_nodes(merged[known[0], name], untyped)
    return list(merged.values())


def _merged_edges(edges: Iterable[GraphEdge]) -> list[GraphEdge]:
    merged: dict[tuple[str, str, str], GraphEdge] = {}
    for edge in edges:
        key = edge_key(edge)
        first = merged.get(key, edge)
        turns = _in_order(first.turn_ids, edge.turn_ids)
        merged[key] = GraphEdge(source=first.source, verb=first.verb, target=first.target, turn_ids=turns)
    return list(merged.values())


def _merged_deltas(parts: Sequence[TriVector]) -> list[OpenDelta]:
    left: dict[object, OpenDelta] = {}
    for part in parts:
        for text in part.closed_deltas:
            left.pop(_delta_key(text), None)
        for delta in part.open_deltas:
            key = _delta_key(delta.text)
            first = left.get(key, delta)
            turns = _in_order(first.turn_ids, delta.turn_ids)
            left[key] = OpenDelta(namespace=first.namespace or delta.namespace, text=first.text, turn_ids=turns)
    return list(left.values())


def _delta_key(text: str) -> object:
    """Deltas of the same terms are one; one without terms is known by its folded words."""
    return frozenset(terms(text)) or fold(text) or text


def _in_order(first: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *other)))


def _best(items: list[T]) -> list[T]:
    if len(items) <= MOST:
        return items
    places = sorted(range(len(items)), key=lambda place: (-len(items[place].turn_ids), place))[:MOST]
    return [items[place] for place in sorted(places)]


def _namespace(parts: Sequence[TriVector]) -> str:
    """The most frequent one, of equals the first."""
    named = [part.feature_namespace for part in parts if part.feature_namespace]
    keys = [fold(name) for name in named]
    return max(zip(named, keys, strict=True), key=lambda pair: keys.count(pair[1]), default=("", ""))[0]


def _joined_summary(summaries: Sequence[str], count: Counter) -> str:
    whole = "\n".join(summaries)
    if len(summaries) < 2 or count(whole) <= SUMMARY_TOKENS:
        return whole
    share = SUMMARY_TOKENS // len(summaries)
    return "\n".join(line for line in (_opening(text, share, count) for text in summaries) if line)


def _opening(text: str, room: int, count: Counter) -> str:
    """The first sentences of a text that have room."""
    fitting = [end for _, end in sentence_spans(text) if count(text[:end]) <= room]
    return text[: fitting[-1]].strip() if fitting else ""


def open_questions(vector: TriVector, closed: Sequence[str]) -> list[Unresolved]:
    """What of a reduced vector only a model could decide; the same for the same vector, at most `MOST_QUESTIONS`.

    Args:
        closed: the texts of all chunks about what is done; those that closed nothing word for word may yet close
            something.
    """
    unresolved: list[Unresolved] = []
    for questions in (_aliases(vector), _contradictions(vector), _reversals(vector, closed), _relations(vector)):
        for question in questions:
            if len(unresolved) == MOST_QUESTIONS:
                return unresolved
            unresolved.append(question)
    return unresolved


def _aliases(vector: TriVector) -> Iterator[Unresolved]:
    """Pairs of one type of which one has all words of the other, or is called so by the other's aliases."""
    words = [(node, frozenset(fold(node.name).split()), {fold(name) for name in node.aliases}) for node in vector.nodes]
    for (first, mine, called), (other, theirs, known) in combinations(words, 2):
        same_kind = first.type == other.type or NodeType.NAME in (first.type, other.type)
        within = bool(mine and theirs) and (mine <= theirs or theirs <= mine)
        if same_kind and (within or fold(other.name) in called or fold(first.name) in known):
            yield Unresolved(kind="alias", items=(first.name, other.name))


def _contradictions(vector: TriVector) -> Iterator[Unresolved]:
    """Pairs of relations of one source by one verb to two targets, in the order in which they were stated."""
    groups: dict[tuple[str, str], list[GraphEdge]] = {}
    for edge in vector.edges:
        groups.setdefault(edge_key(edge)[:2], []).append(edge)
    for edges in groups.values():
        for first, other in pairwise(edges):
            yield Unresolved(kind="contradiction", items=(edge_line(first), edge_line(other)))


def _reversals(vector: TriVector, closed: Sequence[str]) -> Iterator[Unresolved]:
    """Deltas that share many terms with a later one, or with something that is done."""
    deltas = [(delta.text, set(terms(delta.text))) for delta in vector.open_deltas]
    for (text, mine), (later, theirs) in combinations(deltas, 2):
        if _alike(mine, theirs):
            yield Unresolved(kind="reversal", items=(text, later))
    for done in dict.fromkeys(closed):
        theirs = set(terms(done))
        for text, mine in deltas:
            if _alike(mine, theirs):
                yield Unresolved(kind="reversal", items=(text, done))


def _alike(mine: set[str], theirs: set[str]) -> bool:
    shorter = min(len(mine), len(theirs))
    return shorter > 0 and len(mine & theirs) >= _ALIKE * shorter


def _relations(vector: TriVector) -> Iterator[Unresolved]:
    """Pairs of things that different turns relate to the same third, and none to each other."""
    beside: dict[str, list[GraphEdge]] = {}
    for edge in vector.edges:
        for name in (edge.source, edge.target):
            beside.setdefault(fold(name), []).append(edge)
    known = {frozenset((edge_key(edge)[0], edge_key(edge)[2])) for edge in vector.edges}
    for through, edges in beside.items():
        for first, other in combinations(edges, 2):
            ends = [edge.target if fold(edge.source) == through else edge.source for edge in (first, other)]
            pair = frozenset(fold(name) for name in ends)
            if len(pair) == 2 and pair not in known and not set(first.turn_ids) & set(other.turn_ids):
                known.add(pair)
                yield Unresolved(kind="edge", items=(ends[0], ends[1]))


def edge_line(edge: GraphEdge) -> str:
    """A relation on one line."""
    return f"{edge.source} {edge.verb} {edge.target}"
