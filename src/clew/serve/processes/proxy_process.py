"""The proxy as a process of its own that is started again when it dies, always behind the same address.

The socket that listens belongs to this process and is inherited: while a new proxy starts, connections wait instead of
being refused. On Windows, where sockets are not inherited, the new proxy listens on the same port.
"""

import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Final

from clew.errors import ConfigError
from clew.serve.processes.run_server import address_of, listen
from clew.serve.processes.supervised_process import close_pipes, end_input, start_supervised

_INHERITS: Final = sys.platform != "win32"
_FIRST_DELAY: Final = 0.1
_LONGEST_DELAY: Final = 5.0
"""Seconds before a proxy that died is started again; doubled for each time that it dies."""
_DOUBLINGS: Final = 10
"""Deaths after which the delay is the longest in any case; without end, no float would hold the power."""
_FAREWELL: Final = 10.0
"""Seconds for which the end of the proxy is waited for; after that it brings its work to an end alone."""
_LINES: Final = 20


class ProxyProcess:
    """Runs the proxy while it is entered. `deaths` counts how often it ended by itself."""

    def __init__(self, home: str | None, space: str, settings: Mapping[str, Any]) -> None:
        """Does not start it yet.

        Args:
            settings: of `serve.*`; where it listens and who may use it are not settings here.
        """
        self._listening = listen("127.0.0.1", 0)
        self.address = address_of(self._listening)
        port = self._listening.getsockname()[1]
        own = {"host": "127.0.0.1", "token": "none", "tokens": [], "workers": 1}  # its clients know no token
        place = {"fd": self._listening.fileno()} if _INHERITS else {"port": port}
        self._order = {"home": home, "space": space, "serve": {**settings, **own}, **place}
        self._leaving = threading.Event()
        self._last_words: deque[str] = deque(maxlen=_LINES)
        self._watcher = threading.Thread(target=self._watch, name="clew-proxy", daemon=True)
        self.deaths = 0

    def __enter__(self) -> "ProxyProcess":
        """Starts it and waits until it serves.

        Raises:
            ConfigError: it ended instead; the message has its last words.
        """
        if not _INHERITS:
            self._listening.close()
        try:
            self._process = self._started()
            if not self._process.stdout or not self._process.stdout.readline():
                self._ended()
                raise ConfigError(f"the proxy did not start: {' '.join(self._last_words) or 'it gave no reason'}")
        except BaseException:
            self._listening.close()
            raise
        self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends it; what it still has to store is stored."""
        self._leaving.set()
        end_input(self._process)
        self._watcher.join(_FAREWELL)
        self._listening.close()

    @property
    def pid(self) -> int:
        """The process that serves now."""
        return self._process.pid

    @property
    def last_words(self) -> list[str]:
        """The last lines that it wrote to its standard error: events, without texts and keys."""
        return list(self._last_words)

    def _started(self) -> subprocess.Popen[bytes]:
        inherits = self._listening.fileno() if _INHERITS else None
        process = start_supervised(self._order, inherits=inherits, captures_log=True)
        self._reader = threading.Thread(target=self._read, args=(process,), name="clew-proxy-log", daemon=True)
        self._reader.start()
        return process

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        """Keeps the last lines of a proxy's log, so that it never waits for a reader."""
        if process.stderr is not None:
            for line in process.stderr:
                self._last_words.append(line.decode("utf-8", "replace").strip())

    def _watch(self) -> None:
        while True:
            self._ended()
            if self._leaving.is_set():
                return
            self.deaths += 1
            if self._leaving.wait(restart_delay(self.deaths)):
                return
            with suppress(OSError):  # no room for a process at the moment: tried again as if it had died
                self._process = self._started()
            if self._leaving.is_set():
                end_input(self._process)

    def _ended(self) -> None:
        """Waits for the end of the process, and closes what connected it."""
        self._process.wait()
        self._reader.join()
        close_pipes(self._process)


def restart_delay(deaths: int) -> float:
    """Seconds before a proxy is started again that died so often."""
    return float(min(_FIRST_DELAY * 2 ** min(deaths - 1, _DOUBLINGS), _LONGEST_DELAY))
