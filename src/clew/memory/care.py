"""What keeps a memory sound, and what takes things out of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Unpack

from clew.maintain.export_space import export_space
from clew.maintain.forget import Conditions, selection_of
from clew.maintain.rebuild import rebuild
from clew.maintain.verify import verify
from clew.memory.wiring import Wired
from clew.rank.filter import filter_of
from clew.rows.failed_jobs import retry
from clew.types import (
    ForgetReport,
    VerifyReport,
)


class Care(Wired):
    """Forgetting, export, backup, rebuild, verification, and waiting for the work behind the scenes."""

    def drain(self, timeout: float | None = None) -> bool:
        """Waits until the work behind the acknowledgements is done; says whether it is.

        Args:
            timeout: seconds; None waits as long as it takes.
        """
        self._check_open()
        return self._worker.drain(timeout)

    def retry(self) -> int:
        """Tries anew, from now on, what failed or was put aside after several attempts; gives the jobs that there are.

        `drain` waits for it. `stats().details` counts what was put aside (`deferred`) and the turns that the embedder
        could not do (`embed_failed`); `clew doctor` says why.
        """
        self._check_open()
        count = retry(self._store, self.space)
        self._worker.wake()
        return count

    def forget(self, *, dry_run: bool = False, **conditions: Unpack[Conditions]) -> ForgetReport:
        """Removes turns that meet every given condition, and all that was made of them, for good.

        Args:
            conditions: which turns, see `clew.maintain.forget.Conditions`.

        Raises:
            InputError: no condition is given, a turn id is none, the time range ends before it starts, or `match` holds
                no letter or digit. ExpressionError: `where` cannot be read.
        """
        self._check_open()
        selection = selection_of(conditions, self._held)
        return self._forget(selection, dry_run=dry_run)

    def _held(self, expression: str) -> tuple[str, ...]:
        return self._chooser.names(self._live.view(), filter_of({"where": expression}), self._clock())

    def forget_expired(self, *, dry_run: bool = False) -> ForgetReport:
        """Removes for good what is older than `keep_days` by now, without waiting for the worker, who does the same.

        Raises:
            InputError: `keep_days` is 0.
        """
        self._check_open()
        return self._forget(self._retention.expired(), dry_run=dry_run)

    def export(self, path: str | Path) -> int:
        """Writes every turn and every original to a JSON Lines file that `import_path` reads back; gives the turns.

        Raises:
            InputError: the file exists already.
        """
        self._check_open()
        return export_space(self._store, self.space, Path(path))

    def backup(self, path: str | Path) -> int:
        """Writes all spaces to one new, checked file while others go on; gives its bytes. StoreError if it exists."""
        self._check_open()
        self._store.backup(Path(path))
        return Path(path).stat().st_size

    def rebuild(self, on_progress: Callable[[int, int], None] | None = None) -> int:
        """Makes again what is derived from the log without a model; gives the number of turns.

        The old index serves until the new one is whole. One that was broken off goes on where it was. `on_progress` is
        called with the turns that are made again so far, and with all of them.
        """
        self._check_open()
        index = self.config.index
        return rebuild(
            self._store, self.space, pack_minimum=index.pack_minimum, fan_out=index.fan_out, on_progress=on_progress
        )

    def verify(self) -> VerifyReport:
        """Checks hashes, references, the index against the log, and the database file; changes nothing."""
        self._check_open()
        return verify(self._store, self.space)
