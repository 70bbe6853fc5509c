"""Several processes that serve one address over one PostgreSQL server."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clew import Memory
from clew.serve.scripted.script import in_turn
from clew.serve.scripted.server import ScriptedUpstream
from tests.cli_runs import failure
from tests.e2e.test_proxy_process import serving
from tests.raw_upstreams import ask, post, split

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
            until = time.monotonic() + 30
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


FAILING = """
import sys
from clew.config import load_config
from clew.serve.worker_processes import run_workers
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
