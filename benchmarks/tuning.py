"""What tuning gains: half of a conversation's questions as feedback, evidence recall on the other half.

    python -m benchmarks.tuning DATA [--only NAME] [--together] [--embedder none] [--detuned]

DATA is a LoCoMo file or a folder with REALTALK's chats (docs/benchmarks.md). Every second question is recalled within
2,000 tokens, and the evidence that the block shows is marked as used. The others are asked before and after `tune`.
With `--together` all conversations are told to one memory. With `--detuned` recall starts from weights that are put out
of tune on purpose, to see whether tuning finds back.
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Final

from clew.evaluate.corpus import KEY, DatasetConversation, DatasetQuestion
from clew.evaluate.datasets import load
from clew.evaluate.recall import EPOCH, AskingClock, store_conversation
from clew.memory import Memory
from clew.models.choose import choose_embedder
from clew.models.protocol import Embedder
from clew.rows.parameters import adopt

FEEDBACK_BUDGET: Final = 2000
BUDGETS: Final = (500, 1000, 2000, 4000)
DETUNED: Final = {"recall.lexical": 0.455, "recall.dense": 1.4, "recall.speaker": 0.875, "recall.cost": 5.6}


def main() -> None:
    """Prints one paragraph a conversation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--only", help="a conversation's name")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--embedder", default="auto")
    parser.add_argument("--detuned", action="store_true")
    chosen = parser.parse_args()
    embedder, note = choose_embedder(chosen.embedder)
    print(f"embedder: {note if embedder is None else embedder.name}")
    conversations = [each for each in load(chosen.data) if chosen.only in (None, each.name)]
    for conversation in [joined(conversations)] if chosen.together else conversations:
        measure(conversation, embedder, detuned=chosen.detuned)


def joined(conversations: Sequence[DatasetConversation]) -> DatasetConversation:
    """All of them as one, with sessions, turns and questions of their own names."""
    return DatasetConversation(
        name=" + ".join(each.name for each in conversations),
        turns=tuple(
            replace(turn, id=f"{each.name} {turn.id}", session=f"{each.name} {turn.session}")
            for each in conversations
            for turn in each.turns
        ),
        questions=tuple(
            replace(question, evidence=tuple(f"{each.name} {name}" for name in question.evidence))
            for each in conversations
            for question in each.questions
        ),
    )


def measure(conversation: DatasetConversation, embedder: Embedder | None, *, detuned: bool) -> None:
    """Tells one conversation to a fresh memory, gives feedback, tunes, and prints what changed."""
    clock = AskingClock(next((turn.at for turn in reversed(conversation.turns) if turn.at is not None), EPOCH))
    with (
        tempfile.TemporaryDirectory(prefix="clew-tuning-") as home,
        Memory.open(Path(home) / "home", embedder=embedder or "none", clock=clock) as memory,
    ):
        store_conversation(memory, conversation, embedder)
        if detuned:
            store = memory.reads.store  # no public call puts a memory out of tune
            adopt(store, memory.space, DETUNED, {"benchmark": "detuned"}, clock(), 0)
        asked, held = conversation.questions[::2], conversation.questions[1::2]
        before = found(memory, clock, held)
        marked = sum(give_feedback(memory, clock, question) for question in asked)
        clock.now += timedelta(seconds=1)
        started = time.process_time()
        report = memory.tune()
        spent = time.process_time() - started
        after = found(memory, clock, held)
    print(f"\n{conversation.name}: {len(asked)} questions as feedback, {marked} turns marked, {report.silver} silver")
    for verdict in report.verdicts:
        numbers = "" if verdict.p is None else f"; {verdict.before:.4f} -> {verdict.after:.4f}, p {verdict.p:.4f}"
        print(f"  {verdict.family}: {'adopted ' + str(verdict.values) if verdict.adopted else verdict.reason}{numbers}")
    print(f"  tuned in {spent:.1f} s of CPU; evidence of the other {len(held)} questions, before and after:")
    for budget, one, two in zip(BUDGETS, before, after, strict=True):
        print(f"  {budget:>5} tokens: {one:5.1f} {two:5.1f}")


def give_feedback(memory: Memory, clock: AskingClock, question: DatasetQuestion) -> int:
    """Recalls and marks the evidence that is shown; gives how many turns that are."""
    clock.now = max(question.asked_at or clock.now, clock.now) + timedelta(seconds=1)  # a receipt is named by its time
    context = memory.recall(question.text, budget=FEEDBACK_BUDGET)
    shown = [name for item in context.items for name in item.turn_ids]
    used = [name for name in shown if memory.get(name).metadata[KEY] in question.evidence]
    return memory.mark_used(context.receipt_id, used) if used else 0


def found(memory: Memory, clock: AskingClock, questions: Sequence[DatasetQuestion]) -> list[float]:
    """Per cent of evidence turns in the block, by budget."""
    shares = []
    for budget in BUDGETS:
        total = 0.0
        for question in questions:
            clock.now = max(question.asked_at or clock.now, clock.now) + timedelta(seconds=1)
            items = memory.recall(question.text, budget=budget).items
            shown = {memory.get(name).metadata[KEY] for item in items for name in item.turn_ids}
            total += len(shown & set(question.evidence)) / len(set(question.evidence))
        shares.append(100 * total / len(questions))
    return shares


if __name__ == "__main__":
    main()
