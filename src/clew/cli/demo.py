"""`clew demo`: a conversation is stored, and questions about it are answered, with evidence, cost and reasons."""

import contextlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click
from rich.text import Text

from clew.cli.opening import open_memory, work_through
from clew.cli.options import Scope, common
from clew.cli.put import import_shown, print_report
from clew.cli.show import counted, day, dim, emit, excerpt, grid, indented, lay_out, out, printable, reasons, who
from clew.memory import Memory
from clew.types import Context, ContextItem, IngestReport
from clew.version import __version__

SAMPLE: Final = Path(__file__).with_name("sample")
QUESTIONS: Final = 8
"""Questions of the sample that are asked."""

BEST: Final = 3
"""Items of a block that are shown; the block itself may hold more."""

WORDS: Final = 210
"""Characters of an item that are shown."""

SPEAKER: Final = (9, 16)
"""Columns for a speaker's name, so that the answers stand below each other."""

_AFTERWARDS: Final = datetime(2025, 10, 3, 9, 0, tzinfo=UTC)


def _after_the_sample() -> datetime:
    """A moment soon after the sample's last turn, so that its questions mean the same on any day."""
    return _AFTERWARDS


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of the conversation, with seconds to the acknowledgement and to the last vector."""

    report: IngestReport
    stored: float
    finished: float


@dataclass(frozen=True, slots=True)
class Answer:
    """One question with what was found, and how long that took in milliseconds."""

    question: str
    context: Context
    took: float

    @property
    def best(self) -> list[ContextItem]:
        """The items shown, best first. Their length is left out: it says what fits into a budget, not what answers."""
        return sorted(self.context.items, key=lambda item: (item.signals.get("cost", 0.0) - item.score, item.turn_ids))[
            :BEST
        ]


@click.command()
@click.argument("path", required=False)
@click.option("--ask", "questions", multiple=True, metavar="QUESTION", help="Ask this; may be given several times.")
@click.option(
    "--budget",
    type=click.IntRange(min=0),
    metavar="TOKENS",
    default=500,
    show_default=True,
    help="Tokens of each block.",
)
@common
def demo(scope: Scope, path: str | None, questions: tuple[str, ...], budget: int) -> None:
    """Show Clew at work, on a sample conversation or on yours.

    PATH is anything that `clew import` reads; questions come from --ask, or are asked for. Without PATH a sample is
    taken that belongs to Clew: three people and an assistant build an app over seven months. Nothing is kept, unless
    --home names a place.
    """
    with _home(scope) as home, _open(home, scope, sample=path is None) as memory:
        loaded = _load(memory, path or str(SAMPLE / "conversation.jsonl"))
        if scope.as_json:
            answers = [_ask(memory, question, budget) for question in questions or _prepared(path)]
            emit(_record(memory, loaded, answers))
            return
        _print_loaded(memory, loaded, path)
        number = 0
        for number, question in enumerate(questions or _prepared(path) or _typed(), start=1):
            _print_answer(memory, _ask(memory, question, budget), number)
        _print_end(kept=scope.home is not None, asked=number > 0)


@contextlib.contextmanager
def _home(scope: Scope) -> Iterator[str]:
    if scope.home is not None:
        yield scope.home
        return
    with tempfile.TemporaryDirectory(prefix="clew-demo-") as folder:
        yield folder


def _open(home: str, scope: Scope, *, sample: bool) -> Memory:
    return open_memory(Scope(home=home, space=scope.space), clock=_after_the_sample if sample else None)


def _load(memory: Memory, path: str) -> Loaded:
    started = time.perf_counter()
    report = import_shown(memory, path)
    stored = time.perf_counter()
    work_through(memory, "vectors")
    return Loaded(report, stored - started, time.perf_counter() - stored)


def _prepared(path: str | None) -> list[str]:
    """The questions that belong to the sample; none for anything else."""
    if path is not None:
        return []
    every = json.loads((SAMPLE / "questions.json").read_text(encoding="utf-8"))
    return [each["question"] for each in every[:QUESTIONS]]


def _typed() -> Iterator[str]:
    """Questions from the keyboard, up to an empty line; none where there is no keyboard."""
    while sys.stdin.isatty():
        question = click.prompt("Question (empty ends)", default="", show_default=False, err=True).strip()
        if not question:
            return
        yield question


def _ask(memory: Memory, question: str, budget: int) -> Answer:
    started = time.perf_counter()
    context = memory.recall(question, budget=budget)
    return Answer(question, context, 1000 * (time.perf_counter() - started))


def _print_loaded(memory: Memory, loaded: Loaded, path: str | None) -> None:
    console = out()
    console.print(Text.assemble(("Clew", "bold"), f" {__version__}  ", dim("keeps a conversation going without end")))
    console.print()
    if path is None:
        console.print("A sample: three people and an assistant build an app, March to October 2025.")
    print_report(loaded.report, loaded.stored)
    console.print(_embedding(memory, loaded))


def _embedding(memory: Memory, loaded: Loaded) -> str:
    if memory.embedder is None:
        note = memory.embedder_note or "no embedder"
        return f"{note[:1].upper()}{note[1:]}. Turns are found by their words, not by their meaning."
    count = memory.stats().vectors
    return (
        f"{counted(count, 'vector')} by {memory.embedder.name.partition('@')[0]}, made behind the acknowledgement "
        f"in {loaded.finished:.1f} s"
    )


def _print_answer(memory: Memory, answer: Answer, number: int) -> None:
    console, context = out(), answer.context
    console.print()
    console.print(Text(f"{number}. {printable(answer.question)}", style="bold"))
    if not context.items:
        missing = "Nothing fits into the budget." if context.omitted else "Nothing relevant was found."
        console.print(Text(f"  {missing}", style="yellow"))
    table = grid("date", "speaker", "words")
    table.columns[1].min_width, table.columns[1].max_width = SPEAKER
    for item in answer.best:
        turn = memory.get(item.turn_ids[0])
        words = excerpt(item.text, answer.question, WORDS)
        table.add_row(dim(day(item.at)), who(turn), Text.assemble(words, "\n", dim(reasons(item.signals))))
    if answer.best:
        lay_out(console, indented(table))
    more = len(context.items) - len(answer.best)
    cost = f"{context.tokens:,} of {context.budget:,} tokens, {answer.took:.1f} ms"
    console.print(dim("  " + cost + (f"; {counted(more, 'more turn')} in the block" if more else "")))


def _print_end(*, kept: bool, asked: bool) -> None:
    clew = _program()
    steps = [
        (f"{clew} import claude-code", "the sessions of Claude Code; codex and gemini-cli likewise"),
        (f"{clew} import FILE", "a ChatGPT or Claude export, JSON Lines, Markdown, text"),
        (f'{clew} recall "what did we decide about ...?"', "the block for a model, within a budget"),
        (f"{clew} demo FILE --ask QUESTION", "this demonstration on a conversation of yours"),
    ]
    console = out()
    console.print()
    if not asked:
        console.print("Nothing was asked: give questions with --ask, or start this where you can type them.")
    console.print("On with your own:" if kept else "Nothing of this was kept. On with your own:")
    for command, what in steps:
        console.print(f"  {command}", soft_wrap=True)
        console.print(dim(f"      {what}"))


def _program() -> str:
    """How this program is started here: by its name, or by its path when the shell does not find the name."""
    started = Path(sys.argv[0])
    if started.stem != "clew" or shutil.which("clew"):
        return "clew"
    return os.path.relpath(started)


def _record(memory: Memory, loaded: Loaded, answers: list[Answer]) -> dict[str, Any]:
    report = loaded.report
    return {
        "version": __version__,
        "import": {**report.to_dict(), "seconds": round(loaded.stored, 3)},
        "embedder": None if memory.embedder is None else memory.embedder.name,
        "vectors": memory.stats().vectors,
        "answers": [
            {"question": each.question, **each.context.to_dict(), "ms": round(each.took, 3)} for each in answers
        ],
    }
