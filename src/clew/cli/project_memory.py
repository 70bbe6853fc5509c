"""`clew project overlays | attach | detach | decisions | drift`: where conversations and projects meet."""

from collections import Counter
from pathlib import Path
from typing import Final

import click
from rich.text import Text

from clew.analyze.overlays import Overlay
from clew.cli.opening import PATIENCE, open_memory
from clew.cli.options import Scope, common
from clew.cli.show import day, dim, err, grid, lay_out, out, shortened
from clew.cli.terminal import emit
from clew.config import load_config
from clew.errors import InputError
from clew.project.elements import elements_of
from clew.project.lens import overlay_members
from clew.project.overlays import ElementOverlays, OverlayScorer, overlay_rules
from clew.project.project import Project, root_of
from clew.store.home import usable_path
from clew.store.open import home_of
from clew.text.counted import counted
from clew.text.printable import printable, printable_name
from clew.types.projects import CodeDecision, ProjectDrift

TOP: Final = 5
"""Elements listed for each overlay."""

WIDE: Final = 72
"""Most characters shown of a text."""

FILES: Final = 20
"""Files and decisions that drift names."""

SHOWN_FOLDERS: Final = 6
"""Folders whose further files drift counts apart."""


def folder_of(root: str | None) -> Path:
    """The folder that --root names, or this one.

    Raises:
        InputError: no folder can have that path.
    """
    return Path() if root is None else usable_path(root, "the folder of the project")


def project_folder(root: str | None) -> Path:
    """The folder of the project: as given, or the nearest upwards that has a store, or this one.

    Raises:
        InputError: see `folder_of`.
    """
    return folder_of(root) if root is not None else root_of(".") or Path()


root_option = click.option(
    "--root", metavar="DIR", help="Folder of the project.  [default: the nearest one that has a store, else .]"
)


def _overlay(_ctx: click.Context, _option: click.Parameter, name: str | None) -> Overlay | None:
    try:
        return None if name is None else Overlay.of(name)
    except InputError as error:
        raise click.BadParameter(str(error)) from error


@click.command()
@click.option("--overlay", metavar="NAME", callback=_overlay, help="Only this overlay: O1 to O7, or its long name.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=TOP, show_default=True, help="Elements listed for each overlay."
)
@root_option
@common
def overlays(scope: Scope, overlay: Overlay | None, limit: int, root: str | None) -> None:
    """List the elements of a project that belong most to each of the seven overlays, with the evidence.

    Paths, kinds, imports and words of an element decide; `project.overlays` in clew.toml adds to the lists and takes
    away from them. With --json, one element per line.
    """
    chosen = list(Overlay) if overlay is None else [overlay]
    config = load_config(home_of(scope.home))
    scorer = OverlayScorer(overlay_rules(config.project.overlays))
    with Project.open(project_folder(root)) as opened:
        scored = [scorer.score(element) for element in elements_of(opened)]
        overlay_members(opened, config.project.overlays)  # writes their lists to the store
    for each in chosen:
        best = sorted(scored, key=lambda one: (-one.scores.get(each.value, 0.0), one.element.title))
        strongest = [one for one in best[:limit] if one.scores.get(each.value)]
        if scope.as_json:
            emit(*(_record(one, each) for one in strongest))
        else:
            _print_overlay(each, strongest, sum(one.scores.get(each.value, 0.0) >= 5 for one in scored))


def _record(one: ElementOverlays, overlay: Overlay) -> dict[str, object]:
    evidence = [each.to_dict() for each in one.evidence if each.overlay == overlay]
    element = {"id": one.element.id, "path": one.element.path, "kind": one.element.kind}
    return {"overlay": overlay.value, "score": one.scores[overlay.value], **element, "evidence": evidence}


def _print_overlay(overlay: Overlay, elements: list[ElementOverlays], active: int) -> None:
    out().print(Text.assemble((overlay.value, "bold"), dim(f"  {counted(active, 'active element')}")))
    table = grid(">score", "element")
    for one in elements:
        why = "; ".join(evidence.what for evidence in one.evidence if evidence.overlay == overlay)
        cell = Text(shortened(printable_name(one.element.title), WIDE))
        table.add_row(f"{one.scores[overlay.value]:.1f}", cell.append_text(dim(f"\n{printable(why)}")))
    if elements:
        lay_out(out(), table)


@click.command()
@click.option("--embed", is_flag=True, help="Embed the elements of overlays first, and compare turns by vectors.")
@root_option
@common
def attach(scope: Scope, root: str | None, *, embed: bool) -> None:
    """Measure the turns of this space against a project from now on.

    The turns are analysed again in the background: what touches the project's architecture, security or mission weighs
    more. When the project changes, they are compared again.
    """
    with open_memory(scope, makes_home=True) as memory:
        roots = memory.attach_project(project_folder(root), embed=embed)
    _say_roots(scope, roots)


