"""A chat function with a memory around it: it gets the built prompt, its answer is kept, and memory never blocks it."""

import functools
import inspect
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeVar

from clew.assemble.recorded_stream import RecordedAsyncIterator, StreamRecord, in_thread, is_stream, recorded
from clew.ingest.formats.sdk import JsonObject, messages_in
from clew.ingest.formats.sdk_stream import StreamedAnswer

log = logging.getLogger("clew.prompt")

T = TypeVar("T")
R = TypeVar("R")

NAMES: Final = ("messages", "input", "contents", "query", "prompt", "message")
"""Keywords by which SDKs take what the user says."""


class Memorizer(Protocol):
    """What a wrapped chat function does with its memory. An error of any method is logged and stops nothing."""

    def prompt(self, asked: Any) -> Any:
        """What the chat function gets instead of what it was asked."""
        ...

    def heard(self, asked: Any) -> str | None:
        """Takes what was asked, before the chat function is called; returns the id by which `answered` knows it."""
        ...

    def answered(self, asked: Any, messages: list[JsonObject], question: str | None, /) -> None:
        """Takes the answer, or what came of it; the question is None where `heard` gave no id, or failed."""
        ...

    def failed(self, asked: Any) -> None:
        """Takes that the chat function raised before it gave an answer."""
        ...


@dataclass(slots=True)
class _Call:
    """One call of the chat function. What it is asked is its first argument, or else the first keyword of `NAMES`."""

    chat: Callable[..., Any]
    memorizer: Memorizer
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    asked: Any = None
    question: str | None = None

    def begin(self) -> None:
        """Builds the prompt, then stores what was asked: not before, since a prompt does not quote its own question."""
        keyword = None if self.args else next((name for name in NAMES if name in self.kwargs), None)
        if not self.args and keyword is None:
            log.warning("the chat function is called without a question; expected it first, or as messages=")
            return
        self.asked = self.args[0] if keyword is None else self.kwargs[keyword]
        try:
            prompt = self.memorizer.prompt(self.asked)
        except Exception:
            log.exception("building the prompt failed; the chat function gets the plain query")
        else:
            if keyword is None:
                self.args = (prompt, *self.args[1:])
            else:
                self.kwargs = {**self.kwargs, keyword: prompt}
        self.question = _logged("storing what was asked failed", self.memorizer.heard, self.asked)

    def run(self) -> Any:
        """What the chat function returns."""
        try:
            return self.chat(*self.args, **self.kwargs)
        except BaseException:
            self.fail()
            raise

    async def run_later(self, answer: Awaitable[Any]) -> Any:
        """The answer of a coroutine, stored."""
        try:
            value = await answer
        except BaseException:
            self.fail()
            raise
        return recorded(value, self.keep_streamed) if is_stream(value) else await in_thread(lambda: self.keep(value))

    async def open_later(self) -> Any:
        """The asynchronous generator, when its first piece is asked for."""
        await in_thread(self.begin)
        return self.run()

    def take(self, answer: Any) -> Any:
        """The answer of a function, stored, or a stream that will be stored."""
        return recorded(answer, self.keep_streamed) if is_stream(answer) else self.keep(answer)

    def keep(self, answer: Any) -> Any:
        """Stores an answer and gives it back."""
        _logged("storing the answer failed; it is returned to the caller", self._store, answer)
        return answer

    def keep_streamed(self, answer: StreamedAnswer) -> None:
        """Stores what was received of a stream."""
        _logged("storing a streamed answer failed; the caller has it", self._store_streamed, answer)

    def fail(self) -> None:
        """Notes that there is no answer."""
        _logged("noting that a chat function failed did not succeed", self.memorizer.failed, self.asked)

    def _store(self, answer: Any) -> None:
        messages = messages_in(answer)
        if messages is None:
            log.warning("the answer of type %s is neither text nor messages; not stored", type(answer).__name__)
        else:
            self.memorizer.answered(self.asked, messages, self.question)

    def _store_streamed(self, answer: StreamedAnswer) -> None:
        if messages := answer.messages():
            self.memorizer.answered(self.asked, messages, self.question)
        else:
            self.memorizer.failed(self.asked)


def wrapped(chat: Callable[..., Any], memorizer: Memorizer) -> Callable[..., Any]:
    """Wraps a chat function: it receives the built prompt, and its answer is stored.

    The function is called exactly once, with the plain query where no prompt could be built; other arguments are passed
    on. Its answer is returned even when it cannot be stored, and its exceptions propagate. A stream is returned
    untouched and stored when it ends, also if it ends early. A coroutine function gives a coroutine function, and an
    asynchronous generator function a function that gives such a generator; memory works in a thread for both.
    """
    if inspect.iscoroutinefunction(chat) or inspect.iscoroutinefunction(type(chat).__call__):

        @functools.wraps(chat)
        async def asked_later(*args: Any, **kwargs: Any) -> Any:
            call = _Call(chat, memorizer, args, kwargs)
            await in_thread(call.begin)
            return await call.run_later(call.run())

        return asked_later

    @functools.wraps(chat)
    def asked(*args: Any, **kwargs: Any) -> Any:
        call = _Call(chat, memorizer, args, kwargs)
        if inspect.isasyncgenfunction(chat):
            return RecordedAsyncIterator(None, StreamRecord(call.keep_streamed), call)
        call.begin()
        answer = call.run()
        return call.run_later(answer) if inspect.isawaitable(answer) else call.take(answer)

    return asked


def _logged(what: str, work: Callable[[T], R], value: T) -> R | None:
    """What the work gives; None where it failed, which is logged."""
    try:
        return work(value)
    except Exception:
        log.exception("%s", what)
        return None
