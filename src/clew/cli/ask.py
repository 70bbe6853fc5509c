"""`clew recall`, `clew search` and `clew quote`."""

import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click
from rich.text import Text

from clew.cli.explain import print_receipt
from clew.cli.narrowing import with_times
from clew.cli.opening import open_for_questions
from clew.cli.options import Scope, common, restricting, with_budget, with_counter
from clew.cli.show import day, dim, err, excerpt, grid, lay_out, out, reasons, shortened, turn_record, who
from clew.cli.terminal import emit, give
from clew.memory.recalls import MemoryRecalls
from clew.memory.smallest_budget import smallest_budget
from clew.rank.filter import TurnFilters
from clew.rank.strategies import AUTO, STRATEGIES
from clew.text.counted import counted
from clew.text.printable import printable, without_styles
from clew.types import Context, Hit, Turn

LINES = 240
"""Most characters of a turn shown in a list."""


with_limit = click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    default=10,
    show_default=True,
    help="Maximum number of turns.",
)


@click.command()
@click.argument("query")
@with_budget
@with_counter
@click.option(
    "--strategy",
    type=click.Choice((AUTO, *STRATEGIES)),
    default=AUTO,
    show_default=True,
    help="Kind of turns to prefer.",
)
@click.option(
    "--window",
    type=click.IntRange(min=0),
    metavar="TOKENS",
    help="Context window of the model; the budget is a share of it.",
)
@click.option(
    "--in-window",
    type=click.IntRange(min=0),
    metavar="TURNS",
    help="Leave out this many of the newest turns, which the prompt already has.",
)
@click.option(
    "--position",
    type=int,
    metavar="BEAT",
    help="Prefer turns near this beat of --session, or of the newest conversation, from 0; negative: so many ago.",
)
@restricting
@click.option("--explain", "explained", is_flag=True, help="Also print the explanation, as `clew explain` does.")
@common
def recall(scope: Scope, query: str, budget: int | None, counter: str | None, explained: bool, **only: Any) -> None:
    """Print the turns that answer a question, as one block within a token budget.

    The block goes to standard output, ready to be put into a prompt. The number of tokens and the id of the receipt go
    to standard error. The block is empty if nothing relevant was found or nothing fits. Control characters are shown as
    visible ones.
    """
    with open_for_questions(scope) as memory:
        started = time.perf_counter()
        context = memory.recall(query, budget=budget, counter=counter, **with_times(memory, only))
        took = 1000 * (time.perf_counter() - started)
        receipt = memory.explain(context.receipt_id) if explained else None
        if scope.as_json:
            record = {**context.to_dict(), "ms": round(took, 3)}
            emit(record if receipt is None else {**record, "receipt": receipt.to_dict()})
            return
        give(context.text)
        told = (
            footer(context, took, kept=memory.is_writable) if context.items else nothing(memory, context, query, only)
        )
        err().print(told, style="dim")
        if receipt is not None:
            print_receipt(err(), memory, receipt)


_NAMED: Final = 5
"""Most projects that a message lists."""
NO_WORDS: Final = "Nothing relevant was found: the question has no words. `clew when` shows what was said in a period."
DOUBT: Final = "Probably nothing relevant is stored; these are the nearest turns.\n"


def footer(context: Context, took: float, *, kept: bool) -> str:
    """The line printed after a block: its tokens, items, confidence and time, and the command that explains it.

    Args:
        kept: whether the receipt is, without which nothing explains it afterwards.
    """
    sure = "" if context.confidence is None else f"{context.confidence:.0%} sure, "
    doubt = DOUBT if context.is_doubtful else ""
    return (
        f"{doubt}{context.tokens:,} of {context.budget:,} tokens, {counted(len(context.items), 'item')}, {sure}"
        f"{took:.0f} ms; {f'`clew explain {context.receipt_id}`' if kept else '--explain'} says why"
    )


