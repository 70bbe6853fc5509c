"""`clew brief`: what to know at the start of a session."""

from pathlib import Path

import click

from clew.cli.ask import no_such_project
from clew.cli.opening import open_for_questions
from clew.cli.options import Scope, common, of_project
from clew.cli.show import err
from clew.cli.terminal import emit, give


@click.command()
@of_project
@common
def brief(scope: Scope, project: str | None, branch: str | None) -> None:
    """Summarise the last session of a project, and what stayed open.

    Without --project, takes the conversations of the current folder if there are any, else of all projects. Shows the
    request, the topics, the last words and the open tasks of the last session, and the sessions before it.
    """
    with open_for_questions(scope) as memory:
        text = memory.brief(project=project or str(Path.cwd()), branch=branch)
        if not text and project is None:
            text = memory.brief(branch=branch)
        missing = "" if text or memory.is_empty else no_such_project(memory, {"project": project})
    if scope.as_json:
        emit({"text": text})
    elif text:
        give(text, newline=True)
    else:
        err().print(missing or "No conversation matches.", style="dim")
