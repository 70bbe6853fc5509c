"""`clew sessions`: lists the conversations."""

from typing import Any

import click
from rich.text import Text

from clew.cli.ask import no_such_project
from clew.cli.narrowing import with_times
from clew.cli.opening import open_for_questions
from clew.cli.options import Scope, common, limited, moment_or_phrase, most_rows, of_project
from clew.cli.show import dim, err, grid, lay_out, out, shortened
from clew.cli.terminal import emit
from clew.text.counted import counted
from clew.text.printable import printable_name
from clew.types.ids import cut_session
from clew.types.session import SessionInfo

DAY = 24 * 60
"""Minutes of a day."""

TITLE = 66
"""Most characters shown of a title."""


@click.command()
@of_project
@click.option(
    "--since",
    type=moment_or_phrase,
    metavar="TIME",
    help="Only conversations since this date, or since a time such as 'last week'.",
)
@limited("rows")
@common
def sessions(scope: Scope, limit: int | None, **only: Any) -> None:
    """List the conversations, with title, project, git branch, client and time.

    The latest comes first. The name in the last line of each is what --session takes; a very long one is cut, and
    --json has the whole.
    """
    most = most_rows(scope, limit)
    with open_for_questions(scope) as memory:
        listed = memory.sessions(limit=most + 1, **with_times(memory, only))
        if scope.as_json:
            emit(*(session.to_dict() for session in listed[:most]))
            return
        empty = memory.is_empty
        missing = "" if listed or empty else no_such_project(memory, only)
    table = grid("time", "session")
    for session in listed[:most]:
        table.add_row(dim(_when(session)), _described(session))
    lay_out(out(), table)
    if len(listed) > most:
        err().print("There are more; --limit shows them.", style="dim")
    elif not listed:
        err().print("Nothing is stored yet." if empty else missing or "No conversation matches.", style="dim")


def _when(session: SessionInfo) -> str:
    start, end = session.start, session.end
    if start is None or end is None:
        return "no date"
    last = "" if start.date() == end.date() else f"\nto {end.date()}"
    return f"{start.date()} {start:%H:%M}{last}"


def _described(session: SessionInfo) -> Text:
    where = " on ".join(shortened(place, TITLE) for place in (session.project, session.branch) if place)
    about = f"about {', '.join(session.topics)}" if session.topics else ""
    size = [session.client or "", counted(session.turns, "turn"), _length(session)]
    lines = (about, where, ", ".join(shortened(fact, TITLE) for fact in size if fact))
    title = shortened(session.title or "no title", TITLE)
    return Text.assemble(
        (title, "bold"), *(f"\n{line}" for line in lines if line), dim(f"\n{printable_name(cut_session(session.name))}")
    )


def _length(session: SessionInfo) -> str:
    """How long a session lasted; empty if its times are unknown, or all its turns have one time, as of a day."""
    if session.start is None or session.end is None or (session.start == session.end and session.turns > 1):
        return ""
    minutes = round((session.end - session.start).total_seconds() / 60)
    longer = f"{minutes / 60:.1f} h" if minutes < 2 * DAY else f"{minutes // DAY} days"
    return f"{minutes} min" if minutes < 120 else longer
