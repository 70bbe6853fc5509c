"""Measures the nuance rules on labelled sentences. Run `python -m benchmarks.nuance [--develop] [--tweets FILE]`.

The sentences are in `data/nuance.tsv`, how they are labelled in `data/nuance.md`. The rules may be changed by what they
do on the half `develop` only; the printed figures are those of the half `unseen`. `--develop` prints the figures of the
other half and each of its errors. `--tweets` takes iSarcasm's `train.En.csv` and shows how often questions that their
own writers meant rhetorically, and overstatements, are found.
"""

import argparse
import csv
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.analyze.nuance import ABSOLUTE_CLAIM, FLAGS, RHETORICAL_QUESTION, nuance

SENTENCES = Path(__file__).parent / "data" / "nuance.tsv"
TONE = "emotional_tone_"
NAMES = tuple(flag.removeprefix(TONE) for flag in FLAGS)


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence, and the labels of the first reading, the second, and those agreed on where they differed."""

    text: str
    register: str
    first: frozenset[str]
    second: frozenset[str]
    agreed: frozenset[str]

    @property
    def unseen(self) -> bool:
        """Whether it is of the half that no rule was made by: the first digit of its SHA-256 is odd."""
        return int(hashlib.sha256(self.text.encode()).hexdigest()[0], 16) % 2 == 1


@dataclass(frozen=True, slots=True)
class FlagScore:
    """How a rule did: `right` of the `found`, of the `wanted`; a ratio over nothing is 0."""

    right: int
    found: int
    wanted: int

    @property
    def precision(self) -> float:
        """Share of what the rule found that is labelled so."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Share of what is labelled so that the rule found."""
        return self.right / self.wanted if self.wanted else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of both."""
        return 2 * self.right / (self.found + self.wanted) if self.found + self.wanted else 0.0


def sentences(path: Path = SENTENCES) -> list[LabelledSentence]:
    """All labelled sentences in the order of the file."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        register, *labels, text = line.split("\t")
        first, second, agreed = (frozenset(names.split(",")) for names in labels)
        found.append(LabelledSentence(text, register, first, second, agreed))
    return found


def flags(text: str) -> frozenset[str]:
    """What the rules find, named like the labels."""
    return frozenset(flag.removeprefix(TONE) for flag in nuance(text))


def scores(among: Sequence[LabelledSentence]) -> dict[str, FlagScore]:
    """The score of each flag and tone, in the order of `FLAGS`."""
    pairs = [(flags(labelled.text), labelled.agreed) for labelled in among]
    return {
        name: FlagScore(
            sum(name in found and name in agreed for found, agreed in pairs),
            sum(name in found for found, _ in pairs),
            sum(name in agreed for _, agreed in pairs),
        )
        for name in NAMES
    }


def kappa(among: Sequence[LabelledSentence], name: str) -> float:
    """Cohen's kappa of the two readings for one label: agreement beyond what chance gives, 1 when they never differ."""
    count = len(among)
    both = sum((name in one.first) == (name in one.second) for one in among) / count
    first = sum(name in one.first for one in among) / count
    second = sum(name in one.second for one in among) / count
    chance = first * second + (1 - first) * (1 - second)
    return (both - chance) / (1 - chance) if chance < 1 else 1.0


def table(among: Sequence[LabelledSentence]) -> list[str]:
    """Figures of all labels as lines."""
    lines = [f"{'':20}{'kappa':>7}{'labelled':>10}{'found':>7}{'precision':>11}{'recall':>8}{'F1':>7}"]
    for name, score in scores(among).items():
        lines.append(
            f"{name:20}{kappa(among, name):7.2f}{score.wanted:10}{score.found:7}"
            f"{score.precision:11.2f}{score.recall:8.2f}{score.f1:7.2f}"
        )
    return lines


def errors(among: Sequence[LabelledSentence]) -> list[str]:
    """Each sentence with what was missed (-) and what was found wrongly (+), by label."""
    found = []
    for one in among:
        rules = flags(one.text)
        found += [(name, "+" if name in rules else "-", one.text) for name in sorted(rules ^ one.agreed)]
    return [f"{sign}{name:20} {text}" for name, sign, text in sorted(found)]


def tweets(path: Path) -> list[str]:
    """Share of the tweets found by two rules, among those whose writers named the form and among all others."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    lines = []
    for form, flag in (("rhetorical_question", RHETORICAL_QUESTION), ("overstatement", ABSOLUTE_CLAIM)):
        for wanted in (True, False):
            chosen = [row["tweet"] for row in rows if (row[form] in {"1", "1.0"}) == wanted]
            share = sum(flag in nuance(tweet) for tweet in chosen) / len(chosen)
            lines.append(f"{form + (' by its writer' if wanted else ', not so'):36}{len(chosen):6}{share:7.1%} {flag}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--develop", action="store_true")
    parser.add_argument("--tweets", type=Path)
    arguments = parser.parse_args()
    chosen = [one for one in sentences() if one.unseen != arguments.develop]
    lines = [f"{len(chosen)} sentences", *table(chosen)]
    if arguments.develop:
        lines += ["", *errors(chosen)]
    if arguments.tweets:
        lines += ["", *tweets(arguments.tweets)]
    print("\n".join(lines))


if __name__ == "__main__":
    main()
