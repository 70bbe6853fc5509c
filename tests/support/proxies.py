"""A running server of Clew for tests: the real web server, on a free port, in a thread of the test."""

import io
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from clew import Memory
from clew.config import load_config
from clew.serve.app import make_app
from clew.serve.event_log import EventLog
from clew.serve.metrics import Metrics
from clew.serve.processes.run_server import address_of, listen, make_server, services_of
from clew.serve.services import Services

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
START = 60.0
PATIENT = 30.0


@dataclass
class RunningProxy:
    """A running server.

    Attributes:
        url: its address.
        log: what it has written.
    """

    url: str
    services: Services
    log: io.StringIO

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log.getvalue().splitlines()]

    def event(self, name: str, patience: float = START) -> dict[str, Any]:
        """The first event of a name; waits for it."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            for event in self.events:
                if event["event"] == name:
                    return event
            time.sleep(0.01)
        raise AssertionError(f"no event {name!r} among {self.events}")


Opening = Callable[[str], Memory]


@contextmanager
def proxy(upstream: str, opening: Opening | None = None, **settings: Any) -> Iterator[RunningProxy]:
    """A server that forwards all APIs to one address.

    Args:
        opening: opens the memory of a space; by default one that stays in this process, without embedder.
        settings: of `serve.*`; without `patience`, requests wait for the memory as long as a loaded machine may need.
    """
    settings = {"patience": PATIENT} | settings
    addresses = {f"upstream_{name}": upstream for name in ("anthropic", "openai", "gemini")}
    wanted: Mapping[str, Any] = {"embedder": "none", "serve": {"port": 0, **addresses, **settings}}
    config = load_config(None, wanted, {})
    log = io.StringIO()
    events = EventLog(lambda: NOON, log)
    opened = opening or (lambda space: Memory.open(":memory:", space=space, config=config))
    services = services_of(config, "default", opened, events, Metrics())
    listening = listen(config.serve.host, 0)
    server = make_server(make_app(services))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="proxy")
    with listening:
        thread.start()
        until = time.monotonic() + START
        while not server.started and time.monotonic() < until:
            time.sleep(0.005)
        try:
            yield RunningProxy(address_of(listening), services, log)
        finally:
            server.should_exit = True
            thread.join(START)
            assert not thread.is_alive(), "the server does not stop"
