"""Follows a project: brings its store up to date while files change."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Final

from clew.errors import StoreLocked
from clew.project.building import BuildReport
from clew.project.limits import Limits
from clew.project.update import update

LOOK: Final = 1.0
"""Seconds between two looks at a project."""
SHARE: Final = 20
"""A look that takes a second of the processor is followed by a pause of this many seconds at least."""


def watch(
    root: str | Path,
    clock: Callable[[], datetime],
    *,
    limits: Limits | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> Iterator[BuildReport]:
    """Updates a project over and over, and yields the report of each update that changed something.

    It looks at the times of files, once a second in a small project, and takes a twentieth of a processor at most. Ends
    when the caller asks for no further report.

    Args:
        clock: returns the current time.
        pause: waits for some seconds.

    Raises:
        NotFoundError: there is no such folder, or no store in it.
        StoreError: the store is damaged or cannot be written.
    """
    while True:
        worked = time.thread_time()
        try:
            report = update(root, clock(), limits=limits)
        except StoreLocked:  # another process updates this project; what it leaves is seen at the next look
            report = None
        if report is not None and report.transforms:
            yield report
        pause(max(LOOK, SHARE * (time.thread_time() - worked)))
