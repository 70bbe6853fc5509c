"""Measures the weighing of texts: pieces of 60 words a CPU second. Run `python -m benchmarks.weighing [TEXT_FILE]`.

The text is cut into pieces of 60 words and weighed piece by piece, layer 1 and all rules; without a file it is the
sample conversation. A second table gives the time for texts of 100,000 characters made to be awkward.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from clew.analyze.coherence import coherence_of
from clew.analyze.domains import domain_weights_of
from clew.analyze.layer1 import layer1_of
from clew.analyze.nuance import nuance_of
from clew.analyze.weigh import weigh
from clew.analyze.words import read

Subject = TypeVar("Subject")
PIECE_WORDS = 60
PIECES = 1_000
GROUP = 20
ROUNDS = 15
SAMPLE = Path(__file__).resolve().parents[1] / "src" / "clew" / "cli" / "sample" / "conversation.jsonl"
AWKWARD = {
    "no sentence end": "word another thing " * 5_300,
    "all sentence ends": "x.\n" * 33_300,
    "one letter": "a" * 100_000,
    "unspaced script": "我们今天去公园" * 14_300,
    "prose": "The cache of the server holds 12 keys, and it may evict them. " * 1_600,
}


def pieces(text: str) -> list[str]:
    """The text in pieces of 60 words with its own white space between them, at most `PIECES`."""
    words = text.split(" ")
    return [" ".join(words[at : at + PIECE_WORDS]) for at in range(0, len(words), PIECE_WORDS)][:PIECES]


def microseconds(rule: Callable[[Subject], object], subjects: Sequence[Subject]) -> float:
    """CPU time per subject, summed over small groups, of each the best of some rounds: other work only ever adds."""
    total = 0.0
    for first in range(0, len(subjects), GROUP):
        group = subjects[first : first + GROUP]
        times = []
        for _ in range(ROUNDS):
            start = time.process_time()
            for subject in group:
                rule(subject)
            times.append(time.process_time() - start)
        total += min(times)
    return total / len(subjects) * 1e6


def main() -> None:
    if len(sys.argv) > 1:
        text = Path(sys.argv[1]).read_text(encoding="utf-8")
    else:
        lines = SAMPLE.read_text(encoding="utf-8").splitlines()
        text = "\n\n".join(json.loads(line)["content"] for line in lines)
    cut = pieces(text)
    readings = [read(piece) for piece in cut]
    sentences = sum(len(reading.spans) for reading in readings) / len(cut)
    print(f"{len(cut)} pieces of {PIECE_WORDS} words, {sentences:.1f} sentences each")
    whole = microseconds(weigh, cut)
    print(f"{'all':10}{whole:8.1f} us a piece, {1e6 / whole:,.0f} pieces a CPU second")
    print(f"{'reading':10}{microseconds(read, cut):8.1f}")
    for name, rule in (
        ("layer 1", layer1_of),
        ("coherence", coherence_of),
        ("domains", domain_weights_of),
        ("nuance", nuance_of),
    ):
        print(f"{name:10}{microseconds(rule, readings):8.1f}")
    print("\n100,000 characters")
    for name, awkward in AWKWARD.items():
        print(f"{name:18}{microseconds(weigh, [awkward]) / 1e3:6.1f} ms")


if __name__ == "__main__":
    main()
