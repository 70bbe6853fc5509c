"""`clew when`: what was said in a stretch of time."""

import sys
from typing import Any

import click

from clew.cli.opening import open_memory
from clew.cli.options import Scope, common
from clew.cli.show import counted, emit, err, printable
from clew.types.moments import MODES, Remembered


@click.command()
@click.argument("query", required=False, default="")
@click.option("--since", metavar="TIME", help="Beginning: a date, or words such as 'last week', or '3 hours ago'.")
@click.option("--until", metavar="TIME", help="End: likewise; a day, week or month is included.")
@click.option("--mode", type=click.Choice(MODES), default="auto", show_default=True, help="What is wanted of the time.")
@click.option("--session", metavar="NAME", help="Only this conversation.")
@click.option(
    "--budget", type=click.IntRange(min=0), metavar="TOKENS", help="Most tokens of the block; else the setting."
)
@click.option("--counter", metavar="NAME", help="How tokens are counted: estimate, openai or words; else the setting.")
@common
def when(scope: Scope, query: str, since: str | None, until: str | None, mode: str, **more: Any) -> None:
    """Print what was said in a stretch of time, within a token budget.

    QUERY is a question, and may name the time itself: `clew when "what did we decide last week?"`. Without one it
    is told what the time was about, by beats and chapters. `lookup` gives the best turns of the time, `state_at_time`
    the latest of them, `change_over_time` the best of each beat, `summarize_over_time` what each day, week or month
    was about, `window_overview` what all of it was about; `auto` decides by the question's words.
    """
    with open_memory(scope) as memory:
        found = memory.remember_when(since, until, query, mode, **more)
    if scope.as_json:
        emit(found.to_dict())
        return
    if sys.stdout.isatty() and found.text:
        click.echo(printable(found.text))
    else:  # as it was counted, to the last character
        click.echo(found.text, nl=False)
    err().print(_footer(found), style="dim")


def _footer(found: Remembered) -> str:
    ends = [None if end is None else end.isoformat(" ", "minutes")[:16] for end in (found.since, found.until)]
    span = f"from {ends[0] or 'the beginning'} to {ends[1] or 'now'}" if any(ends) else "all times"
    last = found.counted_from
    day = "" if last is None else f" (counted from the conversation's last day, {last.date()})"
    left = f", {found.left_out:,} lines left out" if found.left_out else ""
    what = f"{found.tokens:,} of {found.budget:,} tokens{left}" if found.text else "nothing was found, or nothing fits"
    why = f"`clew explain {found.receipt_id}` says why"
    return f"{found.mode} of {counted(found.turns, 'turn')}, {span}{day}: {what}; {why}"
