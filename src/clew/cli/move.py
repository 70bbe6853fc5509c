"""`clew backup`, `clew restore-backup`, `clew copy` and `clew merge`."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.progress import Progress

from clew.cli.full_disk import told_once
from clew.cli.opening import check_home_exists, open_memory
from clew.cli.options import Scope, common
from clew.cli.put import print_report
from clew.cli.rekey import note_key
from clew.cli.show import err, out, progress
from clew.cli.terminal import emit
from clew.config import load_config
from clew.errors import ConfigError, InputError, NotFoundError
from clew.maintain.copy_space import copy_space
from clew.maintain.merge_space import merge_space
from clew.store import restore_backup as store
from clew.store.keys import NO_KEY, secret_of
from clew.store.open import home_of, open_store
from clew.store.protocol import Store
from clew.store.sqlite import DATABASE
from clew.text.counted import counted
from clew.text.printable import printable


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@common
def backup(scope: Scope, file: Path) -> None:
    """Back up all spaces to one verified file.

    Other programs may use the memory meanwhile. FILE must not exist yet. `clew restore-backup` puts it back. Settings
    (clew.toml) are not included.
    """
    with open_memory(scope, embedder="none") as memory:
        size = memory.backup(file)
    if scope.as_json:
        emit({"path": str(file), "bytes": size})
    else:
        out().print(f"{size:,} bytes written to {printable(str(file))} and verified", soft_wrap=True)


@click.command("restore-backup")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@common
def restore_backup(scope: Scope, file: Path, yes: bool) -> None:
    """Replace the memory in the home by a backup.

    FILE is what `clew backup` wrote. It is verified before anything is replaced. Everything stored since the backup is
    lost, and turns forgotten since are back. No other program may have the home open. Settings (clew.toml) stay.
    """
    home = home_of(scope.home)
    if home is None:
        raise ConfigError("only a home directory can be restored from a file; give one with --home")
    if (home / DATABASE).exists() and not yes:
        _ask(home, file)
    rows = store.restore_backup(file, home, secret_of(load_config(home).store.key))
    if scope.as_json:
        emit({"path": str(file), "turns": rows["turn"], "sessions": rows["session"]})
    else:
        contents = f"{counted(rows['turn'], 'turn')} in {counted(rows['session'], 'session')}"
        out().print(f"restored {contents} from {printable(str(file))}", soft_wrap=True)


@click.command()
@click.argument("source", metavar="SRC")
@click.argument("target", metavar="DST")
@click.option("--all", "every", is_flag=True, help="Copy every space.")
@click.option("--overwrite", is_flag=True, help="Delete what only DST has.")
@click.option(
    "--key", help="Key of DST: env:NAME, keyring:NAME or none.  [default: as in DST's settings; if DST is new, SRC's]"
)
@common
def copy(scope: Scope, source: str, target: str, every: bool, overwrite: bool, key: str | None) -> None:
    """Copy a space to another home, and verify the copy by hashes.

    SRC and DST are directories or addresses, as for --home and --store; DST is created if it does not exist. Run the
    command again to continue an interrupted copy, or to update an earlier one. If DST has turns, or records of
    forgotten turns, that SRC lacks, the command refuses without --overwrite; `clew merge` combines both. No other
    program should write to DST meanwhile. A new DST is encrypted like SRC, unless --key is given.
    """
    _refuse_home(scope)
    _refuse_target_inside_source(source, target)
    if every and scope.space != Scope().space:
        raise click.UsageError("--all copies every space; leave out it or --space.")
    reports = []
    with _open_source(source) as giver:
        spaces = giver.spaces() if every else [_known_space(giver, scope.space)]
        with (
            closing(_open_target(source, target, key)) as taker,
            progress("{task.description}", "{task.completed:,.0f} rows") as shown,
        ):
            for space in spaces:
                tell = _progress_of(shown, space)
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
    """Add the turns of one home to another.

    Adds to DST the turns of one space that only SRC has; SRC is only read. SRC and DST are directories or addresses, as
    for --home and --store. A turn is identified by its external id, else by conversation, text and time, else by its
    position, so merging again adds nothing. Turns that DST has forgotten are not added. To have all turns on both
    sides, merge in the other direction as well.
    """
    _refuse_home(scope)
    started = time.perf_counter()
    with told_once(), _open_source(source) as giver:
        space = _known_space(giver, scope.space)
        ingest = load_config(home_of(target)).ingest
        with (
            closing(_open_target(source, target, None)) as taker,
            progress("{task.description}", "{task.completed:,.0f} turns") as shown,
        ):
            report = merge_space(giver, taker, space, ingest, _now, _progress_of(shown, space))
    if scope.as_json:
        emit(report.to_dict())
    else:
        print_report(report, time.perf_counter() - started)


def _progress_of(shown: Progress, space: str) -> Callable[[int], None]:
    """A function that updates the progress line of a space."""
    task = shown.add_task(printable(space), total=None)
    return lambda done: shown.update(task, completed=done)


def _now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251  # the time at which merged turns are stored


@contextmanager
def _open_source(location: str) -> Iterator[Store]:
    """Opens a home that must exist: a mistyped name must not create one.

    Raises:
        NotFoundError: the home does not exist.
    """
    check_home_exists(location)
    with closing(open_store(location)) as store:
        yield store


def _refuse_target_inside_source(source: str, target: str) -> None:
    """Refuses to copy a home into its own directory, which `forget --proof` searches, and which goes as a whole.

    Raises:
        InputError: the target lies in the source.
    """
    outer, inner = home_of(source), home_of(target)
    if outer is not None and inner is not None and outer.resolve() in inner.resolve().parents:
        raise InputError(
            f"{target!r:.200} lies in {source!r:.200}, the memory that is copied; a copy there is lost with it, and "
            "keeps what is forgotten later. Name a directory outside"
        )


def _open_target(source: str, target: str, key: str | None) -> Store:
    """Opens the home to write to. A new home gets the key of the source, unless `key` is given.

    If the settings of the target do not name the key, it is written to its clew.toml.
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


def _ask(home: Path, file: Path) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError(
            "cannot ask for confirmation: standard input is not a terminal. Give --yes to replace the memory."
        )
    if not click.confirm(f"Replace the memory in {printable(str(home))} by {printable(str(file))}?", err=True):
        err().print("Nothing was replaced.")
        raise click.exceptions.Exit(0)


def _refuse_home(scope: Scope) -> None:
    if scope.home is not None:
        raise click.UsageError("SRC and DST name both homes; leave out --home and --store.")


def _known_space(store: Store, space: str) -> str:
    """Returns the space if the store has it, so that no target is created for an unknown space.

    Raises:
        NotFoundError: the store does not have the space; the message lists its spaces.
    """
    names = store.spaces()
    if space not in names:
        raise NotFoundError(
            f"{store.url} has no space {space!r}; choose one with --space: {', '.join(names) or 'it has none'}"
        )
    return space
