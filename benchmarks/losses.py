"""Where evidence is lost that blocks lack, and what the tokens of blocks go to.

    python -m benchmarks.losses --data PATH [--budgets 500,1000] [--role ROLE] [--vectors-cache FILE] [--embedder none]

PATH is a data set as for `clew bench recall`. A lost evidence turn is told by its rank, in multiples of the items that
the block has: what is lost within the items was packed badly, what is lost beyond them was ranked badly. Another table
tells what the block shows of the turns: a part or a title of one that is shown so lacks words that ranking had found.
"""

import argparse
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Final

from clew.evaluate.corpus import KEY, DatasetConversation, DatasetQuestion
from clew.evaluate.datasets import load
from clew.evaluate.metrics import CHARS_PER_TOKEN, Passage, words
from clew.evaluate.recall import EPOCH, RANKED, AskingClock, store_conversation
from clew.evaluate.tables import Sheet
from clew.memory import Memory
from clew.models.choose import choose_embedder
from clew.models.protocol import Embedder
from clew.models.recorded import RecordedEmbedder
from clew.types import Context
from clew.types.turn import ROLES

RANKS: Final = (1.0, 2.0, 4.0, 10.0, float("inf"))
"""Upper ends of the columns of ranks, in multiples of a block's items."""

PIECES: Final = ((1, "1"), (2, "2"), (4, "3 to 4"), (9, "5 to 9"))
"""Upper ends and names of the columns of questions by their evidence turns; more are in a column of their own."""

MORE: Final = "10 and more"

WAYS: Final = ("whole", "in part", "by its title", "passed over", "ranked lower")
"""How a block shows an evidence turn, or that it does not: though it ranks within the items, or because it does not."""

WHOLE: Final = frozenset({"full", "result", "answer"})
"""Renderings that show all that a turn says."""

PARTS: Final = ("evidence", "other turns", "numbers and names", "headings and frame", "unused")


@dataclass(slots=True)
class LostEvidence:
    """What the blocks of one budget lack, in questions: each is divided evenly among its evidence turns.

    Attributes:
        ranks: by place in `RANKS`; of questions with several pieces of evidence under `several`.
        pieces: by name of `PIECES`.
        tokens: by name of `PARTS`, of all blocks together.
        ways: by name of `WAYS`, of all evidence turns.
        uncovered: likewise, what of their words the blocks lack, by soft cover.
    """

    budget: int
    questions: int = 0
    items: int = 0
    ranks: defaultdict[int, float] = field(default_factory=partial(defaultdict, float))
    several: defaultdict[int, float] = field(default_factory=partial(defaultdict, float))
    pieces: defaultdict[str, float] = field(default_factory=partial(defaultdict, float))
    tokens: defaultdict[str, float] = field(default_factory=partial(defaultdict, float))
    ways: defaultdict[str, float] = field(default_factory=partial(defaultdict, float))
    uncovered: defaultdict[str, float] = field(default_factory=partial(defaultdict, float))

    def add(self, found: Sequence[bool], ranks: Sequence[int | None], block: Context, gold: Sequence[int]) -> None:
        """Counts one block.

        Args:
            found: of each evidence turn whether the block shows it.
            ranks: of each evidence turn, from 1; None where it was not ranked.
            gold: places of the block's items that are evidence.
        """
        self.questions += 1
        self.items += len(block.items)
        for is_found, rank in zip(found, ranks, strict=True):
            if is_found:
                continue
            share = 1 / len(found)
            place = _place(float("inf") if rank is None else rank / max(1, len(block.items)))
            self.ranks[place] += share
            self.several[place] += share if len(found) > 1 else 0
            self.pieces[next((name for most, name in PIECES if len(found) <= most), MORE)] += share
        texts = [len(item.text) / CHARS_PER_TOKEN for item in block.items]
        lines = sum(item.tokens for item in block.items)
        shown = sum(texts[place] for place in gold)
        self.tokens["evidence"] += shown
        self.tokens["other turns"] += sum(texts) - shown
        self.tokens["numbers and names"] += lines - sum(texts)
        self.tokens["headings and frame"] += block.tokens - lines
        self.tokens["unused"] += self.budget - block.tokens

    def add_ways(
        self, covers: Sequence[float], ranks: Sequence[int | None], renderings: Sequence[str | None], items: int
    ) -> None:
        """Counts how one block of so many items shows the evidence turns of a question.

        Args:
            covers: of each evidence turn the soft cover.
            ranks: of each evidence turn, from 1; None where it was not ranked.
            renderings: of each evidence turn; None where the block does not show it.
        """
        for cover, rank, rendering in zip(covers, ranks, renderings, strict=True):
            way = _way(rendering, rank, items)
            self.ways[way] += 1 / len(covers)
            self.uncovered[way] += (1 - cover) / len(covers)


def _place(multiple: float) -> int:
    """The column of a rank, given in multiples of a block's items."""
    return next(place for place, most in enumerate(RANKS) if multiple <= most)


def _way(rendering: str | None, rank: int | None, items: int) -> str:
    """The name of `WAYS` for one evidence turn."""
    whole, part, title, passed_over, lower = WAYS
    if rendering is None:
        return passed_over if rank is not None and rank <= items else lower
    return whole if rendering in WHOLE else title if rendering == "title" else part


