"""`clew stats`, `export`, `pause`, `resume`, `verify`, `rebuild` and `work`: looking after what is kept."""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import click

from clew.cli.opening import open_memory, work_through
from clew.cli.options import Scope, common
from clew.cli.show import bar, counted, emit, err, lay_out, ledger_line, lines, numbers, out, printable, say_encryption
from clew.errors import ClewError
from clew.memory import Memory

IDLE: Final = 1.0
"""Seconds between two looks for new work."""


@click.command()
@common
def stats(scope: Scope) -> None:
    """Show what the space holds, in numbers."""
    with open_memory(scope) as memory:
        found = memory.stats().to_dict()
    if scope.as_json:
        emit(found)
    else:
        lay_out(out(), lines(_rows(found)))


def _rows(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in {**found, **found["details"]}.items():
        if name == "details":
            continue
        yield name.replace("_", " "), _shown(value)


def _shown(value: Any) -> str:
    if value is None or value == []:
        return "none"
    if isinstance(value, list):
        return "\n".join(map(ledger_line, value))
    if isinstance(value, Mapping):
        return numbers(value) or "none"
    return f"{value:,}" if isinstance(value, int) else printable(str(value))


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@common
def export(scope: Scope, file: Path) -> None:
    """Write every turn and every original to a file that import reads back.

    FILE is JSON Lines and must not exist yet.
    """
    with open_memory(scope) as memory:
        count = memory.export(file)
    if scope.as_json:
        emit({"turns": count, "path": str(file)})
    else:
        out().print(f"{counted(count, 'turn')} written to {printable(str(file))}", soft_wrap=True)


@click.command()
@common
def pause(scope: Scope) -> None:
    """Store nothing more in this space until resume.

    It holds for every program, also after a restart. What is stored can be asked for meanwhile; questions are not kept.
    """
    with open_memory(scope) as memory:
        memory.pause()
        _say_paused(scope, memory)


@click.command()
@common
def resume(scope: Scope) -> None:
    """Store again what comes.

    What came while the space was paused was not kept.
    """
    with open_memory(scope) as memory:
        memory.resume()
        _say_paused(scope, memory)


def _say_paused(scope: Scope, memory: Memory) -> None:
    since = memory.stats().details["paused_since"]
    if scope.as_json:
        emit({"paused_since": since})
    elif since is None:
        out().print("what comes is stored")
    else:
        out().print(f"paused since {since}: nothing is stored; `clew resume` ends that")


@click.command()
@common
def verify(scope: Scope) -> None:
    """Check that everything is whole; print what is not.

    Checks hashes, references, the index against the turns, and the database file; changes nothing. Exit status 1 means
    that something is wrong.
    """
    with open_memory(scope) as memory:
        report = memory.verify()
    if scope.as_json:
        emit({"ok": report.ok, **report.to_dict()})
    else:
        out().print(f"checked: {numbers(report.checked)}")
        say_encryption(report.encryption)
        for each in report.problems:
            out().print(f"{each.kind} {printable(each.where)}: {printable(each.detail)}; {each.repair}", soft_wrap=True)
    if not report.ok:
        raise ClewError(f"{counted(len(report.problems), 'problem')} found; each says what mends it")
    if not scope.as_json:
        out().print("everything is whole")


@click.command()
@common
def rebuild(scope: Scope) -> None:
    """Make again what is derived from the turns.

    The turns themselves and the vectors that a model made are kept. Questions are answered meanwhile. Broken off, it
    goes on where it was when it is started again.
    """
    with open_memory(scope) as memory, bar("turns") as shown:
        task = shown.add_task("", total=0)
        count = memory.rebuild(lambda done, total: shown.update(task, completed=done, total=total))
    if scope.as_json:
        emit({"turns": count})
    else:
        out().print(f"what is derived from {counted(count, 'turn')} was made again")


@click.command()
@click.option("--once", is_flag=True, help="End when nothing is left to do, instead of waiting for more.")
@click.option("--retry", is_flag=True, help="Try again what failed and was put aside.")
@common
def work(scope: Scope, once: bool, retry: bool) -> None:
    """Do the work that waits behind the acknowledgements.

    Every program that opens the memory does it as well, for as long as it runs; this one does nothing else. It ends
    with Ctrl-C; what is left then stays to be done. What fails is tried three times, after 1 and 10 minutes, and then
    put aside.
    """
    with open_memory(scope) as memory:
        if retry:
            memory.retry()
        if not once:
            err().print("working; Ctrl-C ends it", style="dim")
        work_through(memory, "vectors")
        while not once:
            time.sleep(IDLE)
            work_through(memory, "vectors")
        left = memory.stats()
    aside = left.details["deferred"]
    if scope.as_json:
        emit({"done": True, "pending": left.pending, "deferred": aside})
        return
    out().print("nothing is left to do now" if left.pending else "nothing is left to do")
    for kind, count in left.pending.items():
        err().print(f"{counted(count, 'job')} of kind {kind} failed and will be tried again later", style="dim")
    if aside:
        err().print(f"{counted(aside, 'job')} put aside: `clew doctor` says why, `clew work --retry` tries again")
