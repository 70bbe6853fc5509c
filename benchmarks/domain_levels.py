"""The evidence for a domain at which odds are even: `python -m benchmarks.domain_levels FOLDER [--vectors FILE]`.

FOLDER has what was learned without each source or family, as `benchmarks.hsca_sources` takes it; `--vectors FILE`
keeps the vectors of MiniLM from one run to the next, and without it the words alone are measured. The turns are those
of the threads of every source, of one or two lines, three times divided by chance. Their evidence is that of words and
directions that were learned without their source. For each domain, a logistic regression of "is about it" by evidence,
both sides counting the same, says where the odds are even; that is `_EVEN` in `clew.analyze.domain_states`. The spread
is the standard deviation when each source in turn is left out of the regression as well.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from benchmarks.hsca_sources import learn_without
from benchmarks.sources import LEARNED, texts_of
from clew.analyze.lexicon import DOMAINS
from clew.evaluate.hsca.bank import of_kind
from clew.evaluate.hsca.conversation_beats import ConversationWeigher
from clew.models.choose import choose_embedder
from clew.models.protocol import Embedder
from clew.models.recorded import RecordedEmbedder

Matrix = NDArray[np.float64]
_DIVISIONS = (1, 2, 3)  # seeds
_MOST = 2.5  # as much evidence of a turn counts as in `domain_states`
_STEPS = 50


def turns_of(source: str) -> tuple[list[str], list[int]]:
    """The turns of the threads of a source, and the place of their domain."""
    pairs = [
        (turn, DOMAINS.index(thread.domains[0]))
        for thread in of_kind(texts_of(source), "thread")
        for seed in _DIVISIONS
        for turn in thread.turns(Random(seed))  # noqa: S311 - no secret
    ]
    return [turn for turn, _ in pairs], [domain for _, domain in pairs]


def regression(evidence: Matrix, about: Matrix) -> tuple[float, float]:
    """Slope and place of even odds, with as much weight on what is about the domain as on what is not.

    Newton's method; there is one minimum.
    """
    columns = np.c_[evidence, np.ones(len(evidence))]
    weights = np.where(about > 0.5, 0.5 / about.mean(), 0.5 / (1.0 - about.mean())) / len(about)
    found = np.zeros(2)
    for _ in range(_STEPS):
        chance = 1.0 / (1.0 + np.exp(-columns @ found))
        bend = (columns * (weights * chance * (1.0 - chance))[:, None]).T @ columns
        step = np.linalg.solve(bend, columns.T @ (weights * (chance - about)))
        found -= step
        if np.abs(step).max() < 1e-10:
            break
    return float(found[0]), float(-found[1] / found[0])


def levels(measured: Sequence[tuple[Matrix, Matrix]]) -> Matrix:
    """Slope and place of even odds of each domain, from evidence and domains of the turns of some sources."""
    evidence = np.vstack([rows for rows, _ in measured])
    domains = np.concatenate([places for _, places in measured])
    return np.array([regression(evidence[:, n], (domains == n).astype(np.float64)) for n in range(len(DOMAINS))])


def measure(folder: Path, embedder: Embedder | None) -> list[tuple[Matrix, Matrix]]:
    """Evidence and domain of the turns of every source, by what was learned without it."""
    found = []
    for source in LEARNED:
        weigher = ConversationWeigher(embedder, learn_without(folder, source))
        texts, domains = turns_of(source)
        found.append((np.minimum(np.array(weigher.evidence(texts)), _MOST), np.array(domains, np.float64)))
    return found


def main() -> None:
    """Prints the levels by words and with vectors, with their spread over the sources left out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="what was learned without each source")
    parser.add_argument("--vectors", type=Path, help="file that keeps the vectors; without it, the words alone")
    options = parser.parse_args()
    ways: dict[str, Embedder | None] = {"words": None}
    if options.vectors is not None:
        ways["MiniLM"] = RecordedEmbedder(choose_embedder("minilm")[0], options.vectors)
    print("| domain | by | even at | spread | slope |\n|---|---|---:|---:|---:|")
    for name, embedder in ways.items():
        measured = measure(options.folder, embedder)
        found = levels(measured)
        others = [levels([*measured[:n], *measured[n + 1 :]])[:, 1] for n in range(len(measured))]
        for domain, (slope, even), spread in zip(DOMAINS, found, np.std(others, axis=0), strict=True):
            print(f"| {domain} | {name} | {even:.2f} | {spread:.3f} | {slope:.2f} |", flush=True)


if __name__ == "__main__":
    main()
