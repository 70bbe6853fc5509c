"""`clew backup`, `copy` and `merge`: what one home gives to another."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.progress import Progress

from clew.cli.opening import open_memory, see_that_home_exists
from clew.cli.options import Scope, common
from clew.cli.put import print_report
from clew.cli.rekey import note_key
from clew.cli.show import counted, emit, out, printable, progress
from clew.config import load_config
from clew.errors import NotFoundError
from clew.maintain.copy_space import copy_space
from clew.maintain.merge_space import merge_space
from clew.store.keys import NO_KEY
from clew.store.open import home_of, open_store
from clew.store.protocol import Store
from clew.store.sqlite import DATABASE


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@common
def backup(scope: Scope, file: Path) -> None:
    """Write everything, all spaces, to one checked file, while others go on.

    FILE must not exist yet. To restore it, put it into an empty directory under the name clew.db: that directory is
    then a home. Settings (clew.toml) are not in it.
    """
    see_that_home_exists(scope.home)
    with open_memory(scope, embedder="none") as memory:
        size = memory.backup(file)
    if scope.as_json:
        emit({"path": str(file), "bytes": size})
    else:
        out().print(f"{size:,} bytes written to {printable(str(file))}, read back and found whole", soft_wrap=True)


@click.command()
@click.argument("source", metavar="SRC")
@click.argument("target", metavar="DST")
@click.option("--all", "every", is_flag=True, help="Copy every space.")
@click.option("--overwrite", is_flag=True, help="Give up what only the target has.")
@click.option(
    "--key", help="Where DST's key is: env:NAME, keyring:NAME or none.  [default: DST's settings; if new, SRC's]"
)
@common
def copy(scope: Scope, source: str, target: str, every: bool, overwrite: bool, key: str | None) -> None:
    """Make a space the same in another home, row for row, proven by hashes.

    SRC and DST are homes, as --home names them; DST is made if it is not there. A copy that was broken off goes on
    when it is started again, and one that was made before is brought up to date. If DST has turns, or has forgotten
    some, that SRC does not know, nothing is done without --overwrite; `clew merge` joins both. Nobody else should
    write to DST meanwhile. A new DST is encrypted as SRC is, unless --key says otherwise.
    """
    _see_that_there_is_no_home(scope)
    reports = []
    with _reading(source) as giver:
        spaces = giver.spaces() if every else [_known_space(giver, scope.space)]
        with (
            closing(_taker(source, target, key)) as taker,
            progress("{task.description}", "{task.completed:,.0f} rows") as shown,
        ):
            for space in spaces:
                tell = _telling(shown, space)
                reports.append((space, copy_space(giver, taker, space, overwrite=overwrite, on_progress=tell)))
    for space, report in reports:
        if scope.as_json:
            emit({"space": space, "rows": report.rows, "written": report.written, "removed": report.removed})
        else:
            rows = f"{counted(sum(report.rows.values()), 'row')} ({counted(report.rows['turn'], 'turn')})"
            done = f"{report.written:,} written, {report.removed:,} removed"
            out().print(f"{printable(space)}: {rows} the same in both, {done}, sha256 {report.digest[:16]}")


@click.command()
@click.argument("source", metavar="SRC")
@click.argument("target", metavar="DST")
@common
def merge(scope: Scope, source: str, target: str) -> None:
    """Add to DST what SRC has more, in one space; SRC is only read.

    SRC and DST are homes, as --home names them. A turn is known by its external id, else by conversation, words and
    time, else by its place among the others, so merging again adds nothing. What DST has forgotten stays out. Merge
    in the other direction as well to have everything on both sides.
    """
    _see_that_there_is_no_home(scope)
    started = time.perf_counter()
    with _reading(source) as giver:
        space = _known_space(giver, scope.space)
        ingest = load_config(home_of(target)).ingest
        with (
            closing(_taker(source, target, None)) as taker,
            progress("{task.description}", "{task.completed:,.0f} turns") as shown,
        ):
            report = merge_space(giver, taker, space, ingest, _now, _telling(shown, space))
    if scope.as_json:
        emit(report.to_dict())
    else:
        print_report(report, time.perf_counter() - started)


def _telling(shown: Progress, space: str) -> Callable[[int], None]:
    """What shows how far the work on a space has come."""
    task = shown.add_task(printable(space), total=None)
    return lambda done: shown.update(task, completed=done)


def _now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251  # what is merged comes in now


@contextmanager
def _reading(location: str) -> Iterator[Store]:
    """Opens a home that must be there: a mistyped name shall not make one.

    Raises:
        NotFoundError: it is not.
    """
    see_that_home_exists(location)
    with closing(open_store(location)) as store:
        yield store


def _taker(source: str, target: str, key: str | None) -> Store:
    """Opens the home that is written to; one that is made now has the key of the source, unless one is given.

    A key that the target's settings do not name is written into its clew.toml.
    """
    home = home_of(target)
    known = load_config(home).store.key
    if key is None and home is not None and known == NO_KEY and not (home / DATABASE).exists():
        key = load_config(home_of(source)).store.key
    store = open_store(target, key=key)
    try:
        if home is not None and key is not None and key != known:
            note_key(home, key)
    except BaseException:
        store.close()
        raise
    return store


def _see_that_there_is_no_home(scope: Scope) -> None:
    if scope.home is not None:
        raise click.UsageError("both homes are arguments here; leave --home out, and --store.")


def _known_space(store: Store, space: str) -> str:
    """The space, if the store has it: else a target would be made for nothing.

    Raises:
        NotFoundError: it has not; the message names those that it has.
    """
    names = store.spaces()
    if space not in names:
        raise NotFoundError(
            f"there is no space {space!r} at {store.url}; name one with --space: {', '.join(names) or 'none'}"
        )
    return space
