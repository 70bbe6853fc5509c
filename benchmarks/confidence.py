"""How far the confidence of a recall tells what a space can answer from what it cannot, and the fit of its model.

    python -m benchmarks.confidence --data FOLDER [--vectors-cache FILE] [--embedder none] [--half tune|kept] [--fit]
                                    [--only SET ...]

FOLDER holds `locomo-dev`, `realtalk-dev`, `beam-dev`, `agent-qa`, `agent_tau_bench` and `oasst`; what is not there is
left out. Every question is asked of its own space and of another one of the same source. Our own talks and a chat in
eight languages are part of the program. With `--fit` the weights are fitted anew, on all sets but this chat and with
each set left out; otherwise the figures are those of the weights in the code. `--only` names sets as the tables do.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.confidence_sets import (
    LANGUAGES,
    AskedQuestion,
    JudgedSpace,
    faults,
    read_languages,
    read_sets,
    read_talks,
)
from clew.evaluate.tables import Sheet
from clew.memory import Memory
from clew.models.choose import choose_embedder
from clew.models.protocol import Embedder
from clew.models.recorded import RecordedEmbedder
from clew.rank.confidence import WITH_VECTORS, WITHOUT, Features, Model
from clew.types.context import DOUBTFUL

BUDGETS: Final = (500, 1_000, 2_000, 4_000)
"""Tokens of the blocks in which needles are looked for."""

NEAR_SHARE: Final = 0.3
"""Share of near misses in the weight of what cannot be answered."""

KEPT_UP: Final = 0.95
"""Share of the answerable questions, every set alike, that the constant puts at or above one half."""

RIDGE: Final = 0.01
"""Penalty on the squares of the weights, each times the spread of its feature; the questions of a set weigh 1."""

STEPS: Final = 40
"""Steps of a fit; it moves no more after some ten."""

FIXED: Final = ("own", "thin")
"""Features whose weights are not fitted: too few of the sets have what they speak about."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One question asked of one space.

    Attributes:
        kind: "answerable", "other" (a question about another conversation) or the source of a near miss.
        features: what the model saw, by name; empty where nothing was found, whose confidence is 0 in any model.
        shown: for each budget, whether the block showed all needles; empty for questions without.
    """

    group: str
    space: str
    is_kept: bool
    kind: str
    text: str
    confidence: float
    features: Mapping[str, float]
    shown: tuple[bool, ...] = ()

    @property
    def is_near(self) -> bool:
        """Whether it is a near miss."""
        return self.kind not in ("answerable", "other")


@contextmanager
def told(space: JudgedSpace, embedder: Embedder | None) -> Iterator[Memory]:
    """A fresh memory of a space."""
    with (
        tempfile.TemporaryDirectory(prefix="clew-bench-") as home,
        Memory.open(home, embedder=embedder or "none", clock=space.last) as memory,
    ):
        for session in space.sessions:
            memory.add_many(session)
        memory.drain()
        yield memory


def partner(space: JudgedSpace, spaces: Sequence[JudgedSpace]) -> JudgedSpace | None:
    """The space whose questions are about another conversation: the next of its source and half, else of its source."""
    if space.elsewhere:
        return None
    same = [each for each in spaces if each.source == space.source]
    half = [each for each in same if each.is_kept == space.is_kept]
    ring = half if len(half) > 1 else same
    other = ring[(ring.index(space) + 1) % len(ring)]
    return None if other is space else other


def judge(space: JudgedSpace, other: JudgedSpace | None, embedder: Embedder | None) -> list[Judgement]:
    """All questions asked of a space: its own, near misses, and those of another one."""
    found: list[Judgement] = []
    with told(space, embedder) as memory:
        for asked in space.questions:
            found += _judge(memory, space, "answerable", asked.text, _shown(memory, asked))
        for miss in space.near:
            found += _judge(memory, space, miss.source, miss.text)
        for text in (*space.elsewhere, *(asked.text for asked in (other.questions if other is not None else ()))):
            found += _judge(memory, space, "other", text)
    return found


def _judge(
    memory: Memory, space: JudgedSpace, kind: str, text: str, shown: tuple[bool, ...] = ()
) -> Iterator[Judgement]:
    context = memory.recall(text, budget=BUDGETS[0])
    if context.confidence is None:
        return  # a question about everything has none
    parts = memory.explain(context.receipt_id).confidence
    weights = (WITHOUT if memory.embedder is None else WITH_VECTORS).weights
    names = Features.__slots__ if parts else ()
    seen = {name: parts.get(name, 0.0) / (getattr(weights, name) or 1.0) for name in names}
    yield Judgement(space.group, space.name, space.is_kept, kind, text, context.confidence, seen, shown)


def _shown(memory: Memory, asked: AskedQuestion) -> tuple[bool, ...]:
    if not asked.needles:
        return ()
    blocks = [" ".join(memory.recall(asked.text, budget=budget).text.split()) for budget in BUDGETS]
    return tuple(all(" ".join(needle.split()) in block for needle in asked.needles) for block in blocks)


def area(higher: Sequence[float], lower: Sequence[float]) -> float:
    """The chance that one of the first is above one of the second; a tie counts half. NaN where one is empty."""
    if not len(higher) or not len(lower):
        return float("nan")
    difference = np.asarray(higher)[:, None] - np.asarray(lower)[None, :]
    return float(np.mean((difference > 0) + 0.5 * (difference == 0)))


def fit(judgements: Sequence[Judgement], *, vectors: bool) -> Model:
    """Logistic regression in which every set weighs 1; the constant keeps `KEPT_UP` of the answerable.

    The chat in other languages takes no part: it is too small, and made to be easy.

    Features whose weight is 0 in the model as it is are not part of it: a receipt does not have them.
    """
    fixed = WITH_VECTORS.weights if vectors else WITHOUT.weights
    judgements = [each for each in judgements if each.features and each.group != LANGUAGES]
    names = [name for name in Features.__slots__ if name not in FIXED and getattr(fixed, name)]
    rows = np.array([[each.features[name] for name in names] + [1.0] for each in judgements])
    offset = np.array([sum(getattr(fixed, name) * each.features[name] for name in FIXED) for each in judgements])
    label = np.array([each.kind == "answerable" for each in judgements], dtype=np.float64)
    found = _regression(rows, label, offset, _weights(judgements))
    scores = rows[:, :-1] @ found[:-1] + offset
    constant = -_quantile(scores[label > 0], _shares(judgements, label), 1.0 - KEPT_UP)
    return Model(
        round(constant, 4), replace(fixed, **{n: round(float(v), 4) for n, v in zip(names, found, strict=False)})
    )


def _weights(judgements: Sequence[Judgement]) -> NDArray[np.float64]:
    def weight_class(each: Judgement) -> tuple[str, str]:
        return each.group, "near" if each.is_near else each.kind

    counts: dict[tuple[str, str], int] = {}
    for each in judgements:
        counts[weight_class(each)] = counts.get(weight_class(each), 0) + 1
    shares = {"answerable": 0.5, "other": 0.5 * (1.0 - NEAR_SHARE), "near": 0.5 * NEAR_SHARE}
    return np.array([shares[weight_class(each)[1]] / counts[weight_class(each)] for each in judgements])


def _shares(judgements: Sequence[Judgement], label: NDArray[np.float64]) -> NDArray[np.float64]:
    return _weights(judgements)[label > 0]


def _quantile(values: NDArray[np.float64], weights: NDArray[np.float64], share: float) -> float:
    """The value below which this share of the weight lies."""
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) / weights.sum()
    return float(values[order][int(np.searchsorted(reached, share))])


def _regression(
    rows: NDArray[np.float64], label: NDArray[np.float64], offset: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Weights by Newton's method; the last column is the constant, whose size is not held back."""
    spread = np.append(np.maximum(rows[:, :-1].std(axis=0), 1e-9), 1.0)
    scaled = rows / spread
    ridge = np.diag([RIDGE] * (rows.shape[1] - 1) + [1e-9])
    found = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        chance = 1.0 / (1.0 + np.exp(-(scaled @ found + offset)))
        slope = scaled.T @ (weights * (chance - label)) + ridge @ found
        bend = (scaled.T * (weights * chance * (1.0 - chance))) @ scaled + ridge
        found -= np.linalg.solve(bend, slope)
    return np.asarray(found / spread, dtype=np.float64)


