"""What the pages and the proxy of one server share."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clew.serve.access import Access
from clew.serve.event_log import EventLog
from clew.serve.metrics import Metrics
from clew.serve.spaces import Spaces

if TYPE_CHECKING:
    from clew.config import Config


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of a server.

    Attributes:
        space: the space of requests without a token.
    """

    config: "Config"
    space: str
    access: Access
    spaces: Spaces
    metrics: Metrics
    events: EventLog
