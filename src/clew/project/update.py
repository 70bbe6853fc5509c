"""Brings the store of a project up to date with what changed."""

from datetime import datetime
from pathlib import Path

from clew.errors import NotFoundError
from clew.project.building import BuildReport, Progress, build
from clew.project.layout import Layout
from clew.project.limits import Limits
from clew.project.transforms import Goal


def update(
    root: str | Path, at: datetime, *, limits: Limits | None = None, on_progress: Progress | None = None
) -> BuildReport:
    """Reads the files whose size or time changed, or that changed too shortly before they were read last.

    Args:
        root: the folder of the project.
        at: the present, for the record of what was done.
        limits: what belongs to the project; None for those of the last run.

    Raises:
        NotFoundError: there is no such folder, or no store in it.
        InputError: it is not a folder, or a pattern of the limits is invalid.
        StoreError: the store is damaged or cannot be written, or another process works on it for too long.
    """
    layout = Layout.of(root)
    if not layout.exists:
        raise NotFoundError(f"there is no project in {str(layout.root)!r}; run `clew project genesis` there first")
    return build(layout, Goal.UPDATE, limits, at, on_progress)
