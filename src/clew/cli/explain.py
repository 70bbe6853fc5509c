"""`clew explain`: the receipt of a recall, for people."""

from collections.abc import Mapping
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from clew.cli.opening import open_memory
from clew.cli.options import Scope, common
from clew.cli.show import day, dim, emit, excerpt, grid, lay_out, lines, out, printable, who
from clew.errors import NotFoundError
from clew.memory import Memory
from clew.types import Receipt

LINE = 120
"""Characters of a turn that a receipt's item shows."""


@click.command()
@click.argument("receipt")
@common
def explain(scope: Scope, receipt: str) -> None:
    """Show why a recall gave what it gave.

    RECEIPT is the name that `clew recall` prints, or `last` for the newest. For each item: its rank, its score, what
    each signal added to it, and its tokens; then what was left out, why, and how to get it back.
    """
    with open_memory(scope) as memory:
        found = memory.explain(None if receipt == "last" else receipt)
        if scope.as_json:
            emit(found.to_dict())
        else:
            print_receipt(out(), memory, found)


def print_receipt(console: Console, memory: Memory, receipt: Receipt) -> None:
    """Prints a receipt; turns that are still stored are shown with their first words."""
    chosen = sorted(receipt.chosen, key=lambda row: row["rank"])
    lay_out(console, lines(_summary(receipt)))
    console.print()
    table = grid(">rank", ">score", ">tokens", "turn and what each signal added", titles=True)
    for row in chosen:
        cell = Text.assemble(_turn(memory, row, receipt.query), "\n", dim(shares(row["signals"])))
        table.add_row(str(row["rank"]), f"{row['score']:.2f}", str(row["tokens"]), cell)
    lay_out(console, table if chosen else dim("Nothing was shown."))
    if receipt.omitted:
        console.print("\nLeft out, best first (`clew restore ID` gives one back):")
        table = grid(">score", "turn and reason")
        for row in receipt.omitted:
            cell = Text.assemble(_turn(memory, row, receipt.query), "\n", dim(printable(row["reason"])))
            table.add_row(f"{row['score']:.2f}", cell)
        lay_out(console, table)


def _summary(receipt: Receipt) -> list[tuple[str, str]]:
    filters = {name: value for name, value in (receipt.settings.get("filter") or {}).items() if value}
    rows = [
        ("question", printable(receipt.query)),
        ("receipt", f"{receipt.id}, {receipt.created_at:%Y-%m-%d %H:%M:%S} UTC"),
        ("read as", "; ".join(f"{name}: {_plain(value)}" for name, value in receipt.understood.items()) or "no term"),
        ("only", "; ".join(f"{name} {_plain(value)}" for name, value in filters.items())),
        ("considered", f"{receipt.considered:,} turns; {len(receipt.chosen)} shown"),
        ("tokens", f"{receipt.tokens:,} of {receipt.settings['budget']:,}, counted by {receipt.settings['counter']}"),
        ("embedder", receipt.settings.get("embedder") or "none: ranked by words alone"),
        ("took", ", ".join(f"{name.removesuffix('_ms')} {value:.1f} ms" for name, value in receipt.timings.items())),
    ]
    return [(name, value) for name, value in rows if value]


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    if isinstance(value, Mapping):
        return " ".join(str(each) for each in value.values() if each)
    return printable(str(value))


def shares(signals: Mapping[str, float]) -> str:
    """What every signal added, by its own name, the strongest first, for or against."""
    strongest = sorted(signals.items(), key=lambda pair: (-abs(pair[1]), pair[0]))
    return ", ".join(f"{name} {share:+.2f}" for name, share in strongest)


def _turn(memory: Memory, row: Mapping[str, Any], query: str) -> Text:
    name = row["turn_ids"][0]
    try:
        turn = memory.get(name)
    except NotFoundError:
        return Text(f"{name} (not stored any more)")
    words = excerpt(turn.text, query, LINE)
    return Text.assemble((f"{day(turn.at)} {who(turn)}", "bold"), dim(f"  {name}"), "\n", words)
