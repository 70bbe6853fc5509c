"""The HSCA document's three sums over the chunks of a beat, in one place for the engine view and the memory's beats."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

# HSCA 2.4. `>=` for both: the document's prose says "exceeds", but its code compares with `>=`.
COHERENCE_THRESHOLD: Final = 0.72
MAX_CHUNKS: Final = 20


def weighted_coherence(scores: Iterable[tuple[float, float]]) -> float | None:
    """`sum(coherence * layer1) / sum(layer1)` over pairs of coherence and layer 1; None when all weights are 0."""
    pairs = list(scores)
    total = sum([weight for _, weight in pairs])
    if total == 0.0:
        return None
    return sum([coherence * weight for coherence, weight in pairs]) / total


def macro_weight(weights: Sequence[float]) -> float:
    """Mean layer 1 of the chunks, at most 1; 0 when all are 0.

    The document's code divides `sum or 1.0` by the number of chunks, which gives a beat without any relations a weight
    of 1/n; its prose asks for the mean.
    """
    return min(sum(weights) / len(weights), 1.0) if weights else 0.0


def domain_summary(chunks: Iterable[tuple[Sequence[str], float]]) -> dict[str, float]:
    """Tag -> weight of the chunks that carry it divided by the total weight, in order of first appearance.

    Chunks may carry several tags, so the sum may exceed 1; all shares are 0 when all weights are.
    """
    weights: dict[str, float] = {}
    total = 0.0
    for tags, weight in chunks:
        total += weight
        for tag in tags:
            weights[tag] = weights.get(tag, 0.0) + weight
    whole = total or 1.0
    return {tag: weight / whole for tag, weight in weights.items()}


def normalised(summary: Mapping[str, float]) -> dict[str, float]:
    """A domain summary scaled to sum to 1; empty when all shares are 0."""
    total = sum(summary.values())
    return {tag: share / total for tag, share in summary.items()} if total else {}
