"""Sockets that listen for HTTP, and how the interpreter is shared while they are served."""

import socket
import sys

import pytest

from clew.serve.listening import listening_socket
from clew.serve.run_server import SWITCH, switching_often


@pytest.mark.requirement("P-BYTE-05")
def test_background_work_gives_way_to_requests_while_the_server_runs() -> None:
    before = sys.getswitchinterval()
    assert before > 5 * SWITCH
    with switching_often():
        assert sys.getswitchinterval() == pytest.approx(SWITCH)
    assert sys.getswitchinterval() == before


@pytest.mark.requirement("P-RLY-24")
def test_connections_send_small_pieces_at_once() -> None:
    with listening_socket("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
