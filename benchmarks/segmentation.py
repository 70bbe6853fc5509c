"""Where beats end, against labels made by hand: floors, the HSCA rule, Clew without and with vectors.

    CLEW_DATA=FOLDER python -m benchmarks.segmentation [--vectors-cache FILE] [--embedder none] [--fit] [--plot FILE]

FOLDER holds `tiage/anno_train.json`, `tiage/anno_dev.json` and `dialseg711/en_dataset_reference_2.txt`. TIAGE's train
part and the dialogues of DialSeg711 whose name hashes to an even number are for tuning, the others are kept. `--fit`
fits the weights of `clew.structure.boundary` anew on the part for tuning and shows what each signal is worth on the
kept part when it is left out; `--plot` draws some kept dialogues as bars.
"""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.bars import draw
from clew.analyze.domains import Evidence, by_domain, evidence_of, evidence_with_vector
from clew.analyze.prototypes import Prototypes, prototypes_of
from clew.analyze.weigh import weigh
from clew.analyze.words import read
from clew.evaluate.segmentation import Agreement, agreement
from clew.evaluate.tables import Sheet
from clew.models.choose import choose_embedder
from clew.models.protocol import Embedder
from clew.models.recorded import RecordedEmbedder
from clew.structure.beats import segment
from clew.structure.boundary import AFTER, BEFORE, WITH_VECTORS, WITHOUT_VECTORS, gap_at
from clew.structure.features import TurnFeatures, features
from clew.views.hsca import HSCAEngine

EVERY = {"TIAGE": 4, "DialSeg711": 6}
"""Turns of the fixed intervals: the mean segment of each, which a rule could not know."""

BALANCE = {True: {"tiage": 1.0, "dialseg": 0.5}, False: {"tiage": 1.0, "dialseg": 0.2}}
"""What a part counts in fitting, by its number of gaps, with vectors and without."""

SHIFT = {True: 0.3, False: 0.2}
"""Added to the fitted constant, with vectors and without: the threshold at which Pk was lowest on a fifth of TIAGE's
train part and DialSeg711's part for tuning, among those that serve both."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One dialogue; `borders` are the turns that begin a segment, but for the first."""

    name: str
    texts: tuple[str, ...]
    borders: tuple[int, ...]

    @property
    def kept(self) -> bool:
        """Whether it is kept from tuning, by its name."""
        return hashlib.sha256(self.name.encode()).digest()[0] % 2 == 1


Cut = Callable[[Dialogue], Sequence[int]]


def read_tiage(path: Path) -> list[Dialogue]:
    """TIAGE: number -> list of text and label; 1 begins a topic."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return [
        Dialogue(name, tuple(text for text, _ in turns), tuple(n for n, (_, label) in enumerate(turns) if label == "1"))
        for name, turns in found.items()
    ]


def read_dialseg(path: Path) -> list[Dialogue]:
    """DialSeg711: the number of the segment before each line."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("call_id_"):
            found.append((line, []))
        elif line.strip():
            number, _, text = line.partition(" ")
            found[-1][1].append((number, text))
    return [
        Dialogue(
            name,
            tuple(text for _, text in lines),
            tuple(n for n in range(1, len(lines)) if lines[n][0] != lines[n - 1][0]),
        )
        for name, lines in found
    ]


class FixtureReader:
    """Turns of dialogues as the segmentation sees them; a text is weighed and embedded once."""

    def __init__(self, embedder: Embedder | None) -> None:
        self.embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._prototypes: Prototypes | None = None if embedder is None else prototypes_of(embedder)
        self._weights: dict[str, tuple[float, float, Evidence]] = {}

    def embed(self, texts: Iterable[str]) -> None:
        """Embeds what is not yet."""
        wanted = sorted({*texts} - self._vectors.keys())
        for low in range(0, len(wanted) if self.embedder else 0, 512):
            part = wanted[low : low + 512]
            self._vectors.update(zip(part, self.embedder.embed(part), strict=True))  # type: ignore[union-attr]  # asked above

    def turns(self, dialogue: Dialogue, *, roles: bool, vectors: bool) -> list[TurnFeatures]:
        """The features of a dialogue; with `roles` every second turn is an assistant's."""
        if vectors:
            self.embed(dialogue.texts)
        made = []
        for seq, text in enumerate(dialogue.texts):
            if text not in self._weights:
                said = weigh(text)
                self._weights[text] = (said.layer1.score, said.coherence, evidence_of(read(text)))
            role = "assistant" if roles and seq % 2 else "user"
            layer1, coherence, evidence = self._weights[text]
            vector = self._vectors.get(text) if vectors else None
            if vector is not None and self._prototypes is not None:
                evidence = evidence_with_vector(evidence, vector, self._prototypes)
            weights = (layer1, coherence, by_domain(evidence))
            made.append(features(text, weights, seq=seq, role=role, vector=vector))
        return made


