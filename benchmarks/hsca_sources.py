"""HSCA evaluations 1, 2 and 5 by source (`benchmarks.sources`): `python -m benchmarks.hsca_sources [SOURCE]...`.

    --left-out FOLDER   measure each source by what was learned without it, or without its family
    --vectors FILE      measure with MiniLM, too; the file keeps its vectors from one run to the next
    --seed NUMBER       other cases of the same texts

FOLDER is what `benchmarks.domain_words --each families --out FOLDER` writes, or `--each sources`. Without it, and for
sources that nothing was learned from, the words and directions of the package are used.
"""

import argparse
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from benchmarks.sources import FIRST, LEARNED, NEVER_LEARNED, family_of, parts_of, texts_of
from clew.analyze.domain_words import FILE, rows
from clew.analyze.prototypes import Prototypes, prototypes_from
from clew.evaluate.hsca import bridging, fidelity, macro_coherence
from clew.evaluate.hsca.bank import of_kind
from clew.evaluate.hsca.conversation_beats import ConversationWeigher
from clew.evaluate.hsca.suite import CASES, SEED
from clew.models.choose import choose_embedder
from clew.models.recorded import RecordedEmbedder

_COLUMNS = ("fidelity", "macro coherence", "bridging", "controls apart", "bridging by turns", "controls by turns")


def figures(source: str, weigher: ConversationWeigher, seed: int = SEED) -> tuple[float, ...]:
    """What `_COLUMNS` names, in per cent; the first two figures for a source without bridges."""
    texts = texts_of(source)
    shares = [
        fidelity.run(fidelity.cases(seed, CASES, texts), weigher).value,
        macro_coherence.run(macro_coherence.cases(seed, CASES, texts), weigher).value,
    ]
    if of_kind(texts, "bridge"):
        bridged = bridging.run(bridging.cases(seed, CASES, texts), weigher)
        shares += [bridged.value, *bridged.figures.values()]
    return tuple(100 * share for share in shares)


def learn_without(folder: Path | None, source: str) -> Prototypes | None:
    """Takes the words that were learned without a source, or its family, and returns the prototypes.

    Takes those of the package, and returns None, without a folder and for a source that nothing was learned from.
    """
    if folder is None or source in NEVER_LEARNED:
        rows.load(b"")
        return None
    name = FIRST if source in parts_of(FIRST) else source
    kept = folder / name if (folder / name).exists() else folder / family_of(name)
    rows.load(gzip.decompress((kept / FILE).read_bytes()))
    return prototypes_from(json.loads((kept / "domain_directions.json").read_text("utf-8")), f"without {kept.name}")


def main() -> None:
    """Prints one row of a Markdown table for each source, by the rules and with vectors, and their means."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=Path, metavar="FILE")
    parser.add_argument("--left-out", type=Path, metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("source", nargs="*", default=[*LEARNED, *NEVER_LEARNED])
    options = parser.parse_args()
    embedder = None
    if options.vectors is not None:
        embedder = RecordedEmbedder(choose_embedder("minilm")[0], options.vectors)
    print("| source | " + " | ".join(_COLUMNS) + " |\n|---|" + "---:|" * len(_COLUMNS))
    found = {}
    for source in options.source:
        learned = learn_without(options.left_out, source)
        ways = [ConversationWeigher()] + ([] if embedder is None else [ConversationWeigher(embedder, learned)])
        found[source] = [figures(source, weigher, options.seed) for weigher in ways]
        print(table_row(source, found[source]), flush=True)
    for name, some in (("mean", LEARNED), ("mean of those never learned", NEVER_LEARNED)):
        if shown := [found[source] for source in some if source in found]:
            print(table_row(name, [_means(way) for way in zip(*shown, strict=True)]))


def table_row(name: str, ways: Sequence[Sequence[float]]) -> str:
    """A row of the table: the figures of each way, one beside the other."""
    shown = [" / ".join(f"{value:.1f}" for value in each) for each in zip(*ways, strict=True)]
    return "| " + " | ".join([name, *shown, *[""] * (len(_COLUMNS) - len(shown))]) + " |"


def _means(rows: Sequence[Sequence[float]]) -> list[float]:
    """The mean of each column over the rows that have it."""
    return [fmean([row[place] for row in rows if place < len(row)]) for place in range(max(map(len, rows)))]


if __name__ == "__main__":
    main()