def measure(
    conversations: Sequence[DatasetConversation],
    budgets: Sequence[int],
    embedder: Embedder | None,
    role: str | None = None,
) -> list[LostEvidence]:
    """What blocks of each budget lack.

    Args:
        role: whose evidence turns count; None for all. Questions without any are left out.
    """
    lost = [LostEvidence(budget) for budget in budgets]
    for conversation in conversations:
        last = next((turn.at for turn in reversed(conversation.turns) if turn.at is not None), EPOCH)
        clock = AskingClock(last)
        with (
            tempfile.TemporaryDirectory(prefix="clew-losses-") as folder,
            Memory.open(Path(folder) / "home", embedder=embedder or "none", clock=clock) as memory,
        ):
            store_conversation(memory, conversation, embedder)
            for question in _of_role(conversation, role):
                clock.now = question.asked_at or last
                _ask(memory, conversation, question, lost)
    return lost


def _of_role(conversation: DatasetConversation, role: str | None) -> Iterator[DatasetQuestion]:
    """The questions, with those evidence turns alone that have a role."""
    roles = {turn.id: turn.role for turn in conversation.turns}
    for question in conversation.questions:
        evidence = tuple(name for name in question.evidence if role in (None, roles[name]))
        if evidence:
            yield replace(question, evidence=evidence)


def _ask(
    memory: Memory, conversation: DatasetConversation, question: DatasetQuestion, lost: Sequence[LostEvidence]
) -> None:
    texts = {turn.id: turn.text for turn in conversation.turns}
    evidence = [words(texts[name]) for name in question.evidence]
    names = {hit.turn.id: str(hit.turn.metadata[KEY]) for hit in memory.ranked(question.text, limit=RANKED)}
    places = {name: rank for rank, name in enumerate(names.values(), start=1)}
    for each in lost:
        block = memory.recall(question.text, budget=each.budget, counter="estimate")
        coverage = Passage(block.text, each.budget).find(evidence)
        gold = [
            place
            for place, item in enumerate(block.items)
            if item.turn_ids and names.get(item.turn_ids[0]) in question.evidence
        ]
        ranks = [places.get(name) for name in question.evidence]
        shown = {names.get(item.turn_ids[0]): item.rendering for item in block.items if item.turn_ids}
        each.add(coverage.whole, ranks, block, gold)
        each.add_ways(coverage.cover, ranks, [shown.get(name) for name in question.evidence], len(block.items))


def sheets(lost: Sequence[LostEvidence]) -> Iterator[Sheet]:
    """Tables of the lost points by rank and by pieces, and of the share of the tokens."""
    heads = [f"up to {most:g} times" for most in RANKS[:-1]]
    heads[0] = "within the items"
    yield Sheet(
        "Points of evidence lost, by rank in multiples of the items; in brackets of questions with several pieces",
        ("budget", "items", "lost", *heads, "beyond"),
        tuple(
            (
                f"{each.budget:,}",
                f"{each.items / each.questions:.1f}",
                _points(sum(each.ranks.values()), sum(each.several.values()), each.questions),
                *(_points(each.ranks[place], each.several[place], each.questions) for place in range(len(RANKS))),
            )
            for each in lost
        ),
    )
    columns = (*(name for _, name in PIECES), MORE)
    yield Sheet(
        "Points of evidence lost, by the evidence turns of the question",
        ("budget", *columns),
        tuple(
            (f"{each.budget:,}", *(f"{100 * each.pieces[name] / each.questions:.1f}" for name in columns))
            for each in lost
        ),
    )
    yield Sheet(
        "Points of soft cover lost, by what the block shows of the turn; in brackets the share of such turns, %",
        ("budget", *WAYS),
        tuple(
            (f"{each.budget:,}", *(_points(each.uncovered[way], each.ways[way], each.questions) for way in WAYS))
            for each in lost
        ),
    )
    yield Sheet(
        "Share of the budget, %",
        ("budget", *PARTS),
        tuple(
            (
                f"{each.budget:,}",
                *(f"{100 * each.tokens[name] / each.questions / each.budget:.1f}" for name in PARTS),
            )
            for each in lost
        ),
    )


def _points(lost: float, several: float, questions: int) -> str:
    return f"{100 * lost / questions:.1f} ({100 * several / questions:.1f})"


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the tables of one data set."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.losses", description="Where evidence is lost.")
    parser.add_argument("--data", type=Path, required=True, metavar="PATH", help="as for clew bench recall")
    parser.add_argument("--budgets", default="500,1000", metavar="NUMBERS", help="in tokens; 500,1000 by default")
    parser.add_argument("--role", choices=ROLES, help="only evidence turns of this role")
    parser.add_argument("--vectors-cache", type=Path, metavar="FILE", help="keeps vectors for the next run")
    parser.add_argument("--embedder", default="auto", help="as the setting of that name; auto by default")
    options = parser.parse_args(arguments)
    embedder = choose_embedder(options.embedder)[0]
    if embedder is not None and options.vectors_cache is not None:
        embedder = RecordedEmbedder(embedder, options.vectors_cache)
    budgets = [int(each) for each in options.budgets.split(",")]
    for sheet in sheets(measure(load(options.data), budgets, embedder, options.role)):
        print(f"{sheet.markdown()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
