"""Sockets that listen for HTTP."""

import socket

import pytest

from clew.serve.listening import listening_socket


@pytest.mark.requirement("P-RLY-24")
def test_connections_send_small_pieces_at_once() -> None:
    with listening_socket("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
