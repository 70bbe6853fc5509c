"""Streams of answers that pass through untouched while their pieces are noted. Start at `recorded`.

A stream ends when it is read to its end, raises, is closed, or is dropped half-way; the first of these calls `finish`
once, with what was received until then.
"""

import asyncio
import logging
import sys
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from types import AsyncGeneratorType
from typing import Any, Final, Protocol, Self

from clew.ingest.formats.sdk_stream import StreamedAnswer

log = logging.getLogger("clew.prompt")

_INNER: Final = "_iterator"
"""The attribute from which the stream objects of the SDKs of OpenAI and Anthropic, and all their methods, read."""

Finish = Callable[[StreamedAnswer], object]


def is_stream(value: Any) -> bool:
    """Whether a value is a stream: an iterator of either kind, or what an SDK's `stream(...)` returns."""
    return isinstance(value, Iterator | AsyncIterator) or _is_manager(value)


def recorded(stream: Any, finish: Finish) -> Any:
    """A stream, recorded.

    A stream object of an SDK is returned itself, with its inner iterator recorded, so that all its methods see the same
    pieces. A generator or another iterator is returned in an object that behaves like it.
    """
    if _is_manager(stream):
        return RecordedManager(stream, finish)
    record = StreamRecord(finish)
    inner = getattr(stream, _INNER, None)
    if isinstance(inner, Iterator | AsyncIterator) and hasattr(stream, "close"):
        return _record_inside(stream, inner, record)
    is_async = isinstance(stream, AsyncIterator)
    return RecordedAsyncIterator(stream, record) if is_async else RecordedIterator(stream, record)


async def in_thread(work: Callable[[], Any]) -> Any:
    """What a blocking function returns, while the event loop goes on; a loop other than asyncio's waits for it."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    return await asyncio.to_thread(work)


def _is_manager(value: Any) -> bool:
    return type(value).__name__.endswith("StreamManager")


class LaterCall(Protocol):
    """A call of an asynchronous generator function that was not made yet."""

    def begin(self) -> None:
        """Builds the prompt and stores what was asked."""
        ...

    async def open_later(self) -> Any:
        """Begins in a thread, and returns the generator."""
        ...


class StreamRecord:
    """The pieces of one stream, given to `finish` once."""

    def __init__(self, finish: Finish) -> None:
        self._answer, self._finish, self._ended = StreamedAnswer(), finish, False

    def take(self, piece: Any) -> None:
        """Notes a piece; one that cannot be read is logged."""
        try:
            self._answer.take(piece)
        except Exception:
            log.exception("a piece of a streamed answer could not be read; the caller gets it, the memory does not")

    def end(self) -> None:
        """Gives what was received to `finish`, unless that happened before."""
        if not self._ended:
            self._ended = True
            self._finish(self._answer)

    async def end_later(self) -> None:
        """Ends in a thread, since storing blocks, and waits for it."""
        if not self._ended:
            await in_thread(self.end)

    def end_dropped(self) -> None:
        """Ends a stream that nobody holds any more; while Python shuts down nothing can be stored."""
        if not sys.is_finalizing():
            self.end()


class _Passing:
    """An object that looks like the one inside it, but for the methods that it has itself."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    @property  # type: ignore[misc]  # isinstance asks it what is inside
    def __class__(self) -> type[Any]:
        return AsyncGeneratorType if self._inner is None else type(self._inner)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class RecordedIterator(_Passing):
    """A generator or another iterator."""

    def __init__(self, inner: Iterator[Any], record: StreamRecord) -> None:
        super().__init__(inner)
        self._record = record

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        return self._step(next, self._inner)

    def send(self, value: Any) -> Any:
        """As of the generator inside."""
        return self._step(self._inner.send, value)

    def throw(self, *error: Any) -> Any:
        """As of the generator inside."""
        return self._step(self._inner.throw, *error)

    def close(self) -> Any:
        """As of the generator inside; what came until now is stored."""
        try:
            return self._inner.close() if hasattr(self._inner, "close") else None
        finally:
            self._record.end()

    def __enter__(self) -> Self:
        if hasattr(self._inner, "__enter__"):
            self._inner.__enter__()
        return self

    def __exit__(self, *error: object) -> Any:
        try:
            return self._inner.__exit__(*error) if hasattr(self._inner, "__exit__") else None
        finally:
            self._record.end()

    def __del__(self) -> None:
        self._record.end_dropped()

    def _step(self, call: Callable[..., Any], *values: Any) -> Any:
        try:
            piece = call(*values)
        except BaseException:
            self._record.end()
            raise
        self._record.take(piece)
        return piece


class RecordedAsyncIterator(_Passing):
    """An asynchronous generator or another asynchronous iterator.

    With `call`, the generator is made when its first piece is asked for; if that never happens, only what was asked is
    noted.
    """

    def __init__(self, inner: Any, record: StreamRecord, call: LaterCall | None = None) -> None:
        super().__init__(inner)
        self._record, self._call = record, call

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        return await self._step("__anext__")

    async def asend(self, value: Any) -> Any:
        """As of the generator inside."""
        return await self._step("asend", value)

    async def athrow(self, *error: Any) -> Any:
        """As of the generator inside."""
        return await self._step("athrow", *error)

    async def aclose(self) -> Any:
        """As of the generator inside; what came until now is stored."""
        if self._call is not None:
            call, self._call = self._call, None
            await in_thread(call.begin)
        try:
            return await self._inner.aclose() if hasattr(self._inner, "aclose") else None
        finally:
            await self._record.end_later()

    async def __aenter__(self) -> Self:
        if hasattr(self._inner, "__aenter__"):
            await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> Any:
        try:
            return await self._inner.__aexit__(*error) if hasattr(self._inner, "__aexit__") else None
        finally:
            await self._record.end_later()

    def __del__(self) -> None:
        if self._call is not None and not sys.is_finalizing():
            self._call.begin()
        self._record.end_dropped()

    async def _step(self, name: str, *values: Any) -> Any:
        try:
            if self._call is not None:
                call, self._call = self._call, None
                self._inner = await call.open_later()
            piece = await getattr(self._inner, name)(*values)
        except GeneratorExit:  # the event loop ends, and nothing can be awaited any more
            self._record.end()
            raise
        except BaseException:
            await self._record.end_later()
            raise
        self._record.take(piece)
        return piece


class RecordedManager(_Passing):
    """What an SDK's `stream(...)` returns: its stream is made, and recorded, in a `with` statement."""

    def __init__(self, inner: Any, finish: Finish) -> None:
        super().__init__(inner)
        self._finish = finish

    def __enter__(self) -> Any:
        return recorded(self._inner.__enter__(), self._finish)

    def __exit__(self, *error: object) -> Any:
        return self._inner.__exit__(*error)

    async def __aenter__(self) -> Any:
        return recorded(await self._inner.__aenter__(), self._finish)

    async def __aexit__(self, *error: object) -> Any:
        return await self._inner.__aexit__(*error)


def _record_inside(stream: Any, inner: Any, record: StreamRecord) -> Any:
    """Records the inner iterator of an SDK's stream object, and what its `close` ends."""
    reference = weakref.ref(stream)  # no cycle: a stream that is dropped half-way ends at once
    close = type(stream).close

    def closing() -> Any:
        try:
            return close(reference())
        finally:
            record.end()

    async def closing_later() -> Any:
        try:
            return await close(reference())
        finally:
            await record.end_later()

    is_async = isinstance(inner, AsyncIterator)
    setattr(stream, _INNER, RecordedAsyncIterator(inner, record) if is_async else RecordedIterator(inner, record))
    stream.close = closing_later if is_async else closing
    return stream
