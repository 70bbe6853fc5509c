"""Several processes that serve one address over one PostgreSQL server."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from queue import SimpleQueue

import pytest

from clew import Memory
from clew.serve.processes.worker_processes import _end
from clew.serve.scripted.script import in_turn
from clew.serve.scripted.server import ScriptedUpstream
from tests.e2e.test_proxy_process import serving
from tests.support.cli_runs import environment, failure
from tests.support.raw_upstreams import ask, post, split

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="sockets are inherited on POSIX systems"),
    pytest.mark.slow,
]
OPENAI = "/openai/v1/chat/completions"


@pytest.mark.requirement("P-RLY-19")
def test_processes_share_an_address_and_a_memory(tmp_home: Path, url: str) -> None:
    upstream = ScriptedUpstream(in_turn(["Fine."]))
    with upstream.serving() as address:
        words = ("--upstream-openai", address)
        with serving(tmp_home, *words, place=url, CLEW_SERVE_WORKERS="2") as (server, process):
            workers = children(process.pid)
            assert len(workers) == 2
            for number in range(8):
                assert talk(server, number) == 200
            os.kill(workers[0], signal.SIGKILL)
            until = time.monotonic() + 60
            while (len(children(process.pid)) < 2 or workers[0] in children(process.pid)) and time.monotonic() < until:
                time.sleep(0.1)
            assert talk(server, 8) == 200
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
    with Memory.open(url, embedder="none") as memory:
        assert sum(turn.role == "user" for turn in memory.turns()) == 9


@pytest.mark.requirement("P-RLY-19")
def test_several_processes_need_a_database_server(tmp_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_SERVE_WORKERS", "2")
    assert "postgresql://" in failure(1, "serve", "--port", "0", "--home", tmp_home)


def talk(server: str, number: int) -> int:
    value = {"model": "gpt-5", "messages": [{"role": "user", "content": f"This is question number {number}."}]}
    return split(ask(server, post(OPENAI, json.dumps(value).encode(), b"Authorization: Bearer k")))[0]


def children(parent: int) -> list[int]:
    text = Path(f"/proc/{parent}/task/{parent}/children")
    return [int(number) for number in text.read_text().split()] if text.is_file() else []


STARTING = """
import os, signal, sys
from clew import Memory
from clew.config import load_config
from clew.memory.opening import utc_now
from clew.serve.event_log import EventLog
from clew.serve.processes.run_server import run_server, services_of

def opening(space):
    return Memory.open(sys.argv[1], embedder="none")

def announce(address):
    os.kill(os.getpid(), getattr(signal, sys.argv[2]))

config = load_config(None, {"serve": {"port": 0}})
run_server(services_of(config, "default", opening, EventLog(utc_now)), announce)
print("it ended in order")
"""


@pytest.mark.requirement("CI-END-01", "P-RLY-15")
@pytest.mark.parametrize("stopping", ["SIGTERM", "SIGINT"])
def test_a_signal_while_the_server_starts_ends_it_in_order(tmp_home: Path, stopping: str) -> None:
    command = [sys.executable, "-c", STARTING, str(tmp_home / "memory"), stopping]
    ran = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env=environment(tmp_home))
    assert (ran.returncode, ran.stdout) == (0, "it ended in order\n"), ran.stderr


@pytest.mark.requirement("CI-END-01")
def test_a_server_whose_input_ends_at_once_ends_in_order(tmp_home: Path) -> None:
    order = {"home": str(tmp_home / "memory"), "space": "default", "serve": {}}
    command = [sys.executable, "-m", "clew.serve.processes.supervised"]
    ran = subprocess.run(
        command,
        input=json.dumps(order) + "\n",
        capture_output=True,
        encoding="utf-8",
        check=False,
        env=environment(tmp_home),
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("http://127.0.0.1:")


DEAF = "import signal, sys; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); signal.pause()"


@pytest.mark.requirement("CI-END-02", "P-RLY-19")
def test_a_process_that_does_not_end_is_killed_and_one_that_died_is_no_obstacle() -> None:
    deaf, dead = (
        subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for code in (DEAF, "")
    )
    assert deaf.stdout is not None
    assert deaf.stdout.readline() == b"\n"
    assert dead.stdin is not None
    dead.wait()
    dead.stdin.write(b"an order that nobody reads")
    _end([dead, deaf], patience=0.01)  # without signals
    assert (dead.returncode, deaf.returncode) == (0, -signal.SIGKILL)
    assert dead.stdin.closed
    assert deaf.stdout.closed


@pytest.mark.requirement("P-RLY-51")
@pytest.mark.parametrize(("signals", "ended_by"), [((2,), -signal.SIGINT), ((2, 2), -signal.SIGKILL)])
def test_another_ctrl_c_is_passed_on_and_a_third_kills(signals: tuple[int, ...], ended_by: int) -> None:
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); print(flush=True); signal.pause()"
    if len(signals) > 1:
        code = code.replace("SIG_DFL", "SIG_IGN")
    busy = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert busy.stdout is not None
    assert busy.stdout.readline() == b"\n"
    came: SimpleQueue[int] = SimpleQueue()
    for number in signals:
        came.put(number)
    _end([busy], came)
    assert busy.returncode == ended_by


FAILING = """
import sys
from clew.config import load_config
from clew.serve.processes.worker_processes import run_workers
config = load_config(None, {"serve": {"port": 0, "workers": 2}}).serve
run_workers(sys.argv[1], "default", config, {"unknown": 1}, print)
"""


@pytest.mark.requirement("P-RLY-19")
def test_a_server_whose_processes_do_not_start_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FAILING, str(tmp_path)]
    ran = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "'serve.unknown' is not a setting" in ran.stderr
    assert "a process of the server did not start" in ran.stderr
