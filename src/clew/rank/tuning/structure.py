"""Tunes the parameters of layers 1 to 4 on which chunks were used: window, nuance weights, coherence threshold.

HSCA 4: a chunk of high weight that is used is evidence for the parameters that gave the weight, and one that is not
used is evidence against them. There are two families: `weights` (window and nuance weights), judged by how often a used
chunk outweighs an unused one of the same interaction; and `beats` (the threshold), judged by how well one beat covers
the chunks that were used together.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from clew.analyze.coherence import coherence_of
from clew.analyze.layer1 import WINDOW, layer1_of_beat
from clew.analyze.nuance import nuance_of
from clew.analyze.words import read
from clew.rank.tuning.validate import ALPHA, TuningProblem, axis, decide
from clew.structure.density import COHERENCE_THRESHOLD, MAX_CHUNKS
from clew.types.chunk import NuanceFlag
from clew.types.record import Record
from clew.types.tuning import Verdict

WINDOWS: Final = tuple(range(2, 13))
"""Windows of layer 1 that are tried; the first and last are the bounds."""

MATURITIES: Final = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))
"""Coherence thresholds that are tried, 0.50 to 0.95; the first and last are the bounds."""

FLAGS: Final = (-0.5, -0.25, 0.0, 0.25, 0.5, 1.0)
"""Nuance weights that are tried; the first and last are the bounds."""

MIN_FLAGGED: Final = 20
"""Least number of chunks with a flag, and of chunks without it, before its weight is tried."""

SHIFTS: Final = 16
"""Number of positions to which a pattern of use is shifted, its own position included."""

FLAG: Final = "flag:"
NUANCE: Final = frozenset(flag.value for flag in NuanceFlag)


@dataclass(frozen=True, slots=True, kw_only=True)
class StructureParameters(Record):
    """The tunable parameters of layers 1 to 4; the defaults are the document's.

    Attributes:
        window: words in the window of layer 1, 2..12.
        maturity: weighted mean coherence from which a beat is mature, 0.50..0.95.
        flags: weight by nuance flag, -0.5..1.0; a flag that is absent has 0.
    """

    window: int = WINDOW
    maturity: float = COHERENCE_THRESHOLD
    flags: dict[str, float] = field(default_factory=dict)

    def weight(self, layer1: float, nuance: Collection[str]) -> float:
        """The weight of a piece: layer 1 times the product of 1 + w over its flags, at most 1."""
        for flag in sorted(set(nuance) & self.flags.keys()):
            layer1 *= 1.0 + self.flags[flag]
        return min(1.0, layer1)

    @classmethod
    def of(cls, values: Mapping[str, float]) -> "StructureParameters":
        """Parameters from learned values by name, clipped to their bounds; other names are ignored."""
        flags = {name[len(FLAG) :]: value for name, value in values.items() if name.startswith(FLAG) and value}
        return cls(
            window=int(_within(values.get("window", WINDOW), WINDOWS)),
            maturity=_within(values.get("maturity", COHERENCE_THRESHOLD), MATURITIES),
            flags={flag: _within(value, FLAGS) for flag, value in flags.items() if flag in NUANCE},
        )

    def values(self) -> dict[str, float]:
        """The parameters as the mapping that `of` takes."""
        flags = {FLAG + name: value for name, value in self.flags.items()}
        return {"window": float(self.window), "maturity": self.maturity, **flags}


@dataclass(frozen=True, slots=True)
class WeighedChunk:
    """One chunk: its layer 1 for each of `WINDOWS`, its coherence, and its nuance flags."""

    layer1: tuple[float, ...]
    coherence: float
    nuance: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Interaction:
    """One downstream query: chunks in the order of the conversation, and which of them it used.

    Attributes:
        group: examples of the same group, such as a conversation, stay in one fold.
    """

    group: str
    chunks: tuple[WeighedChunk, ...]
    used: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class TunedStructure:
    """The tuned parameters, unchanged where nothing was significantly better, and the verdicts."""

    parameters: StructureParameters
    verdicts: tuple[Verdict, ...]


def weighed(text: str) -> WeighedChunk:
    """One chunk weighed alone with every window; works for any text."""
    return weighed_together((text,))[0]


def weighed_together(texts: Sequence[str]) -> tuple[WeighedChunk, ...]:
    """Chunks weighed with every window, as those of a closed beat are (`layer1_of_beat`)."""
    readings = [read(text) for text in texts]
    layers = [layer1_of_beat(readings, window) for window in WINDOWS]
    return tuple(
        WeighedChunk(tuple(layer[place].score for layer in layers), coherence_of(reading), nuance_of(reading))
        for place, reading in enumerate(readings)
    )


def tune_structure(
    history: Sequence[Interaction], start: StructureParameters = StructureParameters(), alpha: float = ALPHA
) -> TunedStructure:
    """Tunes on interactions; a family changes only if it is significantly better out of fold.

    Beats follow the rule of the HSCA document: a beat closes once its weighted mean coherence reaches the threshold, or
    at 20 chunks.
    """
    weights = decide(weights_problem(history, start), alpha)
    parameters = adopt(start, weights)
    beats = decide(maturity_problem(history, parameters, _document_beats(history, parameters)), alpha)
    return TunedStructure(adopt(parameters, beats), (weights, beats))


def _within(value: float, values: Sequence[float]) -> float:
    return min(max(value, values[0]), values[-1])


def adopt(parameters: StructureParameters, verdict: Verdict) -> StructureParameters:
    """The parameters with the values that a verdict adopts."""
    return StructureParameters.of({**parameters.values(), **verdict.values}) if verdict.adopted else parameters


def weights_problem(history: Sequence[Interaction], start: StructureParameters) -> TuningProblem:
    """The tuning of window and nuance weights; interactions that used all or none of their chunks are left out."""
    usable = [interaction for interaction in history if any(interaction.used) and not all(interaction.used)]
    chunks = [chunk for interaction in usable for chunk in interaction.chunks]
    layer1 = np.array([chunk.layer1 for chunk in chunks]).reshape(len(chunks), len(WINDOWS))
    tried = _flags(chunks)
    carried = {flag: np.array([flag in chunk.nuance for chunk in chunks], dtype=bool) for flag in tried}
    fixed = replace(start, flags={name: value for name, value in start.flags.items() if name not in tried})
    factor = np.array([_product(fixed, chunk.nuance) for chunk in chunks])
    pairs = _Pairs(usable)

    def score(values: Mapping[str, float]) -> NDArray[np.float64]:
        weights = _at_window(layer1, values["window"]) * factor
        for flag, held in carried.items():
            weights = np.where(held, weights * (1.0 + values[FLAG + flag]), weights)
        return pairs.won(np.round(np.minimum(weights, 1.0), 6))

    axes = [axis("window", WINDOWS, start.window)]
    axes += [axis(FLAG + flag, FLAGS, start.flags.get(flag, 0.0)) for flag in tried]
    groups = [interaction.group for interaction in usable]
    return TuningProblem("weights", tuple(axes), score, groups, np.ones(len(usable), dtype=bool))


def maturity_problem(
    history: Sequence[Interaction],
    start: StructureParameters,
    beats: Callable[[float], Sequence[Sequence[Collection[int]]]],
) -> TuningProblem:
    """The threshold of beats.

    Args:
        beats: for a threshold the beats of each interaction, as the places of their chunks in it.
    """
    usable = [place for place, interaction in enumerate(history) if sum(interaction.used) >= 2]
    used = [history[row].used for row in usable]

    def score(values: Mapping[str, float]) -> NDArray[np.float64]:
        segmented = beats(values["maturity"])
        return np.array([agreement(segmented[row], marks) for row, marks in zip(usable, used, strict=True)])

    groups = [history[row].group for row in usable]
    axes = (axis("maturity", MATURITIES, start.maturity),)
    return TuningProblem("beats", axes, score, groups, np.ones(len(usable), dtype=bool))


def agreement(beats: Sequence[Collection[int]], used: Sequence[bool]) -> float:
    """How much better one beat covers what was used than it covers as much elsewhere: 0.5 is chance, 1 the most.

    `best_cover`, less its mean over the same pattern of use moved round the interaction by `SHIFTS` even steps. Without
    that, beats of the usual number of used chunks would do best wherever they end.
    """
    size = len(used)
    places = [place for place, was in enumerate(used) if was]
    steps = sorted({size * step // SHIFTS for step in range(SHIFTS)})
    moved = [best_cover(beats, [(place + step) % size for place in places]) for step in steps]
    return 0.5 + 0.5 * (moved[0] - sum(moved) / len(moved))


def best_cover(beats: Sequence[Collection[int]], used: Collection[int]) -> float:
    """The best F1 of one beat and the used chunks: 1 when a beat has exactly those; 0 without beats."""
    wanted = set(used)
    return max((2 * len(wanted & set(beat)) / (len(wanted) + len(beat)) for beat in beats if beat), default=0.0)


def _document_beats(
    history: Sequence[Interaction], parameters: StructureParameters
) -> Callable[[float], list[list[list[int]]]]:
    window = WINDOWS.index(parameters.window)
    scored = [
        [(chunk.coherence, parameters.weight(chunk.layer1[window], chunk.nuance)) for chunk in interaction.chunks]
        for interaction in history
    ]
    return lambda threshold: [_beats(chunks, threshold) for chunks in scored]


def _beats(chunks: Sequence[tuple[float, float]], threshold: float) -> list[list[int]]:
    """Indexes of chunks by beat, by the rule of the HSCA document; the last beat may be open."""
    beats: list[list[int]] = [[]]
    total = weight = 0.0
    for place, (coherence, chunk) in enumerate(chunks):
        beats[-1].append(place)
        total, weight = total + coherence * chunk, weight + chunk
        if len(beats[-1]) >= MAX_CHUNKS or (weight > 0.0 and total / weight >= threshold):
            beats.append([])
            total = weight = 0.0
    return beats if beats[-1] else beats[:-1]


def _flags(chunks: Sequence[WeighedChunk]) -> list[str]:
    counts = Counter(flag for chunk in chunks for flag in set(chunk.nuance))
    return sorted(flag for flag, count in counts.items() if MIN_FLAGGED <= count <= len(chunks) - MIN_FLAGGED)


def _product(parameters: StructureParameters, nuance: Collection[str]) -> float:
    product = 1.0
    for flag in sorted(set(nuance) & parameters.flags.keys()):
        product *= 1.0 + parameters.flags[flag]
    return product


def _at_window(layer1: NDArray[np.float64], window: float) -> NDArray[np.float64]:
    return layer1[:, WINDOWS.index(int(window))]


class _Pairs:
    """Pairs every used chunk with every unused chunk of its interaction."""

    def __init__(self, history: Sequence[Interaction]) -> None:
        used, unused, owner = [], [], []
        first = 0
        for row, interaction in enumerate(history):
            taken = [first + place for place, was in enumerate(interaction.used) if was]
            left = [first + place for place, was in enumerate(interaction.used) if not was]
            used += [one for one in taken for _ in left]
            unused += left * len(taken)
            owner += [row] * (len(taken) * len(left))
            first += len(interaction.chunks)
        self._used, self._unused = np.array(used, dtype=np.int64), np.array(unused, dtype=np.int64)
        self._owner, self._size = np.array(owner, dtype=np.int64), len(history)

    def won(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of pairs of each interaction in which the used chunk weighs more; equal weights count half."""
        mine, theirs = weights[self._used], weights[self._unused]
        wins = (mine > theirs) + 0.5 * (mine == theirs)
        counts = np.bincount(self._owner, minlength=self._size)
        sums: NDArray[np.float64] = np.bincount(self._owner, weights=wins, minlength=self._size) / np.maximum(counts, 1)
        return sums
