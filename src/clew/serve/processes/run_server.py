"""Runs the server: listens, says where, and ends cleanly on SIGTERM and Ctrl-C. Start at `run_server`.

Running answers are brought to their end first; what they were is stored; then the memories are closed. A second Ctrl-C
breaks the answers off; what was relayed of them is stored.
"""

import gc
import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from clew.errors import ConfigError, MissingExtra
from clew.serve.access import Access, grants_of
from clew.serve.app import make_app
from clew.serve.event_log import EventLog, LibraryEvents
from clew.serve.metrics import Metrics
from clew.serve.processes.listening import BACKLOG, listening_socket
from clew.serve.processes.warming import warming_up
from clew.serve.services import Services
from clew.serve.spaces import Spaces

if TYPE_CHECKING:
    import uvicorn

    from clew.config import Config
    from clew.memory import Memory

GRACE: Final = 120
"""Seconds that running answers may take when the server is asked to stop."""
KEEP_ALIVE: Final = 75
"""Seconds for which a client's unused connection stays open."""
LARGEST_HEAD: Final = 256 << 10
"""Bytes of a request's line and headers; cookies and signed tokens are long."""
SWITCH: Final = 0.0005
"""Seconds after which a computing thread yields the interpreter to others that wait; a tenth of Python's default."""


def services_of(
    config: "Config", space: str, opening: "Callable[[str], Memory]", events: EventLog, metrics: Metrics | None = None
) -> Services:
    """The parts of a server.

    Args:
        space: the space of requests without a token, and of `serve.token`.
        opening: opens the memory of a space.

    Raises:
        ConfigError: the settings are wrong, or would let others in without a token.
    """
    access = Access(config.serve, space, grants_of(config.serve, space))
    return Services(config, space, access, Spaces(opening), Metrics() if metrics is None else metrics, events)


def run_server(services: Services, announce: Callable[[str], None], listening: socket.socket | None = None) -> None:
    """Serves until a signal ends it.

    Args:
        announce: called once with the server's address when it listens; a signal from then on ends it in order.
        listening: a socket that listens already; otherwise one is made for the address of the settings.

    Raises:
        ConfigError: it cannot listen on the address of the settings.
        MissingExtra: the packages of the extra `server` are not installed.
    """
    app = make_app(services)
    if listening is None:
        listening = listen(services.config.serve.host, services.config.serve.port)
    with listening, _as_events(services.events):
        server = make_server(app)
        with _signals_end(server), switching_often():  # before `announce`: who has the address may send a signal
            announce(address_of(listening))
            with warming_up(partial(warm_up, services)):
                server.run(sockets=[listening])


def make_server(app: Any) -> "uvicorn.Server":
    """The web server for an application.

    Raises:
        MissingExtra: the packages of the extra `server` are not installed.
    """
    try:
        import httpx2  # noqa: F401  # the extra `server`, which takes 0.2 s to load; the application needs it too
        import uvicorn  # likewise

        from clew.serve.processes.connections import OrderlyConnection, OrderlyServer  # imports uvicorn
    except ImportError as error:
        raise MissingExtra("the server needs uvicorn and httpx2; install clew[server]") from error
    return OrderlyServer(
        uvicorn.Config(
            app,
            lifespan="on",
            http=OrderlyConnection,
            ws="none",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            backlog=BACKLOG,
            timeout_keep_alive=KEEP_ALIVE,
            timeout_graceful_shutdown=GRACE,
            h11_max_incomplete_event_size=LARGEST_HEAD,
        )
    )


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes a free one.

    Raises:
        ConfigError: the address is taken, or none of this machine's.
    """
    try:
        listening = listening_socket(host, port)
    except OSError as error:
        raise ConfigError(
            f"cannot listen on {host!r}, port {port}: {error.strerror or error}; choose another --host or --port"
        ) from error
    listening.setblocking(False)
    return listening


def address_of(listening: socket.socket) -> str:
    """The address of a listening socket as a URL."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def warm_up(services: Services) -> None:
    """Load what the first request needs, and let the collector of garbage pass over it from then on.

    It stays until the server ends. A full collection that looks at it holds up every thread, for 70 ms.
    """
    services.spaces.warm_up(services.space)
    gc.collect()
    gc.freeze()


@contextmanager
def switching_often() -> Iterator[None]:
    """Shorten the interpreter's switch interval: a request waits that long for background work after each query."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextmanager
def _signals_end(server: "uvicorn.Server") -> Iterator[None]:
    """Has signals to stop end the server while its own handlers are not installed: as it starts, and at its end.

    It then starts, looks at `should_exit` before it serves, and ends in order. At its end it raises the signals that
    stopped it again, which must not end the process by force.
    """

    def end(_number: int, _frame: object) -> None:
        server.should_exit = True

    stopping = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(signum, end) for signum in stopping]
    try:
        yield
    finally:
        for each, handler in zip(stopping, before, strict=True):
            signal.signal(each, handler)


@contextmanager
def _as_events(events: EventLog) -> Iterator[None]:
    """Turns the log lines of Clew and of the web server into events."""
    handler = LibraryEvents(events)
    loggers = [logging.getLogger(name) for name in ("clew", "uvicorn", "httpx2", "httpcore2", "asyncio")]
    before = [(list(logger.handlers), logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.handlers, logger.propagate = [handler], False
    try:
        yield
    finally:
        for logger, (handlers, propagate) in zip(loggers, before, strict=True):
            logger.handlers, logger.propagate = handlers, propagate
