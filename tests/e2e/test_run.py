"""`clew run` starts a program behind a proxy of its own, stays out of its way, and leaves nothing behind."""

import functools
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import httpx2
import pytest

from clew.errors import ConfigError, InputError
from clew.serve.clients.client_addresses import child_command, child_environment, upstreams_of
from clew.serve.processes.proxy_process import ProxyProcess, restart_delay
from clew.serve.processes.run_command import check_command
from clew.serve.processes.supervised_process import close_pipes, start_supervised
from clew.serve.scripted.script import Reply, always
from clew.serve.scripted.server import ScriptedUpstream
from tests.support.cli_runs import PROGRAM, environment

pytestmark = pytest.mark.slow  # programs and servers are started

CHILD: Final = """
import json, os, signal, sys, time, urllib.request
def ask(address):
    body = {"model": "claude-1", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}
    headers = {"x-api-key": "k", "anthropic-version": "2023-06-01", "content-type": "application/json"}
    request = urllib.request.Request(address + "/v1/messages", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)["content"][0]["text"]
"""
GUARDED: Final = {"CLEW_SERVE_TOKEN": "not-for-programs"}  # a setting of the user for `clew serve`
HEADERS: Final = {"x-api-key": "k", "anthropic-version": "2023-06-01"}
BODY: Final = {"model": "claude-1", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}


def started(tmp_path: Path, upstream: str, code: str, *words: str) -> subprocess.Popen[str]:
    names = environment(tmp_path, ANTHROPIC_BASE_URL=upstream, CLEW_HOME=str(tmp_path / "memory"), **GUARDED)
    command = [*PROGRAM, "run", "--", sys.executable, "-c", CHILD + code, *words]
    return subprocess.Popen(command, env=names, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    with suppress(ProcessLookupError):  # it is gone
        os.kill(pid, 0)
        return True
    return False


@pytest.mark.requirement("P-UPS-03")
def test_the_program_speaks_through_the_proxy_and_its_status_is_given(tmp_path: Path) -> None:
    with ScriptedUpstream(always(Reply("From upstream."))).serving() as address:
        code = 'print(sys.argv[1:], ask(os.environ["ANTHROPIC_BASE_URL"]), os.environ["CLEW_SERVER"]); sys.exit(7)'
        process = started(tmp_path, address, code, "--continue", "a b")
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (7, "")
    assert out.startswith("['--continue', 'a b'] From upstream. http://127.0.0.1:")
    assert address not in out
    assert [path.name for path in tmp_path.iterdir()] in ([], ["memory"])


@pytest.mark.requirement("P-UPS-03")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signals_reach_the_program(tmp_path: Path, number: signal.Signals) -> None:
    code = 'signal.signal(signal.SIGINT, signal.SIG_DFL); print("ready", flush=True); time.sleep(60)'
    with started(tmp_path, "http://127.0.0.1:9", code) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        assert process.wait(30) == 128 + number


@pytest.mark.requirement("P-UPS-03")
def test_ctrl_c_at_a_terminal_reaches_the_program_once(tmp_path: Path) -> None:
    code = (
        "import signal, time\ncame = []\nsignal.signal(signal.SIGINT, lambda *_: came.append(1))\n"
        "print('ready', flush=True)\nwhile not came:\n    time.sleep(0.05)\n"
        "time.sleep(0.5)\nprint(f'came {len(came)}.')"
    )
    names = environment(tmp_path, CLEW_HOME=str(tmp_path / "memory"))
    command = [*PROGRAM, "run", "--", sys.executable, "-c", code]
    pid, terminal = pty.fork()
    if not pid:  # the new process, which has the terminal
        os.execve(command[0], command, names)  # noqa: S606  # no shell is meant
    told = b""
    with os.fdopen(terminal, "rb+", buffering=0) as screen, suppress(OSError):  # a terminal ends with an error
        typed = False
        while read := screen.read(1_000):
            told += read
            if b"ready" in told and not typed:
                typed = bool(screen.write(b"\x03"))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert b"came 1." in told


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="needs os.waitid")
@pytest.mark.requirement("P-UPS-18")
def test_a_program_that_stops_itself_gives_the_terminal_back(tmp_path: Path) -> None:
    """As programs in raw mode do when Ctrl-Z is typed."""
    code = "import os, signal; os.kill(os.getpid(), signal.SIGSTOP); raise SystemExit(5)"
    names = environment(tmp_path, CLEW_HOME=str(tmp_path / "memory"))
    command = [*PROGRAM, "run", "--", sys.executable, "-c", code]
    pid, terminal = pty.fork()
    if not pid:  # the new process, which has the terminal
        os.execve(command[0], command, names)  # noqa: S606  # no shell is meant
    with os.fdopen(terminal, "rb+", buffering=0):
        assert os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1])
        os.kill(pid, signal.SIGCONT)  # as a shell does
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5


@pytest.mark.requirement("P-UPS-03")
def test_a_command_that_does_not_exist_is_told(tmp_path: Path) -> None:
    command = [*PROGRAM, "run", "--", "no-such-program-of-anybody"]
    done = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "'no-such-program-of-anybody' is not found, or cannot be run; give a command" in done.stderr
    assert not (tmp_path / "memory").exists()


@pytest.mark.requirement("P-UPS-15")
@pytest.mark.parametrize("command", ["no-such-program-of-anybody", "{folder}", "{folder}/plain"])
def test_a_program_that_cannot_be_run_is_told_before_a_proxy_is_started(tmp_path: Path, command: str) -> None:
    (tmp_path / "plain").write_text("no program")
    with pytest.raises(InputError, match=r"is not found, or cannot be run; give a command as you would type it"):
        check_command([command.format(folder=tmp_path), "--help"], os.environ)
    check_command([sys.executable, "--help"], {})


