"""What happens on the server, as JSON lines on standard error: names, numbers and kinds, never texts and never keys.

A text of a message, an address with its query, a header or an exception's own message may hold what a person wrote or
a key. So an event takes the fields below only, and an error is told by its type and place.
"""

import asyncio
import json
import logging
import sys
import threading
from collections.abc import Callable
from datetime import datetime
from typing import Final, TextIO

Field = str | int | float | bool | None

FIELDS: Final = frozenset(
    "address at bytes cause client count decision error failed method milliseconds place principal provider reason "
    "receipt session space status tokens where wire worker".split()
)
"""The names of fields that an event may have."""
_LONGEST: Final = 200
_TOLD: Final = (
    "socket.send() raised exception.",
    "ASGI callable returned without completing response.",
    "Unsupported upgrade request.",
    "No supported WebSocket library detected.",
)
"""What begins the words of asyncio and uvicorn for what is told otherwise, or is in order.

Clients that leave and answers that break off have events: `client-gone`, `upstream-broken` and `relay-failed`. That a
client asks for another protocol is not a fault, and no package is missing.
"""


class EventLog:
    """Writes events, one a line, and counts them. Threads share it."""

    def __init__(self, clock: Callable[[], datetime], stream: TextIO | None = None) -> None:
        self._clock, self._stream = clock, sys.stderr if stream is None else stream
        self._lock = threading.Lock()
        self.counts: dict[str, int] = {}

    def write(self, event: str, **fields: Field) -> None:
        """Writes an event; a field of another name than those of `FIELDS` is an error of the program.

        Raises:
            ValueError: there is a field of another name.
        """
        unknown = fields.keys() - FIELDS
        if unknown:
            raise ValueError(f"event {event!r} has the field {min(unknown)!r}; expected some of FIELDS")
        shown = {name: value[:_LONGEST] if isinstance(value, str) else value for name, value in fields.items()}
        line = json.dumps({"at": self._clock().isoformat(timespec="milliseconds"), "event": event, **shown})
        with self._lock:
            self.counts[event] = self.counts.get(event, 0) + 1
            try:
                print(line, file=self._stream, flush=True)
            except (OSError, ValueError):  # nobody reads the log any more; the server goes on
                return

    def failed(self, event: str, error: BaseException, **fields: Field) -> None:
        """Writes an event with the type of an error and where it was raised; never its message."""
        self.write(event, error=type(error).__name__, where=place_of(error), **fields)


def place_of(error: BaseException) -> str:
    """Module and line where an error was raised, such as `clew.recall.recall:88`; empty when unknown."""
    trace = error.__traceback__
    if trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_globals.get('__name__', '')}:{trace.tb_lineno}"


class LibraryEvents(logging.Handler):
    """Turns log records of the library and of the web server into events: the template of a record, not its values.

    Of a template only the first line: asyncio writes values into those that follow.
    """

    def __init__(self, events: EventLog) -> None:
        super().__init__(logging.WARNING)
        self._events = events

    def emit(self, record: logging.LogRecord) -> None:
        """Writes one record as an event."""
        template = str(record.msg) if record.args or not record.name.startswith("uvicorn") else record.getMessage()
        reason = template.strip().partition("\n")[0]
        if reason.startswith(_TOLD):
            return
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, asyncio.CancelledError):  # an answer that the end of the server breaks off, told once
            return
        name = None if error is None else type(error).__name__
        where = f"{record.name}:{record.lineno}" if error is None else place_of(error)
        self._events.write("log", place=record.name, reason=reason, error=name, where=where)
