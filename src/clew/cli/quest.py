"""`clew quest`: lists the tasks of coding sessions, sets their stage, seals them, exports and imports patterns."""

from typing import Final

import click
from rich.text import Text

from clew.cli.opening import PATIENCE, open_memory, session_named
from clew.cli.options import Scope, common, limited, most_rows
from clew.cli.show import dim, err, grid, lay_out, out, shortened
from clew.cli.terminal import emit
from clew.text.counted import counted
from clew.text.printable import printable
from clew.types.quests import Quest, QuestStage

LINE: Final = 80
"""Most characters shown of a title."""


@click.group(invoke_without_command=True)
@click.option("--session", metavar="NAME", help="Only the quests of this conversation.")
@limited("rows")
@common
@click.pass_context
def quest(context: click.Context, scope: Scope, session: str | None, limit: int | None) -> None:
    """List the tasks of coding sessions, set their stage, or seal them.

    A quest is a task that led to work on files. It begins with a request (genesis), goes on with changes of files
    (transform) and checks of them (verify), and is complete when the last check passed and the work was handed over,
    when you accepted it, or when it was committed. Without a command, lists the quests by conversation and in their
    order; of more than --limit, the last ones.
    """
    if context.invoked_subcommand is not None:
        if session is not None or limit is not None:
            raise click.UsageError("--session and --limit before a command of `clew quest` belong to the list only.")
        return
    with open_memory(scope) as memory:
        memory.drain(PATIENCE)
        every = memory.quests(session if session is None or memory.is_empty else session_named(memory, session))
    most = most_rows(scope, limit)
    quests = every[-most:]
    if scope.as_json:
        emit(*(task.to_dict() for task in quests))
        return
    table = grid("stage", "quest")
    for task in quests:
        table.add_row(Text(task.stage.value), _cell(task))
    if quests:
        lay_out(out(), table)
        if len(every) > most:
            err().print(f"{len(every) - most:,} before; --limit shows them", style="dim")
    else:
        err().print("no session has worked on files yet", style="dim")


def _cell(each: Quest) -> Text:
    said = [counted(len(each.files), "file"), counted(len(each.checks), "check")]
    said += [] if each.passed is None else [f"the last one {'passed' if each.passed else 'failed'}"]
    said += ["sealed"] if each.sealed else []
    cell = Text(shortened(printable(each.title), LINE))
    return cell.append_text(dim(f"\n{each.id}\n{', '.join(said)}"))


_STAGE = click.Choice([stage.value for stage in QuestStage])


@quest.command("set")
@click.argument("quest_id", required=False)
@click.option("--session", metavar="NAME", help="Begin a quest with the next turn of this conversation.")
@click.option("--title", metavar="TEXT", help="What the quest is called.")
@click.option("--stage", type=_STAGE, help="The stage that it is in.")
@common
def set_(scope: Scope, quest_id: str | None, session: str | None, title: str | None, stage: str | None) -> None:
    """Set the title or the stage of a quest, or begin one."""
    with open_memory(scope, makes_home=True) as memory:
        made = memory.set_quest(quest_id, session=session, title=title, stage=stage)
    if scope.as_json:
        emit(made.to_dict())
    else:
        out().print(Text(f"{made.stage.value}: {printable(made.title)}  {made.id}"))


@quest.command()
@click.argument("quest_id")
@click.option("--root", type=click.Path(), metavar="FOLDER", help="Folder of the project that its files are read from.")
@common
def seal(scope: Scope, quest_id: str, root: str | None) -> None:
    """Seal a complete quest with a hash chain over its turns, files and checks.

    `clew verify --quest` checks the seal. Keep the head elsewhere, such as in the commit's message, to prove later that
    nothing was changed.
    """
    with open_memory(scope) as memory:
        memory.drain(PATIENCE)
        made = memory.seal_quest(quest_id, root=root)
    if scope.as_json:
        emit(made.to_dict())
    else:
        out().print(f"sealed: {counted(len(made.entries), 'entry')}, head {made.head}", soft_wrap=True)


@quest.command()
@click.argument("quest_id")
@click.argument("file", type=click.Path())
@common
def export(scope: Scope, quest_id: str, file: str) -> None:
    """Export how a complete quest was done to a new JSON file."""
    with open_memory(scope) as memory:
        memory.drain(PATIENCE)
        pattern = memory.export_pattern(quest_id, file)
    if scope.as_json:
        emit(pattern.to_dict())
    else:
        out().print(f"pattern {pattern.name} written to {printable(file)}", soft_wrap=True)


@quest.command("import")
@click.argument("file", type=click.Path())
@common
def import_(scope: Scope, file: str) -> None:
    """Import a pattern that `clew quest export` wrote."""
    with open_memory(scope, makes_home=True) as memory:
        pattern = memory.import_pattern(file)
    if scope.as_json:
        emit(pattern.to_dict())
    else:
        out().print(f"pattern {pattern.name} imported: {printable(pattern.title)}", soft_wrap=True)


@quest.command()
@common
def patterns(scope: Scope) -> None:
    """List the patterns of quests that are kept here, with where they come from."""
    with open_memory(scope) as memory:
        learned = memory.quest_patterns()
    if scope.as_json:
        emit(*(pattern.to_dict() for pattern in learned))
        return
    table = grid("pattern", "how it was done")
    for pattern in learned:
        cell = Text(shortened(printable(pattern.title), LINE))
        cell.append_text(
            dim(f"\n{' > '.join(pattern.steps)}; {', '.join(map(printable, pattern.checks)) or 'no checks'}")
        )
        source = pattern.imported_from or pattern.provenance.get("quest", "")
        table.add_row(Text(pattern.name), cell.append_text(dim(f"\nfrom {printable(source)}")))
    if learned:
        lay_out(out(), table)
    else:
        err().print("no patterns; `clew quest export` makes one of a complete quest", style="dim")
