"""`clew snapshots`: the beats of a conversation, as the analysis closed them."""

from typing import Final

import click
from rich.text import Text

from clew.cli.opening import open_memory
from clew.cli.options import Scope, common
from clew.cli.show import counted, dim, emit, err, grid, lay_out, out, shortened
from clew.types.chunk import ContextSnapshot

PATIENCE: Final = 2.0
"""Seconds that turns which were just added are waited for."""

WORDS: Final = 56
"""Characters shown of a turn."""


@click.command()
@click.argument("session")
@click.option("--text/--no-text", default=True, help="Show what was said, or the weights alone.")
@common
def snapshots(scope: Scope, session: str, text: bool) -> None:
    """List the beats of a conversation and what each turn weighs.

    They are closed beats, in their order; the turns since the last closed beat are in none yet.
    """
    with open_memory(scope) as memory:
        memory.drain(PATIENCE)
        found = memory.snapshots(session)
        waiting = memory.stats().pending.get("analyse", 0)
    if scope.as_json:
        emit(*(snapshot.to_dict(include_text=text) for snapshot in found))
    else:
        for snapshot in found:
            _show(snapshot, with_text=text)
    if waiting:
        err().print(f"{counted(waiting, 'turn')} are not analysed yet; `clew work` does that", style="dim")
    elif not found and not scope.as_json:
        err().print(f"no closed beat in session {session!r}; a short or unknown session has none", style="dim")


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
    table = grid("turn", ">weight", "said")
    for chunk in snapshot.chunks:
        said = shortened(chunk.text, WORDS) if with_text else ", ".join(chunk.nuance_flags)
        table.add_row(dim(chunk.chunk_id), f"{chunk.layer1_score:.2f}", said)
    lay_out(out(), table)
