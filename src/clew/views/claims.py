"""Claims grounded in snapshots (HSCA 5.2): what a dense beat states, with support from the weights of its chunks.

Support is never a count of citations: a source that repeats the right words without relating them has low weights, and
so does every claim that rests on it.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from clew.errors import ConflictError, InputError, NotFoundError, shown
from clew.structure.density import macro_weight
from clew.types.chunk import ContextSnapshot, DomainTag, WeightedChunk, listed, need, number, shares
from clew.views.typed_arguments import typed

MIN_MACRO_WEIGHT: Final = 0.5
"""Macro weight from which a snapshot is dense enough to be the source of a claim; docs/structure.md says why."""

_DIGITS: Final = 4


@dataclass
class ClaimNode:
    """One claim and its grounds.

    Attributes:
        text: the claim.
        support_strength: 0..1, mean `layer1_score` of the chunks that ground it.
        grounding_strength: 0..1, `macro_weight` of the snapshot they are from.
        context: that snapshot's `domain_summary`.
        snapshot_id, chunk_ids: the snapshot and the chunks that ground it.
    """

    claim_id: str
    text: str
    support_strength: float
    grounding_strength: float
    context: dict[str, float] = field(default_factory=dict)
    snapshot_id: str | None = None
    chunk_ids: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """The fields as primitives, strengths and shares to 4 digits."""
        return {
            "claim_id": self.claim_id,
            "text": self.text,
            "support_strength": round(self.support_strength, _DIGITS),
            "grounding_strength": round(self.grounding_strength, _DIGITS),
            "context": {tag: round(share, _DIGITS) for tag, share in self.context.items()},
            "snapshot_id": self.snapshot_id,
            "chunk_ids": list(self.chunk_ids),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote, or a claim without grounds.

        Raises:
            InputError: id, text or a strength is missing, or the record is not a mapping.
        """
        need(cls, data, "claim_id", "text", "support_strength", "grounding_strength")
        for name in ("claim_id", "snapshot_id"):
            if not isinstance(data.get(name, ""), str | None):
                raise InputError(f"{cls.__name__}: {name} is {shown(data[name])}; expected a text")
        return cls(
            claim_id=data["claim_id"],
            text=data["text"],
            support_strength=number(cls, data, "support_strength"),
            grounding_strength=number(cls, data, "grounding_strength"),
            context=shares(cls, data, "context"),
            snapshot_id=data.get("snapshot_id"),
            chunk_ids=listed(cls, data, "chunk_ids"),
        )


class ClaimGraph:
    """Claims by id, in the order in which they were added."""

    @typed
    def __init__(self, min_macro_weight: float = MIN_MACRO_WEIGHT) -> None:
        self.min_macro_weight = min_macro_weight
        self._nodes: dict[str, ClaimNode] = {}
        self._grounded: Counter[str] = Counter()  # claims by their snapshots

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[ClaimNode]:
        return iter(self._nodes.values())

    @typed
    def add(self, node: ClaimNode) -> None:
        """Add a claim.

        Raises:
            ConflictError: a claim with its id exists.
        """
        if node.claim_id in self._nodes:
            raise ConflictError(f"claim {node.claim_id!r} is there already; give the new one an id of its own")
        self._nodes[node.claim_id] = node
        if node.snapshot_id is not None:
            self._grounded[node.snapshot_id] += 1

    @typed
    def get(self, claim_id: str) -> ClaimNode:
        """The claim with an id.

        Raises:
            NotFoundError: there is none.
        """
        try:
            return self._nodes[claim_id]
        except KeyError as error:
            raise NotFoundError(f"no claim has the id {claim_id!r}; iterate over the graph to see them all") from error

    @typed
    def can_ground(self, snapshot: ContextSnapshot) -> bool:
        """Whether a snapshot is dense enough, and about some domain at all, to be the source of a claim."""
        return snapshot.macro_weight >= self.min_macro_weight and any(
            share > 0.0 and tag != DomainTag.UNCLASSIFIED for tag, share in snapshot.domain_summary.items()
        )

    @typed
    def claim(
        self, snapshot: ContextSnapshot, text: str | None = None, chunk_ids: Collection[str] | None = None
    ) -> ClaimNode:
        """Add a claim grounded in a snapshot.

        Args:
            snapshot: the source of the claim; its density sets the strengths and is not checked here.
            text: the claim; by default the text of the heaviest grounding chunk (the first of several).
            chunk_ids: the chunks that ground it; all of the snapshot's by default.

        Returns:
            The new claim, `<snapshot_id>:claim:<n>`.

        Raises:
            InputError: no chunk of the snapshot is among `chunk_ids`, or one of them is not in the snapshot.
        """
        ground = _grounding(snapshot, chunk_ids)
        node = ClaimNode(
            claim_id=f"{snapshot.snapshot_id}:claim:{self._grounded[snapshot.snapshot_id]}",
            text=max(ground, key=lambda chunk: chunk.layer1_score).text if text is None else text,
            support_strength=macro_weight([chunk.layer1_score for chunk in ground]),
            grounding_strength=snapshot.macro_weight,
            context=dict(snapshot.domain_summary),
            snapshot_id=snapshot.snapshot_id,
            chunk_ids=[chunk.chunk_id for chunk in ground],
        )
        self.add(node)
        return node

    @typed
    def from_snapshots(self, snapshots: Iterable[ContextSnapshot]) -> list[ClaimNode]:
        """Add one claim for each snapshot that `can_ground` accepts."""
        return [self.claim(snapshot) for snapshot in snapshots if self.can_ground(snapshot)]

    @typed
    def about(self, domain: str) -> list[ClaimNode]:
        """Claims whose context has the domain: strongest share first, then strongest support, then oldest."""
        nodes = [node for node in self if node.context.get(domain, 0.0) > 0.0]
        return sorted(nodes, key=lambda node: (-node.context[domain], -node.support_strength))

    def to_dict(self) -> dict[str, Any]:
        """The claims as primitives, in order, and what makes a snapshot dense enough."""
        return {"min_macro_weight": self.min_macro_weight, "claims": [node.to_dict() for node in self]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote.

        Raises:
            InputError: a record cannot be read.
            ConflictError: two claims share an id.
        """
        need(cls, data, "claims")
        graph = cls(number(cls, data, "min_macro_weight", MIN_MACRO_WEIGHT))
        for node in listed(cls, data, "claims"):
            graph.add(ClaimNode.from_dict(node))
        return graph


def _grounding(snapshot: ContextSnapshot, chunk_ids: Collection[str] | None) -> list[WeightedChunk]:
    if chunk_ids is None:
        ground = list(snapshot.chunks)
    else:
        ground = [chunk for chunk in snapshot.chunks if chunk.chunk_id in chunk_ids]
        strangers = sorted(set(chunk_ids) - {chunk.chunk_id for chunk in ground})
        if strangers:
            raise InputError(f"snapshot {snapshot.snapshot_id!r} has no chunk {strangers[0]!r}; name chunks of it")
    if not ground:
        raise InputError(f"nothing of snapshot {snapshot.snapshot_id!r} grounds the claim; name at least one chunk")
    return ground
