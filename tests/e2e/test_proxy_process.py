"""`clew serve` as a process: how it starts, how it stops, and what a kill leaves."""

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from clew import Memory
from tests.support.cli_runs import PROGRAM, environment, failure
from tests.support.proxies import PATIENT
from tests.support.raw_upstreams import PATIENCE, RawRequest, answer, ask, chunk, connected, post, raw_upstream, split

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX systems")
BODY = json.dumps({"model": "m", "stream": True, "messages": [{"role": "user", "content": "The door code is 4711."}]})
CHAT = post("/openai/v1/chat/completions", BODY.encode(), b"Authorization: Bearer k")


@contextmanager
def serving(
    home: Path, *words: str, place: str | None = None, **variables: str
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The address of a server, and its process. Requests wait for the memory as long as a loaded machine may need."""
    store = ["--home", str(home / "memory")] if place is None else ["--store", place]
    command = [*PROGRAM, "serve", "--port", "0", *store, *words]
    env = environment(home, **{"CLEW_SERVE_PATIENCE": str(PATIENT), **variables})
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        try:
            yield line.split()[-1] if line else "", process
        finally:
            if process.poll() is None:
                process.kill()


def ending(url: str) -> None:
    """Waits until a server that was told to end has heard of it, and takes no more connections."""
    with suppress(ConnectionRefusedError):  # it is closed
        while True:
            connected(url).close()
            threading.Event().wait(0.01)


@POSIX
@pytest.mark.requirement("P-RLY-15")
@pytest.mark.parametrize("stopping", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)])
def test_running_answers_come_to_their_end(tmp_home: Path, stopping: signal.Signals) -> None:
    go = threading.Event()

    def reply(_: RawRequest) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        yield chunk(b"data: 1\n\n")
        assert go.wait(PATIENCE)
        yield chunk(b"data: 2\n\n") + chunk(b"")

    with raw_upstream(reply) as upstream, serving(tmp_home, "--upstream-openai", upstream.url) as (url, process):
        with connected(url) as plug:
            plug.sendall(CHAT)
            read = b""
            while b"data: 1" not in read:
                read += plug.recv(65_536)
            process.send_signal(stopping)
            ending(url)
            go.set()
            read += b"".join(iter(lambda: plug.recv(65_536), b""))
        assert split(read)[2] == b"data: 1\n\ndata: 2\n\n"
        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None
        log = [json.loads(line) for line in process.stderr.read().decode().splitlines()]
        assert [event for event in log if event.get("error")] == []


@POSIX
@pytest.mark.requirement("P-RLY-51")
@pytest.mark.slow
def test_a_second_ctrl_c_breaks_answers_off_and_stores_what_was_relayed(tmp_home: Path) -> None:
    over = threading.Event()

    def reply(_: RawRequest) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        yield chunk(b'data: {"choices": [{"index": 0, "delta": {"role": "assistant", "content": "It is 4711"}}]}\n\n')
        over.wait(PATIENCE)

    with raw_upstream(reply) as upstream, serving(tmp_home, "--upstream-openai", upstream.url) as (url, process):
        with connected(url) as plug:
            plug.sendall(CHAT)
            read = b""
            while b"4711" not in read:
                read += plug.recv(65_536)
            process.send_signal(signal.SIGINT)
            ending(url)
            assert process.poll() is None, "the first one waits for the answer"
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 0  # half of what the first one alone would wait
        over.set()
        assert process.stderr is not None
        (told,) = (json.loads(line) for line in process.stderr.read().splitlines())
        assert told["reason"] == "%d answers are broken off, since the server was told twice to end"
    with Memory.open(tmp_home / "memory", embedder="none") as memory:
        assert [turn.text for turn in memory.turns()] == ["The door code is 4711.", "It is 4711"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells that a process is gone")
@pytest.mark.requirement("P-RLY-51")
@pytest.mark.slow
def test_a_first_question_that_comes_again_after_a_kill_is_the_same_chat(tmp_home: Path) -> None:
    over, answers = threading.Event(), iter(["", "It is noted.", "Noted again."])

    def reply(_: RawRequest) -> Iterator[bytes]:
        yield b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        text = next(answers)
        delta = {"choices": [{"index": 0, "delta": {"role": "assistant", "content": text or "It"}}]}
        yield chunk(f"data: {json.dumps(delta)}\n\n".encode())
        if not text:
            over.wait(PATIENCE)
        yield chunk(b"data: [DONE]\n\n") + chunk(b"")

    with raw_upstream(reply) as upstream:
        where = ("--upstream-openai", upstream.url)
        with serving(tmp_home, *where) as (url, process), connected(url) as plug:
            plug.sendall(CHAT)
            while b"It" not in plug.recv(65_536):
                continue
            process.kill()
            process.wait()
        with serving(tmp_home, *where) as (url, process):
            for _ in range(2):  # the second one is somebody else's
                assert split(ask(url, CHAT))[0] == 200
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE) == 0
        over.set()
    with Memory.open(tmp_home / "memory", embedder="none") as memory:
        chats = sorted([turn.text for turn in memory.turns(session.name)] for session in memory.sessions())
    question = "The door code is 4711."
    assert chats == [[question, "It is noted."], [question, "Noted again."]]


@pytest.mark.requirement("P-RLY-25")
@pytest.mark.slow
def test_the_memory_is_opened_before_the_first_request(tmp_home: Path) -> None:
    with serving(tmp_home) as (_, process):
        for _ in range(1_200):
            if (tmp_home / "memory").is_dir():
                break
            threading.Event().wait(0.05)
        assert (tmp_home / "memory").is_dir()
        assert process.poll() is None


@pytest.mark.requirement("P-RLY-15")
@pytest.mark.slow
def test_options_come_from_the_environment(tmp_home: Path) -> None:
    with raw_upstream(lambda _: [answer(b"ok")]) as upstream:
        variables = {"CLEW_SERVE_UPSTREAM_OPENAI": f"{upstream.url}/v1", "CLEW_SERVE_TOKEN": "correct-horse-battery"}
        with serving(tmp_home, "--json", **variables) as (_, process):
            assert process.poll() is None
        with serving(tmp_home, **variables) as (url, _):
            assert split(ask(url, post("/openai/v1/x")))[0] == 401
            told = split(ask(url, post("/openai/v1/x", b"{}", b"X-Clew-Token: correct-horse-battery")))
        assert (told[0], told[2]) == (200, b"ok")
        assert upstream.requests[0].line == b"POST /v1/x HTTP/1.1"


@pytest.mark.requirement("P-RLY-10", "P-RLY-15")
def test_what_cannot_be_served_is_told_in_one_line(tmp_home: Path) -> None:
    assert "serve.token" in failure(1, "serve", "--host", "0.0.0.0", "--home", tmp_home)  # noqa: S104  # it is refused
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "cannot listen" in failure(1, "serve", "--port", str(port), "--home", tmp_home)
    wrong = ("--upstream-openai", "ftp://x")
    assert "serve.upstream_openai" in failure(1, "serve", "--port", "0", *wrong, "--home", tmp_home)
    assert "70000" in failure(2, "serve", "--port", "70000", "--home", tmp_home)
