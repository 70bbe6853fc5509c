"""`clew condense`: compacts a session, says what left the prompt, and shows what stands for which turns."""

from collections.abc import Sequence

import click

from clew.cli.opening import open_for_questions, open_memory, session_named
from clew.cli.options import Scope, common, with_counter
from clew.cli.show import bar, dim, err, grid, lay_out, out, shortened
from clew.cli.terminal import emit
from clew.text.counted import counted
from clew.text.printable import printable
from clew.types import Receipt
from clew.types.shown import Shown

_LINE = 200
"""Most characters shown of what stands for turns."""

_RANGES = 2
"""Ranges of turn numbers that a row names."""


@click.command()
@click.argument("session", required=False)
@click.option("--force", is_flag=True, help="Compact the session even if it is not due.")
@click.option("--dry-run", is_flag=True, help="Write nothing; say what would be done.")
@click.option("--shown", is_flag=True, help="Compact nothing; list what a prompt shows in place of which turns.")
@click.option(
    "--session-tokens",
    type=click.IntRange(min=0),
    metavar="TOKENS",
    help="New tokens that make the session due, for this call.  [default: condense.session_tokens]",
)
@with_counter
@common
def condense(
    scope: Scope,
    session: str | None,
    force: bool,
    dry_run: bool,
    shown: bool,
    session_tokens: int | None,
    counter: str | None,
) -> None:
    """Compact a session: make the recap that stays until its next compaction.

    SESSION is a name that `clew sessions` lists; without it, the latest session is taken. It is due when more than
    `condense.session_tokens` were added since its last compaction; the background work compacts such sessions itself.
    The turns stay as they are: `clew recap` prints the recap, `clew explain` with the receipt's id lists what left the
    prompt, and `clew restore` brings it back.
    """
    if shown:
        if force or dry_run or session_tokens is not None:
            raise click.UsageError("--shown compacts nothing: leave out --force, --dry-run and --session-tokens.")
        if counter is not None:
            raise click.UsageError("--shown counts as configured: leave out --counter.")
        _show(scope, session)
        return
    with open_memory(scope) as memory, bar("turns") as line:
        name = session_named(memory, session)
        task = line.add_task("", total=0)
        receipt = memory.condense(
            name,
            force=force,
            dry_run=dry_run,
            session_tokens=session_tokens,
            counter=counter,
            on_progress=lambda done, total: line.update(task, completed=done, total=total),
        )
    if scope.as_json:
        emit(receipt.to_dict())
    else:
        err().print(_summary(name, receipt, dry_run=dry_run))


def _show(scope: Scope, session: str | None) -> None:
    with open_for_questions(scope) as memory:
        name = session_named(memory, session)
        shown = memory.shown(name)
    if scope.as_json:
        emit(*(line.to_dict() for line in shown))
        return
    table = grid("turns", ">tokens", ">of", "shown as", titles=True)
    for line in shown:
        cell = f"{line.rendering}: {printable(shortened(' '.join(line.text.split()), _LINE))}".rstrip(": ")
        table.add_row(_numbers(line.turn_ids), f"{line.tokens:,}", f"{line.full_tokens:,}", cell)
    lay_out(out(), table)
    lay_out(out(), dim(_totals(name, shown)))


def _numbers(ids: Sequence[str]) -> str:
    """The numbers of turns within their session, as ranges: `4-9, 11 + 3 more`."""
    ranges: list[list[int]] = []
    for seq in sorted(int(turn_id.rpartition(":")[2]) for turn_id in ids):
        if ranges and seq == ranges[-1][-1] + 1:
            ranges[-1] = [ranges[-1][0], seq]
        else:
            ranges.append([seq])
    told = ", ".join("-".join(map(str, seqs)) for seqs in ranges[:_RANGES])
    left = sum(seqs[-1] - seqs[0] + 1 for seqs in ranges[_RANGES:])
    return f"{told} + {left} more" if left else told


def _totals(session: str, shown: Sequence[Shown]) -> str:
    turns = sum(len(line.turn_ids) for line in shown)
    full, now = sum(line.full_tokens for line in shown), sum(line.tokens for line in shown)
    return (
        f"{counted(turns, 'turn')}: {full:,} tokens are shown as {now:,}, beside the recap (`clew recap`).\n"
        f"`clew restore {printable(session)}:turn:N` shows turn N."
    )


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
