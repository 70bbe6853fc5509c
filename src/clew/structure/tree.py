"""Best-first search down a hierarchy, and a searchable tree of texts; a flat scan of all leaves is the safety net.

The summary of many texts loses words, so what only one leaf says may be missing from all of its ancestors. The best
leaves of a flat scan are therefore always in the result: the tree orders and widens the answer and never hides a leaf.
"""

import heapq
import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, log
from typing import Any, Final, Self

from clew.errors import InputError, ModelError, shown
from clew.models.checked_calls import embed_checked
from clew.models.protocol import Embedder
from clew.structure.chapters import OpenTree, Profile, grow, similarity
from clew.structure.features import hashed_terms, packed

logger = logging.getLogger("clew.structure")

OWN: Final = 0.7
INHERITED: Final = 0.3
"""Shares of a node's score: its own cosine and its parent's score."""

_PREFIX: Final = "tree"


@dataclass(frozen=True, slots=True)
class TreeHit:
    """One leaf in a search result.

    Attributes:
        node: its id.
        score: 0.7 times its own cosine plus 0.3 times its parent's score.
        metadata: the metadata it was added with.
    """

    node: str
    text: str
    score: float
    metadata: dict[str, Any] = field(default_factory=dict)


def best_first(
    roots: Iterable[str],
    children: Callable[[str], Sequence[str]],
    cosine: Callable[[str], float],
    limit: int,
) -> dict[str, float]:
    """Best-first search: the scores of the first `limit` leaves reached, by id, best first.

    A root's score is its cosine; every other node's is 0.7 times its own cosine plus 0.3 times its parent's score. Ties
    go to the smaller id. A node without children is a leaf.
    """
    open_nodes = [(-round(cosine(node), 6), node) for node in roots]
    heapq.heapify(open_nodes)
    found: dict[str, float] = {}
    while open_nodes and len(found) < limit:
        negative, node = heapq.heappop(open_nodes)
        below = children(node)
        for child in below:
            score = OWN * cosine(child) + INHERITED * -negative
            heapq.heappush(open_nodes, (-round(score, 6), child))
        if not below:
            found[node] = -negative
    return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))


