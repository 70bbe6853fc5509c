"""Write one file of saved state durably and in one step, so that a second saver or a crash never leaves a mixture."""

import os
import tempfile
from pathlib import Path

from clew.store.home import sync_directory


def replace_file(path: Path, text: str) -> None:
    """Replace a file: readers see the old text or the new one, and the new one survives power loss on return.

    The text is written to a temporary file with a unique name beside it, so that savers do not disturb each other; the
    last one wins. Directories that do not exist are created. After an error the old file and nothing else is there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    sync_directory(path.parent)
