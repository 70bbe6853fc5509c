"""One HTTP/1.1 connection to an upstream, used for one request after another. Start at `UpstreamConnection.send`.

An upstream closes a connection on which nothing happened for some time, and a question that meets it in closing is
lost, since nobody can tell whether it was read. So a connection knows how old it is at least: its time counts from when
nothing of the last answer was there yet, not from when that answer was read, which under load is seconds later.

Imports the extra `server`.
"""

import asyncio
import select
import ssl
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from typing import Final, cast

import h11

LARGEST_HEAD: Final = 256 << 10
"""Bytes of an answer's status and headers."""
_AHEAD: Final = 256 << 10
"""Bytes of an answer that are read ahead of who reads it."""
_JOINED: Final = 64 << 10
"""Bytes up to which a body is sent in one piece with its head."""
_LOOKS: Final = 3
"""Turns of the event loop in which it reads what is there."""

Headers = Sequence[tuple[bytes, bytes]]
Body = bytes | AsyncIterator[bytes] | None


class ConnectionFailed(Exception):
    """A connection gave no answer, or not all of it.

    Attributes:
        cause: what failed, as HTTPX calls it, such as `ReadTimeout`.
        is_late: whether it took too long.
        is_unprocessed: whether the upstream cannot have had the whole request.
    """

    def __init__(self, cause: str, *, is_late: bool = False, is_unprocessed: bool = False) -> None:
        super().__init__(cause)
        self.cause, self.is_late, self.is_unprocessed = cause, is_late, is_unprocessed


