"""Makes the store of a project, or checks all of it against the project and heals what is lost or altered."""

from datetime import datetime
from pathlib import Path

from clew.project.building import BuildReport, Progress, build
from clew.project.layout import Layout
from clew.project.limits import Limits
from clew.project.transforms import Goal


def genesis(
    root: str | Path, at: datetime, *, limits: Limits | None = None, on_progress: Progress | None = None
) -> BuildReport:
    """Reads every file of a project; nothing is written for files that have not changed.

    Args:
        root: the folder of the project; the store is made in it where there is none.
        at: the present, for the record of what was done.
        limits: what belongs to the project; None for those of the last run.

    Raises:
        NotFoundError: there is no such folder.
        InputError: it is not a folder, or a pattern of the limits is invalid.
        StoreError: the store cannot be written, or another process works on it for too long.
    """
    return build(Layout.of(root), Goal.GENESIS, limits, at, on_progress)
