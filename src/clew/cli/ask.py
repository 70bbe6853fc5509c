"""`clew recall`, `clew search` and `clew quote`: questions to the memory."""

import sys
import time
from collections.abc import Mapping
from typing import Any

import click
from rich.text import Text

from clew.cli.explain import print_receipt
from clew.cli.opening import open_memory
from clew.cli.options import Scope, common, restricting
from clew.cli.show import (
    counted,
    day,
    dim,
    emit,
    err,
    excerpt,
    grid,
    lay_out,
    out,
    printable,
    reasons,
    shortened,
    turn_record,
    who,
)
from clew.memory import Memory
from clew.rank.filter import TurnFilters
from clew.rank.strategies import AUTO, STRATEGIES
from clew.types import Context, Hit, Turn

LINES = 240
"""Characters of a turn that a list shows."""


@click.command()
@click.argument("query")
@click.option(
    "--budget", type=click.IntRange(min=0), metavar="TOKENS", help="Most tokens of the block; else the setting."
)
@click.option("--counter", metavar="NAME", help="How tokens are counted: estimate, openai or words; else the setting.")
@click.option(
    "--strategy", type=click.Choice((AUTO, *STRATEGIES)), default=AUTO, show_default=True, help="What is brought back."
)
@click.option(
    "--window", type=click.IntRange(min=0), metavar="TOKENS", help="The model's window; the strategy takes a share."
)
@click.option(
    "--in-window", type=click.IntRange(min=0), metavar="TURNS", help="Newest turns that the prompt holds already."
)
@restricting
@click.option("--explain", "explained", is_flag=True, help="Also show why, as `clew explain` does.")
@common
def recall(scope: Scope, query: str, budget: int | None, counter: str | None, explained: bool, **only: Any) -> None:
    """Print the block of remembered turns for a question, within a token budget.

    The block goes to standard output, ready to stand before a model; what it cost and the receipt's name go to standard
    error. An empty block means that nothing relevant was found, or that nothing fits.
    """
    with open_memory(scope) as memory:
        started = time.perf_counter()
        context = memory.recall(query, budget=budget, counter=counter, **only)
        took = 1000 * (time.perf_counter() - started)
        receipt = memory.explain(context.receipt_id) if explained else None
        if scope.as_json:
            record = {**context.to_dict(), "ms": round(took, 3)}
            emit(record if receipt is None else {**record, "receipt": receipt.to_dict()})
            return
        if sys.stdout.isatty() and context.text:
            click.echo(printable(context.text))
        else:  # as it was counted, to the last character
            click.echo(context.text, nl=False)
        err().print(footer(context, took) if context.items else nothing(memory, context, only), style="dim")
        if receipt is not None:
            print_receipt(err(), memory, receipt)


def footer(context: Context, took: float) -> str:
    """What a block cost."""
    sure = "" if context.confidence is None else f"{context.confidence:.0%} sure, "
    return (
        f"{context.tokens:,} of {context.budget:,} tokens, {counted(len(context.items), 'item')}, {sure}{took:.0f} ms; "
        f"`clew explain {context.receipt_id}` says why"
    )


def nothing(memory: Memory, context: Context, only: Mapping[str, object]) -> str:
    """Why a block is empty, and what to do; `only` are the options that restrict it."""
    if context.omitted:
        least = min(each.tokens for each in context.omitted)
        return f"Nothing fits into {context.budget:,} tokens; the shortest turn takes about {least}. Raise --budget."
    if not memory.stats().turns:
        return _nothing_stored(memory)
    given = [
        f"--{name.replace('_', '-')}" for name, value in only.items() if name in TurnFilters.__annotations__ and value
    ]
    if given:
        return f"Nothing relevant was found among the turns that {' and '.join(given)} let through; ask without."
    return "Nothing relevant was found. Other words may find it; `clew search` shows what comes nearest."


def _nothing_stored(memory: Memory) -> str:
    return f"Nothing is stored in space {memory.space!r} yet; begin with `clew import claude-code` or `clew add`."


@click.command()
@click.argument("query")
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="NUMBER", default=10, show_default=True, help="Turns at most."
)
@restricting
@common
def search(scope: Scope, query: str, limit: int, **only: Any) -> None:
    """List the best turns for a question, with score and reasons.

    A score orders the turns of one search and means nothing beyond it. With --json there is one turn a line.
    """
    with open_memory(scope) as memory:
        hits = memory.search(query, limit=limit, **only)
        if scope.as_json:
            emit(*({"id": hit.turn.id, **hit.to_dict()} for hit in hits))
        elif hits:
            _print_hits(hits, query)
        else:
            err().print("No turn was found." if memory.stats().turns else _nothing_stored(memory), style="dim")


def _print_hits(hits: list[Hit], query: str) -> None:
    table = grid(">#", ">score", "turn", titles=True)
    for place, hit in enumerate(hits, start=1):
        cell = Text.assemble(
            _heading(hit.turn), "\n", excerpt(hit.turn.text, query, LINES), "\n", dim(reasons(hit.signals))
        )
        table.add_row(str(place), f"{hit.score:.2f}", cell)
    lay_out(out(), table)


def _heading(turn: Turn) -> Text:
    return Text.assemble((f"{day(turn.at)} {who(turn)}", "bold"), dim(f"  {turn.id}"))


@click.command()
@click.argument("text")
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="NUMBER", default=10, show_default=True, help="Turns at most."
)
@common
def quote(scope: Scope, text: str, limit: int) -> None:
    """List the turns that hold a phrase word for word, newest first.

    Case, accents and the marks between words do not count. With --json there is one turn a line.
    """
    with open_memory(scope) as memory:
        turns = memory.find_quote(text, limit=limit)
    if scope.as_json:
        emit(*map(turn_record, turns))
    elif turns:
        for turn in turns:
            out().print(Text.assemble(_heading(turn), "\n", _around(turn.text, text), "\n"), end="")
    else:
        err().print(f"No turn says {printable(text)!r:.80} word for word.", style="dim")


def _around(text: str, phrase: str) -> str:
    """A turn's words near the phrase; from its beginning when it stands there with other marks."""
    place = max(text.casefold().find(phrase.casefold()) - LINES // 3, 0)
    head = text[:place].rfind(" ") + 1
    return ("… " if head else "") + shortened(text[head:], LINES)
