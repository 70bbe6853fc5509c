"""Processes that are killed: one harness for every operation of `kill_operations.py`, and one for whole programs.

A nursery is a process that has loaded Clew and forks a victim for each run, so that a run costs no start. A victim says
line by line what is done, and is killed, as `kill -9` does it, at the moment that the caller chose.
"""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_ROOT: Final = Path(__file__).resolve().parents[2]
_PATIENCE: Final = 600.0


@dataclass(frozen=True, slots=True)
class Run:
    """What a victim did.

    Attributes:
        said: its lines, each as a list of words; a line that was cut off is left out.
        killed: whether it was killed before it came to its end.
        seconds: from its beginning to its end.
    """

    said: list[list[str]]
    killed: bool
    seconds: float

    def names(self, kind: str) -> set[str]:
        """The second words of the lines of one kind."""
        return {words[1] for words in self.said if words[0] == kind}


class Nursery:
    """Use it in a `with` statement; one run at a time. `killed` counts the victims that did not come to their end."""

    def __init__(self) -> None:
        self.killed = 0
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.kill_operations"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=_ROOT,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "CLEW_EMBEDDER": "none"},
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def __enter__(self) -> "Nursery":
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._reading.join()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def run(self, operation: str, *words: Any, kill_after: float | None = None) -> Run:
        """Runs an operation to its end, or for so many seconds.

        Raises:
            AssertionError: it failed by itself; its traceback is on stderr.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([kill_after, operation, *map(str, words)]) + "\n")
        self._process.stdin.flush()
        said: list[list[str]] = []
        while not (line := self._next()).startswith("over "):
            said.append(line.split(" "))
        _, status, seconds = line.split()
        assert status in ("0", str(-signal.SIGKILL)), f"{operation} ended with {status} by itself"
        self.killed += status != "0"
        return Run(said, killed=status != "0", seconds=float(seconds))

    def _next(self) -> str:
        line = self._lines.get(timeout=_PATIENCE)
        assert line, "the nursery has ended by itself; what it said is on stderr"
        return line

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put("")


class Program:
    """A process of its own that runs a program without end, says line by line what is done, and is killed.

    Attributes:
        said: its lines so far; one that was cut off is left out.
    """

    def __init__(self, program: str, *words: object, may_complain: bool = False) -> None:
        command = [sys.executable, "-c", program, *map(str, words)]
        self.said: list[str] = []
        self._may_complain = may_complain
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self._errors: list[str] = []
        self._threads = [threading.Thread(target=self._read), threading.Thread(target=self._read_errors)]
        for thread in self._threads:
            thread.start()

    def wait_for(self, count: int) -> None:
        """Until it has said so many lines.

        Raises:
            AssertionError: it ended by itself.
        """
        while len(self.said) < count:
            assert self._process.poll() is None, f"the process ended by itself: {''.join(self._errors)}"
            threading.Event().wait(0.002)

    def kill(self) -> None:
        """As `kill -9` does it; what it said is all there then.

        Raises:
            AssertionError: it wrote to stderr, and may not.
        """
        self._process.kill()
        self._process.wait()
        for thread in self._threads:
            thread.join()
        for pipe in (self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()
        assert self._may_complain or not self._errors, "".join(self._errors)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.endswith("\n"):
                self.said.append(line.rstrip("\n"))

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        self._errors.extend(self._process.stderr)


def say(*words: str) -> None:
    """Says in a victim what is done, in one write, so that no line is there by half."""
    os.write(1, (" ".join(words) + "\n").encode())


def serve(operations: dict[str, Any]) -> None:
    """The nursery's own loop: forks a victim for each line of stdin."""
    for line in sys.stdin:
        kill_after, name, *words = json.loads(line)
        started = time.perf_counter()
        victim = os.fork()
        if victim == 0:
            _be_victim(operations[name], words)
        if kill_after is not None:
            time.sleep(kill_after)
            os.kill(victim, signal.SIGKILL)  # nobody else: one that has ended keeps its number until it is waited for
        _, status = os.waitpid(victim, 0)
        say("over", str(os.waitstatus_to_exitcode(status)), str(time.perf_counter() - started))


def _be_victim(operation: Any, words: Sequence[str]) -> None:
    status = 1
    try:
        operation(*words)
        status = 0
    except Exception:  # noqa: BLE001  # the caller sees the status, and whoever reads the log the traceback
        traceback.print_exc()
    finally:
        os._exit(status)  # else the nursery's own loop would go on in the victim