def by_the_rule(dialogue: Dialogue) -> list[int]:
    """Borders where the HSCA engine takes its snapshots."""
    engine = HSCAEngine()
    borders = []
    for number, text in enumerate(dialogue.texts, 1):
        before = len(engine.get_macro_context())
        engine.ingest_turn(text)
        if len(engine.get_macro_context()) > before and number < len(dialogue.texts):
            borders.append(number)
    return borders


def measure(dialogues: Sequence[Dialogue], cut: Cut) -> Agreement:
    """One way to cut, over some dialogues."""
    return agreement([(len(each.texts), each.borders, cut(each)) for each in dialogues])


def table(name: str, dialogues: Sequence[Dialogue], reader: FixtureReader, *, has_roles: bool) -> Sheet:
    """All ways to cut one set of dialogues."""
    every = EVERY[name]
    ways: list[tuple[str, Cut]] = [
        ("no border", lambda _: ()),
        (f"every {every} turns", lambda each: range(every, len(each.texts), every)),
        ("the HSCA rule (engine view)", by_the_rule),
    ]
    for vectors in (False, True) if reader.embedder else (False,):
        for roles in (False, True) if has_roles else (False,):
            label = f"Clew, {'MiniLM' if vectors else 'no model'}{', roles told' if roles else ''}"
            ways.append((label, _by_clew(reader, roles=roles, vectors=vectors)))
    rows = []
    for label, cut in ways:
        found = measure(dialogues, cut)
        rows.append((label, f"{found.pk:.3f}", f"{found.window_diff:.3f}", f"{found.f1:.3f}", f"{found.borders:.2f}"))
    turns = sum(len(each.texts) for each in dialogues)
    title = f"{name}, {len(dialogues)} kept dialogues, {turns:,} turns"
    return Sheet(title, ("way", "Pk", "WindowDiff", "F1", "borders found / there"), tuple(rows))


def _by_clew(reader: FixtureReader, *, roles: bool, vectors: bool) -> Cut:
    return lambda each: [beat.low for beat in segment(reader.turns(each, roles=roles, vectors=vectors))[1:]]


@dataclass(frozen=True, slots=True)
class Gaps:
    """Every gap of some dialogues: signals as a matrix, whether it is a border, and how many gaps each dialogue has."""

    names: tuple[str, ...]
    signals: NDArray[np.float64]
    borders: NDArray[np.float64]
    sizes: tuple[int, ...]


def gaps(dialogues: Sequence[Dialogue], reader: FixtureReader, *, vectors: bool) -> Gaps:
    """Looks at every gap as it is with the borders before it found."""
    names = tuple(name for name in (WITH_VECTORS if vectors else WITHOUT_VECTORS) if name != "constant")
    rows, borders = [], []
    for dialogue in dialogues:
        turns = reader.turns(dialogue, roles=False, vectors=vectors)
        start = 0
        for place in range(1, len(turns)):
            found = gap_at(turns[max(0, place - BEFORE) : place], turns[place : place + AFTER], place - start).signals
            rows.append([found[name] for name in names])
            borders.append(float(place in dialogue.borders))
            start = place if borders[-1] else start
    return Gaps(names, np.array(rows), np.array(borders), tuple(len(each.texts) - 1 for each in dialogues))


def fit(parts: Sequence[tuple[Gaps, float]]) -> NDArray[np.float64]:
    """Logistic regression by Newton's method with a ridge of 1 on scaled signals; the last number is the constant.

    Each part counts as if it had as many gaps as the first, times its weight.
    """
    signals = np.concatenate([part.signals for part, _ in parts])
    borders = np.concatenate([part.borders for part, _ in parts])
    first = len(parts[0][0].borders)
    weights = np.concatenate([np.full(len(part.borders), first * weight / len(part.borders)) for part, weight in parts])
    middle, spread = signals.mean(axis=0), signals.std(axis=0) + 1e-9
    scaled = np.c_[(signals - middle) / spread, np.ones(len(signals))]
    ridge = np.eye(scaled.shape[1])
    ridge[-1, -1] = 0.0
    found = np.zeros(scaled.shape[1])
    for _ in range(40):
        chance = 1.0 / (1.0 + np.exp(-scaled @ found))
        slope = scaled.T @ (weights * (chance - borders)) + ridge @ found
        step = np.linalg.solve((scaled * (weights * chance * (1.0 - chance))[:, None]).T @ scaled + ridge, slope)
        found -= step
        if np.abs(step).max() < 1e-9:
            break
    plain = found[:-1] / spread
    return np.append(plain, found[-1] - middle @ plain)