class UpstreamConnection(asyncio.Protocol):
    """A connection. One event loop uses it, for one request at a time.

    Attributes:
        was_used: whether a request went over it before the present one.
    """

    def __init__(self, idle: float, life: float) -> None:
        """Takes the seconds after which it is not used again, and those after which it is not used the first time."""
        self._idle, self._life = idle, life
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=LARGEST_HEAD)
        self._pieces: deque[bytes] = deque()
        self._held = 0
        self._is_paused = self._has_ended = False
        self._is_cut = False  # whether the present request was not sent to its end
        self._error: Exception | None = None
        self._arrival: asyncio.Future[None] | None = None
        self._sent = asyncio.Event()
        self._silent = time.monotonic()  # when there was last nothing to read: what was read since came after that
        self._requests = 0

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Takes the connection."""
        self._transport = cast("asyncio.Transport", transport)
        is_encrypted = transport.get_extra_info("ssl_object") is not None
        self._transport.set_write_buffer_limits(high=1 if is_encrypted else 0)  # `_sent` is set when nothing waits
        self._plug = cast("int", transport.get_extra_info("socket").fileno())
        self._silent = time.monotonic()

    def data_received(self, data: bytes) -> None:
        """Keeps what came, and stops reading while nobody takes it."""
        self._pieces.append(data)
        self._held += len(data)
        if self._held > _AHEAD and not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        """Notes that no more comes; the transport closes itself."""
        self._has_ended = True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        """Notes the end."""
        self._has_ended, self._error = True, exc
        self._is_cut = self._is_cut or not self._sent.is_set()
        self._sent.set()
        self._wake()

    def pause_writing(self) -> None:
        """Notes that something waits to be sent."""
        self._sent.clear()

    def resume_writing(self) -> None:
        """Notes that all is sent."""
        self._sent.set()

    # What requests call.

    @property
    def was_used(self) -> bool:
        """Whether a request went over it before the present one."""
        return self._requests > 1

    def is_usable(self) -> bool:
        """Whether a request may go over it: it is young, and the other side has neither closed it nor said anything."""
        return not self.is_over() and not self._is_readable()

    def is_over(self) -> bool:
        """Whether it has ended or is too old, as far as can be told without asking the system."""
        seconds = self._idle if self._requests else self._life
        return self._has_ended or bool(self._pieces) or time.monotonic() > self._silent + seconds

    async def send(self, method: str, target: bytes, headers: Headers, body: Body, seconds: float) -> None:
        """Sends a request; returns when all of it is sent, or when the upstream has closed its side.

        Args:
            seconds: for which the upstream may take nothing.

        Raises:
            ConnectionFailed: it cannot be sent.
        """
        self._requests += 1
        for _ in range(_LOOKS):  # what can be read may be a ticket of TLS, which is no end: the loop takes it first
            if not self._is_readable():
                break
            await asyncio.sleep(0)
        if self._pieces or self._has_ended or self._is_readable():
            raise ConnectionFailed("WriteError", is_unprocessed=True)
        self._sent.set()
        self._is_cut = False
        whole = body if isinstance(body, bytes) else b""
        try:
            head = self._http.send(h11.Request(method=method, target=target, headers=list(headers))) or b""
            if body is None or isinstance(body, bytes):
                said = (self._http.send(h11.Data(whole)) or b"") if whole else b""
                end = self._http.send(h11.EndOfMessage()) or b""
                for piece in (head + said + end,) if len(said) <= _JOINED else (head, said, end):
                    await self._write(piece, seconds)
            else:
                await self._write(head, seconds)
                async for part in body:
                    if part and not self._has_ended:
                        await self._write(self._http.send(h11.Data(part)) or b"", seconds)
                await self._write(self._http.send(h11.EndOfMessage()) or b"", seconds)
        except h11.ProtocolError as error:
            raise ConnectionFailed(type(error).__name__, is_unprocessed=True) from error

    async def head(self, seconds: float) -> h11.Response | h11.InformationalResponse:
        """The head of the answer.

        Args:
            seconds: for which the upstream may be silent.

        Raises:
            ConnectionFailed: there is none.
        """
        while True:
            event = await self._event(seconds)
            if isinstance(event, h11.Response):
                return event
            if isinstance(event, h11.InformationalResponse) and event.status_code == 101:  # it speaks HTTP no more
                return event

    async def pieces(self, seconds: float) -> AsyncIterator[bytes]:
        """The body as it arrives.

        Raises:
            ConnectionFailed: it broke off.
        """
        while True:
            event = await self._event(seconds)
            if isinstance(event, h11.Data):
                yield bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                return

    def begin_anew(self) -> bool:
        """Makes ready for the next request; whether another one may go over this connection."""
        done = self._http.our_state is h11.DONE and self._http.their_state is h11.DONE
        if not done or self._has_ended or self._pieces or self._http.trailing_data != (b"", False):
            return False
        self._http.start_next_cycle()
        return True

    def close(self) -> None:
        """Ends it; in the middle of an answer this tells the upstream to stop."""
        self._has_ended = True
        if self._http.our_state is h11.IDLE or self._http.their_state is h11.DONE:
            self._transport.close()
        else:
            self._transport.abort()

    async def _write(self, data: bytes, seconds: float) -> None:
        """Sends bytes; returns when they are sent, or when the other side has closed."""
        self._transport.write(data)
        if self._transport.is_closing():  # the system refused it at once
            self._is_cut = True
            return
        if self._sent.is_set():
            return
        try:
            async with asyncio.timeout(seconds):
                await self._sent.wait()
        except TimeoutError as error:
            raise ConnectionFailed("WriteTimeout", is_late=True) from error

    async def _event(self, seconds: float) -> h11.Event:
        """What the upstream says next."""
        try:
            while (event := self._http.next_event()) is h11.NEED_DATA:
                said = await self._more(seconds)
                if not said and self._http.their_state is h11.SEND_RESPONSE:
                    raise ConnectionFailed("RemoteProtocolError", is_unprocessed=self._is_cut)
                self._http.receive_data(said)
        except h11.ProtocolError as error:
            raise ConnectionFailed("RemoteProtocolError") from error
        if event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
            raise ConnectionFailed("RemoteProtocolError")
        return cast("h11.Event", event)

    async def _more(self, seconds: float) -> bytes:
        """The next bytes; none at the end."""
        if not self._pieces and not self._has_ended:
            if not self._is_readable():
                self._silent = time.monotonic()
            await self._arrived(seconds)
        if self._pieces:
            said = b"".join(self._pieces)
            self._pieces.clear()
            self._held = 0
            if self._is_paused and not self._has_ended:
                self._is_paused = False
                self._transport.resume_reading()
            return said
        if isinstance(self._error, OSError | ssl.SSLError):
            raise ConnectionFailed("ReadError", is_unprocessed=self._is_cut) from self._error
        return b""

    async def _arrived(self, seconds: float) -> None:
        self._arrival = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(seconds):
                await self._arrival
        except TimeoutError as error:
            raise ConnectionFailed("ReadTimeout", is_late=True) from error
        finally:
            self._arrival = None

    def _wake(self) -> None:
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(None)

    def _is_readable(self) -> bool:
        """Whether the system has something for this connection that the loop has not read, such as its end."""
        if self._transport.is_closing():
            return True
        if hasattr(select, "poll"):
            asked = select.poll()
            asked.register(self._plug, select.POLLIN)
            return bool(asked.poll(0))
        return bool(select.select([self._plug], [], [], 0)[0])  # Windows, where any number of a socket will do
