"""Connections to servers elsewhere, most of them encrypted: whether one that is kept still stands.

One that was idle for too long is not used again (`idle_time`). Whether the other side has closed is looked at once more
when something is written.

On an encrypted connection there may be something to read that is no end: TLS 1.3 sends tickets for later connections
right after a handshake. They are told from an end by the kinds and lengths of the records, which are not encrypted.

Imports the extra `server`. Start at `RemoteNetwork`.
"""

import errno
import select
import socket
import ssl
from collections.abc import Iterable
from typing import Any, Final

import httpcore2

from clew.serve.proxy.network.idle_time import LIMIT, IdleTime
from clew.serve.proxy.network.wrapped_stream import WrappedStream

_HEAD: Final = 5
_ALERT: Final = 21
"""The kind of a record that ends a connection, up to TLS 1.2."""
_DATA: Final = 23
"""The kind of all encrypted records in TLS 1.3."""
_LONGEST_ALERT: Final = 19
"""Bytes of an alert in such a record: two, its kind, and the longest seal. Tickets have more than a hundred."""
_PEEKED: Final = 16_384
_ENDED: Final = getattr(select, "POLLRDHUP", 0) | getattr(select, "POLLHUP", 0) | getattr(select, "POLLERR", 0)


class RemoteNetwork(httpcore2.AsyncNetworkBackend):
    """Opens connections as the library does."""

    def __init__(self, network: httpcore2.AsyncNetworkBackend, idle: float) -> None:
        """Takes the seconds after which a connection is not used again."""
        self._network, self._idle = network, idle

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """Connects as the wrapped network does."""
        stream = await self._network.connect_tcp(
            host, port, timeout=timeout, local_address=local_address, socket_options=socket_options
        )
        return RemoteStream(stream, self._idle)


class RemoteStream(WrappedStream):
    """One connection of the library."""

    def __init__(self, stream: httpcore2.AsyncNetworkStream, idle: float, *, is_encrypted: bool = False) -> None:
        super().__init__(stream)
        self._most, self._idle, self._is_encrypted = idle, IdleTime(idle), is_encrypted
        self._is_answered = False

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Reads the next bytes, and notes when there were none to read yet."""
        if not self._stream.get_extra_info("is_readable"):
            self._idle.restart()
        self._is_answered = True
        return await super().read(max_bytes, timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Sends bytes, unless the other side has closed.

        Raises:
            httpcore2.WriteError: nothing was sent, or not all. httpcore2.WriteTimeout: it took too long.
        """
        if buffer and self._has_ended():
            raise httpcore2.WriteError(f"the other side has closed the connection ({errno.errorcode[errno.EPIPE]})")
        await super().write(buffer, timeout)

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        """The encrypted connection."""
        stream = await super().start_tls(ssl_context, server_hostname, timeout)
        return RemoteStream(stream, self._most, is_encrypted=True)

    def get_extra_info(self, info: str) -> Any:
        """What the connection tells of itself; `is_readable` of an unused one asks whether it has ended."""
        if info == LIMIT:
            return self._idle.limit
        if info == "is_readable":
            return self._idle.is_over or (super().get_extra_info(info) if self._is_answered else self._has_ended())
        return super().get_extra_info(info)

    def _has_ended(self) -> bool:
        """Whether the other side has closed the connection, as far as that has come."""
        if not self._stream.get_extra_info("is_readable"):
            return False
        sock = self._stream.get_extra_info("socket")
        if sock is None or _is_hung_up(sock):
            return True
        seen = _peeked(sock)
        return _tells_end(seen) if self._is_encrypted else not seen


def _is_hung_up(sock: socket.socket) -> bool:
    """Whether a socket has met the end of the other side, also behind what is to be read; False where none can tell."""
    number = sock.fileno()
    if number < 0 or not _ENDED:  # it is closed on this side, after an error; or the system has no such call
        return number < 0
    poll = select.poll()
    poll.register(number, _ENDED)
    return bool(poll.poll(0))


def _peeked(sock: socket.socket) -> bytes:
    """What there is to be read of a socket, left there; none at the end, or where the connection broke."""
    try:
        with sock.dup() as own:  # asyncio's sockets have no method for it
            return own.recv(_PEEKED, socket.MSG_PEEK)
    except OSError:  # it broke
        return b""


def _tells_end(records: bytes) -> bool:
    """Whether records of TLS, as far as they are there, end the connection."""
    if not records:
        return True
    while len(records) >= _HEAD:
        kind, length = records[0], int.from_bytes(records[3:_HEAD])
        if kind == _ALERT or (kind == _DATA and length <= _LONGEST_ALERT):
            return True
        records = records[_HEAD + length :]
    return False