def by_model(judgements: Sequence[Judgement], model_of: Callable[[str], Model]) -> list[Judgement]:
    """The judgements as a model would have them; it may be another one for each set."""
    found = []
    for each in judgements:
        if not each.features:
            found.append(each)
            continue
        model = model_of(each.group)
        total = model.constant + sum(getattr(model.weights, name) * value for name, value in each.features.items())
        found.append(replace(each, confidence=float(1.0 / (1.0 + np.exp(-total)))))
    return found


def left_out(judgements: Sequence[Judgement], *, vectors: bool) -> list[Judgement]:
    """The judgements by models that were fitted on the other sets."""
    groups = {each.group for each in judgements}
    models = {group: fit([each for each in judgements if each.group != group], vectors=vectors) for group in groups}
    return by_model(judgements, models.__getitem__)


def table(title: str, judgements: Sequence[Judgement]) -> Sheet:
    """A row for each set: per cent at or above one half or below it, and how near misses are told apart."""
    rows = []
    for group in dict.fromkeys(each.group for each in judgements):
        of = [each for each in judgements if each.group == group]
        sure = [each.confidence for each in of if each.kind == "answerable"]
        other = [each.confidence for each in of if each.kind == "other"]
        near = [each.confidence for each in of if each.is_near]
        cells = [f"{100 * float(np.mean(np.asarray(sure) >= DOUBTFUL)):.1f} ({len(sure)})"]
        cells += [_below(values) for values in (other, near)]
        cells += [f"{area(sure, other):.3f}", f"{area(sure, near):.3f}"]
        kinds = dict.fromkeys(each.kind for each in of if each.is_near)
        apart = [(kind, [each.confidence for each in of if each.kind == kind]) for kind in kinds]
        cells.append("; ".join(f"{kind} {area(sure, values):.3f} ({len(values)})" for kind, values in apart))
        rows.append((group, *cells))
    columns = ("set", "answerable >= 0.5", "other < 0.5", "near misses < 0.5", "AUC other", "AUC near", "by source")
    return Sheet(title, columns, tuple(rows))


