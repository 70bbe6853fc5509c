"""HSCA layers 1 to 3 of one text, which is split into words only once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clew.analyze.coherence import coherence_of
from clew.analyze.domains import Evidence, evidence_of, shares_of, tags
from clew.analyze.layer1 import WINDOW, Layer1, layer1_joint, layer1_of
from clew.analyze.nuance import nuance_of
from clew.analyze.words import Reading, read

# Version stored in every row made here. Raise it with any change to a rule, a list or a constant.
ANALYZE_VERSION: Final = 20
# Digits kept of a score in an annotation.
_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Weighing:
    """Layers 1 to 3 of one text; `analysed` is the number of characters examined, from its start."""

    layer1: Layer1
    coherence: float
    domains: tuple[str, ...]
    domain_weights: dict[str, float]
    nuance: tuple[str, ...]
    analysed: int

    def annotations(self) -> dict[str, float | bool | list[str] | list[float]]:
        """The values to store by annotation kind, scores rounded to 4 digits.

        `layer1` and `coherence` are numbers, `domains` and `nuance` lists of tags. `short_chunk` is there only when
        true; `layer1:sentences`, the scores of the sentences, only when it is not.
        """
        values: dict[str, float | bool | list[str] | list[float]] = {
            "layer1": round(self.layer1.score, _DIGITS),
            "coherence": round(self.coherence, _DIGITS),
            "domains": list(self.domains),
            "nuance": list(self.nuance),
        }
        if self.layer1.short:
            values["short_chunk"] = True
        else:
            values["layer1:sentences"] = [round(score, _DIGITS) for score in self.layer1.sentences]
        return values


def weigh(text: str, window: int = WINDOW) -> Weighing:
    """Weigh one text by itself. Accepts any string; the cost is bounded by `words.ANALYSED_CHARACTERS`."""
    return weigh_joint((text,), window)[0]


def weigh_joint(texts: Sequence[str], window: int = WINDOW) -> tuple[Weighing, ...]:
    """Weigh short pieces with a joint layer 1 (`relational_weight_joint`); everything else is computed per text."""
    readings = [read(text) for text in texts]
    return tuple(_weighings(readings, layer1_joint(readings, window), list(map(evidence_of, readings))))


def weigh_read(readings: Sequence[Reading], evidence: Sequence[Evidence]) -> list[Weighing]:
    """`weigh` of texts that were read already, with their evidence for domains (`evidence_of`)."""
    return _weighings(readings, [layer1_of(reading) for reading in readings], evidence)


def _weighings(readings: Sequence[Reading], layers: Sequence[Layer1], evidence: Sequence[Evidence]) -> list[Weighing]:
    """Each layer goes over all texts before the next: the processor keeps at hand what one layer needs."""
    coherences = list(map(coherence_of, readings))
    weights = list(map(shares_of, evidence))
    nuances = list(map(nuance_of, readings))
    return [
        Weighing(layer1, coherence, tags(shares), shares, nuance, len(reading.text))
        for reading, layer1, coherence, shares, nuance in zip(
            readings, layers, coherences, weights, nuances, strict=True
        )
    ]
