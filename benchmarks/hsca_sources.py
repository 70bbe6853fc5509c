"""HSCA evaluations 1, 2 and 5 on sources left out: `python -m benchmarks.hsca_sources [--vectors FILE] [SOURCE]...`.

No rule was made or changed by looking at the sources `letters`, `lectures` and `notes`, nor at the part `unseen` of the
first texts; `seen` is shown for comparison. FILE keeps the vectors of MiniLM from one run to the next.
"""

import argparse
from pathlib import Path
from typing import get_args

from clew.evaluate.hsca import bridging, fidelity, macro_coherence
from clew.evaluate.hsca.bank import BankSplit
from clew.evaluate.hsca.conversation_beats import ConversationWeigher
from clew.evaluate.hsca.suite import CASES, SEED
from clew.models.choose import choose_embedder
from clew.models.recorded import RecordedEmbedder


def row(part: BankSplit, weigher: ConversationWeigher) -> tuple[float, ...]:
    """Fidelity, macro coherence, bridging and controls apart, in per cent."""
    bridged = bridging.run(bridging.cases(SEED, CASES, part), weigher)
    shares = (
        fidelity.run(fidelity.cases(SEED, CASES, part), weigher).value,
        macro_coherence.run(macro_coherence.cases(SEED, CASES, part), weigher).value,
        bridged.value,
        bridged.figures["controls_apart"],
    )
    return tuple(100 * share for share in shares)


def main() -> None:
    """Prints one row of a Markdown table for each source, by the rules and with vectors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", type=Path, help="file that keeps the vectors; without it, the rules alone")
    parser.add_argument("source", nargs="*", default=list(get_args(BankSplit)))
    options = parser.parse_args()
    weighers = {"rules": ConversationWeigher()}
    if options.vectors is not None:
        embedder, _ = choose_embedder("minilm")
        weighers["MiniLM"] = ConversationWeigher(RecordedEmbedder(embedder, options.vectors))
    print("| source | by | fidelity | macro coherence | bridging | controls apart |\n|---|---|---:|---:|---:|---:|")
    for part in options.source:
        for name, weigher in weighers.items():
            print(
                f"| {part} | {name} | " + " | ".join(f"{value:.1f}" for value in row(part, weigher)) + " |", flush=True
            )


if __name__ == "__main__":
    main()
