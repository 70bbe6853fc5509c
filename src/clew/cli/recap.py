"""`clew recap`: a session on a page or two."""

from typing import get_args

import click

from clew.cli.opening import open_for_questions, session_named
from clew.cli.options import Scope, common, with_counter
from clew.cli.show import err
from clew.cli.terminal import emit, give
from clew.condense.recap import BUDGET
from clew.recall.recap import Style


@click.command()
@click.argument("session", required=False)
@click.option(
    "--style",
    type=click.Choice(get_args(Style)),
    default="auto",
    show_default=True,
    help="The form: quest for work with tools and files, chat for talk, or whichever suits the session.",
)
@click.option(
    "--budget", type=click.IntRange(min=0), default=BUDGET, show_default=True, help="Most tokens of the recap."
)
@click.option(
    "--stored",
    is_flag=True,
    help="Only up to the last compaction, as it stands in a prompt before the last turns: the same until the next one.",
)
@with_counter
@common
def recap(scope: Scope, session: str | None, style: Style, budget: int, stored: bool, counter: str | None) -> None:
    """Recap a session on a page or two, within a token budget.

    A recap has goal, state, decisions, open tasks, turning points, and the values that are likely needed again. SESSION
    is a name that `clew sessions` lists; without it, the latest session is taken. No model is asked: every line is a
    sentence or a value of a turn, whose number it names.
    """
    with open_for_questions(scope) as memory:
        name = session_named(memory, session)
        made = memory.recap(name, budget=budget, style=style, counter=counter, until_now=not stored)
    if scope.as_json:
        emit(made.to_dict())
        return
    if made.text:
        give(made.text)
    if not made.shown and not made.values:
        err().print(f"nothing of the session fits into {budget:,} tokens; give a larger --budget", style="dim")
    elif made.last + 1 < made.turns:
        err().print(f"covers turns 0 to {made.last} of {made.turns}; the newer ones are not in it", style="dim")
