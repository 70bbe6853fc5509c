"""HSCA evaluations 1, 2 and 5 by source: `python -m benchmarks.hsca_sources [--vectors FILE] [SOURCE]...`.

Nothing was learned or chosen from the sources `diary` and `radio`. What words and vectors say about domains was
learned from the others; FOLDER has what was learned without each of them, in a folder of its name (`first` for the
parts seen and unseen), as `benchmarks.domain_words --without SOURCE --out FOLDER/SOURCE` writes it. FILE keeps the
vectors of MiniLM from one run to the next.
"""

import argparse
import json
from pathlib import Path
from typing import get_args

from clew.analyze.domain_words import rows
from clew.analyze.prototypes import Prototypes, prototypes_from
from clew.evaluate.hsca import bridging, fidelity, macro_coherence
from clew.evaluate.hsca.bank import LEARNED, BankSplit, of_kind
from clew.evaluate.hsca.conversation_beats import ConversationWeigher
from clew.evaluate.hsca.suite import CASES, SEED
from clew.models.choose import choose_embedder
from clew.models.recorded import RecordedEmbedder


def row(part: BankSplit, weigher: ConversationWeigher) -> tuple[float, ...]:
    """Fidelity, macro coherence, bridging and controls apart, in per cent; two figures for a source without bridges."""
    shares = [
        fidelity.run(fidelity.cases(SEED, CASES, part), weigher).value,
        macro_coherence.run(macro_coherence.cases(SEED, CASES, part), weigher).value,
    ]
    if of_kind(part, "bridge"):
        bridged = bridging.run(bridging.cases(SEED, CASES, part), weigher)
        shares += [bridged.value, bridged.figures["controls_apart"]]
    return tuple(100 * share for share in shares)


def main() -> None:
    """Prints one row of a Markdown table for each source, by the rules and with vectors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=Path, help="file that keeps the vectors; without it, the rules alone")
    parser.add_argument("--left-out", type=Path, metavar="FOLDER", help="what was learned without each source")
    parser.add_argument("source", nargs="*", default=list(get_args(BankSplit)))
    options = parser.parse_args()
    embedder = None
    if options.vectors is not None:
        embedder = RecordedEmbedder(choose_embedder("minilm")[0], options.vectors)
    print("| source | by | fidelity | macro coherence | bridging | controls apart |\n|---|---|---:|---:|---:|---:|")
    for part in options.source:
        learned = None if options.left_out is None else learn_without(options.left_out, part)
        weighers = {"rules": ConversationWeigher()}
        if embedder is not None:
            weighers["MiniLM"] = ConversationWeigher(embedder, learned)
        for name, weigher in weighers.items():
            shown = [f"{value:.1f}" for value in row(part, weigher)]
            print("| " + " | ".join([part, name, *shown, *[""] * (4 - len(shown))]) + " |", flush=True)


def learn_without(folder: Path, part: str) -> Prototypes | None:
    """Takes the words that were learned without a part, and returns the prototypes; None for a part of neither."""
    if part not in (*LEARNED, "seen", "unseen"):
        rows.load(b"")
        return None
    kept = folder / (part if part in LEARNED else "first")
    rows.load((kept / "domain_words.txt").read_bytes())
    return prototypes_from(json.loads((kept / "domain_directions.json").read_text("utf-8")), f"without {part}")


if __name__ == "__main__":
    main()
