"""`clew condense`: compacts a session, and says what left the prompt."""

import click

from clew.cli.opening import latest_session, open_memory
from clew.cli.options import Scope, common
from clew.cli.show import counted, err
from clew.cli.terminal import emit, printable
from clew.types import Receipt


@click.command()
@click.argument("session", required=False)
@click.option("--force", is_flag=True, help="Also a session that is not due.")
@click.option("--dry-run", is_flag=True, help="Write nothing; say what would be done.")
@common
def condense(scope: Scope, session: str | None, force: bool, dry_run: bool) -> None:
    """Compact a session: make the recap that stays until its next compaction.

    SESSION is a name that `clew sessions` lists; without it, the latest session is taken. It is due when more than
    `condense.session_tokens` were added since its last compaction; the background work compacts such sessions itself.
    The turns stay as they are: `clew recap` prints the recap, `clew explain` with the receipt's id lists what left the
    prompt, and `clew restore` brings it back.
    """
    with open_memory(scope) as memory:
        name = session or latest_session(memory)
        receipt = memory.condense(name, force=force, dry_run=dry_run)
    if scope.as_json:
        emit(receipt.to_dict())
    else:
        err().print(_summary(name, receipt, dry_run=dry_run))


def _summary(session: str, receipt: Receipt, *, dry_run: bool) -> str:
    read = receipt.understood
    if not read["compacted"]:
        return f"{printable(session)} is not condensed: {read['why']}."
    did = "would be" if dry_run else "was"
    told = (
        f"{printable(session)} {did} condensed up to turn {read['last']}: {read['tokens_before']:,} tokens to "
        f"{read['tokens_after']:,} (a recap of {receipt.tokens:,}, and the last turns), {read['ratio']} times smaller."
    )
    return (
        told if dry_run else f"{told}\n{counted(len(receipt.omitted), 'turn')} listed by `clew explain {receipt.id}`."
    )
