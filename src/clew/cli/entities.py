"""`clew entities`: lists the people, places and things that conversations name."""

from dataclasses import replace
from typing import Final

import click

from clew.cli.opening import PATIENCE, open_memory, say_pending
from clew.cli.options import Scope, common, limited, most_rows
from clew.cli.show import dim, err, grid, lay_out, out, shortened
from clew.cli.terminal import emit
from clew.errors import NotFoundError
from clew.memory import Memory
from clew.text.counted import counted
from clew.types.entity import NodeType
from clew.types.ids import turn_id

WORDS: Final = 72
"""Most characters shown of a turn, or of the aliases of a name."""


@click.command()
@click.argument("name", required=False)
@click.option(
    "--type", "kind", type=click.Choice([str(node_type) for node_type in NodeType]), help="Only entities of this type."
)
@limited("rows")
@common
def entities(scope: Scope, name: str | None, kind: str | None, limit: int | None) -> None:
    """List the people, places and things that are named, or show one of them.

    With NAME, which may be an alias, shows what it is connected with and the newest turns that name it.
    """
    if name is not None and kind is not None:
        raise click.UsageError("--type belongs to the list of all entities; leave out it or NAME.")
    most = most_rows(scope, limit)
    with open_memory(scope) as memory:
        memory.drain(PATIENCE)
        if name is None:
            _list(memory, scope, kind, most)
        else:
            _about(memory, scope, name, most)
        pending = {kind: count for kind, count in memory.stats().pending.items() if kind == "recognise"}
        say_pending(pending, is_ours=memory.is_writable)


def _list(memory: Memory, scope: Scope, kind: str | None, limit: int) -> None:
    matching = [entity for entity in memory.entities() if kind is None or entity.type == kind]
    if scope.as_json:
        emit(*(entity.to_dict() for entity in matching[:limit]))
        return
    table = grid("name", "type", ">turns", "also")
    for entity in matching[:limit]:
        table.add_row(
            entity.name, str(entity.type), str(entity.turns), dim(shortened(", ".join(entity.aliases), WORDS))
        )
    lay_out(out(), table)
    _say_more(len(matching) - limit, "name")
    if not matching:
        err().print("no entities yet", style="dim")


def _about(memory: Memory, scope: Scope, name: str, limit: int) -> None:
    page = memory.entity(name)
    if scope.as_json:
        emit(replace(page, neighbours=page.neighbours[:limit], turn_ids=page.turn_ids[:limit]).to_dict())
        return
    entity = page.entity
    also = f", also {', '.join(entity.aliases)}" if entity.aliases else ""
    out().print(f"{entity.name}: {entity.type}, {counted(entity.turns, 'turn')}{also}", highlight=False, markup=False)
    near = grid("neighbour", "type", "relation", ">turns")
    for neighbour in page.neighbours[:limit]:
        near.add_row(neighbour.name, str(neighbour.type), str(neighbour.edge).replace("_", " "), str(neighbour.turns))
    lay_out(out(), near)
    _say_more(len(page.neighbours) - limit, "neighbour")
    turns = grid("turn", "text")
    for ref in page.turn_ids[:limit]:
        try:
            turn = memory.get(ref)
        except NotFoundError:  # forgotten since the page was read
            continue
        turns.add_row(dim(turn_id(turn.session, turn.seq or 0)), shortened(" ".join(turn.text.split()), WORDS))
    lay_out(out(), turns)
    _say_more(len(page.turn_ids) - limit, "turn")


def _say_more(count: int, what: str) -> None:
    if count > 0:
        err().print(f"{counted(count, what)} more; --limit shows them", style="dim")
