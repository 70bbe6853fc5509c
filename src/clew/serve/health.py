"""Whether the server works, as /clew/health tells it: to everyone in one word, to those who may ask with numbers."""

from typing import Any

from clew.serve.event_log import EventLog
from clew.serve.spaces import Spaces
from clew.version import __version__


def health(spaces: Spaces, events: EventLog, *, detailed: bool) -> dict[str, Any]:
    """`ok`, or `degraded` when a memory cannot be opened or its store failed: chats are then not remembered."""
    broken = spaces.broken()
    page: dict[str, Any] = {"status": "degraded" if broken else "ok", "version": __version__}
    if detailed:
        page |= {"broken": broken, "events": dict(events.counts)}
    return page