def nothing(memory: MemoryRecalls, context: Context, query: str, only: Mapping[str, object]) -> str:
    """Why a block is empty, and what to do next; `only` are the filter options."""
    if context.omitted and (enough := smallest_budget(memory, context)) > context.budget:
        return f"Nothing fits into {context.budget:,} tokens; the shortest turn takes {enough:,}. Raise --budget."
    if memory.is_empty:
        return _nothing_stored(memory)
    if not any(map(str.isalnum, query)):
        return NO_WORDS
    given = [
        f"--{name.replace('_', '-')}" for name, value in only.items() if name in TurnFilters.__annotations__ and value
    ]
    if unknown := no_such_project(memory, only):
        return unknown
    if given:
        return f"Nothing relevant was found with {' and '.join(given)}; try without."
    return "Nothing relevant was found. Try other words; `clew search` lists the nearest turns."


def no_such_project(memory: MemoryRecalls, only: Mapping[str, object]) -> str:
    """That no conversation is of the project that is given, and which projects there are; empty if one is."""
    project = only.get("project")
    if not isinstance(project, str) or memory.sessions(project=project, limit=1):
        return ""
    names = sorted({Path(session.project).name for session in memory.sessions() if session.project})
    there = f"; there is {', '.join(map(repr, names[:_NAMED]))}" if names else "; no conversation has a project"
    return f"No conversation is of the project {project!r:.200}{there}."


def _nothing_stored(memory: MemoryRecalls) -> str:
    return f"Space {memory.space!r} is empty; start with `clew import claude-code` or `clew add`."


@click.command()
@click.argument("query")
@with_limit
@restricting
@common
def search(scope: Scope, query: str, limit: int, **only: Any) -> None:
    """List the best turns for a question, with scores and reasons.

    Scores are comparable only within one search. With --json, one turn per line.
    """
    with open_for_questions(scope) as memory:
        hits = memory.search(query, limit=limit, **with_times(memory, only))
        if scope.as_json:
            emit(*({"id": hit.turn.id, **hit.to_dict()} for hit in hits))
        elif hits:
            _print_hits(hits, query)
        else:
            none = NO_WORDS if not any(map(str.isalnum, query)) else "No turn was found."
            none = no_such_project(memory, only) or none
            err().print(_nothing_stored(memory) if memory.is_empty else none, style="dim")


def _print_hits(hits: list[Hit], query: str) -> None:
    table = grid(">#", ">score", "turn", titles=True)
    for rank, hit in enumerate(hits, start=1):
        cell = Text.assemble(
            _heading(hit.turn), "\n", excerpt(hit.turn.text, query, LINES), "\n", dim(reasons(hit.signals))
        )
        table.add_row(str(rank), f"{hit.score:.2f}", cell)
    lay_out(out(), table)


def _heading(turn: Turn) -> Text:
    return Text.assemble((f"{day(turn.at)} {who(turn)}", "bold"), dim(f"  {turn.id}"))


@click.command()
@click.argument("text")
@with_limit
@common
def quote(scope: Scope, text: str, limit: int) -> None:
    """List the turns that contain an exact phrase, newest first.

    Case, accents and punctuation are ignored. With --json, one turn per line.
    """
    with open_for_questions(scope) as memory:
        turns = memory.find_quote(text, limit=limit)
    if scope.as_json:
        emit(*map(turn_record, turns))
    elif turns:
        for turn in turns:
            out().print(Text.assemble(_heading(turn), "\n", _around(turn.text, text), "\n"), end="")
    else:
        err().print(f"No turn contains {printable(text)!r:.80} word for word.", style="dim")


def _around(text: str, phrase: str) -> str:
    """The part of a turn around a phrase; its beginning when the phrase differs there in accents or punctuation."""
    text = without_styles(text)
    match = re.search(re.escape(phrase), text, re.IGNORECASE)
    offset = max(match.start() - LINES // 3, 0) if match else 0
    head = text[:offset].rfind(" ") + 1
    return ("… " if head else "") + shortened(text[head:], LINES)
