"""What packing finds at each budget: whole turns alone, as it is, parts first, and neighbours beside the best.

    CLEW_DATA=FOLDER python -m benchmarks.packing [--vectors FILE] [--only NAME] [--plot FILE]

FOLDER holds `locomo-dev`, `realtalk-dev` and `beam-dev` (docs/benchmarks.md says where they come from); what is not
there is left out. Evidence is looked for in the block, as `clew bench recall` does it. `--plot` draws the last data
set. The constants of `clew.assemble` were chosen on these conversations.
"""

import argparse
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np

from clew.assemble.candidate_renderings import renderings
from clew.assemble.context import POLICY, PackingPolicy, build_context, worth
from clew.assemble.render import Evidence
from clew.evaluate.corpus import DatasetConversation
from clew.evaluate.curve import curve
from clew.evaluate.datasets import load
from clew.evaluate.metrics import Passage, words
from clew.evaluate.recall import EPOCH, AskingClock, store_conversation
from clew.evaluate.results import QuestionOutcome, Run, mean, of_role
from clew.evaluate.tables import Sheet, percent
from clew.memory import Memory
from clew.models.choose import choose_embedder
from clew.models.protocol import Embedder
from clew.models.recorded import RecordedEmbedder
from clew.rank.search import Ranking
from clew.recall.block_words import words_of
from clew.text.counters import counter

DATA: Final = {"locomo-dev": "locomo.json", "realtalk-dev": "", "beam-dev": ""}
BUDGETS: Final = (250, 500, 1000, 2000, 4000, 8000)

PARTS: Final = 0.5
"""Power of a part's share of the words: under 1, parts of many turns are worth more than few whole ones."""

NEIGHBOURS: Final = 0.15
"""What a turn gains of the worth of the turn before or after it, the greater of both."""


def whole_alone(
    whole: Evidence, _words: str, _spans: Sequence[tuple[int, int]], _scores: Sequence[float]
) -> list[Evidence]:
    """No shorter renderings."""
    return [whole]


def parts_first(
    whole: Evidence, text: str, spans: Sequence[tuple[int, int]], scores: Sequence[float]
) -> list[Evidence]:
    """The same renderings, a short one worth more for its length than the whole."""
    return [replace(each, share=each.share**PARTS) for each in renderings(whole, text, spans, scores)]


def with_neighbours(ranking: Ranking) -> list[float]:
    """Worth, and a share of the better neighbour's."""
    own = worth(ranking)
    turns = ranking.frame.view.turns
    places = zip(turns.session[ranking.positions].tolist(), turns.seq[ranking.positions].tolist(), strict=True)
    by_place = dict(zip(places, own, strict=True))
    gains = [max(by_place.get((one, seq + side), 0.0) for side in (-1, 1)) for one, seq in by_place]
    return (np.array(own) + NEIGHBOURS * np.array(gains)).tolist() if own else []


VARIANTS: Final = {
    "whole turns alone": PackingPolicy(offer=whole_alone),
    "as it is": POLICY,
    "parts first": PackingPolicy(offer=parts_first),
    "with neighbours": PackingPolicy(worth=with_neighbours),
}


class PackingResult(Memory):
    """A memory whose blocks are packed by other policies."""

    def blocks(self, question: str, budget: int) -> dict[str, str]:
        """The block by each variant."""
        frame = self.reads.ranker.frame(question, self.reads.clock())
        ranking = self.reads.ranker.rank(frame, self.config.recall.limit, None)
        with self.reads.store.snapshot() as reader:
            return {
                name: build_context(
                    ranking,
                    partial(words_of, reader, self.space, frame.view),
                    budget=budget,
                    counter=counter("estimate"),
                    receipt_id="",
                    policy=policy,
                ).text
                for name, policy in VARIANTS.items()
            }


def asked(conversation: DatasetConversation, embedder: Embedder | None) -> dict[str, list[QuestionOutcome]]:
    """What each variant finds for the questions of one conversation."""
    last = next((turn.at for turn in reversed(conversation.turns) if turn.at is not None), EPOCH)
    clock = AskingClock(last)
    by_id = {turn.id: turn for turn in conversation.turns}
    found: dict[str, list[QuestionOutcome]] = defaultdict(list)
    with (
        tempfile.TemporaryDirectory(prefix="clew-packing-") as folder,
        PackingResult.open(Path(folder) / "home", embedder=embedder or "none", clock=clock) as memory,
    ):
        store_conversation(memory, conversation, embedder)
        for question in conversation.questions:
            clock.now = question.asked_at or last
            evidence = [words(by_id[name].text) for name in question.evidence]
            at = {budget: memory.blocks(question.text, budget) for budget in BUDGETS}
            for name in VARIANTS:
                rendered = {str(budget): Passage(at[budget][name], budget).find(evidence) for budget in BUDGETS}
                found[name].append(
                    QuestionOutcome(
                        conversation=conversation.name,
                        question=question.id,
                        category=question.category,
                        roles=tuple(by_id[each].role for each in question.evidence),
                        ranks=(None,) * len(evidence),
                        found={"rendered": rendered},
                    )
                )
    return found


def table(runs: dict[str, Run]) -> Sheet:
    """Evidence found, all of a question's, and the assistant's soft cover, by variant and budget."""
    rows = []
    for name, run in runs.items():
        figures = {
            "found": [mean(run.outcomes, "rendered", budget, "recall") for budget in BUDGETS],
            "all": [mean(run.outcomes, "rendered", budget, "all") for budget in BUDGETS],
            "soft": [mean(run.outcomes, "rendered", budget, "soft") for budget in BUDGETS],
            "assistant, soft": [of_role(run.outcomes, "assistant", "rendered", budget)["soft"] for budget in BUDGETS],
        }
        rows += [(f"{name}: {what}", *(percent(value) for value in values)) for what, values in figures.items()]
    return Sheet("Evidence in the block, %", ("variant", *(f"{budget:,}" for budget in BUDGETS)), tuple(rows))


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a table for each data set."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.packing", description="What packing finds.")
    parser.add_argument("--vectors", type=Path, metavar="FILE", help="keeps vectors for the next run")
    parser.add_argument("--only", choices=list(DATA), help="this data set alone")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the last data set as SVG")
    options = parser.parse_args(arguments)
    if "CLEW_DATA" not in os.environ:
        parser.error("CLEW_DATA is not set; set it to the folder that holds locomo-dev, realtalk-dev and beam-dev")
    embedder = choose_embedder("auto")[0]
    if embedder is not None and options.vectors is not None:
        embedder = RecordedEmbedder(embedder, options.vectors)
    for name, file in DATA.items():
        path = Path(os.environ["CLEW_DATA"]) / name / file
        if not path.exists() or options.only not in (None, name):
            continue
        conversations = load(path)
        found: dict[str, list[QuestionOutcome]] = defaultdict(list)
        for conversation in conversations:
            for variant, outcomes in asked(conversation, embedder).items():
                found[variant] += outcomes
        turns = sum(len(conversation.turns) for conversation in conversations)
        runs = {
            variant: Run(version="", data=name, budgets=BUDGETS, turns=turns, outcomes=tuple(outcomes))
            for variant, outcomes in found.items()
        }
        print(f"\n{name}\n\n{table(runs).text()}", flush=True)
        if options.plot is not None:
            options.plot.write_text(curve(list(runs.values()), list(runs)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
