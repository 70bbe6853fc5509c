"""Whatever breaks in the memory: the request goes upstream unchanged, an event says so, and the answer arrives."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from clew import Memory
from clew.errors import ConfigError
from clew.models.protocol import Matrix
from clew.serve.scripted.server import ScriptedUpstream
from clew.store.sqlite import DATABASE, SqliteStore
from clew.testing import HashEmbedder
from tests.support.disk_faults import FaultyDisk
from tests.support.proxies import START, RunningProxy, proxy
from tests.support.raw_upstreams import ask, post, split

FACT = "The backup code of the garage door is 4711, and it changes every spring."
PATH = "/openai/v1/chat/completions"
BODY, EARLIER = (
    json.dumps({"model": "gpt-5", "messages": [{"role": "user", "content": text}]}, indent=2).encode()
    for text in ("What is the backup code of the garage door?", "Does the code of the garage door change?")
)


@dataclass
class Broken:
    """A way to open a memory that breaks when the test says so."""

    opening: Callable[[str], Memory]
    break_now: Callable[[], None] = lambda: None
    mend: Callable[[], None] = lambda: None
    settings: dict[str, float] = field(default_factory=dict)


def fill(memory: Memory) -> Memory:
    memory.update(FACT, "Noted.", session="house")
    memory.drain(200)
    return memory


def cannot_open(_: Path) -> Broken:
    def opening(_space: str) -> Memory:
        raise ConfigError("no such setting")

    return Broken(opening)


def bug_in_opening(_: Path) -> Broken:
    def opening(_space: str) -> Memory:
        raise ZeroDivisionError

    return Broken(opening)


def no_database(place: Path) -> Broken:
    (place / DATABASE).write_bytes(b"shopping list: wool, thread\n" * 100)
    return Broken(lambda space: Memory.open(place, space=space, config={"embedder": "none"}))


def damaged_database(place: Path) -> Broken:
    def opening(space: str) -> Memory:
        fill(Memory.open(place, space=space, config={"embedder": "none"})).close()
        data = (place / DATABASE).read_bytes()
        (place / DATABASE).write_bytes(data[:8192] + b"\xa5" * (len(data) - 8192))
        return Memory.open(place, space=space, config={"embedder": "none"})

    return Broken(opening)


def failing_disk(place: Path, error: Exception, operations: Sequence[str]) -> Broken:
    disk = FaultyDisk()

    def opening(space: str) -> Memory:
        store = SqliteStore.open(place, vfs=disk.name)
        return fill(Memory.open(store, space=space, config={"embedder": "none"}))

    def fault(operation: str, _name: str) -> None:
        if operation in operations:
            raise error

    def set_fault() -> None:
        disk.fault = fault

    def mend() -> None:
        disk.fault = lambda _operation, _name: None

    return Broken(opening, set_fault, mend)


def disk_full(place: Path) -> Broken:
    return failing_disk(place, apsw.FullError("no room"), ["write"])


def disk_broken(place: Path) -> Broken:
    return failing_disk(place, apsw.IOError("broken"), ["read", "write", "sync"])


def store_locked(place: Path) -> Broken:
    other: list[apsw.Connection] = []

    def lock() -> None:
        other.append(apsw.Connection(str(place / DATABASE)))
        other[0].set_busy_timeout(60_000)  # the answer before, and what it cost, may still be on their way
        other[0].execute("BEGIN IMMEDIATE")

    def mend() -> None:
        other[0].close()

    return Broken(
        lambda space: fill(Memory.open(place, space=space, config={"embedder": "none"})),
        lock,
        mend,
        {"patience": 2.0},  # it is as long as a locked store is waited for, three times
    )


class BrokenEmbedder(HashEmbedder):
    """An embedder that fails, or hangs, from a moment on."""

    def __init__(self, how: Callable[[], object]) -> None:
        super().__init__()
        self.breaks = False
        self._how = how

    def embed(self, texts: Sequence[str]) -> Matrix:
        if self.breaks:
            self._how()
        return super().embed(texts)


def with_embedder(how: Callable[[], object]) -> Broken:
    embedder = BrokenEmbedder(how)
    return Broken(
        lambda space: fill(Memory.open(":memory:", space=space, embedder=embedder)),
        lambda: setattr(embedder, "breaks", True),
        lambda: setattr(embedder, "breaks", False),
    )


def embedder_raises(_: Path) -> Broken:
    def fail() -> None:
        raise RuntimeError("no weights")

    return with_embedder(fail)


def embedder_hangs(_: Path) -> Broken:
    mended = threading.Event()
    broken = with_embedder(lambda: mended.wait(60))
    broken.settings["patience"] = 0.2
    broken.mend = mended.set
    return broken


def bug_in_recall(_: Path) -> Broken:
    """A clock that breaks stands for any bug that a recall meets."""
    broken = False

    def clock() -> datetime:
        if broken:
            raise ZeroDivisionError
        return datetime(2026, 3, 1, tzinfo=UTC)

    def break_now() -> None:
        nonlocal broken
        broken = True

    def mend() -> None:
        nonlocal broken
        broken = False

    config = {"embedder": "none"}
    return Broken(lambda space: fill(Memory.open(":memory:", space=space, config=config, clock=clock)), break_now, mend)


def worker_dead(_: Path) -> Broken:
    memories: list[Memory] = []

    def opening(space: str) -> Memory:
        memories.append(fill(Memory.open(":memory:", space=space, config={"embedder": "none"})))
        return memories[0]

    def stop() -> None:
        memories[0].parts.worker.stop()

    return Broken(opening, stop)


def closed(_: Path) -> Broken:
    memories: list[Memory] = []

    def opening(space: str) -> Memory:
        memories.append(fill(Memory.open(":memory:", space=space, config={"embedder": "none"})))
        return memories[0]

    def close() -> None:
        memories[0].close()

    return Broken(opening, close)


NOT_OPENED = [cannot_open, bug_in_opening, no_database]
STOPPED = [*NOT_OPENED, damaged_database, bug_in_recall, embedder_hangs]
"""What leaves nothing that could be added."""
WEAKENED = [disk_full, disk_broken, store_locked, embedder_raises, worker_dead, closed]
"""What may leave enough of the memory to answer from."""


@contextmanager
def running(broken: Broken) -> Iterator[tuple[ScriptedUpstream, RunningProxy]]:
    upstream = ScriptedUpstream()
    with upstream.serving() as url, proxy(url, broken.opening, **broken.settings) as server:
        try:
            yield upstream, server
        finally:
            broken.mend()


def chat(server: RunningProxy, body: bytes = BODY) -> tuple[int, dict[bytes, bytes], bytes]:
    return split(ask(server.url, post(PATH, body, b"Authorization: Bearer k")))


@pytest.mark.requirement("P-RLY-09")
@pytest.mark.parametrize("way", STOPPED)
def test_the_request_goes_on_unchanged_when_the_memory_is_broken(way: Callable[[Path], Broken], tmp_path: Path) -> None:
    broken = way(tmp_path)
    with running(broken) as (upstream, server):
        if way not in (*NOT_OPENED, damaged_database):
            chat(server, EARLIER)
        broken.break_now()
        status, headers, body = chat(server)
        assert status == 200, body
        assert b"OK." in body
        assert b"x-clew-receipt" not in headers
        assert upstream.requests[-1].body == BODY
        event = server.event("failed-open")
        assert event["reason"] == ("slow" if way is embedder_hangs else "error")
        assert server.services.metrics.text({}).count("clew_failed_open_total{") == 1


@pytest.mark.requirement("P-RLY-09")
@pytest.mark.parametrize("way", WEAKENED)
def test_the_answer_arrives_when_a_part_of_the_memory_is_broken(way: Callable[[Path], Broken], tmp_path: Path) -> None:
    broken = way(tmp_path)
    with running(broken) as (upstream, server):
        until = time.monotonic() + START
        while chat(server, EARLIER) and b"4711" not in upstream.requests[-1].body:
            assert time.monotonic() < until, "it is opened, which may take longer than a short patience"
        broken.break_now()
        for _ in range(3):
            status, _, body = chat(server)
            assert (status, b"OK." in body) == (200, True)
        body = upstream.requests[-1].body
        assert body == BODY or b"4711" in body


@pytest.mark.requirement("P-RLY-09")
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"messages": 5}', b"\xff\xfe", b'{"messages": [' * 5000])
def test_what_cannot_be_read_is_left_to_the_upstream(body: bytes) -> None:
    upstream = ScriptedUpstream()
    with upstream.serving() as url, proxy(url) as server:
        status, _, _ = split(ask(server.url, post(PATH, body, b"Authorization: Bearer k")))
        assert 400 <= status < 500
        assert server.event("failed-open")["reason"] == "unreadable"
    assert upstream.requests[-1].body == body


@pytest.mark.requirement("P-RLY-09")
def test_requests_beyond_what_the_threads_get_through_go_on() -> None:
    go = threading.Event()

    def opening(space: str) -> Memory:
        go.wait(60)
        return Memory.open(":memory:", space=space, config={"embedder": "none"})

    upstream = ScriptedUpstream()
    with upstream.serving() as url, proxy(url, opening, threads=1, patience=0.05) as server:
        threads = [threading.Thread(target=chat, args=(server,)) for _ in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        reasons = {event["reason"] for event in server.events if event["event"] == "failed-open"}
        go.set()
    assert reasons == {"slow", "busy"}
    assert len(upstream.requests) == 100


def health(server: RunningProxy) -> tuple[int, dict[str, str]]:
    status, _, body = split(
        ask(server.url, b"GET /clew/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    )
    return status, json.loads(body)["broken"]


def awaited(server: RunningProxy, wanted: tuple[int, dict[str, str]]) -> None:
    """Asks for the health until it is as wanted, since answers are stored after they have arrived."""
    until = time.monotonic() + 60
    while (found := health(server)) != wanted:
        assert time.monotonic() < until, found
        time.sleep(0.02)


@pytest.mark.requirement("P-RLY-41")
def test_health_is_degraded_while_the_store_of_a_running_server_fails(tmp_path: Path) -> None:
    broken = failing_disk(tmp_path, apsw.IOError("broken"), ["read", "write", "sync"])
    with running(broken) as (_, server):
        chat(server, EARLIER)
        awaited(server, (200, {}))
        broken.break_now()
        chat(server)
        error = server.event("failed-open")["error"]
        awaited(server, (503, {"default": error}))
        incognito = post(PATH, BODY, b"Authorization: Bearer k", b"X-Clew-Incognito: on")
        assert split(ask(server.url, incognito))[0] == 200
        assert health(server)[0] == 503
        broken.mend()
        chat(server)
        awaited(server, (200, {}))


@pytest.mark.requirement("P-RLY-41")
def test_health_is_degraded_when_the_database_is_destroyed_under_the_server(tmp_path: Path) -> None:
    broken = Broken(lambda space: fill(Memory.open(tmp_path, space=space, config={"embedder": "none"})))
    with running(broken) as (_, server):
        chat(server, EARLIER)
        awaited(server, (200, {}))
        for path in tmp_path.glob(f"{DATABASE}*"):
            with path.open("r+b") as file:  # in place: a mapped file that is cut kills the process
                file.write(b"\xa5" * path.stat().st_size)
        chat(server)
        awaited(server, (503, {"default": server.event("failed-open")["error"]}))
