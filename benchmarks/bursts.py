"""What recall finds in bursts of short messages, as people send them from phones.

    python -m benchmarks.bursts PATH [--words NUMBER] [--vectors FILE] [--limit NUMBER]

PATH is LoCoMo or REALTALK data (docs/benchmarks.md says where it comes from). Every turn is cut into its sentences, or
into about so many words, each a message of its own some seconds later; a question's evidence is the message of each
gold turn that has the most words of the answer, or of the question where none has any.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from clew.evaluate.corpus import DatasetConversation, DatasetQuestion, DatasetTurn
from clew.evaluate.datasets import load
from clew.evaluate.metrics import Passage, words
from clew.evaluate.recall import EPOCH, AskingClock, store_conversation
from clew.memory import Memory
from clew.models.choose import choose_embedder
from clew.models.protocol import Embedder
from clew.models.recorded import RecordedEmbedder
from clew.text.sentences import sentence_spans
from clew.text.terms import terms

BUDGETS: Final = (500, 1000, 2000, 4000)

APART: Final = timedelta(seconds=6)
"""Time between two messages of a burst."""


def in_bursts(conversation: DatasetConversation, answers: dict[str, str], size: int = 0) -> DatasetConversation:
    """The conversation with each sentence as a turn of its own.

    Args:
        answers: answer to each question, by the question's text.
        size: words of a message, about; 0 for sentences.
    """
    pieces = {turn.id: list(_messages(turn, size)) for turn in conversation.turns}
    questions = [
        replace(each, evidence=tuple(_told(pieces[name], each, answers.get(each.text, "")) for name in each.evidence))
        for each in conversation.questions
    ]
    turns = tuple(piece for turn in conversation.turns for piece in pieces[turn.id])
    return replace(conversation, turns=turns, questions=tuple(questions))


def _messages(turn: DatasetTurn, size: int) -> Iterator[DatasetTurn]:
    said = turn.text.split()
    if size and said:
        size = -(-len(said) // max(1, round(len(said) / size)))  # of equal length, so that no last word stands alone
        texts = [" ".join(said[start : start + size]) for start in range(0, len(said), size)]
    else:
        texts = [turn.text[start:end] for start, end in sentence_spans(turn.text)] or [turn.text]
    for number, text in enumerate(texts):
        at = None if turn.at is None else turn.at + number * APART
        yield replace(turn, id=f"{turn.id}/{number}", text=text, at=at)


def _told(pieces: Sequence[DatasetTurn], question: DatasetQuestion, answer: str) -> str:
    """The id of the message that answers; the first of equals."""
    wanted, asked = set(terms(answer)), set(terms(question.text))
    held = [set(terms(piece.text)) for piece in pieces]
    best = max(range(len(pieces)), key=lambda place: (len(held[place] & wanted), len(held[place] & asked), -place))
    return pieces[best].id


def read_answers(path: Path) -> dict[str, str]:
    """The answers in all JSON files of a data set, by question."""
    files = [path] if path.is_file() else sorted(path.glob("*.json"))
    return {question: answer for file in files for question, answer in _pairs(json.loads(file.read_text("utf-8")))}


def _pairs(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        if "question" in value and "answer" in value:
            yield str(value["question"]), str(value["answer"])
        for each in value.values():
            yield from _pairs(each)
    elif isinstance(value, list):
        for each in value:
            yield from _pairs(each)


def found(conversation: DatasetConversation, embedder: Embedder | None) -> list[list[float]]:
    """For each question the share of its evidence that the block holds, at each budget."""
    last = next((turn.at for turn in reversed(conversation.turns) if turn.at is not None), EPOCH)
    clock = AskingClock(last)
    by_id = {turn.id: turn for turn in conversation.turns}
    rows = []
    with (
        tempfile.TemporaryDirectory(prefix="clew-bursts-") as folder,
        Memory.open(Path(folder) / "home", embedder=embedder or "none", clock=clock) as memory,
    ):
        store_conversation(memory, conversation, embedder)
        for question in conversation.questions:
            clock.now = question.asked_at or last
            evidence = [words(by_id[name].text) for name in question.evidence]
            blocks = ((memory.recall(question.text, budget=budget).text, budget) for budget in BUDGETS)
            whole = [Passage(text, budget).find(evidence).whole for text, budget in blocks]
            rows.append([sum(each) / len(each) for each in whole])
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the evidence found at each budget, with the embedder and without."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bursts", description="What is found in bursts.")
    parser.add_argument("path", type=Path, metavar="PATH", help="LoCoMo or REALTALK data")
    parser.add_argument(
        "--words", type=int, metavar="NUMBER", default=0, help="words of a message instead of sentences"
    )
    parser.add_argument("--vectors", type=Path, metavar="FILE", help="keeps vectors for the next run")
    parser.add_argument("--limit", type=int, metavar="NUMBER", help="only the first conversations")
    options = parser.parse_args(arguments)
    embedder = choose_embedder("auto")[0]
    if embedder is not None and options.vectors is not None:
        embedder = RecordedEmbedder(embedder, options.vectors)
    answers = read_answers(options.path)
    talks = [in_bursts(each, answers, options.words) for each in load(options.path)[: options.limit]]
    for model in (embedder, None):
        rows = [row for talk in talks for row in found(talk, model)]
        means = [100 * sum(column) / len(rows) for column in zip(*rows, strict=True)]
        name = "none" if model is None else model.name
        print(f"{name}: {len(rows)} questions, {' '.join(f'{each:.1f}' for each in means)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
