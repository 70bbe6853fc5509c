"""`clew pin`: pins turns, so that every recall includes them."""

import click
from rich.text import Text

from clew.cli.opening import open_memory
from clew.cli.options import Scope, common
from clew.cli.show import day, dim, err, excerpt, grid, lay_out, out, shortened
from clew.cli.terminal import emit
from clew.errors import NotFoundError
from clew.memory import Memory
from clew.recall.session_names import turn_meant
from clew.rows.pins import MOST
from clew.text.printable import printable
from clew.types.pins import Pin

LINE = 72
"""Most characters shown of a turn or a note."""


@click.command()
@click.argument("turn_id", required=False)
@click.option(
    "--where",
    metavar="EXPRESSION",
    help="Pin the turns that match an expression, such as 'tag:deploy' (docs/query.md).",
)
@click.option(
    "--most",
    type=click.IntRange(min=1),
    metavar="TURNS",
    help=f"Most turns that the rule adds to one recall.  [default: {MOST}]",
)
@click.option("--note", metavar="TEXT", help="Note for yourself, shown in the list.")
@click.option("--remove", is_flag=True, help="Remove the pin; the turn stays stored.")
@common
def pin(
    scope: Scope, turn_id: str | None, where: str | None, most: int | None, note: str | None, *, remove: bool
) -> None:
    """Pin a turn, so that every recall includes it, or list the pins.

    TURN_ID is printed by search, quote and explain. Pinned turns come first in every block, shortened if they do not
    fit. With --where, the pin is a rule: of the turns that match its expression, the best for the question are
    included. Without TURN_ID and --where, lists the pins.
    """
    if turn_id is None and where is None:
        if remove or most is not None or note is not None:
            raise click.UsageError("give a TURN_ID, or a rule with --where.")
        with open_memory(scope) as memory:
            _list(scope, memory)
        return
    if most is not None and where is None:
        raise click.UsageError("--most applies to rules only; give --where, or leave it out.")
    if remove and (most is not None or note is not None):
        raise click.UsageError("--remove cannot be combined with --most or --note.")
    with open_memory(scope) as memory:
        turn_id = turn_id and turn_meant(memory.reads, turn_id)
        if remove:
            memory.unpin(turn_id, where=where)
            _say(scope, {"removed": turn_id or where}, "no longer pinned")
        else:
            made = memory.pin(turn_id, where=where, most=most or MOST, note=note)
            _say(scope, made.to_dict(), f"pinned: {printable(made.name)}")


def _say(scope: Scope, data: dict[str, object], sentence: str) -> None:
    if scope.as_json:
        emit(data)
    else:
        err().print(sentence, style="dim")


def _list(scope: Scope, memory: Memory) -> None:
    pins = memory.pins()
    if scope.as_json:
        emit(*(row.to_dict() for row in pins))
        return
    table = grid("since", "what")
    for row in pins:
        cell = Text(_what(memory, row))
        if row.note:
            cell.append_text(dim(f"\n{shortened(row.note, LINE)}"))
        table.add_row(dim(day(row.pinned_at)), cell)
    if pins:
        lay_out(out(), table)
    else:
        err().print("nothing is pinned; `clew pin TURN_ID` pins a turn", style="dim")


def _what(memory: Memory, each: Pin) -> str:
    if each.kind == "where":
        return f"{printable(each.name)}, {each.most} at most"
    try:
        return f"{each.name}  {excerpt(memory.get(each.name).text, '', LINE)}"
    except NotFoundError:  # forgotten between the two look-ups
        return each.name
