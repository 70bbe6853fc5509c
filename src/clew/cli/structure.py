"""`clew snapshots`: lists the closed beats (topic segments) of a conversation."""

from typing import Final

import click
from rich.text import Text

from clew.cli.opening import PATIENCE, open_memory, session_named
from clew.cli.options import Scope, common
from clew.cli.show import dim, err, grid, lay_out, out, shortened
from clew.cli.terminal import emit
from clew.text.counted import counted
from clew.types.chunk import ContextSnapshot

WORDS: Final = 56
"""Most characters shown of a turn."""


@click.command()
@click.argument("session")
@click.option("--text/--no-text", default=True, help="Show the text of the turns, or only their weights.")
@common
def snapshots(scope: Scope, session: str, text: bool) -> None:
    """List the beats (topic segments) of a conversation.

    Shows the closed beats in order, with the weight of each turn. Turns after the last closed beat are not shown.
    """
    with open_memory(scope) as memory:
        memory.drain(PATIENCE)
        beats = memory.snapshots(session_named(memory, session))
        waiting = memory.stats().pending.get("analyse", 0)
    if scope.as_json:
        emit(*(snapshot.to_dict(include_text=text) for snapshot in beats))
    else:
        for snapshot in beats:
            _show(snapshot, with_text=text)
    if waiting:
        err().print(f"{counted(waiting, 'turn')} not analysed yet; `clew work --once` does it now", style="dim")
    elif not beats and not scope.as_json:
        err().print(f"session {session!r} has no closed beats: it is short", style="dim")


def _show(snapshot: ContextSnapshot, *, with_text: bool) -> None:
    domains = ", ".join(f"{name} {share:.2f}" for name, share in snapshot.domain_summary.items() if share)
    ended = ", forced" if snapshot.forced else ""
    out().print(
        Text.assemble(
            (f"beat {snapshot.conversation_position}", "bold"),
            f"  {counted(len(snapshot.chunks), 'turn')}, weight {snapshot.macro_weight:.2f}{ended}",
            (f"  {domains}", "dim"),
        )
    )
    table = grid("turn", ">weight", "text")
    for chunk in snapshot.chunks:
        text = shortened(chunk.text, WORDS) if with_text else ", ".join(chunk.nuance_flags)
        table.add_row(dim(chunk.chunk_id), f"{chunk.layer1_score:.2f}", text)
    lay_out(out(), table)
