"""The program on a server: every command works with --store, and none of them shows the password."""

import contextlib
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.cli_runs import PROGRAM, environment, failure, run
from tests.support.postgres_servers import PASSWORD, Server


@pytest.fixture
def address(server: Server, url: str) -> str:
    """The address of an installation that does not exist yet, with its password."""
    return server.url(password=PASSWORD, schema=url.rpartition("schema=")[2])


@pytest.mark.requirement("S-POSTGRES-21", "S-POSTGRES-22")
def test_commands_work_on_a_server_and_show_no_password(
    address: str, tmp_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_STORE", address)
    quoted = address.partition("clew:")[2].partition("@")[0]
    (tmp_home / "log.jsonl").write_text('{"role": "user", "content": "Redis holds the sessions"}\n', encoding="utf-8")
    seen = []
    for words, expected in (
        (["add", "--session", "api", "We picked Redis."], "api:turn:0"),
        (["import", str(tmp_home / "log.jsonl")], "1 turn"),
        (["recall", "what did we pick?"], "Redis"),
        (["search", "Redis", "--json"], "picked"),
        (["quote", "picked redis"], "We picked Redis."),
        (["explain", "last"], "what did we pick?"),
        (["restore", "api:turn:0"], "Redis"),
        (["stats"], "2"),
        (["stats", "--json"], "postgresql://clew@127.0.0.1"),
        (["verify"], "checked"),
        (["doctor"], ""),
        (["doctor", "--json"], "ok"),
        (["config", "show"], "none, so there is no clew.toml"),
        (["config", "check"], "no problems found"),
        (["work", "--once"], ""),
        (["rebuild"], ""),
        (["export", str(tmp_home / "out.jsonl")], ""),
        (["backup", str(tmp_home / "copy.db")], "and verified"),
        (["pause"], ""),
        (["resume"], ""),
        (["forget", "--yes", "api:turn:0"], ""),
        (["copy", address, str(tmp_home / "other")], "the same in both"),
        (["merge", str(tmp_home / "other"), address], ""),
    ):
        named = [*words, "--store", address] if words[0] not in ("copy", "merge") else words
        for each in (named, words) if words[0] in ("stats", "recall", "doctor") else (named,):
            result = run(*each)
            assert result.exit_code == 0, (each, result.output)
            assert expected in result.output, each
            seen.append(result.output)
    assert not any(secret in text for text in seen for secret in (PASSWORD, quoted, "needle"))


@pytest.mark.requirement("S-POSTGRES-22", "S-POSTGRES-03")
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda address: address.replace("needle", "wrong"), "refused the role or its password"),
        (lambda address: address.replace("/postgres?", "/absent?"), "has no such database"),
        (lambda address: address.replace("@127.0.0.1:", "@no..host:"), "cannot be reached"),
        (lambda address: re.sub(r":\d+/", ":1/", address), "cannot be reached"),
        (lambda address: address.replace("?", "?sslmode=require&"), "refused the connection"),
        (lambda address: address.replace("?", "?nonsense=1&"), "cannot be read"),
        (lambda address: address.replace("schema=", "schema=No%20"), "cannot be a name"),
    ],
    ids=["password", "database", "host", "port", "encryption", "option", "schema"],
)
def test_what_is_wrong_with_an_address_is_one_line_without_the_password(
    address: str, tmp_home: Path, change: Callable[[str], str], expected: str
) -> None:
    told = failure(1, "add", "hello", "--store", change(address))
    assert len(told.strip().splitlines()) == 1
    assert expected in told
    assert "needle" not in told
    assert "wrong" not in told


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere the arguments cannot be written over")
@pytest.mark.requirement("S-POSTGRES-22")
def test_a_list_of_processes_shows_no_password(server: Server, address: str, tmp_home: Path) -> None:
    with subprocess.Popen(
        [*PROGRAM, "add", "--store", address, "--session", "api", "-"],
        env=environment(tmp_home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        shown = _arguments_when_it_runs(program.pid)
        assert b"needle" not in shown
        assert b"--session\0api" in shown, "the others stay as they are"
        out, _ = program.communicate(b"hello")
    assert out.strip() == b"api:turn:0"
    titles = " ".join(_titles(server))
    assert "postgres" in titles
    assert "needle" not in titles


def _arguments_when_it_runs(process: int) -> bytes:
    """What others see of a program's arguments, once it has come so far that it hides what it hides."""
    pause = threading.Event()
    for _ in range(10_000):
        shown = Path(f"/proc/{process}/cmdline").read_bytes()
        if b"*" in shown:
            break
        pause.wait(0.01)
    return shown


def _titles(server: Server) -> list[str]:
    """How the server's own processes are called."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            if (place / "cwd").readlink() == server.data:
                found.append((place / "cmdline").read_bytes().decode(errors="replace"))
    return found
