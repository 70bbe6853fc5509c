"""AsyncMemory: Memory's methods as coroutines. Mechanical: each runs Memory's own method in a bounded thread pool.

Questions have a pool of their own. They compute and hardly wait, so more of them at once gain nothing under Python's
global lock, and each running thread may hold up the event loop for one switch interval (5 ms). On a machine with a load
of 16 on two cores two at once took as many calls as one, and twice the lag (docs/speed.md). An embedder that is
asked over the network does wait.
"""

import asyncio
import functools
import inspect
import threading
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Concatenate, Final, Generic, NoReturn, ParamSpec, Self, TypeVar

from clew.errors import ClosedError, InputError, shown
from clew.memory import Memory
from clew.models.minilm import MiniLM

P = ParamSpec("P")
T = TypeVar("T")

THREADS: Final = 8
"""Calls other than questions that may be at work at once; more wait their turn."""

QUESTIONS: Final = 1
"""Questions that may be at work at once; more wait their turn."""

ASKING: Final = 4
"""The same where the embedder is not Clew's own and may have to wait for a server."""


def _in_thread(
    method: Callable[Concatenate[Memory, P], T], *, question: bool = False
) -> Callable[Concatenate["AsyncMemory", P], Coroutine[Any, Any, T]]:
    async def call(self: "AsyncMemory", /, *args: P.args, **kwargs: P.kwargs) -> T:
        work = functools.partial(method, self.memory, *args, **kwargs)
        try:
            pool = self.questions if question else self.threads
            running = asyncio.get_running_loop().run_in_executor(pool, work)
        except RuntimeError as error:  # the threads are gone
            raise ClosedError from error
        return await running

    functools.update_wrapper(call, method)
    return call


_BOTH_WAYS: Final = """Opens a home, as soon as it is awaited or entered; takes and raises what `Memory.open` does.

Both `memory = await AsyncMemory.open(...)` and `async with AsyncMemory.open(...) as memory:` open it; the latter closes
it, too. `Memory.open` says:"""

_Opened = TypeVar("_Opened", bound="AsyncMemory")


class Opening(Generic[_Opened]):
    """A home that is about to be opened: await it, or use it as an asynchronous context manager."""

    def __init__(self, kind: type[_Opened], start: Callable[[], Memory]) -> None:
        """Opens nothing yet."""
        self._kind = kind
        self._start = start
        self._memory: _Opened | None = None

    def __repr__(self) -> str:
        return f"<{self._kind.__name__} that is not open yet: await it, or use it in an `async with` statement>"

    def __await__(self) -> Generator[Any, None, _Opened]:
        return self._open().__await__()

    async def __aenter__(self) -> _Opened:
        self._memory = await self._open()
        return self._memory

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._memory is not None:
            await self._memory.close()

    async def _open(self) -> _Opened:
        opening = _AbandonableOpening(self._start)
        try:
            return self._kind(await asyncio.to_thread(opening.run))
        except asyncio.CancelledError:
            asyncio.get_running_loop().run_in_executor(None, opening.abandon)
            raise


class _Opener(Generic[P]):
    """`AsyncMemory.open`: a class method with the arguments of `Memory.open`, also for type checkers and `help`."""

    def __init__(self, start: Callable[P, Memory]) -> None:
        self._start = start

    def __get__(self, _: object, kind: type[_Opened]) -> Callable[P, Opening[_Opened]]:
        def open_later(*args: P.args, **kwargs: P.kwargs) -> Opening[_Opened]:
            return Opening(kind, functools.partial(self._start, *args, **kwargs))

        functools.update_wrapper(open_later, self._start)
        open_later.__qualname__ = f"{kind.__qualname__}.open"
        open_later.__doc__ = f"{_BOTH_WAYS}\n\n{inspect.getdoc(self._start)}"
        return open_later


class _AbandonableOpening:
    """The opening of a memory in a thread, whose caller may be cancelled meanwhile: nobody could close it then."""

    def __init__(self, start: Callable[[], Memory]) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._memory: Memory | None = None
        self._is_abandoned = False

    def run(self) -> Memory:
        """Opens the memory, and closes it again if it was abandoned."""
        memory = self._start()
        with self._lock:
            self._memory = memory
            is_abandoned = self._is_abandoned
        if is_abandoned:
            memory.close()
        return memory

    def abandon(self) -> None:
        """Closes the memory, now or as soon as it is open."""
        with self._lock:
            self._is_abandoned = True
            memory = self._memory
        if memory is not None:
            memory.close()


