"""Marks of evidence found by rule, against marks labelled by hand: precision and recall for each kind.

    python -m benchmarks.evidence LABELS [--part tune|kept] [--errors]

LABELS is a JSON list of stretches of conversations: {"stretch": name, "part": "tune" or "kept", "turns": [...]}. A turn
is {"turn": number, "text": ..., "identifiers": whether its identifiers are labelled, "marks": [...]} and a mark is
{"kind": ..., "text": ...}; its text stands for all its occurrences in the turn.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.condense.statements import statements
from clew.evaluate.tables import Sheet
from clew.text.evidence import evidence

Span = tuple[int, int, str]
"""Start, end and kind."""

LONG = frozenset({"command", "error", "decision", "constraint", "task", "failure"})
"""Kinds whose limits are a matter of taste: half of the shorter mark must be shared; of others, half of both."""


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    """One turn; `labels` holds the occurrences of each mark."""

    name: str
    text: str
    identifiers: bool
    labels: tuple[tuple[Span, ...], ...]


@dataclass(slots=True)
class Tally:
    """Counts by kind. `kept` are labels of which every character is in some mark, whatever its kind."""

    labels: Counter[str]
    found: Counter[str]
    kept: Counter[str]
    marks: Counter[str]
    right: Counter[str]


def read_labels(path: Path, part: str | None) -> list[LabelledTurn]:
    """The turns of a file of labels."""
    return [
        LabelledTurn(
            f"{stretch['stretch']} {turn['turn']}",
            turn["text"],
            turn["identifiers"],
            tuple(tuple(_occurrences(turn["text"], mark["text"], mark["kind"])) for mark in turn["marks"]),
        )
        for stretch in json.loads(path.read_text(encoding="utf-8"))
        if part in (None, stretch["part"])
        for turn in stretch["turns"]
    ]


def _occurrences(text: str, wanted: str, kind: str) -> Iterator[Span]:
    start = text.find(wanted)
    while start >= 0:
        yield start, start + len(wanted), kind
        start = text.find(wanted, start + 1)


def same(mark: Span, label: Span) -> bool:
    """Whether a mark is the labelled one."""
    shared = min(mark[1], label[1]) - max(mark[0], label[0])
    lengths = mark[1] - mark[0], label[1] - label[0]
    least = min(lengths) if label[2] in LONG else lengths[0] + lengths[1] - shared
    return mark[2] == label[2] and shared > 0 and 2 * shared >= least


def judged(turn: LabelledTurn, mark: Span, labels: Sequence[Span]) -> bool:
    """Whether a mark can be wrong: not where identifiers are not labelled, nor inside evidence of another kind."""
    if mark[2] == "identifier" and not turn.identifiers:
        return False
    return not any(label[0] <= mark[0] and mark[1] <= label[1] and label[2] != mark[2] for label in labels)


def tally(turns: Sequence[LabelledTurn], *, errors: bool) -> Tally:
    """Compares the rules with the labels; with `errors` prints what differs."""
    total = Tally(Counter(), Counter(), Counter(), Counter(), Counter())
    for turn in turns:
        marks = (*evidence(turn.text), *statements(turn.text))
        covered = bytearray(len(turn.text))
        for start, end, _ in marks:
            covered[start:end] = b"\x01" * (end - start)
        flat = [label for labels in turn.labels for label in labels]
        for labels in turn.labels:
            kind = labels[0][2]
            hit = any(same(mark, label) for mark in marks for label in labels)
            total.labels[kind] += 1
            total.found[kind] += hit
            total.kept[kind] += any(covered.find(0, start, end) < 0 for start, end, _ in labels)
            if errors and not hit:
                print(f"missed  {kind:10} {turn.name:16} {turn.text[labels[0][0] : labels[0][1]]!r}", file=sys.stderr)
        seen = set()
        for mark in marks:
            right = any(same(mark, label) for label in flat)
            text = turn.text[mark[0] : mark[1]]
            if (text, mark[2]) in seen or not (right or judged(turn, mark, flat)):
                continue
            seen.add((text, mark[2]))
            total.marks[mark[2]] += 1
            total.right[mark[2]] += right
            if errors and not right:
                print(f"wrong   {mark[2]:10} {turn.name:16} {text!r}", file=sys.stderr)
    return total


def table(title: str, total: Tally) -> Sheet:
    """A row for each kind and one for all."""
    rows = []
    for kind in (*sorted(total.labels | total.marks), None):
        labels, found, kept, marks, right = (
            each.total() if kind is None else each[kind]
            for each in (total.labels, total.found, total.kept, total.marks, total.right)
        )
        shares = [
            f"{100 * part / whole:.0f}" if whole else ""
            for part, whole in ((right, marks), (found, labels), (kept, labels))
        ]
        rows.append((kind or "all", str(labels), str(marks), *shares))
    return Sheet(title, ("kind", "labelled", "found", "precision %", "recall %", "recall % in any mark"), tuple(rows))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evidence", description="Evidence against labels.")
    parser.add_argument("labels", type=Path, metavar="LABELS", help="JSON file of labelled stretches")
    parser.add_argument("--part", choices=("tune", "kept"), help="only these stretches")
    parser.add_argument("--errors", action="store_true", help="print what was missed and what was wrong")
    options = parser.parse_args(arguments)
    turns = read_labels(options.labels, options.part)
    title = f"Evidence, {len(turns)} turns" + (f", {options.part}" if options.part else "")
    print(table(title, tally(turns, errors=options.errors)).markdown())
    return 0


if __name__ == "__main__":
    sys.exit(main())