class SemanticTree:
    """Texts in the order in which they were added, and above them chapters of neighbours that belong together.

    Chapters are built like those over the beats of a session (`clew.structure.chapters`): at the right edge only, with
    a bounded number of children, so that adding a text costs the same however many there are.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        """Create an empty tree; without an embedder texts are compared by their words."""
        self.embedder = embedder
        self._model: str | None = getattr(embedder, "name", None)  # whose vectors the leaves have
        self._dim: int | None = None
        self._state = OpenTree()
        self._profiles: dict[str, Profile] = {}
        self._children: dict[str, tuple[str, ...]] = {}
        self._parents: dict[str, str] = {}
        self._leaves: list[tuple[str, dict[str, Any]]] = []
        self._where: dict[int, list[int]] = defaultdict(list)  # term -> leaves

    def __len__(self) -> int:
        return len(self._leaves)

    def add(self, text: str, metadata: Mapping[str, Any] | None = None) -> str:
        """Add a text as the newest leaf and return its id.

        A text for which the embedder fails, which is logged, has no vector and is compared by its words.

        Raises:
            InputError: it is not text.
        """
        _check_text(text, "text")
        return self._add(text, dict(metadata or {}), self._vector(text))

    def _vector(self, text: str) -> bytes | None:
        """The vector of a text; None without an embedder, or when it fails."""
        if self.embedder is None:
            return None
        try:
            vector = packed(embed_checked(self.embedder, (text,))[0])
        except ModelError as error:
            logger.warning("a text is compared by its words: %s", error)
            return None
        if vector is not None and self._dim not in (None, len(vector)):
            logger.warning(
                "a text is compared by its words: its vector has not the %s numbers of the others", self._dim
            )
            return None
        return vector

    def _add(self, text: str, metadata: dict[str, Any], vector: bytes | None) -> str:
        number = len(self._leaves)
        profile = _profile(_leaf(number), number, text, vector)
        if vector is not None:
            self._dim = len(vector)
        self._leaves.append((text, metadata))
        self._profiles[profile.node] = profile
        for term, _ in profile.terms:
            self._where[term].append(number)
        step = grow(self._state, profile, _PREFIX)
        self._state = step.state
        for chapter in step.closed:
            self._profiles[chapter.profile.node] = chapter.profile
            self._children[chapter.profile.node] = chapter.children
            self._parents |= dict.fromkeys(chapter.children, chapter.profile.node)
        return profile.node

    def text(self, node: str) -> str:
        """The text of a leaf.

        Raises:
            InputError: there is no such leaf.
        """
        return self._leaves[_number(node, len(self._leaves))][0]

    def metadata(self, node: str) -> dict[str, Any]:
        """The metadata that a leaf was added with.

        Raises:
            InputError: there is no such leaf.
        """
        return self._leaves[_number(node, len(self._leaves))][1]

    def roots(self) -> tuple[str, ...]:
        """The nodes that have no parent yet, the uppermost first."""
        return tuple(profile.node for level in reversed(self._state.levels) for profile in level)

    def children(self, node: str) -> tuple[str, ...]:
        """The children of a node, in order; empty for a leaf."""
        return self._children.get(node, ())

    def search(self, query: str, limit: int = 10) -> list[TreeHit]:
        """The leaves that match a query, best first, ties to the older; see `hierarchical_relevance_search`."""
        _check_text(query, "query")
        if not isinstance(limit, int):
            raise InputError(f"limit is {shown(limit)}; expected the number of leaves wanted")
        if limit < 0:
            raise InputError(f"limit {limit} is negative; give the number of leaves wanted, 0 or more")
        vector = self._vector(query)
        asked = _profile("query", 0, query, vector)
        if not asked.terms and vector is None:
            return []

        def cosine(node: str) -> float:
            return similarity(asked, self._profiles[node])

        net = self._flat(asked, limit)
        scores = {_leaf(number): self._along(number, cosine) for number in net}
        scores |= best_first(self.roots(), self.children, cosine, limit)
        sure = [_leaf(number) for number in net[: ceil(limit / 2)]]
        rest = sorted(scores.keys() - set(sure), key=lambda node: (-scores[node], _number(node)))
        chosen = [*sure, *(node for node in rest if scores[node] > 0)][:limit]
        chosen.sort(key=lambda node: (-scores[node], _number(node)))
        return [TreeHit(node, self.text(node), scores[node], self.metadata(node)) for node in chosen]

    def _flat(self, asked: Profile, limit: int) -> list[int]:
        """The leaves that match a query without the tree: by the rare words they share with it, then by similarity."""
        total = len(self._leaves)
        shares: Counter[int] = Counter()
        for term, _ in sorted(asked.terms):
            places = self._where.get(term, ())
            for number in places:
                shares[number] += log(1.0 + total / len(places))  # type: ignore[assignment]  # Counter adds any number
        if asked.vector is not None:
            for number in range(total):
                near = similarity(asked, self._profiles[_leaf(number)])
                if near > 0 or number in shares:
                    shares[number] += near  # type: ignore[assignment]  # as above
        best = heapq.nsmallest(limit, ((-round(share, 6), number) for number, share in shares.items()))
        return [number for _, number in best]

    def _along(self, number: int, cosine: Callable[[str], float]) -> float:
        """The score of a leaf at the end of its path from the root."""
        path = [_leaf(number)]
        while path[-1] in self._parents:
            path.append(self._parents[path[-1]])
        score = round(cosine(path.pop()), 6)
        while path:
            score = round(OWN * cosine(path.pop()) + INHERITED * score, 6)
        return score

    def to_dict(self) -> dict[str, Any]:
        """The leaves as primitives, and the name of their embedder; the chapters above follow from them."""
        vectors = (self._profiles[_leaf(number)].vector for number in range(len(self._leaves)))
        return {
            "leaves": [
                {"text": text, "metadata": metadata, **({} if vector is None else {"vector": vector.hex()})}
                for (text, metadata), vector in zip(self._leaves, vectors, strict=True)
            ],
            **({} if self._model is None else {"embedder": self._model}),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], embedder: Embedder | None = None) -> Self:
        """Read what `to_dict` wrote; no text is embedded again: those of another embedder are compared by words.

        Raises:
            InputError: the record cannot be read.
        """
        tree = cls(embedder)
        try:
            model = data.get("embedder")
            is_other = embedder is not None and model not in (None, tree._model)
            if is_other:
                logger.warning("texts are compared by their words: %r embedded them, not %r", model, tree._model)
            elif embedder is None:
                tree._model = model
            for leaf in data["leaves"]:
                vector = None if is_other else leaf.get("vector")
                tree._add(str(leaf["text"]), dict(leaf["metadata"]), None if vector is None else bytes.fromhex(vector))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"the record is not a tree ({error!r}); expected what to_dict wrote") from error
        return tree


def hierarchical_relevance_search(tree: SemanticTree, query: str, limit: int = 10) -> list[TreeHit]:
    """The leaves of a tree that match a query, best first.

    Combines best-first search down the tree with a flat scan; at least half of the result comes from the flat scan.
    When the tree's embedder fails on the query, which is logged, its words are compared.

    Args:
        limit: most leaves to return.

    Raises:
        InputError: the limit is not a number of at least 0, or the query is not text.
    """
    return tree.search(query, limit)


def _check_text(value: object, name: str) -> None:
    if not isinstance(value, str):
        raise InputError(f"the {name} is {shown(value)}; expected text, as a str")


def _profile(node: str, number: int, text: str, vector: bytes | None) -> Profile:
    found = tuple((term, 1) for term in hashed_terms(text))
    return Profile(node=node, low=number, high=number, turns=1, terms=found, vector=vector)


def _leaf(number: int) -> str:
    return f"{_PREFIX}:leaf:{number:09d}"


def _number(node: str, size: int | None = None) -> int:
    number = node.removeprefix(f"{_PREFIX}:leaf:")
    if not number.isdecimal() or (size is not None and int(number) >= size):
        raise InputError(f"{node!r} is not a leaf of this tree; `add` and `search` give their ids")
    return int(number)
