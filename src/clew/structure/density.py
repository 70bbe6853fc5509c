"""The HSCA document's three sums over the chunks of a beat, in one place for the engine view and the memory's beats."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

# HSCA 2.4. `>=` for both: the document's prose says "exceeds", its code compares so, and the code is what runs.
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

    There the document's code, which divides `sum or 1.0` by the number of chunks, gives a beat without any relations a
    weight of 1/n; its prose asks for the mean.
    """
    return min(sum(weights) / len(weights), 1.0) if weights else 0.0


def domain_summary(chunks: Iterable[tuple[Sequence[str], float]]) -> dict[str, float]:
    """Tag -> the weight of the chunks that carry it, by all weight; in order of first appearance.

    Chunks may carry several tags, so the sum may pass 1; all shares are 0 when all weights are.
    """
    found: dict[str, float] = {}
    total = 0.0
    for tags, weight in chunks:
        total += weight
        for tag in tags:
            found[tag] = found.get(tag, 0.0) + weight
    whole = total or 1.0
    return {tag: weight / whole for tag, weight in found.items()}


def normalised(summary: Mapping[str, float]) -> dict[str, float]:
    """A domain summary as shares of one whole: they sum to 1, or it is empty when all are 0."""
    total = sum(summary.values())
    return {tag: share / total for tag, share in summary.items()} if total else {}
