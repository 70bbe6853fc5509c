"""How much of the evidence and answers of benchmark questions is in a recap and a recall together, at equal tokens.

An answer is read from a text to the share of its words, beside those of the question, that the text has; where the data
gives literal needles, wholly or not at all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from clew.errors import ClewError
from clew.evaluate.compression.extracts import LAST, CondenseSetup, Extract
from clew.evaluate.compression.histories import History
from clew.evaluate.compression.survival import LONGEST, MOST, RATIO
from clew.evaluate.corpus import DatasetQuestion
from clew.evaluate.metrics import EvidenceCoverage, Passage, tokens, words
from clew.evaluate.recall import EPOCH, AskingClock, sampled
from clew.evaluate.results import QuestionOutcome
from clew.memory import Memory
from clew.text.terms import terms

ALONE: Final = "recall alone"
RECAP: Final = "recap and recall"

SHARE: Final = 0.25
"""Most of a budget that goes to a recap or extract; the rest is recalled."""


def answer_questions(history: History, setup: CondenseSetup, budgets: Sequence[int]) -> list[QuestionOutcome]:
    """Asks the questions of a history; none if it has none.

    The forms are a recall with the whole budget, a recap and a recall that share it, the same with each extract in
    place of the recap, and the last turns alone. A recap has a thirtieth of the history's tokens, and at most a
    quarter of the budget.
    """
    whole = history.conversation
    if whole is None or not whole.questions:
        return []
    last = next((turn.at for turn in reversed(whole.turns) if turn.at is not None), EPOCH)
    clock = AskingClock(last)
    with (
        TemporaryDirectory(prefix="clew-bench-") as folder,
        Memory.open(
            Path(folder) / "home",
            config=replace(setup.config, counter="estimate"),
            embedder=setup.embedder or "none",
            clock=clock,
        ) as memory,
    ):
        report = memory.add_many(list(history.turns))
        if report.rejected or not memory.drain():
            raise ClewError(f"{history.name}: turns were rejected or are not analysed; run again")
        heads = _heads(memory, history, setup.extracts, budgets)
        outcomes = []
        for question in sampled(whole, setup.sample):
            clock.now = question.asked_at or last
            evidence = [words(turn.text) for turn in whole.turns if turn.id in question.evidence]
            outcomes.append(
                QuestionOutcome(
                    conversation=whole.name,
                    question=question.id,
                    category=question.category,
                    roles=(),
                    ranks=(),
                    found=_found(memory, question, evidence, heads, budgets),
                )
            )
    return outcomes


def _heads(
    memory: Memory, history: History, extracts: Mapping[str, Extract], budgets: Sequence[int]
) -> dict[str, dict[int, str]]:
    """What stands before the recalled turns, by form and budget."""
    texts = [turn.text for turn in history.turns]
    most = min(MOST, min(LONGEST, sum(map(tokens, texts))) // RATIO)
    heads: dict[str, dict[int, str]] = {ALONE: dict.fromkeys(budgets, "")}
    for budget in budgets:
        room = min(most, int(SHARE * budget))
        heads.setdefault(RECAP, {})[budget] = memory.recap(history.name, budget=room).text
        for name, extract in extracts.items():
            heads.setdefault(_form(name), {})[budget] = extract(texts, budget if name == LAST else room)
    return heads


def _form(extract: str) -> str:
    return extract if extract == LAST else f"{extract} and recall"


def _found(
    memory: Memory,
    question: DatasetQuestion,
    evidence: Sequence[Sequence[str]],
    heads: Mapping[str, Mapping[int, str]],
    budgets: Sequence[int],
) -> dict[str, dict[str, EvidenceCoverage]]:
    found: dict[str, dict[str, EvidenceCoverage]] = {}
    for form, by_budget in heads.items():
        found[form] = {}
        for budget in budgets:
            head = by_budget[budget]
            left = max(0, budget - tokens(head))
            rest = memory.recall(question.text, budget=left).text if left else ""
            passage = Passage(f"{head}\n{rest}", budget)
            found[form][str(budget)] = replace(passage.find(evidence), answer=readable(question, passage.text))
    return found


def readable(question: DatasetQuestion, text: str) -> float | None:
    """How much of the answer of a question can be read from a text, 0..1; None where the data has no answer."""
    if question.needles:
        shown = " ".join(text.split()).casefold()
        return float(all(" ".join(needle.split()).casefold() in shown for needle in question.needles))
    wanted = set(terms(question.answer)) - set(terms(question.text))
    return len(wanted & set(terms(text))) / len(wanted) if wanted else None