def _below(values: Sequence[float]) -> str:
    return f"{100 * float(np.mean(np.asarray(values) < DOUBTFUL)):.1f} ({len(values)})" if values else "-"


def evidence(title: str, judgements: Sequence[Judgement]) -> Sheet:
    """Per cent of the questions with needles that the block shows in full."""
    rows = []
    for group in dict.fromkeys(each.group for each in judgements if each.shown):
        shown = np.array([each.shown for each in judgements if each.group == group and each.shown])
        rows.append((f"{group} ({len(shown)})", *(f"{value:.1f}" for value in 100 * shown.mean(axis=0))))
    return Sheet(title, ("needles in the block", *(f"{budget:,}" for budget in BUDGETS)), tuple(rows))


def measure(spaces: Sequence[JudgedSpace], embedder: Embedder | None, say: Callable[[str], None]) -> list[Judgement]:
    """All questions asked of all spaces."""
    found: list[Judgement] = []
    for space in spaces:
        found += judge(space, partner(space, spaces), embedder)
        say(f"{space.source} {space.name}: {len(found)} questions asked so far")
    return found


def _report(judgements: Sequence[Judgement], way: str, *, fits: bool) -> None:
    halves = [[each for each in judgements if each.is_kept == kept] for kept in (False, True)]
    parts = [("all", judgements), *(zip(("tune", "kept"), halves, strict=True) if all(halves) else ())]
    for name, part in parts:
        print(table(f"{way}, as shipped, {name}", part).markdown())
    print(evidence(f"{way}, evidence", judgements).markdown())
    if fits:
        vectors = way == "with vectors"
        print(f"{way}, fitted on all: {fit(judgements, vectors=vectors)}\n")
        several = len({each.group for each in judgements} - {LANGUAGES}) > 1
        for name, part in parts if several else ():
            print(table(f"{way}, each set left out, {name}", left_out(part, vectors=vectors)).markdown())
        if all(halves):
            chosen = fit(halves[0], vectors=vectors)
            print(f"{way}, fitted on tune: {chosen}\n")
            print(table(f"{way}, fitted on tune, kept", by_model(halves[1], lambda _: chosen)).markdown())


def _half(space: JudgedSpace) -> str:
    return "kept" if space.is_kept else "tune"


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.confidence", description="How far confidence holds.")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="the development data")
    parser.add_argument("--vectors-cache", type=Path, metavar="FILE", help="keeps vectors for the next run")
    parser.add_argument("--embedder", default="auto", help="as the setting of that name; auto by default")
    parser.add_argument("--half", choices=("tune", "kept"), help="only the half for choosing, or the other one")
    parser.add_argument("--fit", action="store_true", help="fit the weights anew")
    parser.add_argument("--only", action="append", metavar="SET", help="only this set; may be repeated")
    options = parser.parse_args(arguments)
    spaces = [*read_sets(options.data, _say), *read_talks(), *read_languages()]
    known = dict.fromkeys(space.group for space in spaces)
    asked_for = options.only or list(known)
    wrong = [f"there is no set {name!r}; there are {', '.join(known)}" for name in asked_for if name not in known]
    spaces = [space for space in spaces if space.group in asked_for]
    wrong += [fault for space in spaces for fault in faults(space)]
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    embedder = choose_embedder(options.embedder)[0]
    if embedder is not None and options.vectors_cache is not None:
        embedder = RecordedEmbedder(embedder, options.vectors_cache)
    for found in (embedder, None) if embedder is not None else (None,):
        judged = measure([space for space in spaces if options.half in (None, _half(space))], found, _say)
        _report(judged, "no embedder" if found is None else "with vectors", fits=options.fit)
    return 0


if __name__ == "__main__":
    sys.exit(main())
