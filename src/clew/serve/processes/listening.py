"""Sockets that listen for HTTP."""

import socket
from typing import Final

BACKLOG: Final = 2048
"""Connections that may wait to be accepted."""


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens, whose connections send small pieces at once; port 0 takes a free one.

    asyncio turns Nagle's algorithm off only where a socket names its protocol, which an accepted one does not. With it
    each answer waits for the client's delayed acknowledgement of its head, 40 ms on Linux.

    Raises:
        OSError: the address is taken, or none of this machine's.
    """
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    listening = socket.create_server((host, port), family=family, backlog=BACKLOG)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # accepted connections inherit it
    return listening
