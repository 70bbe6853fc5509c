"""Sockets that listen for HTTP, and how the interpreter is shared while they are served."""

import gc
import io
import socket
import sys
from datetime import UTC, datetime

import pytest

from clew import Memory
from clew.config import load_config
from clew.serve.event_log import EventLog
from clew.serve.processes.listening import listening_socket
from clew.serve.processes.run_server import SWITCH, services_of, switching_often, warm_up


@pytest.mark.requirement("P-BYTE-05")
def test_background_work_gives_way_to_requests_while_the_server_runs() -> None:
    before = sys.getswitchinterval()
    assert before > 5 * SWITCH
    with switching_often():
        assert sys.getswitchinterval() == pytest.approx(SWITCH)
    assert sys.getswitchinterval() == before


@pytest.mark.requirement("F-SPEED-42")
def test_what_a_server_loads_at_its_start_is_not_looked_at_for_garbage_again() -> None:
    events = EventLog(lambda: datetime(2026, 3, 1, tzinfo=UTC), io.StringIO())
    config = load_config(None, {"embedder": "none"}, {})
    services = services_of(config, "default", lambda space: Memory.open(":memory:", space=space, config=config), events)
    before = gc.get_freeze_count()
    try:
        warm_up(services)
        assert gc.get_freeze_count() > before
        assert not any(each is services for each in gc.get_objects())
    finally:
        gc.unfreeze()
        services.spaces.close()


@pytest.mark.requirement("P-RLY-24")
def test_connections_send_small_pieces_at_once() -> None:
    with listening_socket("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
