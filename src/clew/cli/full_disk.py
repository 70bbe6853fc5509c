"""Tells a full disk once, however many parts of the program meet it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from clew.errors import ClewError, StoreFull
from clew.store.translate import translated


@contextmanager
def told_once() -> Iterator[None]:
    """Keeps back what the log says of a full disk; prints the first of it after the block.

    If the block itself ends with an error that says it, nothing is printed here.
    """
    logger = logging.getLogger("clew")
    handlers, held, texts = list(logger.handlers), list[logging.LogRecord](), list[str]()

    def is_of_something_else(record: logging.LogRecord) -> bool:
        errors = [argument for argument in record.args or () if isinstance(argument, BaseException)]
        if any(isinstance(translated(error) or error, StoreFull) for error in errors):
            held.append(record)
            texts.extend(map(str, errors))
            return False
        return True

    for handler in handlers:
        handler.addFilter(is_of_something_else)
    try:
        yield
    except ClewError as error:
        if isinstance(error, StoreFull) or any(said in str(error) for said in texts):
            held.clear()
        raise
    finally:
        for handler in handlers:
            handler.removeFilter(is_of_something_else)
        for record in held[:1]:
            logger.handle(record)
