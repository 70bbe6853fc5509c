"""What a memory takes in."""

from collections.abc import Iterable
from pathlib import Path

from clew.memory.wiring import Wired
from clew.rows.pause import pause, resume
from clew.types import (
    IngestReport,
    Turn,
)
from clew.write.ingest import Progress, add_many, add_one, import_path


class Writing(Wired):
    """Adding turns, singly, in sequence or from files; and keeping them out for a while."""

    def add(self, turn: Turn) -> str:
        """Stores one turn durably and gives its id. A known external id adds nothing and gives the stored turn's id.

        Raises:
            TurnRejected: the turn is empty or too long, a pattern of `ingest.exclude` or a pause keeps it out, or it
                was forgotten before: its external id was, or the same words at the same time. Words that are said anew
                are a new turn.
            ConflictError: its external id is stored with other content.
        """
        self._check_open()
        name = add_one(self._appender, turn, self.config.ingest, self._clock())
        self._worker.wake()
        return name

    def add_many(self, turns: Iterable[Turn], on_progress: Progress | None = None) -> IngestReport:
        """Stores turns in order, durably, and reports on each; a rejected one does not stop the others.

        Turns of one session are taken as one sequence: a history that is sent again adds nothing, a longer one adds its
        new part, an edited one opens a branch. Turns that a pattern or a pause keeps out are counted as skipped.
        """
        self._check_open()
        report = add_many(self._appender, turns, self.config.ingest, self._clock, on_progress)
        self._worker.wake()
        return report

    def import_path(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002  # the word users know it by
        session: str | None = None,
        on_progress: Progress | None = None,
    ) -> IngestReport:
        """Stores what a file or folder holds; importing it again adds nothing.

        Args:
            format: one of `clew.ingest.importers.FORMATS`; None finds out.
            session: for formats without sessions of their own.

        Raises:
            FormatError: the file as a whole cannot be read.
        """
        self._check_open()
        report = import_path(
            self._appender,
            Path(path),
            self.config.ingest,
            self._clock,
            form=format,
            session=session,
            on_progress=on_progress,
        )
        self._worker.wake()
        return report

    def pause(self) -> None:
        """Stores nothing more in this space, in no process, until `resume`: no turn, and no receipt of a recall."""
        self._check_open()
        pause(self._store, self.space, self._clock())

    def resume(self) -> None:
        """Stores again what comes; what came meanwhile was not kept."""
        self._check_open()
        resume(self._store, self.space)
