"""Loads what the first request needs in a thread, while a server starts."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

LONGEST: Final = 30.0
"""Seconds that the end of a server waits for what is still loaded; a model takes one or two."""


@contextmanager
def warming_up(load: Callable[[], None]) -> Iterator[None]:
    """Calls `load` in a thread while the block runs, and waits for it at the end of the block.

    A process that ends while a model is loaded in a thread is aborted by the model's library.
    """
    thread = threading.Thread(target=load, name="clew-warm-up", daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join(LONGEST)