class AsyncMemory:
    """A `Memory` for asyncio; use `await AsyncMemory.open(...)`, and close it, or use it in an `async with` statement.

    A cancelled call still finishes in its thread: what was acknowledged to nobody may still be stored.
    """

    def __init__(self, memory: Memory) -> None:
        """Wraps an open memory.

        Raises:
            InputError: that is none, as in `AsyncMemory("path")`.
        """
        if not isinstance(memory, Memory):
            raise InputError(f"AsyncMemory({shown(memory, 200)}) wraps no memory; use `await AsyncMemory.open(path)`")
        self.memory = memory
        self.threads = ThreadPoolExecutor(THREADS, thread_name_prefix="clew")
        computes = memory.embedder is None or isinstance(memory.embedder, MiniLM)
        self.questions = ThreadPoolExecutor(QUESTIONS if computes else ASKING, thread_name_prefix="clew-questions")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} over {self.memory!r}>"

    def __reduce__(self) -> NoReturn:
        self.memory.__reduce__()

    open = _Opener(Memory.open)

    @property
    def is_writable(self) -> bool:
        """As `Memory.is_writable`; known since the home was opened, so nothing is awaited."""
        return self.memory.is_writable

    @property
    def is_empty(self) -> bool:
        """As `Memory.is_empty`: a value, so that `if memory.is_empty` means what it says; a short read, no thread."""
        return self.memory.is_empty

    add = _in_thread(Memory.add)
    add_many = _in_thread(Memory.add_many)
    import_path = _in_thread(Memory.import_path)
    pause = _in_thread(Memory.pause)
    resume = _in_thread(Memory.resume)
    recall = _in_thread(Memory.recall, question=True)
    search = _in_thread(Memory.search, question=True)
    ranked = _in_thread(Memory.ranked, question=True)
    query = _in_thread(Memory.query, question=True)
    find_quote = _in_thread(Memory.find_quote, question=True)
    brief = _in_thread(Memory.brief, question=True)
    sessions = _in_thread(Memory.sessions, question=True)
    turns = _in_thread(Memory.turns, question=True)
    get = _in_thread(Memory.get)
    restore = _in_thread(Memory.restore)
    recap = _in_thread(Memory.recap)
    condense = _in_thread(Memory.condense)
    shown = _in_thread(Memory.shown)
    insure = _in_thread(Memory.insure)
    collapse = _in_thread(Memory.collapse)
    shrink_images = _in_thread(Memory.shrink_images)
    retry = _in_thread(Memory.retry)
    extract = _in_thread(Memory.extract)
    extractions = _in_thread(Memory.extractions)
    explain = _in_thread(Memory.explain)
    stats = _in_thread(Memory.stats)
    annotations = _in_thread(Memory.annotations)
    snapshots = _in_thread(Memory.snapshots)
    labels = _in_thread(Memory.labels)
    labelled = _in_thread(Memory.labelled, question=True)
    topics = _in_thread(Memory.topics)
    facts = _in_thread(Memory.facts, question=True)
    edges = _in_thread(Memory.edges, question=True)
    history = _in_thread(Memory.history, question=True)
    correct = _in_thread(Memory.correct)
    entities = _in_thread(Memory.entities, question=True)
    entity = _in_thread(Memory.entity, question=True)
    build_prompt = _in_thread(Memory.build_prompt, question=True)
    update = _in_thread(Memory.update)
    wrap_chat = _in_thread(Memory.wrap_chat)
    remember_when = _in_thread(Memory.remember_when, question=True)
    mark_used = _in_thread(Memory.mark_used)
    tune = _in_thread(Memory.tune)
    learned = _in_thread(Memory.learned)
    revert = _in_thread(Memory.revert)
    pin = _in_thread(Memory.pin)
    unpin = _in_thread(Memory.unpin)
    pins = _in_thread(Memory.pins)
    state_before = _in_thread(Memory.state_before, question=True)
    evolution = _in_thread(Memory.evolution)
    in_common = _in_thread(Memory.in_common, question=True)
    domains = _in_thread(Memory.domains, question=True)
    drain = _in_thread(Memory.drain)
    warm_up = _in_thread(Memory.warm_up)
    forget = _in_thread(Memory.forget)
    forget_expired = _in_thread(Memory.forget_expired)
    export = _in_thread(Memory.export)
    backup = _in_thread(Memory.backup)
    rebuild = _in_thread(Memory.rebuild)
    verify = _in_thread(Memory.verify)
    attach_project = _in_thread(Memory.attach_project)
    detach_project = _in_thread(Memory.detach_project)
    projects = _in_thread(Memory.projects)
    decisions = _in_thread(Memory.decisions, question=True)
    links = _in_thread(Memory.links)
    drift = _in_thread(Memory.drift, question=True)
    quests = _in_thread(Memory.quests, question=True)
    set_quest = _in_thread(Memory.set_quest)
    seal_quest = _in_thread(Memory.seal_quest)
    verify_quest = _in_thread(Memory.verify_quest)
    quest_patterns = _in_thread(Memory.quest_patterns)
    export_pattern = _in_thread(Memory.export_pattern)
    import_pattern = _in_thread(Memory.import_pattern)

    async def close(self) -> None:
        """Ends the background work after the step at hand and releases the home and the threads."""
        try:
            await asyncio.to_thread(self.memory.close)
        finally:
            for pool in (self.threads, self.questions):
                pool.shutdown(wait=False)

    async def __aenter__(self) -> Self:
        self.memory.__enter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
