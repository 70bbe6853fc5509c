"""Where the beats of meetings end, against topics marked by hand, also with weights fitted on other meetings.

    CLEW_DATA=FOLDER python -m benchmarks.meetings [--vectors-cache FILE] [--embedder none]

FOLDER holds `qmsum-dev/meetings.jsonl`: meetings of three kinds with their topics. The starts of topics are borders.
"""

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.analyze.domains import by_domain, evidence_of
from clew.analyze.weigh import weigh
from clew.analyze.words import read
from clew.evaluate.segmentation import Agreement, agreement
from clew.evaluate.tables import Sheet
from clew.models.choose import choose_embedder
from clew.models.protocol import Embedder
from clew.models.recorded import RecordedEmbedder
from clew.structure.beats import BeatRule, segment
from clew.structure.features import TurnFeatures, features
from clew.structure.meetings import MeetingWeights, contrasts, strength, stretch, unlikelihood, window_means

GAPS = 20
"""What a meeting counts in fitting, as a number of gaps."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """One meeting; `borders` are the turns that begin a topic, but for the first.

    Attributes:
        turns: its turns without vectors and with them; the same where there is no embedder.
    """

    name: str
    kind: str
    turns: Mapping[bool, tuple[TurnFeatures, ...]]
    borders: tuple[int, ...]


def read_meetings(path: Path, embedder: Embedder | None) -> list[Meeting]:
    """The meetings of a file, weighed and embedded."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        data = json.loads(line)
        said = [(turn["speaker"], turn["content"]) for turn in data["meeting_transcripts"]]
        weights = [(weigh(text), by_domain(evidence_of(read(text)))) for _, text in said]
        vectors = embedder.embed([text or " " for _, text in said]) if embedder else [None] * len(said)
        turns = {
            by_vectors: tuple(
                features(
                    text,
                    (own.layer1.score, own.coherence, domains),
                    seq=seq,
                    speaker=speaker,
                    vector=vector if by_vectors else None,
                )
                for seq, ((speaker, text), (own, domains), vector) in enumerate(
                    zip(said, weights, vectors, strict=True)
                )
            )
            for by_vectors in (False, True)
        }
        starts = {int(span[0]) for topic in data["topic_list"] for span in topic["relevant_text_span"]} - {0}
        found.append(Meeting(data["meeting"], data["kind"], turns, tuple(sorted(starts))))
    return found


def fit(meetings: Sequence[Meeting]) -> MeetingWeights:
    """Logistic regression with a ridge of 1: does a stretch of half a topic contain a border?"""
    rows, labels, counts = [], [], []
    for meeting in meetings:
        turns = meeting.turns[False]
        sizes = [len(turn.terms) for turn in turns]
        reach, count = stretch(sizes), len(turns)
        contrast = np.array(contrasts(turns, (), count - 1))
        length = window_means(unlikelihood(sizes[:-1], 0), reach)
        rows.append(np.stack([strength(contrast, reach), length, np.ones(len(length))], axis=1))
        border = np.zeros(count + 1)
        border[list(meeting.borders)] = 1.0
        sums = np.cumsum(border)
        labels.append((sums[reach:count] > sums[: count - reach]).astype(np.float64))
        counts.append(np.full(count - reach, GAPS / (count - reach)))
    found = _newton(np.concatenate(rows), np.concatenate(labels), np.concatenate(counts))
    return MeetingWeights(float(found[0]), -float(found[1]), float(found[2]))


def _newton(rows: NDArray[np.float64], labels: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    ridge = np.diag([1.0, 1.0, 0.0])
    found = np.zeros(3)
    for _ in range(30):
        chance = 1.0 / (1.0 + np.exp(-rows @ found))
        slope = rows.T @ (counts * (chance - labels)) + ridge @ found
        found -= np.linalg.solve((rows.T * (counts * chance * (1.0 - chance))) @ rows + ridge, slope)
    return found


def measure(meetings: Sequence[Meeting], rules: Mapping[str, BeatRule], *, vectors: bool) -> Agreement:
    """Agreement of beats with topics; each meeting has its own rule."""
    return agreement(
        [
            (
                len(each.turns[vectors]),
                each.borders,
                [beat.low for beat in segment(each.turns[vectors], rules[each.name])][1:],
            )
            for each in meetings
        ]
    )


def table(meetings: Sequence[Meeting], *, has_vectors: bool) -> Sheet:
    """No border at all, the weights as they are, and those fitted without the meeting or its kind."""
    rules = {
        "all meetings fitted": {each.name: BeatRule() for each in meetings},
        "the meeting left out": {
            each.name: BeatRule(meeting=fit([other for other in meetings if other is not each])) for each in meetings
        },
        "its kind left out": {
            each.name: BeatRule(meeting=fit([other for other in meetings if other.kind != each.kind]))
            for each in meetings
        },
    }
    ways = [("no border", agreement([(len(each.turns[False]), each.borders, ()) for each in meetings]))]
    for vectors in (False, True) if has_vectors else (False,):
        for name, by_name in rules.items():
            label = f"Clew, {'MiniLM' if vectors else 'no model'}, {name}"
            ways.append((label, measure(meetings, by_name, vectors=vectors)))
    rows = tuple((name, f"{each.pk:.3f}", f"{each.window_diff:.3f}", f"{each.borders:.2f}") for name, each in ways)
    turns = sum(len(each.turns[False]) for each in meetings)
    title = f"QMSum, {len(meetings)} meetings, {turns:,} turns"
    return Sheet(title, ("way", "Pk", "WindowDiff", "borders found / there"), rows)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.meetings", description="Beats of meetings.")
    parser.add_argument("--vectors-cache", type=Path, metavar="FILE", help="keeps vectors for the next run")
    parser.add_argument("--embedder", default="auto", help="as the setting of that name; auto by default")
    options = parser.parse_args(arguments)
    if "CLEW_DATA" not in os.environ:
        parser.error("CLEW_DATA is not set; set it to the folder that holds qmsum-dev")
    embedder = choose_embedder(options.embedder)[0]
    if embedder is not None and options.vectors_cache is not None:
        embedder = RecordedEmbedder(embedder, options.vectors_cache)
    meetings = read_meetings(Path(os.environ["CLEW_DATA"]) / "qmsum-dev/meetings.jsonl", embedder)
    print(fit(meetings), file=sys.stderr)
    print(table(meetings, has_vectors=embedder is not None).markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main())