@pytest.fixture
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("CLEW_EMBEDDER", "none")
    return str(tmp_path / "memory")


def ask(address: str) -> Any:
    return httpx2.post(f"{address}/anthropic/v1/messages", json=BODY, headers=HEADERS, timeout=60).json()


@pytest.mark.requirement("P-UPS-04")
def test_a_proxy_that_dies_is_started_again_behind_the_same_address(own_home: str) -> None:
    settings = {"upstream_anthropic": ""}
    with ScriptedUpstream().serving() as settings["upstream_anthropic"]:
        with ProxyProcess(own_home, "default", settings) as proxy:
            for deaths in (1, 2):
                killed = proxy.pid
                os.kill(killed, signal.SIGKILL)
                until(functools.partial(lambda wanted: proxy.deaths == wanted, deaths))
                assert ask(proxy.address)["content"][0]["text"] == "OK."  # it waits for the next proxy
            last = proxy.pid
        until(lambda: not alive(last))  # a loaded machine may end it after the farewell


@pytest.mark.requirement("P-UPS-04")
def test_a_proxy_that_cannot_be_started_again_at_the_moment_is_tried_again(
    own_home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {"upstream_anthropic": ""}
    with (
        ScriptedUpstream().serving() as settings["upstream_anthropic"],
        ProxyProcess(own_home, "default", settings) as proxy,
    ):
        with monkeypatch.context() as without_python:
            without_python.setattr(sys, "executable", "/no/such/python")
            os.kill(proxy.pid, signal.SIGKILL)
            until(lambda: proxy.deaths >= 2)
        assert ask(proxy.address)["content"][0]["text"] == "OK."


@pytest.mark.requirement("P-UPS-04")
def test_a_process_that_dies_before_it_reads_its_order_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", shutil.which("true"))
    process = start_supervised({"home": "x" * 200_000})  # more than a pipe holds
    assert process.wait() == 0
    close_pipes(process)
    assert [restart_delay(deaths) for deaths in (1, 2, 20, 5_000)] == [0.1, 0.2, 5.0, 5.0]


@pytest.mark.requirement("P-UPS-04")
def test_the_proxy_ends_with_a_parent_that_is_killed(own_home: str, tmp_path: Path) -> None:
    code = (
        "import sys, time\nfrom clew.serve.processes.proxy_process import ProxyProcess\n"
        f"with ProxyProcess({own_home!r}, 'default', {{}}) as proxy:\n    print(proxy.pid, flush=True)\n"
        "    time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    until(lambda: not alive(pid))


@pytest.mark.requirement("P-UPS-04")
def test_a_proxy_that_cannot_start_says_why(own_home: str) -> None:
    proxy = ProxyProcess(own_home, "default", {"upstream_openai": "ftp://x"})
    with pytest.raises(ConfigError, match=r"^the proxy did not start: serve\.upstream_openai is no address"), proxy:
        pass


@pytest.mark.requirement("P-UPS-03")
def test_each_program_is_told_in_its_own_way() -> None:
    made = child_environment("http://127.0.0.1:1", {"NO_PROXY": "corp.example", "KEPT": "x"})
    assert made["KEPT"] == "x"
    assert made["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:1/anthropic"
    assert made["OPENAI_BASE_URL"] == made["OPENAI_API_BASE"] == "http://127.0.0.1:1/openai/v1"
    assert made["GOOGLE_GEMINI_BASE_URL"] == "http://127.0.0.1:1/gemini"
    assert made["NO_PROXY"] == "corp.example,127.0.0.1,localhost"
    assert "GEMINI_CLI_SYSTEM_DEFAULTS_PATH" not in made
    with_key = child_environment("http://127.0.0.1:1", {"GEMINI_API_KEY": "k"})
    defaults = Path(with_key["GEMINI_CLI_SYSTEM_DEFAULTS_PATH"]).read_text(encoding="utf-8")
    assert json.loads(defaults) == {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    own = {"GEMINI_API_KEY": "k", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH": "/own"}
    assert child_environment("http://127.0.0.1:1", own)["GEMINI_CLI_SYSTEM_DEFAULTS_PATH"] == "/own"
    words = child_command("http://127.0.0.1:1", ["/usr/bin/codex", "exec", "fix it"])
    assert words[:3] == ["/usr/bin/codex", "-c", 'openai_base_url="http://127.0.0.1:1/openai/v1"']
    assert words[-2:] == ["exec", "fix it"]
    assert child_command("http://127.0.0.1:1", ["claude", "-c"]) == ["claude", "-c"]


@pytest.mark.requirement("P-UPS-03")
def test_addresses_that_were_set_before_are_forwarded_to() -> None:
    given = {"OPENAI_API_BASE": "http://gpu.local:8000/v1/", "ANTHROPIC_BASE_URL": "https://gate.example/claude"}
    assert upstreams_of(given) == {
        "upstream_openai": "http://gpu.local:8000",
        "upstream_anthropic": "https://gate.example/claude",
    }
    assert upstreams_of({**given, "CLEW_SERVE_UPSTREAM_OPENAI": "http://x"}).keys() == {"upstream_anthropic"}
    assert upstreams_of({"OPENAI_BASE_URL": "", "ANTHROPIC_BASE_URL": "none"}) == {}
