"""Whether the server works, as /clew/health tells it: to everyone in one word, to those who may ask with numbers."""

from typing import Any

from clew.serve.access import AccessDenied, Principal
from clew.serve.event_log import EventLog
from clew.serve.spaces import Spaces
from clew.version import __version__


def health(spaces: Spaces, events: EventLog, asking: Principal | AccessDenied) -> dict[str, Any]:
    """`ok`, or `degraded` when a memory cannot be opened or its store failed: chats are then not remembered.

    Args:
        asking: gets the error of its own space; if it may know the server as a whole, those of all, and the events.
    """
    broken = spaces.broken()
    page: dict[str, Any] = {"status": "degraded" if broken else "ok", "version": __version__}
    if isinstance(asking, AccessDenied):
        return page
    if asking.sees_server:
        return page | {"broken": broken, "events": dict(events.counts)}
    return page | {"broken": {space: error for space, error in broken.items() if space == asking.space}}
