"""Runs a program whose requests go through the proxy, and ends with it. Start at `run_command`."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Final

from clew.errors import InputError
from clew.serve.clients.client_addresses import child_command, child_environment
from clew.serve.processes.proxy_process import ProxyProcess

_HANDLED_WITHIN: Final = 0.5
"""Seconds until a signal is handled at the latest."""
BY_SIGNAL: Final = 128
"""Added to the number of the signal that ended a program, by the convention of shells."""


def check_command(command: Sequence[str], environment: Mapping[str, str]) -> None:
    """Looks for the program, so that a wrong name is told before a proxy is started.

    Raises:
        InputError: it is not found, or may not be run.
    """
    if shutil.which(command[0], path=environment.get("PATH")) is None:
        raise InputError(
            f"{command[0]!r} is not found, or cannot be run; give a command as you would type it in a shell"
        )


def run_command(proxy: ProxyProcess, command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Runs the command on this terminal, behind a proxy that is entered already; its exit status.

    Raises:
        InputError: the command is not found, or cannot be run.
    """
    words = child_command(proxy.address, command)
    running: list[subprocess.Popen[bytes]] = []
    with _passing_signals(running):
        try:
            child = subprocess.Popen(words, env=child_environment(proxy.address, environment))  # noqa: S603 - the user's own
        except (FileNotFoundError, PermissionError) as error:
            raise InputError(
                f"{command[0]!r} cannot be run: {error.strerror}; give a command as you would type it in a shell"
            ) from error
        running.append(child)
        status = _waited(child)
    return BY_SIGNAL - status if status < 0 else status


def _waited(child: subprocess.Popen[bytes]) -> int:
    """The child's status when it has ended; minus the number of the signal that ended it.

    A thread waits for it. This one wakes now and then: a signal that comes just before a wait without limit would be
    handled only when that wait is over.
    """
    ended: list[int] = []
    waiter = threading.Thread(target=lambda: ended.append(_status(child)), name="clew-child", daemon=True)
    waiter.start()
    while waiter.is_alive():
        waiter.join(_HANDLED_WITHIN)
    return ended[0]


def _status(child: subprocess.Popen[bytes]) -> int:
    """Waits for the child; while it is stopped, this process is, too.

    A program in raw mode reads Ctrl-Z as a key, and then stops itself alone. The shell must see that the job has
    stopped, or it would never take the terminal back. It continues both.
    """
    if sys.platform == "win32" or not hasattr(os, "waitid"):  # macOS has it from Python 3.13 on
        return child.wait()
    events = os.WEXITED | os.WNOWAIT | (os.WSTOPPED if _has_terminal() else 0)
    with suppress(ChildProcessError):  # a signal was to be passed on, which found that it had ended
        while (event := os.waitid(os.P_PID, child.pid, events)) is not None and event.si_code == os.CLD_STOPPED:
            if os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WNOHANG) is None:  # continued by the shell meanwhile
                continue
            signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)  # here and now: the next line comes after it
            child.send_signal(signal.SIGCONT)
    return child.wait()


@contextmanager
def _passing_signals(running: list[subprocess.Popen[bytes]]) -> Iterator[None]:
    """Passes requests to end on to the program; Ctrl-C is left to the terminal, where there is one: it tells both."""

    def ignore(_number: int, _frame: object) -> None:
        """The terminal has sent the signal to the program too."""

    def pass_on(number: int, _frame: object) -> None:
        for child in running:
            child.send_signal(number)

    typed = ignore if _has_terminal() else pass_on
    ours = {"SIGINT": typed, "SIGQUIT": typed, "SIGTERM": pass_on, "SIGHUP": pass_on}  # Windows lacks two of them
    before = {
        number: signal.signal(number, handler)
        for name, handler in ours.items()
        if (number := getattr(signal, name, None)) is not None
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _has_terminal() -> bool:
    """Whether this process has a terminal, which sends what is typed there to the program as well."""
    try:
        os.close(os.open(os.ctermid(), os.O_RDWR | os.O_NOCTTY))
    except AttributeError:  # Windows, where a console tells all of its programs
        return True
    except OSError:
        return False
    return True
