"""Vectors of nodes, kept by the hash of what is embedded: text that stays the same is never embedded again."""

import hashlib
from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from clew.models.checked_calls import embed_checked
from clew.models.protocol import Embedder, Matrix
from clew.project.index import ProjectIndex
from clew.project.nodes import NodeKind, ProjectNode

_LONGEST: Final = 1_500
"""Characters of a text that is embedded (SIGMA)."""
_BATCH: Final = 64


class NodeVectors(NamedTuple):
    """Vectors of nodes: row i of the matrix, of length 1, is that of the node `ids[i]`."""

    ids: tuple[str, ...]
    matrix: Matrix


def embedded_text(node: ProjectNode) -> str:
    """What of a node is embedded: its name, its signature, and what is said about it."""
    name = node.path if node.kind is NodeKind.FILE else node.qualified
    return "\n".join(part for part in (name, node.signature, node.text) if part)[:_LONGEST]


def embed(index: ProjectIndex, embedder: Embedder, nodes: Iterable[ProjectNode]) -> int:
    """Embeds the texts of nodes that have no vector of this model yet; returns how many there were.

    Raises:
        ModelError: the model failed; the vectors of earlier batches are kept.
    """
    known = index.vectors(embedder.name)
    texts = {_key(text): text for text in map(embedded_text, nodes)}
    missing = [(key, text) for key, text in texts.items() if key not in known]
    for start in range(0, len(missing), _BATCH):
        batch = missing[start : start + _BATCH]
        matrix = embed_checked(embedder, [text for _, text in batch]).astype(np.float16)
        with index.transaction():
            rows = zip(batch, matrix, strict=True)
            index.put_vectors(embedder.name, ((key, row.tobytes()) for (key, _), row in rows))
            index.set_meta("embedded", str(int(index.meta("embedded") or 0) + len(batch)))
    return len(missing)


def stored_vectors(index: ProjectIndex, model: str, nodes: Iterable[ProjectNode]) -> NodeVectors:
    """The vectors of a model that nodes have; nodes without one are left out."""
    known = index.vectors(model)
    vectors = [(node.id, data) for node in nodes if (data := known.get(text_key(node))) is not None]
    matrix = np.frombuffer(b"".join(data for _, data in vectors), dtype=np.float16).astype(np.float32)
    return NodeVectors(
        tuple(node for node, _ in vectors), matrix.reshape(len(vectors), -1) if vectors else matrix.reshape(0, 0)
    )


def text_key(node: ProjectNode) -> str:
    """Under what the vectors of a node's text are kept."""
    return _key(embedded_text(node))


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