@click.command()
@root_option
@common
def detach(scope: Scope, root: str | None) -> None:
    """Stop measuring the turns of this space against a project."""
    with open_memory(scope) as memory:
        roots = memory.detach_project(project_folder(root))
    _say_roots(scope, roots)


def _say_roots(scope: Scope, roots: tuple[str, ...]) -> None:
    if scope.as_json:
        emit({"projects": list(roots)})
    else:
        out().print(f"attached to {printable(', '.join(roots)) or 'no project'}", soft_wrap=True)


@click.command()
@click.argument("about")
@click.option("--limit", type=click.IntRange(min=1), default=10, show_default=True, help="Most decisions listed.")
@click.option("--root", metavar="DIR", help="Only of conversations about the project in this folder.")
@common
def decisions(scope: Scope, about: str, limit: int, root: str | None) -> None:
    """List what was decided about a file, function or class, over all conversations.

    ABOUT is a path, whole or its end, or a name, qualified or not. Requests that led to a change of the file come last.
    What was said before the file was changed again is marked as possibly out of date.
    """
    with open_memory(scope) as memory:
        memory.drain(PATIENCE)
        decided = memory.decisions(about, limit=limit, project=root)
    if scope.as_json:
        emit(*({**decision.to_dict(), "stale": decision.is_stale} for decision in decided))
        return
    for decision in decided:
        heading = Text.assemble((f"{day(decision.at)} {decision.kind}", "bold"), dim(f"  {decision.turn}"))
        out().print(Text.assemble(heading, "\n", printable(decision.text), dim(_since(decision))))
    if not decided:
        err().print("No turn decides anything about it.", style="dim")


def _since(each: CodeDecision) -> str:
    if each.changed_by:
        return f"\nchanged since, by {', '.join(each.changed_by)}"
    return "\nwritten to since" if each.changed_on_disk else ""


@click.command()
@click.option(
    "--limit", type=click.IntRange(min=0), default=FILES, show_default=True, help="Most files and decisions named."
)
@common
def drift(scope: Scope, limit: int) -> None:
    """Show which files no conversation explains, and which decisions no code reflects.

    Compares the conversations of this space with the projects that it is attached to. Files that many others import,
    or that belong to overlays, come first. With --json, all are listed.
    """
    with open_memory(scope) as memory:
        memory.drain(PATIENCE)
        found, roots = memory.drift(), memory.projects()
    if scope.as_json:
        emit(*(project_drift.to_dict() for project_drift in found))
    else:
        for project_drift in found:
            _print_drift(project_drift, limit)
    for root in sorted(set(roots) - {project_drift.root for project_drift in found}):
        said = f"{root!r} cannot be read; if it was moved, attach the new folder and detach this one"
        err().print(printable(said), style="dim", soft_wrap=True)


def _print_drift(drifted: ProjectDrift, limit: int) -> None:
    out().print(Text.assemble((printable(drifted.root), "bold")))
    out().print(f"{drifted.explained:,} of {counted(drifted.files, 'file')} come up in conversations")
    _print_unexplained(drifted, limit)
    if drifted.unreflected:
        out().print("Decisions about files that the project does not have, the newest first:")
    for decision in drifted.unreflected[:limit]:
        said = shortened(printable(decision.text), WIDE)
        out().print(f"  {printable_name(', '.join(decision.names))}  {said}  {decision.turn}", soft_wrap=True)
    _print_rest(len(drifted.unreflected) - limit, "decision")


def _print_unexplained(drifted: ProjectDrift, limit: int) -> None:
    """The most central files by folder, in the order of the first of each, and how many more there are in which."""
    if not drifted.unexplained:
        return
    out().print("No conversation explains (in brackets: how many files import it), the most central first:")
    folders: dict[str, list[str]] = {}
    for path in drifted.unexplained[:limit]:
        users = drifted.imported_by.get(path, 0)
        said = f" ({users:,})" if users else ""
        folder, _, name = path.rpartition("/")
        folders.setdefault(folder, []).append(f"{printable_name(name)}{said}")
    for folder, names in folders.items():
        out().print(f"  {printable_name(folder) or '.'}/  {', '.join(names)}", soft_wrap=True)
    rest = Counter(path.partition("/")[0] + "/" if "/" in path else "." for path in drifted.unexplained[limit:])
    shown = [f"{count:,} in {printable_name(folder)}" for folder, count in rest.most_common(SHOWN_FOLDERS)]
    _print_rest(rest.total(), "file", f": {', '.join(shown)}{', and others' if len(rest) > len(shown) else ''}")


def _print_rest(count: int, what: str, where: str = "") -> None:
    if count > 0:
        err().print(f"  and {counted(count, f'more {what}')}{where}; --limit or --json lists them", style="dim")
