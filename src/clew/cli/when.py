"""`clew when`: prints what was said in a period of time."""

from typing import Any

import click

from clew.cli.narrowing import with_session, with_times
from clew.cli.opening import open_for_questions
from clew.cli.options import Scope, common, of_project, with_budget, with_counter
from clew.cli.show import err
from clew.cli.terminal import emit, give
from clew.text.counted import counted
from clew.types.moments import MODES, Remembered


@click.command()
@click.argument("query", required=False, default="")
@click.option(
    "--since", metavar="TIME", help="Start of the period: a date, or words such as 'last week' or '3 hours ago'."
)
@click.option("--until", metavar="TIME", help="End of the period; a day, week or month is included as a whole.")
@click.option("--mode", type=click.Choice(MODES), default="auto", show_default=True, help="What to return; see above.")
@click.option("--session", metavar="NAME", help="Only this conversation.")
@of_project
@with_budget
@with_counter
@common
def when(scope: Scope, query: str, since: str | None, until: str | None, mode: str, **more: Any) -> None:
    """Print what was said in a period of time, within a token budget.

    QUERY is a question, which may name the period: `clew when "what did we decide last week?"`. Without QUERY, the
    titles of beats and chapters say what the period was about. The modes: `lookup` returns the best turns of the
    period, `state_at_time` the latest of them, `change_over_time` the best of each beat, `summarize_over_time` the
    topics of each day, week or month, `window_overview` the topics of the whole period; `auto` chooses by the question.
    """
    with open_for_questions(scope) as memory:
        more = with_session(memory, more)
        with_times(
            memory, {"since": since, "until": until, "session": more["session"]}
        )  # words without a time are usage
        period = memory.remember_when(query, since, until, mode, **more)
        why = f"; `clew explain {period.receipt_id}` says why" if memory.is_writable else ""
    if scope.as_json:
        emit(period.to_dict())
        return
    give(period.text)
    err().print(_footer(period) + why, style="dim")


def _footer(period: Remembered) -> str:
    ends = [None if end is None else end.isoformat(" ", "minutes")[:16] for end in (period.since, period.until)]
    span = f"from {ends[0] or 'the beginning'} to {ends[1] or 'now'}" if any(ends) else "all times"
    if period.excluded:
        span += f" without {', '.join(period.excluded_days())}"
    last = period.counted_from
    day = "" if last is None else f" (counted from the conversation's last day, {last.date()})"
    left = f", {period.left_out:,} lines left out" if period.left_out else ""
    if period.text:
        what = f"{period.tokens:,} of {period.budget:,} tokens{left}"
    elif period.left_out:
        what = f"nothing fits into {period.budget:,} tokens; raise --budget"
    else:
        what = "nothing was found"
    return f"{period.mode} of {counted(period.turns, 'turn')}, {span}{day}: {what}"
