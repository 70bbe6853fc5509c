"""`clew pin`: what goes before everything else a recall finds."""

import click
from rich.text import Text

from clew.cli.opening import open_memory
from clew.cli.options import Scope, common
from clew.cli.show import day, dim, emit, err, excerpt, grid, lay_out, out, printable, shortened
from clew.errors import NotFoundError
from clew.memory import Memory
from clew.rows.pins import MOST
from clew.types.pins import Pin

LINE = 72
"""Characters of a turn, or of a note, that the list shows."""


@click.command()
@click.argument("turn_id", required=False)
@click.option("--where", metavar="EXPRESSION", help="A rule instead of a turn: 'tag:deploy' (docs/query.md).")
@click.option(
    "--most",
    type=click.IntRange(min=1),
    metavar="TURNS",
    help=f"Turns that the rule brings at most; {MOST} by default.",
)
@click.option("--note", metavar="TEXT", help="Why, for you.")
@click.option("--remove", is_flag=True, help="Take the pin back; the turn stays stored.")
@common
def pin(
    scope: Scope, turn_id: str | None, where: str | None, most: int | None, note: str | None, *, remove: bool
) -> None:
    """Have turns in every block from now on, or list what is pinned.

    TURN_ID is what search, quote and explain print. What is pinned goes before everything else that a recall finds,
    shortened where it does not fit whole. A rule brings the best turns for the question of those for which its
    expression holds. Without TURN_ID and --where, lists what is pinned.
    """
    if turn_id is None and where is None:
        if remove or most is not None or note is not None:
            raise click.UsageError("name a turn, or a rule with --where.")
        with open_memory(scope) as memory:
            _list(scope, memory)
        return
    if most is not None and where is None:
        raise click.UsageError("--most is for rules; a turn is one turn.")
    if remove and (most is not None or note is not None):
        raise click.UsageError("--remove takes a pin back as a whole; leave --most and --note out.")
    with open_memory(scope) as memory:
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
    found = memory.pins()
    if scope.as_json:
        emit(*(each.to_dict() for each in found))
        return
    table = grid("since", "what")
    for each in found:
        cell = Text(_what(memory, each))
        if each.note:
            cell.append_text(dim(f"\n{shortened(each.note, LINE)}"))
        table.add_row(dim(day(each.pinned_at)), cell)
    if found:
        lay_out(out(), table)
    else:
        err().print("nothing is pinned; `clew pin TURN_ID` has a turn in every block", style="dim")


def _what(memory: Memory, each: Pin) -> str:
    if each.kind == "where":
        return f"{printable(each.name)}, {each.most} at most"
    try:
        return f"{each.name}  {excerpt(memory.get(each.name).text, '', LINE)}"
    except NotFoundError:  # forgotten between the two look-ups
        return each.name
