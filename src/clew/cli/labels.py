"""`clew labels`: what conversations are about, as the analysis labelled them."""

from typing import Final

import click

from clew.cli.opening import open_memory
from clew.cli.options import Scope, common
from clew.cli.show import counted, dim, emit, err, grid, lay_out, out, shortened
from clew.memory import Memory

PATIENCE: Final = 2.0
"""Seconds that turns which were just added are waited for."""

WORDS: Final = 56
"""Characters shown of a title or of other names."""


@click.command()
@click.argument("name", required=False)
@click.option("--namespace", default="tag", help="Which labels: tag (the default), or domain.")
@click.option("--limit", type=click.IntRange(min=1), default=20, help="Most of them; 20 by default.")
@common
def labels(scope: Scope, name: str | None, namespace: str, limit: int) -> None:
    """List what the conversations are about, or what one label marks.

    With NAME, lists the beats and turns that it marks; another name for the same, or NAME/PART, does as well.
    """
    with open_memory(scope) as memory:
        memory.drain(PATIENCE)
        shown = (
            _names(memory, scope, namespace, limit) if name is None else _marked(memory, scope, name, namespace, limit)
        )
    if not shown and not scope.as_json:
        which = "no label yet" if name is None else f"nothing has the label {name!r}"
        err().print(f"{which}; labels come with closed beats", style="dim")


def _names(memory: Memory, scope: Scope, namespace: str, limit: int) -> int:
    found = memory.labels(namespace)
    if scope.as_json:
        emit(*(each.to_dict() for each in found[:limit]))
        return len(found)
    table = grid("label", ">beats", "also")
    for each in found[:limit]:
        table.add_row(each.name, str(each.count), dim(shortened(", ".join(each.aliases), WORDS)))
    lay_out(out(), table)
    if len(found) > limit:
        err().print(f"{counted(len(found) - limit, 'label')} more; --limit shows them", style="dim")
    return len(found)


def _marked(memory: Memory, scope: Scope, name: str, namespace: str, limit: int) -> int:
    found = memory.labelled(name, namespace)
    if scope.as_json:
        emit(*(each.to_dict() for each in found[:limit]))
        return len(found)
    table = grid("where", ">turns", ">weight", "about")
    for each in found[:limit]:
        about = shortened(each.title or each.name, WORDS)
        table.add_row(dim(each.ref), str(len(each.turn_ids)), f"{each.weight:.2f}", about)
    lay_out(out(), table)
    if len(found) > limit:
        err().print(f"{counted(len(found) - limit, 'place')} more; --limit shows them", style="dim")
    return len(found)
