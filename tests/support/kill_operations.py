"""What the victims of `killing` do: every operation that changes a home, through the public API or the program.

Each takes the folder of its case and the number of its run, and says what is done: `turn ID` after a turn is
acknowledged, `gone ID` after it is forgotten, `going ID` before that.
"""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import apsw

from clew.cli.main import main
from clew.config import CondenseConfig, load_config
from clew.derive.compaction import Compactor
from clew.index.live import LiveIndex
from clew.maintain.rebuild import rebuild
from clew.memory import Memory
from clew.store.protocol import Store, Transaction
from clew.store.restore_backup import restore_backup
from clew.store.sqlite import SqliteStore
from clew.testing import FrozenClock, HashEmbedder
from clew.text.counters import counter
from clew.types import Turn
from tests.support.killing import say, serve
from tests.support.memories import NOON
from tests.unit.test_derive_rule_failures import STAGES, Rule, run

INDEX: Final = {"index": {"pack_minimum": 8, "fan_out": 2}, "condense": {"session_tokens": 0}}
WINDOW: Final = 32
"""Ordinals that a rebuild stages at a time here, so that there is something to go on with."""

_FILE_EVENTS: Final = frozenset(("open", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.link", "os.truncate"))
"""What is done with files, as `sys.addaudithook` calls it."""

YEARS: Final = FrozenClock(NOON + timedelta(days=3_000))


def opened(home: Path, **more: Any) -> Memory:
    """A memory that packs early."""
    return Memory.open(home, **{"embedder": "none", "config": INDEX, "clock": FrozenClock(NOON), **more})


def told(text: str, session: str) -> Turn:
    return Turn(role="user", content=text, session=session)


def program(*words: str | Path) -> None:
    main([str(word) for word in words], standalone_mode=False)


def add(case: Path, number: str) -> None:
    with opened(case / "home") as memory:
        for n in range(40):
            say("turn", memory.add(told(f"{number} single {n} tea", f"single-{n % 3}")))


def add_many(case: Path, number: str) -> None:
    with opened(case / "home") as memory:
        for n in range(8):
            turns = [told(f"{number} many {n} {k}", f"many-{number}-{n}") for k in range(25)]
            for name in memory.add_many(turns).turn_ids:
                say("turn", name)


def importing(case: Path, number: str) -> None:
    with opened(case / "home") as memory:
        for name in memory.import_path(case / "talk.jsonl", session=f"talk-{number}").turn_ids:
            say("turn", name)


def packing(case: Path, number: str) -> None:
    """Adds for the worker to pack, and lets it merge: every eight turns a segment, every two of them a larger one."""
    with opened(case / "home", embedder=HashEmbedder()) as memory:
        for n in range(12):
            turns = [told(f"{number} packed {n} {k}", f"packed-{number}") for k in range(10)]
            for name in memory.add_many(turns).turn_ids:
                say("turn", name)
            memory.drain(0.01)
        memory.drain(None)


def rebuilding(case: Path, number: str) -> None:
    with opened(case / "home") as memory:
        say("turn", memory.add(told(f"before rebuild {number}", "beside")))
        rebuild(memory.reads.store, "default", pack_minimum=8, fan_out=2, step=WINDOW)


def migrating(case: Path, number: str) -> None:
    with opened(case / "home" / number) as memory:
        say("turn", memory.add(told("after the migration", "new")))


def copying(case: Path, number: str) -> None:
    program("copy", case / "home", case / "copies" / number, "--json")


def merging(case: Path, number: str) -> None:
    program("merge", case / "other", case / "home" / number, "--json")


def forgetting(case: Path, number: str) -> None:
    with opened(case / "home") as memory:
        for name in memory.add_many([told(f"secret{number}x{n}", f"forget-{number}") for n in range(12)]).turn_ids:
            say("turn", name)
        for name in (f"forget-{number}:turn:{n}" for n in range(0, 12, 3)):
            say("going", name)
            memory.forget(turn_ids=[name])
            say("gone", name)


def expiring(case: Path, number: str) -> None:
    """Forgets what is older than a thousand days, which all is that came before."""
    with opened(case / "home") as memory:
        names = memory.add_many([told(f"old{number}x{n}", f"old-{number}") for n in range(60)]).turn_ids
    for name in names:
        say("turn", name)
        say("going", name)
    with opened(case / "home", config={**INDEX, "keep_days": 1_000}, clock=YEARS) as memory:
        memory.forget_expired()
        for name in names:
            say("gone", name)


def backing_up(case: Path, number: str) -> None:
    with opened(case / "home") as memory:
        say("turn", memory.add(told(f"backup {number}", "beside")))
        memory.backup(case / f"backup-{number}-{len(list(case.glob(f'backup-{number}-*')))}.db")


def switching(case: Path, number: str) -> None:
    """Every run goes to another model than the one before it began with."""
    after = HashEmbedder(revision=int(number) + 2)
    with opened(case / "home", embedder=after, previous=HashEmbedder(revision=int(number) + 1)) as memory:
        say("turn", memory.add(told(f"switch {number}", "beside")))
        memory.drain(None)


def pausing(case: Path, number: str) -> None:
    with opened(case / "home") as memory:
        for n in range(20):
            memory.resume()
            say("turn", memory.add(told(f"{number} heard {n}", "pauses")))
            say("pausing", str(n))
            memory.pause()
            say("paused", str(n))
            memory.add_many([told(f"{number} unheard {n}", "pauses")])
            say("resuming", str(n))
        memory.resume()


def condensing(case: Path, number: str, step: str, moment: str) -> None:
    """Condenses a session, and is killed in the transaction of that number or after it."""
    with opened(case / "home" / number) as memory:
        store: Any = Killing(memory.reads.store, int(step), moment)
        limits = CondenseConfig(protected_turns=2)
        live = LiveIndex(memory.reads.store, "default")
        compactor = Compactor(store, "default", limits, memory.config.analyze, live, counter, memory.reads.clock)
        compactor.compact("s", force=True)
        say("condensed", number)


def setting_aside(case: Path, number: str, step: str, moment: str) -> None:
    """Derives with rules that fail on some turns, and is killed as `condensing` is; says how many transactions."""
    stored = SqliteStore.open(case / "home" / number)
    store: Any = Killing(stored, int(step), moment)
    for stage in ("analyse", "entities", "facts", "mentions"):
        run(STAGES[stage](store, Rule()))
    say("transactions", str(-store.left))
    stored.close()


def die_at(step: int, folder: Path) -> Callable[[], int]:
    """Kills this process at a moment of that number: before an SQL statement, or before something is done with a file.

    Args:
        step: counted from 1; 0 never comes.
        folder: only what is done with files below it counts.

    Returns:
        What gives the number of moments so far.
    """
    moments = 0

    def pass_moment() -> None:
        nonlocal moments
        moments += 1
        if moments == step:
            os.kill(os.getpid(), signal.SIGKILL)

    def statement(*_: object) -> bool:
        pass_moment()
        return True

    def event(name: str, words: tuple[Any, ...]) -> None:
        if name in _FILE_EVENTS and any(str(folder) in str(word) for word in words):
            pass_moment()

    apsw.connection_hooks.append(lambda connection: connection.set_exec_trace(statement))
    sys.addaudithook(event)  # a victim ends with its operation
    return lambda: moments


def migrating_at(case: Path, number: str, step: str) -> None:
    """Brings an old home up to date, and is killed at the moment of that number; says how many there are."""
    moments = die_at(int(step), case)
    SqliteStore.open(case / "home" / number).close()
    say("moments", str(moments()))


def restoring_at(case: Path, number: str, step: str) -> None:
    """Puts a backup in the place of a home, and is killed at the moment of that number; says how many there are."""
    moments = die_at(int(step), case)
    restore_backup(case / "backup.db", case / "home" / number, None)
    say("moments", str(moments()))


def condensing_at(case: Path, number: str, step: str) -> None:
    """Condenses a session, and is killed at the moment of that number, also within transactions; says how many."""
    moments = die_at(int(step), case)
    store = SqliteStore.open(case / "home" / number)
    live = LiveIndex(store, "default")
    config = load_config(None, INDEX, {})
    limits = CondenseConfig(protected_turns=2)
    Compactor(store, "default", limits, config.analyze, live, counter, FrozenClock(NOON)).compact("s", force=True)
    store.close()
    say("moments", str(moments()))


class Killing:
    """A store that kills its process: `within` the transaction of a number, before it is committed, or `after` it."""

    def __init__(self, store: Store, step: int, moment: str) -> None:
        self.store, self.left, self.moment = store, step, moment

    def transaction(self, work: Any, *, durable: bool = True) -> Any:
        self.left -= 1

        def killed(tx: Transaction) -> Any:
            done = work(tx)
            if not self.left and self.moment == "within":
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        done = self.store.transaction(killed, durable=durable)
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


OPERATIONS: Final = {
    operation.__name__: operation
    for operation in (
        add,
        add_many,
        importing,
        packing,
        rebuilding,
        migrating,
        copying,
        merging,
        forgetting,
        expiring,
        backing_up,
        switching,
        pausing,
        condensing,
        setting_aside,
        migrating_at,
        restoring_at,
        condensing_at,
    )
}


def _with_path(operation: Any) -> Any:
    def run(case: str, *words: str) -> None:
        operation(Path(case), *words)

    return run


def main_loop(names: Sequence[str] = tuple(OPERATIONS)) -> None:
    """Serves the operations as a nursery."""
    serve({name: _with_path(OPERATIONS[name]) for name in names})


if __name__ == "__main__":
    main_loop()
