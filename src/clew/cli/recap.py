"""`clew recap`: a session on a page or two."""

from typing import get_args

import click

from clew.cli.opening import open_for_questions
from clew.cli.options import Scope, common
from clew.cli.terminal import emit, give
from clew.condense.recap import BUDGET
from clew.errors import NotFoundError
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
@common
def recap(scope: Scope, session: str | None, style: Style, budget: int) -> None:
    """Recap a session on a page or two, within a token budget.

    A recap has goal, state, decisions, open tasks, turning points, and the values that are likely needed again. SESSION
    is a name that `clew sessions` lists; without it, the latest session is taken. No model is asked: every line is a
    sentence or a value of a turn, whose number it names.
    """
    with open_for_questions(scope) as memory:
        name = session
        if name is None:
            latest = memory.sessions(limit=1)
            if not latest:
                raise NotFoundError("nothing is stored yet; `clew import` or `clew add` stores conversations")
            name = latest[0].name
        made = memory.recap(name, budget=budget, style=style)
    if scope.as_json:
        emit(made.to_dict())
    else:
        give(made.text, newline=True)
