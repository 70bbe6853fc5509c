"""`clew project`: a code base or set of documents that conversations are measured against."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Final

import click

from clew.cli.opening import open_memory
from clew.cli.options import Scope, common, limited, most_rows
from clew.cli.project_memory import attach, decisions, detach, drift, folder_of, overlays, project_folder, root_option
from clew.cli.show import bar, dim, err, grid, lay_out, lines, numbers, out, shortened
from clew.cli.terminal import emit
from clew.config import load_config
from clew.errors import ClewError
from clew.memory.opening import utc_now
from clew.project.blast_radius import BlastRadius, blast_radius
from clew.project.building import BuildReport
from clew.project.genesis import genesis as run_genesis
from clew.project.layout import Layout
from clew.project.limits import Limits
from clew.project.nodes import NodeKind
from clew.project.open_cognition import FOLDER, CognitionView, read_open_cognition, write_open_cognition
from clew.project.project import Project
from clew.project.prune import prune as run_prune
from clew.project.query import NodeMatch
from clew.project.query import query as run_query
from clew.project.status import ProjectStatus
from clew.project.status import status as run_status
from clew.project.update import update as run_update
from clew.project.watch import watch as run_watch
from clew.rows.quests import sealed_digests
from clew.store.open import home_of
from clew.store.sqlite import DATABASE
from clew.text.counted import counted
from clew.text.printable import printable, printable_name

SHOWN: Final = 5
"""Most files of one kind that are named; `--json` has all of them."""
_ONE: Final = {
    "files": "file",
    "objects": "object",
    "transforms": "transform",
    "nodes": "node",
    "dependencies": "import",
}
WIDE: Final = 60
"""Most characters shown of a text."""
LONG: Final = 200
"""Characters of a path from which its middle is left out where several are named."""


@click.group()
@common
def project(_scope: Scope) -> None:
    """Read a code base or documents into a graph of files, symbols and sections.

    The graph is kept below .clew/project in the folder of the project. With the extra `project`, code in Python,
    JavaScript, TypeScript, Go, Rust, Java, C, C++ and Ruby is read by grammars; without it, as text.
    """


for _command in (overlays, attach, detach, decisions, drift):
    project.add_command(_command)


@project.command()
@root_option
@common
def init(scope: Scope, root: str | None) -> None:
    """Make the store of a project, without reading the project yet.

    Where there is one already, nothing changes, and the exit status is 0 all the same.
    """
    layout = Layout.of(folder_of(root))
    is_new = layout.make()
    if scope.as_json:
        emit({"root": str(layout.root), "folder": str(layout.folder), "created": is_new})
        return
    folder = printable_name(str(layout.folder))
    if layout.index.is_file():
        with Project.open(layout.root) as opened:
            read = len(opened.files())
        said = f"is there already, with {counted(read, 'file')} read; `clew project update` reads what changed"
    else:
        said = f"{'made' if is_new else 'is there already'}; `clew project genesis` reads the project"
    out().print(f"{folder} {said}", soft_wrap=True)


@project.command()
@root_option
@common
def genesis(scope: Scope, root: str | None) -> None:
    """Read the whole project, and heal what is lost or altered in its store.

    What is stored already is not stored again. Files that .gitignore leaves out are not read; files that are binary,
    larger than `project.max_file_bytes` or unreadable are skipped and named.
    """
    with bar("reading") as shown:
        task = shown.add_task("reading", total=None)
        report = run_genesis(
            project_folder(root),
            utc_now(),
            limits=_limits(scope),
            on_progress=lambda done, every: shown.update(task, completed=done, total=every),
        )
    _say(scope, report)


@project.command()
@root_option
@common
def update(scope: Scope, root: str | None) -> None:
    """Read what changed in the project since it was read last."""
    _say(scope, run_update(project_folder(root), utc_now(), limits=_limits(scope)))


@project.command()
@root_option
@common
def watch(scope: Scope, root: str | None) -> None:
    """Read what changes in the project, until Ctrl-C."""
    folder = project_folder(root)
    if not scope.as_json:
        err().print(f"following {printable_name(str(folder))}; Ctrl-C stops", style="dim", soft_wrap=True)
    for report in run_watch(folder, utc_now, limits=_limits(scope)):
        _say(scope, report)


@project.command()
@root_option
@common
def status(scope: Scope, root: str | None) -> None:
    """Check every hash and reference in the store of the project.

    Exit status 1 means that something is wrong; `clew project genesis` heals it. Files that changed since they were
    read are counted, and are no problem.
    """
    report = run_status(Layout.of(project_folder(root)))
    if scope.as_json:
        emit({"ok": report.ok, **report.to_dict()})
    else:
        _print_status(report)
    if not report.ok:
        raise ClewError(f"{counted(len(report.problems), 'problem')} in the store; `clew project genesis` heals it")


@project.command()
@click.argument("expression", nargs=-1, required=True)
@limited("rows")
@root_option
@common
def query(scope: Scope, expression: tuple[str, ...], limit: int | None, root: str | None) -> None:
    """Find files, symbols, sections and decisions of the project.

    EXPRESSION is `file:PATH` for what is in a file, `symbol:NAME`, `kind:decision WORDS` (also
    `kind:interface`, `kind:trait`, `kind:struct` and `kind:abstract`), or words. The end of a path,
    as in `file:cart.py`, and of a name, as in `symbol:Cart.pay`, is enough. Exit status 1 means that nothing was found.
    """
    asked, most = " ".join(expression), most_rows(scope, limit)
    with Project.open(project_folder(root)) as opened:
        matches = run_query(opened, asked, limit=most if scope.as_json else most + 1)
        about = _about_file(opened, matches)
    if scope.as_json:
        emit(*(match.to_dict() for match in matches))
    else:
        _print_matches(matches[:most], about)
        if len(matches) > most:
            err().print("there are more; --limit shows them", style="dim")
    if not matches:
        raise ClewError(f"nothing in the project fits {asked!r}; `clew project update` reads what is new")


@project.command("blast-radius")
@click.argument("target")
@click.option("--depth", type=click.IntRange(min=1), metavar="STEPS", help="The greatest distance.  [default: all]")
@root_option
@common
def blast_radius_(scope: Scope, target: str, depth: int | None, root: str | None) -> None:
    """List what a change of a file or symbol may reach, the nearest first.

    TARGET is a path, or the name of a symbol. Of a file, these are the files that import it, and those that import
    them; of a symbol, what calls it or inherits from it, then the files that import its file.
    """
    with Project.open(project_folder(root)) as opened:
        radius = blast_radius(opened, target, depth=depth)
    if scope.as_json:
        emit(radius.to_dict() | {"files": list(radius.files)})
    else:
        _print_radius(radius)


@project.command("open-cognition")
@click.option("--read", "reads", is_flag=True, help="Read the folder instead, and check the hashes in it.")
@root_option
@common
def open_cognition(scope: Scope, root: str | None, reads: bool) -> None:
    """Write the project as the folder .open_cognition, in the layout of its source.

    With --read, say what is in a folder .open_cognition of any program. Exit status 1 means that hashes are wrong.
    """
    folder = folder_of(root) if reads else project_folder(root)
    if reads:
        view = read_open_cognition(folder / FOLDER)
    else:
        changes = load_config(home_of(scope.home)).project.overlays
        with Project.open(folder) as opened:
            view = write_open_cognition(opened, folder / FOLDER, changes)
    if scope.as_json:
        emit(view.to_dict())
    else:
        _print_view(view)
    if view.problems:
        raise ClewError(f"{counted(len(view.problems), 'problem')} in {str(folder / FOLDER)!r}")


def _limits(scope: Scope) -> Limits:
    settings = load_config(home_of(scope.home)).project
    return Limits(settings.max_file_bytes, settings.exclude)


@project.command()
@click.option(
    "--older-than",
    type=click.IntRange(min=0),
    default=30,
    show_default=True,
    metavar="DAYS",
    help="Remove only what is older than this.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@root_option
@common
def prune(scope: Scope, older_than: int, root: str | None, *, dry_run: bool) -> None:
    """Remove what the store keeps of earlier states of the project.

    Transforms of that age go, unless a file was read by them; objects that neither a file nor a remaining transform
    refers to; and vectors of texts that are gone. Objects of files as they were sealed by `clew quest seal` in this
    home stay. What was removed is recorded as a transform.
    """
    home = home_of(scope.home)
    sealed: frozenset[str] = frozenset()
    if home is None or (home / DATABASE).is_file():
        with open_memory(scope) as memory:
            sealed = sealed_digests(memory.reads.store)
    now = utc_now()
    report = run_prune(
        project_folder(root), now, before=now - timedelta(days=older_than), sealed=sealed, dry_run=dry_run
    )
    if scope.as_json:
        emit(report.to_dict())
        return
    gone = [
        counted(report.objects, "object"),
        counted(report.transforms, "transform"),
        counted(report.vectors, "vector"),
    ]
    verb = "would be removed" if dry_run else "removed"
    out().print(f"{', '.join(gone)} {verb} ({report.bytes:,} bytes)")
    if report.superseded:
        out().print(f"{counted(report.superseded, 'object')} of earlier states kept: a transform or a seal needs them")


def _say(scope: Scope, report: BuildReport) -> None:
    if scope.as_json:
        emit(report.to_dict())
        return
    lay_out(out(), lines(_rows(report)))
    if not report.grammars:
        err().print("code is read as plain text; install clew[project] to find its symbols", style="dim")


def _rows(report: BuildReport) -> Iterator[tuple[str, str]]:
    """The report in words, without what is empty."""
    yield "project", printable_name(report.root)
    done = {"added": len(report.added), "changed": len(report.changed), "removed": len(report.removed)}
    done |= {"healed": len(report.healed), "unchanged": report.unchanged}
    told = {what: count for what, count in done.items() if count}
    yield "files", f"{report.files:,}" + (f": {numbers(told)}" if told else "")
    if report.languages:
        yield "languages", numbers(report.languages)
    if report.nodes:
        yield "nodes", numbers(report.nodes)
    yield "imports", f"{report.dependencies:,} between files"
    yield "written", f"{counted(report.objects, 'object')}, {counted(len(report.transforms), 'transform')}"
    for reason, count in sorted(Counter(str(skipped.reason) for skipped in report.skipped).items()):
        paths = [skipped.path for skipped in report.skipped if skipped.reason == reason]
        yield reason, f"{counted(count, 'file')} skipped: {_named(paths)}"
    if report.syntax_errors:
        count = len(report.syntax_errors)
        yield "syntax errors", f"in {counted(count, 'file')}, read as far as possible: {_named(report.syntax_errors)}"
    for same in report.collisions:
        yield "same name", f"on some file systems: {_named(same)}"


def _named(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - SHOWN:,} more" if len(paths) > SHOWN else ""
    return (
        printable_name(
            ", ".join(path if len(path) <= LONG else f"{path[:WIDE]}…{path[-WIDE:]}" for path in paths[:SHOWN])
        )
        + more
    )


def _print_status(report: ProjectStatus) -> None:
    if report.checked:
        said = ", ".join(counted(count, _ONE.get(kind, kind)) for kind, count in report.checked.items())
        out().print(f"checked: {said}; state {report.generation}", soft_wrap=True)
    if report.superseded:
        out().print(f"{counted(report.superseded, 'object')} of earlier states; `clew project prune` removes old ones")
    if report.behind:
        out().print(f"{counted(len(report.behind), 'file')} changed since: {_named(report.behind)}", soft_wrap=True)
    for problem in report.problems:
        out().print(printable_name(f"{problem.kind}: {problem.where}: {problem.detail}"), soft_wrap=True)
    if report.ok:
        out().print("nothing is wrong")


def _about_file(opened: Project, matches: Sequence[NodeMatch]) -> list[tuple[str, str]]:
    """What a file imports and what imports it, when all that was found is in one file."""
    paths = {match.node.path for match in matches}
    if len(paths) != 1 or matches[0].node.kind is not NodeKind.FILE:
        return []
    (path,) = paths
    rows = [("imports", opened.index.targets(path)), ("imported by", opened.dependents(path))]
    return [(title, _named(list(files))) for title, files in rows if files]


def _print_matches(matches: Sequence[NodeMatch], about: Sequence[tuple[str, str]]) -> None:
    table = grid("place", "kind", "what")
    for match in matches:
        node = match.node
        said = node.signature or (node.name if node.kind is NodeKind.HEADING else "") or node.text
        name = f"{node.path}:{node.start}"
        table.add_row(printable_name(name), dim(node.kind), printable(shortened(" ".join(said.split()), WIDE)))
    if matches:
        lay_out(out(), table)
    if about:
        lay_out(out(), lines(about))


def _print_radius(radius: BlastRadius) -> None:
    if not radius.reached:
        out().print(
            f"nothing in the project uses {printable_name(radius.changed[0])}, as far as names show", soft_wrap=True
        )
        return
    table = grid(">steps", "what", "how")
    for node in radius.reached:
        table.add_row(str(node.distance), printable_name(node.id), dim(f"{node.kind} {printable_name(node.through)}"))
    lay_out(out(), table)
    err().print(f"{counted(len(radius.reached), 'element')} in {counted(len(radius.files), 'file')}", style="dim")


def _print_view(view: CognitionView) -> None:
    rows = {"files": len(view.files), "objects": view.objects, "transforms": view.transforms}
    said = ", ".join(counted(count, _ONE[kind]) for kind, count in rows.items())
    out().print(f"{printable_name(view.folder)}: {said}", soft_wrap=True)
    for problem in view.problems:
        out().print(printable_name(problem), soft_wrap=True)
