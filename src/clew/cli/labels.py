"""`clew labels`: lists the topics of the conversations, as the analysis labelled them."""

from typing import Final

import click

from clew.cli.opening import PATIENCE, open_memory
from clew.cli.options import Scope, common, limited, most_rows
from clew.cli.show import dim, err, grid, lay_out, out, shortened
from clew.cli.terminal import emit
from clew.errors import NotFoundError
from clew.memory import Memory
from clew.text.counted import counted

WORDS: Final = 56
"""Most characters shown of a title, or of the aliases of a label."""


@click.command()
@click.argument("name", required=False)
@click.option("--namespace", default="tag", show_default=True, help="Kind of label: tag or domain.")
@limited("rows")
@common
def labels(scope: Scope, name: str | None, namespace: str, limit: int | None) -> None:
    """List the topics of the conversations, or where one topic comes up.

    With NAME, which may be an alias or NAME/PART, lists the beats and turns that have the label. Exit status 1 means
    that there are none.
    """
    most = most_rows(scope, limit)
    with open_memory(scope) as memory:
        memory.drain(PATIENCE)
        if name is not None:
            _marked(memory, scope, name, namespace, most)
        elif not _names(memory, scope, namespace, most) and not scope.as_json:
            err().print("no labels yet; beats are labelled when they are closed", style="dim")


def _names(memory: Memory, scope: Scope, namespace: str, limit: int) -> int:
    listed = memory.labels(namespace)
    if scope.as_json:
        emit(*(label.to_dict() for label in listed[:limit]))
        return len(listed)
    table = grid("label", ">beats", "also")
    for label in listed[:limit]:
        table.add_row(label.name, str(label.count), dim(shortened(", ".join(label.aliases), WORDS)))
    lay_out(out(), table)
    if len(listed) > limit:
        err().print(f"{counted(len(listed) - limit, 'label')} more; --limit shows them", style="dim")
    return len(listed)


def _marked(memory: Memory, scope: Scope, name: str, namespace: str, limit: int) -> None:
    segments = memory.labelled(name, namespace)
    if not segments:
        raise NotFoundError(f"nothing has the label {name!r}; `clew labels` lists those that there are")
    if scope.as_json:
        emit(*(segment.to_dict() for segment in segments[:limit]))
        return
    table = grid("place", ">turns", ">weight", "title")
    for segment in segments[:limit]:
        about = shortened(segment.title or segment.name, WORDS)
        table.add_row(dim(segment.ref), str(len(segment.turn_ids)), f"{segment.weight:.2f}", about)
    lay_out(out(), table)
    if len(segments) > limit:
        err().print(f"{counted(len(segments) - limit, 'place')} more; --limit shows them", style="dim")