def cut_by(weights: NDArray[np.float64], part: Gaps) -> list[list[int]]:
    """Borders by fitted weights alone: neither maturity nor a longest beat."""
    fresh = part.names.index("fresh")
    base = part.signals @ weights[:-1] + weights[-1] - part.signals[:, fresh] * weights[fresh]
    cuts: list[list[int]] = []
    at = 0
    for size in part.sizes:
        found: list[int] = []
        for place in range(1, size + 1):
            is_fresh = place - (found[-1] if found else 0) == 1
            if base[at + place - 1] + weights[fresh] * is_fresh > 0.0:
                found.append(place)
        at += size
        cuts.append(found)
    return cuts


def refit(
    tune: dict[str, list[Dialogue]], kept: dict[str, list[Dialogue]], reader: FixtureReader, *, vectors: bool
) -> Sheet:
    """The fitted weights, and Pk on the kept parts when each signal is left out and the others are fitted again."""
    parts = {name: gaps(tune[name], reader, vectors=vectors) for name in tune}
    held = {name: gaps(kept[name], reader, vectors=vectors) for name in tune}
    names = parts["tiage"].names
    rows = []
    for left_out in (None, *names):
        columns = [place for place, name in enumerate(names) if name != left_out or name == "fresh"]
        if left_out == "fresh":
            continue
        weights = fit([(_columns(parts[name], columns), BALANCE[vectors][name]) for name in parts])
        weights[-1] += SHIFT[vectors]
        row = ["all signals" if left_out is None else f"without {left_out}"]
        for name, part in held.items():
            cuts = cut_by(weights, _columns(part, columns))
            given = [(len(d.texts), d.borders, cut) for d, cut in zip(kept[name], cuts, strict=True)]
            row.append(f"{agreement(given).pk:.3f}")
        rows.append(tuple(row))
        if left_out is None:
            shown = dict(zip((*names, "constant"), weights, strict=True))
            print("  ".join(f"{name} {weight:+.2f}" for name, weight in shown.items()), file=sys.stderr)
    title = f"Pk on the kept parts, {'MiniLM' if vectors else 'no model'}, weights fitted again"
    return Sheet(title, ("signals", "TIAGE", "DialSeg711"), tuple(rows))


def _columns(part: Gaps, columns: Sequence[int]) -> Gaps:
    return Gaps(tuple(part.names[n] for n in columns), part.signals[:, list(columns)], part.borders, part.sizes)


def plot(dialogues: Sequence[Dialogue], reader: FixtureReader) -> str:
    """Some dialogues as bars: how much speaks for a border at each gap, where Clew cut, and where people did."""
    vectors = reader.embedder is not None
    weights = WITH_VECTORS if vectors else WITHOUT_VECTORS
    rows = []
    for dialogue in dialogues:
        turns = reader.turns(dialogue, roles=False, vectors=vectors)
        beats = segment(turns)
        starts = {beat.low for beat in beats}
        chances, start = [0.0], 0
        for place in range(1, len(turns)):
            start = place - 1 if place - 1 in starts else start
            found = gap_at(turns[max(0, place - BEFORE) : place], turns[place : place + AFTER], place - start).signals
            logits = weights["constant"] + sum(weights.get(name, 0.0) * value for name, value in found.items())
            chances.append(1.0 / (1.0 + exp(-logits)))
        rows.append((chances, sorted(starts - {0}), dialogue.borders))
    return draw(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.segmentation", description="Beats against labels.")
    parser.add_argument("--vectors-cache", type=Path, metavar="FILE", help="keeps vectors for the next run")
    parser.add_argument("--embedder", default="auto", help="as the setting of that name; auto by default")
    parser.add_argument("--fit", action="store_true", help="fit the weights anew and leave each signal out in turn")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw some kept dialogues as SVG")
    options = parser.parse_args(arguments)
    if "CLEW_DATA" not in os.environ:
        parser.error("CLEW_DATA is not set; set it to the folder that holds tiage and dialseg711")
    data = Path(os.environ["CLEW_DATA"])
    embedder = choose_embedder(options.embedder)[0]
    if embedder is not None and options.vectors_cache is not None:
        embedder = RecordedEmbedder(embedder, options.vectors_cache)
    reader = FixtureReader(embedder)
    joined = read_dialseg(data / "dialseg711/en_dataset_reference_2.txt")
    tune = {"tiage": read_tiage(data / "tiage/anno_train.json"), "dialseg": [d for d in joined if not d.kept]}
    kept = {"tiage": read_tiage(data / "tiage/anno_dev.json"), "dialseg": [d for d in joined if d.kept]}
    sheets = [
        table("TIAGE", kept["tiage"], reader, has_roles=False),
        table("DialSeg711", kept["dialseg"], reader, has_roles=True),
    ]
    if options.fit:
        sheets += [refit(tune, kept, reader, vectors=each) for each in ((False, True) if embedder else (False,))]
    print("\n\n".join(sheet.markdown() for sheet in sheets))
    if options.plot is not None:
        options.plot.write_text(plot(kept["tiage"][:3], reader), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
