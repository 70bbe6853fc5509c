"""The SIGMA document's graph of a conversation: its turns, the edges between them, and whether it is work or talk."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np

from clew.analyze.novelty import Vector, vector_cosine
from clew.condense.mode import Mode, mode_of
from clew.errors import InputError, shown
from clew.views.sigma_shapes import (
    Classification,
    ConversationEdge,
    ConversationLattice,
    ConversationNode,
    LatticeMetadata,
    TurnAnalysis,
)
from clew.views.typed_arguments import typed

SIMILAR: Final = 0.7
"""Cosine above which two turns get a similarity edge (appendix C)."""
MOST_SIMILAR: Final = 10
"""Most similarity edges from a turn to earlier ones: without a bound, those of turns that repeat each other grow with
the square of their number, 380,000 for 1,600 turns of a routine. The novelty of a turn looks at as many."""
REFERENCE_WEIGHT: Final = 1.0
TEMPORAL_WEIGHT: Final = 0.5
"""Weights of the other edges, for which the document gives only a range."""

_TOOL: Final = re.compile(r"^[ \t]*[A-Za-z_][\w.-]*\(\{|\btool_use\b|\[Tool\b", re.MULTILINE)
_CODE: Final = re.compile(r"^[ \t]*```", re.MULTILINE)
_FILE: Final = re.compile(
    r"(?<![\w/.-])(?:[\w.-]+/)*[\w-]+\.(?:[jt]sx?|py|md|json|ya?ml|toml|rs|go|java|c|h|cpp|cs|rb|sh|sql|html|css)\b"
)


@typed
def build_conversation_lattice(
    turns: Sequence[TurnAnalysis],
    classification: Classification | Mapping[str, Sequence[TurnAnalysis]] | None = None,
    *,
    created_at: int | None = None,
    session_id: str | None = None,
) -> ConversationLattice:
    """Build nodes for the kept turns, and edges between them: references, neighbours in time, similarity.

    Of a turn that is like many earlier ones, the ten that are most like it have an edge.

    Args:
        turns: in their order, in which those of the same time stay.
        classification: the classes, or a mapping of their names; None keeps all turns.
        created_at: milliseconds since 1970; None takes the time of the last turn.

    Raises:
        InputError: vectors of two turns differ in length, or a class has another name.
    """
    kept = sorted(_kept(turns, classification), key=lambda turn: turn.timestamp)  # stable
    names = {turn.turn_id for turn in kept}
    edges = [
        ConversationEdge(turn.turn_id, name, "conversation_reference", REFERENCE_WEIGHT)
        for turn in kept
        for name in dict.fromkeys(turn.references)
        if name in names and name != turn.turn_id
    ]
    edges += (ConversationEdge(a.turn_id, b.turn_id, "temporal", TEMPORAL_WEIGHT) for a, b in pairwise(kept))
    edges += _likenesses(kept)
    return ConversationLattice(
        tuple(_node(turn) for turn in kept),
        tuple(edges),
        LatticeMetadata(
            created_at=last_time(turns) if created_at is None else created_at,
            original_turn_count=len(turns),
            compressed_turn_count=len(kept),
            compression_ratio=len(turns) / len(kept) if kept else 1.0,
            session_id=session_id,
        ),
    )


def last_time(turns: Sequence[TurnAnalysis]) -> int:
    """The time of the latest turn, in milliseconds since 1970; 0 without any."""
    return max((turn.timestamp for turn in turns), default=0)


def _kept(
    turns: Sequence[TurnAnalysis], classification: Classification | Mapping[str, Sequence[TurnAnalysis]] | None
) -> Sequence[TurnAnalysis]:
    if classification is None:
        return turns
    if isinstance(classification, Mapping):
        odd = sorted(map(str, classification.keys() - set(Classification.__slots__)))
        if odd:
            known = ", ".join(Classification.__slots__)
            raise InputError(f"the classes {', '.join(odd):.80} are unknown; expected {known}")
        given = {name: tuple(turns) for name, turns in classification.items()}
        classification = Classification(**given)
    indexes = {turn.turn_id: index for index, turn in enumerate(turns)}
    kept = (*classification.preserved, *classification.summarized)
    return sorted(kept, key=lambda turn: indexes.get(turn.turn_id, len(turns)))


@typed
def classify_conversation_mode(lattice: ConversationLattice) -> Mode:
    """Classify a conversation as quest (work) or chat, by the document's score; 5 or more is a quest.

    More than 5 turns with tool use add 3, a sum of O1 over 15 adds 3, more than 3 code blocks add 2, more than 5 file
    names add 2. Tool use is recognised by the form `name({...})`, in which Clew writes calls, or by `tool_use`. A
    compressed lattice has lost calls and code, so its metadata says what it was before.
    """
    if lattice.metadata.mode is not None:
        return lattice.metadata.mode
    structural = sum(node.overlay_scores.O1_structural for node in lattice.nodes)
    return mode_of_texts([node.content for node in lattice.nodes], structural)


def mode_of_texts(texts: Sequence[str], structural: float) -> Mode:
    """Quest or chat by the texts of a conversation and the sum of their O1; see `classify_conversation_mode`."""
    tools = sum(1 for text in texts if _TOOL.search(text))
    code = sum(len(_CODE.findall(text)) // 2 for text in texts)
    files = sum(len(set(_FILE.findall(text))) for text in texts)
    return mode_of(tool_turns=tools, structural=structural, code_blocks=code, files=files)


def vector_of(values: Sequence[float] | Vector) -> Vector:
    """Numbers as a vector.

    Raises:
        InputError: they are no list of finite numbers.
    """
    try:
        with np.errstate(over="ignore"):
            vector = np.asarray(values, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise InputError(f"the vector {shown(values)} cannot be read; expected numbers") from error
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise InputError(f"the vector {shown(values)} cannot be compared; expected a list of finite numbers")
    return vector


def cosine(one: Vector, values: Sequence[float] | Vector) -> float:
    """The cosine of a vector and numbers; 0 if either is zero.

    Raises:
        InputError: they differ in length, or the numbers are none.
    """
    other = vector_of(values)
    if len(other) != len(one):
        raise InputError(
            f"vectors of {len(one)} and {len(other)} numbers cannot be compared; analyse the turns with one embedder"
        )
    return vector_cosine(one, other)


def _node(turn: TurnAnalysis) -> ConversationNode:
    return ConversationNode(
        id=turn.turn_id,
        turn_id=turn.turn_id,
        role=turn.role,
        content=turn.content,
        timestamp=turn.timestamp,
        embedding=turn.embedding,
        novelty=turn.novelty,
        overlay_scores=turn.overlay_scores,
        importance_score=turn.importance_score,
        is_paradigm_shift=turn.is_paradigm_shift,
        semantic_tags=turn.semantic_tags,
    )


def _likenesses(kept: Sequence[TurnAnalysis]) -> list[ConversationEdge]:
    """Edges from each turn to the earlier ones with the most similar vectors, the nearest of equal ones, by cosine."""
    known = [turn for turn in kept if turn.embedding]
    if not known:
        return []
    for turn in known[1:]:
        if len(turn.embedding) != len(known[0].embedding):
            cosine(vector_of(known[0].embedding), turn.embedding)  # which names the lengths
    rows = np.asarray([turn.embedding for turn in known], dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    units = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    edges = []
    for index, turn in enumerate(known):
        weights = np.round(np.minimum(1.0, units[:index] @ units[index]), 6)
        near = np.flatnonzero(weights > SIMILAR)
        best = near[np.lexsort((-near, -weights[near]))[:MOST_SIMILAR]]
        edges += [
            ConversationEdge(turn.turn_id, known[earlier].turn_id, "semantic_similarity", float(weights[earlier]))
            for earlier in sorted(best.tolist())
        ]
    return edges
