"""`clew ledger`: prints what requests through the proxy cost, and what Clew saved or cost."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click

from clew.cli.narrowing import with_session, with_times
from clew.cli.opening import open_for_questions
from clew.cli.options import Scope, common, moment_or_phrase
from clew.cli.show import counted, err, grid, lay_out, out, shortened
from clew.cli.terminal import emit

NAME = 40
"""Most characters shown of a name."""

ROWS = 20
"""Most rows of a table."""


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

    Tokens are those that the providers report. `saved` is the difference to what the same requests would have cost
    without Clew, by the model of the provider's cache; it is negative where the added blocks cost more than was saved.
    Requests to models whose price is unknown count as tokens alone.
    """
    from clew.serve.proxy.economy.ledger import read_ledger  # so that other commands start without the proxy

    with open_for_questions(scope) as memory:
        narrowed = with_times(memory, with_session(memory, only))
        since: datetime | None = narrowed.get("since")
        with memory.reads.store.snapshot() as reader:
            found = read_ledger(reader, memory.space, session=narrowed.get("session"), since=since)
    if scope.as_json:
        emit(found.to_dict())
        return
    if not found.total.requests:
        err().print("No request has passed through the proxy yet; `clew serve` starts it.", style="dim")
        return
    for title, rows in (
        ("day", found.days),
        ("model", found.models),
        ("session", found.sessions),
        ("total", (found.total,)),
    ):
        _print(title, rows)
    notes = [
        f"{counted(found.total.unpriced, 'request')} without a known price" if found.total.unpriced else "",
        f"{counted(found.total.failed, 'request')} failed, or forwarded unchanged" if found.total.failed else "",
    ]
    if any(notes):
        err().print("; ".join(note for note in notes if note), style="dim")


def _print(title: str, rows: Sequence[Any]) -> None:
    table = grid(title, "requests", "input", "cached", "predicted", "written", "output", "ours", "cost", "saved")
    for row in rows[:ROWS]:
        table.add_row(
            shortened(row.name or ("all" if title == "total" else "none"), NAME),
            f"{row.requests:,}",
            f"{row.input:,}",
            f"{row.cached:,}",
            f"{row.predicted_cached:,}",
            f"{row.written:,}",
            f"{row.output:,}",
            f"{row.block_tokens:,}",
            f"${row.cost:,.4f}",
            f"{'-' if row.saved < 0 else ''}${abs(row.saved):,.4f}",
        )
    lay_out(out(), table)
    if len(rows) > ROWS:
        err().print(f"{len(rows) - ROWS} more rows; --json has them all.", style="dim")
