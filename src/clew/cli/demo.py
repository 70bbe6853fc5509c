"""`clew demo`: stores a conversation and answers questions about it, with evidence, cost and reasons."""

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
from clew.cli.show import day, dim, excerpt, grid, indented, lay_out, page, reasons, who
from clew.cli.terminal import emit
from clew.memory import Memory
from clew.text.counted import counted
from clew.text.printable import printable
from clew.types import Context, ContextItem, IngestReport
from clew.version import __version__

SAMPLE: Final = Path(__file__).with_name("sample")
QUESTIONS: Final = 8
"""Number of the sample's questions that are asked."""

BUDGET: Final = 500
"""Tokens of a block, unless --budget says otherwise."""

BEST: Final = 3
"""Items of a block that are shown; the block may contain more."""

WORDS: Final = 210
"""Most characters shown of an item."""

SPEAKER: Final = (9, 16)
"""Least and most columns for a speaker's name, so that the answers line up."""

_AFTERWARDS: Final = datetime(2025, 10, 3, 9, 0, tzinfo=UTC)


def _after_the_sample() -> datetime:
    """A time soon after the sample's last turn, so that relative dates in its questions always mean the same."""
    return _AFTERWARDS


@dataclass(frozen=True, slots=True)
class LoadResult:
    """The result of loading the conversation: seconds until it was stored, and from then to the last vector."""

    report: IngestReport
    stored: float
    finished: float


@dataclass(frozen=True, slots=True)
class DemoAnswer:
    """A question, the context recalled for it, and the milliseconds that the recall took."""

    question: str
    context: Context
    took: float

    @property
    def best(self) -> list[ContextItem]:
        """The items to show, best first. The cost signal is ignored: it is about the budget, not about the answer."""
        return sorted(self.context.items, key=lambda item: (item.signals.get("cost", 0.0) - item.score, item.turn_ids))[
            :BEST
        ]


@click.command()
@click.argument("path", required=False)
@click.option("--ask", "questions", multiple=True, metavar="QUESTION", help="Question to ask. May be repeated.")
@click.option(
    "--budget",
    type=click.IntRange(min=0),
    metavar="TOKENS",
    help=f"Maximum size of each block.  [default: {BUDGET}]",
)
@click.option("--proxy", is_flag=True, help="Show the proxy: a chat whose client forgets, without and with it.")
@common
def demo(scope: Scope, path: str | None, questions: tuple[str, ...], budget: int | None, *, proxy: bool) -> None:
    """Show Clew at work, on a sample conversation or on yours.

    PATH is anything that `clew import` reads; give questions with --ask, or type them. Without PATH, a sample that
    comes with Clew is used: three people and an assistant build an app over seven months. Nothing is kept, unless
    --home is given. With --proxy, a server, a scripted model and a conversation that remembers are shown.
    """
    if proxy:
        from clew.cli.demo_proxy import run_proxy_demo  # the server takes half a second to load

        if path is not None or questions or budget is not None:
            raise click.UsageError("--proxy shows its own conversation: give neither PATH, --ask nor --budget.")
        run_proxy_demo(as_json=scope.as_json)
        return
    most = BUDGET if budget is None else budget
    with _home(scope) as home, _open(home, scope, sample=path is None) as memory:
        loaded = _load(memory, path or str(SAMPLE / "conversation.jsonl"))
        if scope.as_json:
            answers = [_ask(memory, question, most) for question in questions or _prepared(path)]
            emit(_record(memory, loaded, answers))
            return
        _print_loaded(memory, loaded, path)
        number = 0
        for number, question in enumerate(questions or _prepared(path) or _typed(), start=1):
            _print_answer(memory, _ask(memory, question, most), number)
        _print_end(kept=scope.home is not None, asked=number > 0)


@contextlib.contextmanager
def _home(scope: Scope) -> Iterator[str]:
    if scope.home is not None:
        yield scope.home
        return
    with tempfile.TemporaryDirectory(prefix="clew-demo-") as folder:
        yield folder


