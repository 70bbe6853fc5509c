"""`clew entities`: the people, places and things that conversations name."""

from typing import Final

import click

from clew.cli.opening import open_memory, say_pending
from clew.cli.options import Scope, common
from clew.cli.show import counted, dim, emit, err, grid, lay_out, out, shortened
from clew.errors import NotFoundError
from clew.memory import Memory
from clew.types.entity import NodeType
from clew.types.ids import turn_id

PATIENCE: Final = 2.0
"""Seconds that turns which were just added are waited for."""

WORDS: Final = 72
"""Characters shown of a turn or of other names."""


@click.command()
@click.argument("name", required=False)
@click.option("--type", "kind", type=click.Choice([str(each) for each in NodeType]), help="Only those of one type.")
@click.option("--limit", type=click.IntRange(min=1), default=20, help="Most of them; 20 by default.")
@common
def entities(scope: Scope, name: str | None, kind: str | None, limit: int) -> None:
    """List the people, places and things that are named, or all about one.

    With NAME, which may be a nickname, lists what it stands beside and the newest turns that name it.
    """
    with open_memory(scope) as memory:
        memory.drain(PATIENCE)
        if name is None:
            _list(memory, scope, kind, limit)
        else:
            _about(memory, scope, name, limit)
        say_pending({kind: count for kind, count in memory.stats().pending.items() if kind == "recognise"})


def _list(memory: Memory, scope: Scope, kind: str | None, limit: int) -> None:
    found = [each for each in memory.entities() if kind is None or each.type == kind]
    if scope.as_json:
        emit(*(each.to_dict() for each in found[:limit]))
        return
    table = grid("name", "type", ">turns", "also")
    for each in found[:limit]:
        table.add_row(each.name, str(each.type), str(each.turns), dim(shortened(", ".join(each.aliases), WORDS)))
    lay_out(out(), table)
    if len(found) > limit:
        err().print(f"{counted(len(found) - limit, 'name')} more; --limit shows them", style="dim")
    if not found:
        err().print("nothing is named yet", style="dim")


def _about(memory: Memory, scope: Scope, name: str, limit: int) -> None:
    page = memory.entity(name)
    if scope.as_json:
        emit(page.to_dict())
        return
    entity = page.entity
    also = f", also {', '.join(entity.aliases)}" if entity.aliases else ""
    out().print(f"{entity.name}: {entity.type}, {counted(entity.turns, 'turn')}{also}", highlight=False, markup=False)
    near = grid("beside", "type", "how", ">turns")
    for each in page.neighbours[:limit]:
        near.add_row(each.name, str(each.type), str(each.edge).replace("_", " "), str(each.turns))
    lay_out(out(), near)
    told = grid("turn", "says")
    for ref in page.turn_ids[:limit]:
        try:
            turn = memory.get(ref)
        except NotFoundError:  # forgotten since it was looked up
            continue
        told.add_row(dim(turn_id(turn.session, turn.seq or 0)), shortened(" ".join(turn.text.split()), WORDS))
    lay_out(out(), told)
