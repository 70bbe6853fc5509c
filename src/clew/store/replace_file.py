"""Replaces a file durably and atomically, so that neither a second writer nor a crash leaves a mixture."""

import os
import shutil
import tempfile
from pathlib import Path

from clew.store.home import sync_directory


def replace_file(path: Path, data: bytes) -> None:
    """Replaces a file: readers see the old bytes or the new ones, and the new ones survive power loss on return.

    The data is written to a temporary file with a unique name beside it, so that writers do not disturb each other; the
    last one wins. Directories that do not exist are created. The permissions of an old file stay; a new one is private.
    After an error the old file and nothing else is there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, name)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_directory(path.parent)
