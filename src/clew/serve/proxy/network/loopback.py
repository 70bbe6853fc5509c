"""Connections without encryption to servers on this machine, such as a local model or a gateway.

Such a server closes a connection that was idle for some seconds (`idle_time`). The HTTP library counts from when the
answer was read. Under load that may be seconds after the server has sent it.

Imports the extra `server`. Start at `LoopbackNetwork`.
"""

import asyncio
import errno
import socket
from collections.abc import Awaitable, Iterable
from ipaddress import ip_address
from typing import Any, Final, TypeVar

import httpcore2

from clew.serve.proxy.network.idle_time import LIMIT, IdleTime

HOSTS: Final = ("127.0.0.1", "localhost", "::1")
"""What this machine is called."""

Address = tuple[socket.AddressFamily, tuple[Any, ...]]
Value = TypeVar("Value")


class LoopbackNetwork(httpcore2.AsyncNetworkBackend):
    """Opens connections; one event loop uses it."""

    def __init__(self, idle: float) -> None:
        """Takes the seconds after which a connection is not used again."""
        self._idle = idle

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,  # noqa: ARG002  # the library's form; it gives none
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,  # noqa: ARG002  # the same
    ) -> httpcore2.AsyncNetworkStream:
        """Connects to the first address of a host that answers.

        Raises:
            httpcore2.ConnectError: none does. httpcore2.ConnectTimeout: in time.
        """
        try:
            async with asyncio.timeout(timeout):
                return LoopbackStream(await _connected(host, port), self._idle)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(str(error)) from error
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error


class LoopbackStream(httpcore2.AsyncNetworkStream):
    """One connection."""

    def __init__(self, sock: socket.socket, idle: float) -> None:
        self._sock, self._idle = sock, IdleTime(idle)
        self._loop = asyncio.get_running_loop()

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """The next bytes; none at the end.

        Raises:
            httpcore2.ReadError: the connection broke. httpcore2.ReadTimeout: nothing came in time.
        """
        try:
            if self._is_readable():
                await asyncio.sleep(0)  # a server that always has more holds up nobody
            else:
                self._idle.restart()
            return await _within(self._loop.sock_recv(self._sock, max_bytes), timeout)
        except TimeoutError as error:
            raise httpcore2.ReadTimeout(str(error)) from error
        except OSError as error:
            raise httpcore2.ReadError(str(error)) from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Sends bytes, unless the other side has closed, or said something that it was not asked.

        Raises:
            httpcore2.WriteError: nothing was sent, or not all. httpcore2.WriteTimeout: it took too long.
        """
        if not buffer:
            return
        if self._is_readable():
            raise httpcore2.WriteError(f"the other side has closed the connection ({errno.errorcode[errno.EPIPE]})")
        try:
            await _within(self._loop.sock_sendall(self._sock, buffer), timeout)  # which sends before it first waits
        except TimeoutError as error:
            raise httpcore2.WriteTimeout(str(error)) from error
        except OSError as error:
            raise httpcore2.WriteError(str(error)) from error

    async def aclose(self) -> None:
        """Closes the connection."""
        self._sock.close()

    def get_extra_info(self, info: str) -> Any:
        """What the library asks of an unused connection: whether it has ended (which is readable), and the socket."""
        if info == LIMIT:
            return self._idle.limit
        if info == "is_readable":
            return self._is_readable() or self._idle.is_over
        return self._sock if info == "socket" else None

    def _is_readable(self) -> bool:
        try:
            self._sock.recv(1, socket.MSG_PEEK)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            return True
        return True


async def _within(work: Awaitable[Value], seconds: float | None) -> Value:
    """The result of some work.

    Raises:
        TimeoutError: it took longer.
    """
    if seconds is None:
        return await work
    async with asyncio.timeout(seconds):
        return await work


async def _connected(host: str, port: int) -> socket.socket:
    """A connected socket that waits for nothing.

    Raises:
        OSError: no address of the host answers.
    """
    failed: OSError = OSError(errno.EADDRNOTAVAIL, f"{host} has no address")
    for family, address in await _addresses(host, port):
        sock = socket.socket(family, socket.SOCK_STREAM)
        try:
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await asyncio.get_running_loop().sock_connect(sock, address)
        except OSError as error:
            sock.close()
            failed = error
        except BaseException:
            sock.close()
            raise
        else:
            return sock
    raise failed


async def _addresses(host: str, port: int) -> list[Address]:
    """Where a host is; an address stands for itself."""
    try:
        version = ip_address(host).version
    except ValueError:
        infos = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return [(family, address) for family, _, _, _, address in infos]
    return [(socket.AF_INET if version == 4 else socket.AF_INET6, (host, port))]