def _open(home: str, scope: Scope, *, sample: bool) -> Memory:
    return open_memory(
        Scope(home=home, space=scope.space), clock=_after_the_sample if sample else None, makes_home=True
    )


def _load(memory: Memory, path: str) -> LoadResult:
    started = time.perf_counter()
    report = import_shown(memory, path)
    stored = time.perf_counter()
    work_through(memory, "jobs")
    return LoadResult(report, stored - started, time.perf_counter() - stored)


def _prepared(path: str | None) -> list[str]:
    """The questions of the sample; none if the conversation is the user's own."""
    if path is not None:
        return []
    every = json.loads((SAMPLE / "questions.json").read_text(encoding="utf-8"))
    return [record["question"] for record in every[:QUESTIONS]]


def _typed() -> Iterator[str]:
    """Questions typed on a terminal, up to an empty line; none if standard input is not a terminal."""
    while sys.stdin.isatty():
        question = click.prompt("Question (empty to finish)", default="", show_default=False, err=True).strip()
        if not question:
            return
        yield question


def _ask(memory: Memory, question: str, budget: int) -> DemoAnswer:
    started = time.perf_counter()
    context = memory.recall(question, budget=budget)
    return DemoAnswer(question, context, 1000 * (time.perf_counter() - started))


def _print_loaded(memory: Memory, loaded: LoadResult, path: str | None) -> None:
    console = page()
    console.print(
        Text.assemble(
            ("Clew", "bold"),
            f" {__version__}  ",
            dim("gives LLM conversations a memory that outlives the context window"),
        )
    )
    console.print()
    if path is None:
        console.print("A sample: three people and an assistant build an app, March to October 2025.")
    print_report(loaded.report, loaded.stored)
    console.print(_embedding(memory, loaded))


def _embedding(memory: Memory, loaded: LoadResult) -> str:
    if memory.embedder is None:
        note = memory.embedder_note or "no embedder"
        return f"{note[:1].upper()}{note[1:]}. Turns are found by their words only, not by meaning."
    count = memory.stats().vectors
    return (
        f"{counted(count, 'vector')} made by {memory.embedder.name.partition('@')[0]} in the background, "
        f"in {loaded.finished:.1f} s"
    )


def _print_answer(memory: Memory, answer: DemoAnswer, number: int) -> None:
    console, context = page(), answer.context
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
        (f"{clew} import claude-code", "import your Claude Code sessions; also: codex, gemini-cli, vscode"),
        (f"{clew} import FILE", "import a ChatGPT or Claude export, JSON Lines, Markdown or text"),
        (f'{clew} recall "what did we decide about ...?"', "print the turns that answer a question"),
        (f"{clew} demo FILE --ask QUESTION", "run this demo on a conversation of yours"),
    ]
    console = page()
    console.print()
    if not asked:
        console.print("No question was asked: give questions with --ask, or run this in a terminal and type them.")
    console.print(
        "Next, with your own conversations:" if kept else "Nothing was kept. Next, with your own conversations:"
    )
    for command, what in steps:
        console.print(f"  {command}", soft_wrap=True)
        console.print(dim(f"      {what}"))


def _program() -> str:
    """The command that starts this program: its name, or its path if it is not on the PATH."""
    started = Path(sys.argv[0])
    if started.stem != "clew" or shutil.which("clew"):
        return "clew"
    return os.path.relpath(started)


def _record(memory: Memory, loaded: LoadResult, answers: list[DemoAnswer]) -> dict[str, Any]:
    report = loaded.report
    return {
        "version": __version__,
        "import": {**report.to_dict(), "seconds": round(loaded.stored, 3)},
        "embedder": None if memory.embedder is None else memory.embedder.name,
        "vectors": memory.stats().vectors,
        "answers": [
            {"question": answer.question, **answer.context.to_dict(), "ms": round(answer.took, 3)} for answer in answers
        ],
    }
