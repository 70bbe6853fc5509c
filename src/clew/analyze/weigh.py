"""HSCA layers 1 to 3 of one text, which is split into words only once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clew.analyze.coherence import coherence_of
from clew.analyze.domains import Evidence, evidence_of, shares_of, tags
from clew.analyze.layer1 import WINDOW, Layer1, layer1_joint
from clew.analyze.nuance import nuance_of
from clew.analyze.words import Reading, read

# Version stored in every row made here. Raise it with any change to a rule, a list or a constant.
ANALYZE_VERSION: Final = 17
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
    return tuple(map(_weighing, readings, layer1_joint(readings, window), map(evidence_of, readings)))


def weigh_read(reading: Reading, evidence: Evidence) -> Weighing:
    """`weigh` of a text that was read already, with its evidence for domains (`evidence_of`)."""
    return _weighing(reading, layer1_joint((reading,), WINDOW)[0], evidence)


def _weighing(reading: Reading, layer1: Layer1, evidence: Evidence) -> Weighing:
    weights = shares_of(evidence)
    return Weighing(layer1, coherence_of(reading), tags(weights), weights, nuance_of(reading), len(reading.text))
