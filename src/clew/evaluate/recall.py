"""Runs data sets through the public Memory: stores each conversation in a fresh home, then asks its questions."""

import random
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from clew.config import SETTINGS, Config
from clew.errors import ClewError, InputError
from clew.evaluate.corpus import KEY, DatasetConversation, DatasetQuestion
from clew.evaluate.metrics import EvidenceCoverage, Passage, fill, words
from clew.evaluate.results import QuestionOutcome, Run
from clew.memory import Memory
from clew.models.protocol import Embedder
from clew.version import __version__

RANKED: Final = 400
"""Turns requested from `ranked`: more than fit into any budget here."""

SAMPLE_SEED: Final = 17
EPOCH: Final = datetime(2024, 1, 1, tzinfo=UTC)
"""The time at which a question is asked if neither the question nor any turn has a time."""

OnProgress = Callable[[str, int, int], None]
"""Called with a finished conversation's name, its number from 1, and the number of conversations."""


class AskingClock:
    """The memory's clock: stands still at the time of the current question, so that results are reproducible."""

    def __init__(self, now: datetime) -> None:
        """Starts at an aware datetime; set `now` to move the clock."""
        self.now = now

    def __call__(self) -> datetime:
        """The current time of the clock."""
        return self.now


@dataclass(frozen=True, slots=True)
class RunSetup:
    """What a run is made with, recorded with its outcomes.

    Attributes:
        data: name of the data set.
        budgets: in tokens of four characters.
        embedder: shared by all conversations; None means none, whatever the configuration says.
    """

    data: str
    budgets: Sequence[int]
    embedder: Embedder | None
    config: Config


def run_recall(
    conversations: Sequence[DatasetConversation],
    setup: RunSetup,
    *,
    sample: int | None = None,
    on_progress: OnProgress | None = None,
) -> Run:
    """Measures recall, bare and rendered, at every budget.

    Args:
        sample: the most questions asked of a conversation, a fixed random choice.

    Raises:
        InputError: there is no question or no budget, or a budget is not positive.
        ClewError: a turn was rejected or could not be embedded, so that the figures would mislead.
    """
    if not setup.budgets or min(setup.budgets) < 1:
        raise InputError(f"budgets {tuple(setup.budgets)!r}: expected one or more numbers of tokens, each 1 or more")
    outcomes: list[QuestionOutcome] = []
    skipped: Counter[str] = Counter()
    for number, conversation in enumerate(conversations, start=1):
        outcomes += _run_one(conversation, setup, sample)
        skipped.update(conversation.skipped)
        if on_progress is not None:
            on_progress(conversation.name, number, len(conversations))
    if not outcomes:
        raise InputError(
            f"{setup.data} holds no question that can be scored: {dict(skipped)}; check the path and --only"
        )
    return Run(
        version=__version__,
        data=setup.data,
        embedder=None if setup.embedder is None else setup.embedder.name,
        settings=changed_settings(setup.config),
        budgets=tuple(sorted(setup.budgets)),
        turns=sum(len(conversation.turns) for conversation in conversations),
        skipped=dict(skipped),
        outcomes=tuple(outcomes),
    )


def changed_settings(config: Config) -> dict[str, object]:
    """The settings that differ from their defaults, by path, without the embedder, which a run names separately."""
    changed = {}
    for path, setting in SETTINGS.items():
        if path == "embedder":
            continue
        value: object = config
        for name in path.split("."):
            value = getattr(value, name)
        if value != setting.default:
            changed[path] = value
    return changed


def _run_one(conversation: DatasetConversation, setup: RunSetup, sample: int | None) -> list[QuestionOutcome]:
    budgets, embedder = sorted(setup.budgets), setup.embedder
    last = next((turn.at for turn in reversed(conversation.turns) if turn.at is not None), EPOCH)
    clock = AskingClock(last)
    with (
        tempfile.TemporaryDirectory(prefix="clew-bench-") as folder,
        Memory.open(Path(folder) / "home", config=setup.config, embedder=embedder or "none", clock=clock) as memory,
    ):
        store_conversation(memory, conversation, embedder)
        outcomes = []
        for question in sampled(conversation, sample):
            clock.now = question.asked_at or last
            outcomes.append(_ask(memory, conversation, question, budgets))
        return outcomes


def store_conversation(memory: Memory, conversation: DatasetConversation, embedder: Embedder | None) -> None:
    """Stores a conversation session by session, and waits for its vectors.

    Raises:
        ClewError: a turn was rejected, or has no vector.
    """
    for session in conversation.sessions():
        report = memory.add_many([turn.to_turn() for turn in session])
        if report.rejected:
            refused = report.rejected[0]
            raise InputError(f"{conversation.name}: turn {refused.where} of a session was rejected: {refused.reason}")
    drained = memory.drain()
    stats = memory.stats()
    if not drained or (embedder is not None and stats.vectors < stats.turns):
        raise ClewError(
            f"{conversation.name}: {stats.vectors} of {stats.turns} turns have vectors "
            f"({stats.details.get('worker_failure') or 'no failure was reported'}); run again, or with --embedder none"
        )


def bare_outcome(
    memory: Memory, conversation: DatasetConversation, question: DatasetQuestion, budgets: Sequence[int]
) -> QuestionOutcome:
    """How much of a question's evidence the ranking alone finds at each budget."""
    by_id = {turn.id: turn for turn in conversation.turns}
    ranked = [str(hit.turn.metadata[KEY]) for hit in memory.ranked(question.text, limit=RANKED)]
    evidence = [words(by_id[name].text) for name in question.evidence]
    lines = [by_id[name].framed() for name in ranked]
    return QuestionOutcome(
        conversation=conversation.name,
        question=question.id,
        category=question.category,
        roles=tuple(by_id[name].role for name in question.evidence),
        ranks=tuple(ranked.index(name) + 1 if name in ranked else None for name in question.evidence),
        found={"bare": {str(budget): Passage(fill(lines, budget), budget).find(evidence) for budget in budgets}},
    )


def sampled(conversation: DatasetConversation, sample: int | None) -> Sequence[DatasetQuestion]:
    """A fixed random choice of questions; a smaller sample is part of every larger one."""
    if sample is None or sample >= len(conversation.questions):
        return conversation.questions
    order = random.Random(SAMPLE_SEED).sample(range(len(conversation.questions)), len(conversation.questions))  # noqa: S311 - a sample, no secret
    return [conversation.questions[index] for index in sorted(order[:sample])]


def _ask(
    memory: Memory, conversation: DatasetConversation, question: DatasetQuestion, budgets: Sequence[int]
) -> QuestionOutcome:
    outcome = bare_outcome(memory, conversation, question, budgets)
    by_id = {turn.id: turn for turn in conversation.turns}
    evidence = [words(by_id[name].text) for name in question.evidence]
    rendered: dict[str, EvidenceCoverage] = {}
    for budget in budgets:
        block = memory.recall(question.text, budget=budget, counter="estimate").text
        rendered[str(budget)] = Passage(block, budget).find(evidence)
    return replace(outcome, found={**outcome.found, "rendered": rendered})
