"""Examines many turns in several processes, since the analysis of text in one keeps one processor busy.

A process is this Python with `serve`, and gets stretches over a pipe. One that cannot be started, or ends early, is no
fault of the home: its stretch is examined here.
"""

import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import local
from typing import IO, BinaryIO, Final, cast

from clew.maintain.examine import Examined, Stretch, examine
from clew.structure.stored_graph import Counts

Result = tuple[list[Examined], Counts]

WORTH: Final = 4_000
"""Turns from which other processes are worth their start, about a second of processor time each."""

MOST: Final = 8
_AHEAD: Final = 2
"""Stretches that wait for each process, so that none runs dry; more would only take memory."""

_MOST_WAITING: Final = 32
"""Stretches with results that wait for an earlier one."""

_LENGTH: Final = 8
_CODE: Final = "from clew.maintain.examine_together import serve; serve()"


def examined(
    stretches: Iterator[Stretch], turns: int, processes: int | None = None
) -> Iterator[tuple[Stretch, Result]]:
    """Each stretch with its result, in order.

    Args:
        turns: how many there are, about.
        processes: to share the work, this one among them; None takes as many as this machine has processors to use.
    """
    count = min(_usable() if processes is None else processes, MOST) if turns >= WORTH else 1
    if count < 2 or not sys.executable:
        yield from ((stretch, examine(stretch)) for stretch in stretches)
        return
    helpers = _Helpers()
    waiting: deque[tuple[Stretch, Future[Result]]] = deque()
    pool = ThreadPoolExecutor(count - 1, thread_name_prefix="clew-examine")
    try:
        for stretch in stretches:
            is_free = sum(not future.done() for _, future in waiting) < _AHEAD * (count - 1)
            waiting.append((stretch, pool.submit(helpers.ask, stretch) if is_free else _here(stretch)))
            while waiting and (waiting[0][1].done() or len(waiting) > _MOST_WAITING):
                first, future = waiting.popleft()
                yield first, future.result()
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()
    finally:
        pool.shutdown(cancel_futures=True)
        helpers.close()


def _here(stretch: Stretch) -> Future[Result]:
    """The result from this process, which works too while the others have enough to do."""
    done: Future[Result] = Future()
    done.set_result(examine(stretch))
    return done


def _usable() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


class _Helpers:
    """Helping processes, one for each thread that asks for results."""

    def __init__(self) -> None:
        self._own = local()
        self._all: list[subprocess.Popen[bytes]] = []

    def ask(self, stretch: Stretch) -> Result:
        """The result of one stretch, from the thread's process."""
        try:
            process = self._process()
            _send(cast(BinaryIO, process.stdin), stretch)
            answer = _receive(cast(BinaryIO, process.stdout))
        except OSError:  # it could not be started, or is gone
            answer = None
        return examine(stretch) if answer is None else cast(Result, answer)

    def _process(self) -> subprocess.Popen[bytes]:
        process: subprocess.Popen[bytes] | None = getattr(self._own, "process", None)
        if process is None:
            process = self._own.process = subprocess.Popen(  # noqa: S603  # this Python, our code
                [sys.executable, "-c", _CODE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                start_new_session=True,  # an interrupt at the terminal is for the command, which closes the pipes
            )
            self._all.append(process)
        return process

    def close(self) -> None:
        """Ends the processes."""
        for process in self._all:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):  # what it was still to be sent
                    cast("IO[bytes]", pipe).close()
            process.wait()


def serve() -> None:
    """Answers stretches until the pipe ends; what a helping process runs."""
    while (stretch := _receive(sys.stdin.buffer)) is not None:
        _send(sys.stdout.buffer, examine(cast(Stretch, stretch)))


def _send(pipe: BinaryIO, value: object) -> None:
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    pipe.write(len(data).to_bytes(_LENGTH, "little") + data)
    pipe.flush()


def _receive(pipe: BinaryIO) -> object | None:
    """The next value; None when the pipe ends. Between processes of our own, which `pickle` is safe for."""
    head = pipe.read(_LENGTH)
    length = int.from_bytes(head, "little")
    data = pipe.read(length) if len(head) == _LENGTH else b""
    return pickle.loads(data) if data and len(data) == length else None  # noqa: S301  # from our own process
