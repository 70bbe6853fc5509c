"""How much evidence the blocks hold over our own talks: each in a memory of its own, and all of a kind in one.

    python -m benchmarks.talks [--vectors-cache FILE] [--embedder none] [--only SET ...]

A talk is one long relationship of weeks or months, told by writers who knew nothing of the ranking. Its questions are
asked when it has ended. "Evidence" is the share of the evidence turns that a block holds (at least nine tenths of a
turn's words in one run), "needles" the share of questions whose pieces it shows, each of them.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.confidence import BUDGETS, told
from benchmarks.confidence_sets import TALKS, TONGUES, AskedQuestion, JudgedSpace, read_talks, read_tongues
from clew.evaluate.metrics import Passage, words
from clew.evaluate.tables import Sheet
from clew.memory import Memory
from clew.models.choose import choose_embedder
from clew.models.protocol import Embedder
from clew.models.recorded import RecordedEmbedder

TOGETHER: Final = "together"
"""The name of the memory that holds all talks of a kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the blocks for one question hold, by budget.

    Attributes:
        space: the talk, or `TOGETHER`.
        evidence: share of the evidence turns.
        needles: whether all pieces are shown.
    """

    source: str
    space: str
    question: AskedQuestion
    evidence: tuple[float, ...]
    needles: tuple[bool, ...]


def together(talks: Sequence[JudgedSpace]) -> JudgedSpace:
    """One memory of several talks: a turn's id and session are preceded by the name of its talk."""
    return JudgedSpace(
        name=TOGETHER,
        source=talks[0].source,
        texts={f"{talk.name}/{name}": text for talk in talks for name, text in talk.texts.items()},
        sessions=[
            [replace(turn, session=f"{talk.name}/{turn.session}", external_id=None) for turn in session]
            for talk in talks
            for session in talk.sessions
        ],
        questions=tuple(
            replace(asked, evidence=tuple(f"{talk.name}/{name}" for name in asked.evidence))
            for talk in talks
            for asked in talk.questions
        ),
    )


def find(space: JudgedSpace, embedder: Embedder | None) -> Iterator[Found]:
    """Asks a space its questions."""
    with told(space, embedder) as memory:
        for asked in space.questions:
            blocks = [_block(memory, asked, budget) for budget in BUDGETS]
            turns = [words(space.texts[name]) for name in asked.evidence]
            passages = [Passage(block, budget) for block, budget in zip(blocks, BUDGETS, strict=True)]
            yield Found(
                source=space.source,
                space=space.name,
                question=asked,
                evidence=tuple(float(np.mean([passage.has(turn) for turn in turns])) for passage in passages),
                needles=tuple(all(" ".join(n.split()) in block for n in asked.needles) for block in blocks),
            )


def _block(memory: Memory, asked: AskedQuestion, budget: int) -> str:
    return " ".join(memory.recall(asked.text, budget=budget, counter="estimate").text.split())


def table(title: str, found: Sequence[Found]) -> Sheet:
    """A row for each talk, for all talks of a kind, by kind of question, and for the talks of a kind together."""
    rows: list[tuple[str, ...]] = []
    for source in dict.fromkeys(each.source for each in found):
        of = [each for each in found if each.source == source]
        alone = [each for each in of if each.space != TOGETHER]
        rows += [_row(f"{source}: {name}", _of(alone, space=name)) for name in dict.fromkeys(e.space for e in alone)]
        rows.append(_row(f"{source}, each alone", alone))
        kinds = sorted({each.question.kind for each in alone})
        rows += [_row(f"{source}, each alone: {kind}", _of(alone, kind=kind)) for kind in kinds]
        if len(alone) < len(of):
            rows.append(_row(f"{source}, {TOGETHER}", _of(of, space=TOGETHER)))
    return Sheet(title, ("questions", "n", *(f"{budget:,}" for budget in BUDGETS)), tuple(rows))


def _of(found: Sequence[Found], *, space: str | None = None, kind: str | None = None) -> list[Found]:
    return [each for each in found if space in (None, each.space) and kind in (None, each.question.kind)]


def _row(name: str, found: Sequence[Found]) -> tuple[str, ...]:
    evidence = 100 * np.mean([each.evidence for each in found], axis=0)
    needles = 100 * np.mean([each.needles for each in found], axis=0)
    cells = [f"{turns:.1f} / {pieces:.1f}" for turns, pieces in zip(evidence, needles, strict=True)]
    return name, str(len(found)), *cells


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.talks", description="Evidence over our own talks.")
    parser.add_argument("--vectors-cache", type=Path, metavar="FILE", help="keeps vectors for the next run")
    parser.add_argument("--embedder", default="auto", help="as the setting of that name; auto by default")
    parser.add_argument("--only", action="append", choices=(*TALKS, TONGUES), help="only this set; may be repeated")
    parser.add_argument("--missed", action="store_true", help="print what 1,000 tokens do not show")
    options = parser.parse_args(arguments)
    embedder = choose_embedder(options.embedder)[0]
    if embedder is not None and options.vectors_cache is not None:
        embedder = RecordedEmbedder(embedder, options.vectors_cache)
    talks = [*read_talks(), *(read_tongues() if TONGUES in (options.only or ()) else ())]
    for used in (embedder, None) if embedder is not None else (None,):
        found: list[Found] = []
        for source in options.only or TALKS:
            of = [talk for talk in talks if talk.source == source]
            for space in (*of, *([together(of)] if len(of) > 1 else [])):
                found += find(space, used)
                print(f"{source} {space.name}: {len(found)} questions asked so far", file=sys.stderr)
        way = "no embedder" if used is None else "with vectors"
        print(table(f"{way}, evidence / needles in the block, %", found).markdown())
        for each in found if options.missed else ():
            if not each.needles[BUDGETS.index(1_000)]:
                print(f"{way}: {each.source} {each.space} {each.question}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
