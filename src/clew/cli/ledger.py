"""`clew ledger`: prints what requests through the proxy cost, and what Clew saved or cost."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import click

from clew.cli.narrowing import with_times
from clew.cli.opening import open_for_questions
from clew.cli.options import Scope, common, moment_or_phrase
from clew.cli.show import err, grid, lay_out, out, shortened
from clew.cli.terminal import emit
from clew.text.counted import counted

NAME = 40
"""Most characters shown of a name."""

ROWS = 20
"""Most rows of a table."""

LEAST_NAME = 16
"""Characters that the column of names has at least, so that the tables stand below each other."""

COLUMNS: Final = {
    "reqs": 5,
    "input": 5,
    "cached": 6,
    "pred.": 5,
    "written": 7,
    "output": 6,
    "added": 5,
    "cost": 7,
    "saved": 8,
}
"""Titles and widths; with the names and a blank between them they fit into 80 characters."""

_UNITS: Final = {"k": 1e3, "M": 1e6, "G": 1e9}


@click.command()
@click.option("--session", metavar="NAME", help="Only this conversation.")
@click.option(
    "--since",
    type=moment_or_phrase,
    metavar="TIME",
    help="Only requests since this date, or since a time such as 'last week'.",
)
@common
def ledger(scope: Scope, **only: Any) -> None:
    """Print what requests through the proxy cost, by day, model and conversation.

    `reqs` are requests. Tokens are those that the providers report, in k, M and G where there are many: `input` with
    those `cached` and `written` to the provider's cache in it, and `output`. `pred.` is what was predicted to be
    cached, and `added` is what Clew put in. `cost` and `saved` are in dollars. `saved` is the difference to what the
    same requests would have cost without Clew, by the model of the provider's cache; it is negative where the added
    blocks cost more than was saved.
    Requests to models whose price is unknown count as tokens alone.
    """
    from clew.serve.proxy.economy.ledger import read_ledger  # so that other commands start without the proxy

    with open_for_questions(scope) as memory:
        narrowed = with_times(memory, only)
        since: datetime | None = narrowed.get("since")
        with memory.reads.store.snapshot() as reader:
            totals = read_ledger(reader, memory.space, session=narrowed.get("session"), since=since)
    if scope.as_json:
        emit(totals.to_dict())
        return
    if not totals.total.requests:
        err().print("No request has passed through the proxy yet; `clew serve` starts it.", style="dim")
        return
    for title, rows in (
        ("day", totals.days),
        ("model", totals.models),
        ("session", totals.sessions),
        ("total", (totals.total,)),
    ):
        _print(title, rows)
        if title != "total":
            out().print()
    notes = [
        f"{counted(totals.total.unpriced, 'request')} without a known price" if totals.total.unpriced else "",
        f"{counted(totals.total.failed, 'request')} failed, or forwarded unchanged" if totals.total.failed else "",
    ]
    if any(notes):
        err().print("; ".join(note for note in notes if note), style="dim")


def _print(title: str, rows: Sequence[Any]) -> None:
    table = grid(title, *(f">{name}" for name in COLUMNS), titles=True)
    table.padding, table.expand = (0, 1, 0, 0), False  # so that ten columns stand in 80
    first, *others = table.columns
    first.no_wrap, first.min_width = False, LEAST_NAME
    for column, width in zip(others, COLUMNS.values(), strict=True):
        column.no_wrap, column.ratio, column.min_width = True, None, width
    for row in rows[:ROWS]:
        table.add_row(
            shortened(row.name or ("all" if title == "total" else "none"), NAME),
            _short(row.requests),
            _short(row.input),
            _short(row.cached),
            _short(row.predicted_cached),
            _short(row.written),
            _short(row.output),
            _short(row.block_tokens),
            _dollars(row.cost),
            _dollars(row.saved),
        )
    lay_out(out(), table)
    if len(rows) > ROWS:
        err().print(f"{len(rows) - ROWS} more rows; --json has them all.", style="dim")


def _short(count: int) -> str:
    """A count in at most five characters below 10^12: 9,999, 12.3k, 123k, 1.2M."""
    if count < 10_000:
        return f"{count:,}"
    value, unit = next((count / size, unit) for unit, size in _UNITS.items() if count < 999.5 * size or unit == "G")
    return f"{value:.1f}{unit}" if value < 99.95 else f"{value:.0f}{unit}"


def _dollars(amount: float) -> str:
    """An amount in at most seven characters and its sign below a million."""
    size = abs(amount)
    places = 4 if size < 1 else 2 if size < 1000 else 0
    sign = "-" if amount < 0 and round(size, places) else ""
    return f"{sign}${size:,.{places}f}"
